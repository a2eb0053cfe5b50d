//! Files: bytes of any size, expiry, paths.

use super::super::{Did, Op, StoredFile};
use super::{Shared, at, fresh, laws, one};
use crate::Timestamp;
use futures_util::future::join_all;
use std::sync::Arc;

laws![
    a_file_comes_back_as_it_was_put,
    files_of_any_size_come_back,
    a_file_takes_the_place_of_another,
    a_file_ends_at_the_instant_that_was_said,
    a_deleted_file_is_gone_and_told_so_once,
    paths_are_listed_by_prefix_in_the_order_of_their_bytes,
    files_and_values_are_apart,
    purging_removes_files_that_have_expired,
    a_file_that_is_replaced_while_it_is_read_is_read_whole,
];

fn file(bytes: Vec<u8>) -> StoredFile {
    StoredFile { meta: "{}".to_owned(), session: None, expires: None, bytes: bytes.into() }
}

fn put(space: &Arc<str>, path: &str, file: &StoredFile) -> Op {
    Op::PutFile { space: space.clone(), path: path.to_owned(), file: file.clone() }
}

fn delete(space: &Arc<str>, path: &str, now: Timestamp) -> Op {
    Op::DeleteFile { space: space.clone(), path: path.to_owned(), now }
}

async fn a_file_comes_back_as_it_was_put(store: Shared) {
    let space = fresh("space");
    assert_eq!(store.file(&space, "a", at(0)).await.unwrap(), None);
    let every = StoredFile {
        meta: "{\"name\":\"ä\0\"}".to_owned(),
        session: Some(fresh("ses")),
        expires: Some(at(100)),
        bytes: (0..=255).collect::<Vec<u8>>().into(),
    };
    assert_eq!(one(&store, put(&space, "a", &every)).await.unwrap(), Did::Done);
    assert_eq!(store.file(&space, "a", at(0)).await.unwrap(), Some(every));
}

async fn files_of_any_size_come_back(store: Shared) {
    let space = fresh("space");
    for size in [0, 1, 65_535, 65_536, 65_537, 5 << 20] {
        let bytes: Vec<u8> = (0..size).map(|n: usize| (n % 251) as u8).collect();
        let file = file(bytes);
        one(&store, put(&space, &size.to_string(), &file)).await.unwrap();
        assert!(store.file(&space, &size.to_string(), at(0)).await.unwrap() == Some(file), "{size}");
    }
}

async fn a_file_takes_the_place_of_another(store: Shared) {
    let space = fresh("space");
    for size in [3, 100_000, 90_000, 4, 0] {
        let file = StoredFile { session: (size == 4).then(|| fresh("ses")), ..file(vec![9; size]) };
        one(&store, put(&space, "a", &file)).await.unwrap();
        assert!(store.file(&space, "a", at(0)).await.unwrap() == Some(file), "{size}");
    }
    let twice = vec![put(&space, "a", &file(vec![1; 80_000])), put(&space, "a", &file(vec![2; 80_000]))];
    store.write(twice).await.unwrap();
    assert!(*store.file(&space, "a", at(0)).await.unwrap().unwrap().bytes == [2; 80_000]);
    assert_eq!(store.files(&space, "", at(0)).await.unwrap(), ["a"]);
}

async fn a_file_ends_at_the_instant_that_was_said(store: Shared) {
    let space = fresh("space");
    for size in [3, 100_000] {
        let file = StoredFile { expires: Some(at(100)), ..file(vec![9; size]) };
        one(&store, put(&space, "a", &file)).await.unwrap();
        assert!(store.file(&space, "a", at(99)).await.unwrap() == Some(file), "{size}");
        assert!(store.file(&space, "a", at(100)).await.unwrap().is_none(), "{size}");
        assert_eq!(store.files(&space, "", at(99)).await.unwrap(), ["a"]);
        assert_eq!(store.files(&space, "", at(100)).await.unwrap(), [""; 0]);
    }
    assert_eq!(one(&store, delete(&space, "a", at(100))).await.unwrap(), Did::Existed(false));
}

async fn a_deleted_file_is_gone_and_told_so_once(store: Shared) {
    let space = fresh("space");
    for size in [3, 100_000] {
        one(&store, put(&space, "a", &file(vec![9; size]))).await.unwrap();
        assert_eq!(one(&store, delete(&space, "a", at(0))).await.unwrap(), Did::Existed(true));
        assert_eq!(one(&store, delete(&space, "a", at(0))).await.unwrap(), Did::Existed(false));
        assert_eq!(store.file(&space, "a", at(0)).await.unwrap(), None);
    }
}

async fn paths_are_listed_by_prefix_in_the_order_of_their_bytes(store: Shared) {
    let space = fresh("space");
    let mut paths = vec!["a", "a/b", "a/b/c.txt", "a_", "a%", "a*", "B", "ä/ö", "🦀", "a\0", "", "z"];
    for path in &paths {
        one(&store, put(&space, path, &file(path.as_bytes().to_vec()))).await.unwrap();
    }
    paths.sort_unstable();
    for prefix in ["", "a", "a/", "a_", "a%", "a*", "a\0", "ä", "🦀", "nothing"] {
        let expected: Vec<_> = paths.iter().copied().filter(|path| path.starts_with(prefix)).collect();
        assert_eq!(store.files(&space, prefix, at(0)).await.unwrap(), expected, "{prefix:?}");
    }
    for path in &paths {
        assert_eq!(*store.file(&space, path, at(0)).await.unwrap().unwrap().bytes, *path.as_bytes());
    }
}

async fn files_and_values_are_apart(store: Shared) {
    let space = fresh("space");
    one(&store, put(&space, "a", &file(vec![1]))).await.unwrap();
    assert_eq!(store.value(&space, "a", at(0)).await.unwrap(), None);
    assert_eq!(store.keys(&space, "", at(0)).await.unwrap(), [""; 0]);
}

async fn purging_removes_files_that_have_expired(store: Shared) {
    let space = fresh("space");
    for (path, expires) in
        [("gone", Some(at(100))), ("gone-large", Some(at(100))), ("stays", Some(at(101))), ("always", None)]
    {
        let size = if path == "gone-large" { 100_000 } else { 3 };
        one(&store, put(&space, path, &StoredFile { expires, ..file(vec![1; size]) })).await.unwrap();
    }
    one(&store, Op::Purge { now: at(100) }).await.unwrap();
    assert_eq!(store.files(&space, "", at(0)).await.unwrap(), ["always", "stays"]);
}

async fn a_file_that_is_replaced_while_it_is_read_is_read_whole(store: Shared) {
    let space = fresh("space");
    one(&store, put(&space, "a", &file(vec![0; 80_000]))).await.unwrap();
    let writer = {
        let (store, space) = (store.clone(), space.clone());
        tokio::spawn(async move {
            for n in 1..=20 {
                one(&store, put(&space, "a", &file(vec![n; 80_000]))).await.unwrap();
            }
        })
    };
    let readers = (0..4).map(|_| {
        let (store, space) = (store.clone(), space.clone());
        tokio::spawn(async move {
            loop {
                let bytes = store.file(&space, "a", at(0)).await.unwrap().unwrap().bytes;
                assert!(bytes.len() == 80_000 && bytes.iter().all(|b| *b == bytes[0]));
                if bytes[0] == 20 {
                    break;
                }
            }
        })
    });
    join_all(readers).await.into_iter().for_each(Result::unwrap);
    writer.await.unwrap();
}
