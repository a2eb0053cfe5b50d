//! What only this store does: a folder that outlives its process, and what can be wrong with one.

mod faults;
mod folders;

use super::*;
use crate::store::{Expect, NewEvent, Op, Owner, Status, conformance};

#[tokio::test(flavor = "multi_thread")]
async fn it_does_what_every_store_does() {
    let folder = tempfile::tempdir().unwrap();
    conformance::holds(Arc::new(open(folder.path()))).await;
    let blobs = folder.path().join("blobs");
    let store = open(folder.path());
    let named = store.readers.with(read::blobs::<Vec<_>>).unwrap();
    let there = blobs.read_dir().unwrap().count();
    assert_eq!(there, named.len(), "each plain file has its row, each row its file");
}

fn open(folder: &Path) -> Sqlite {
    Sqlite::open(folder, Access::Write).unwrap()
}

fn refused(folder: &Path, access: Access) -> (OpenError, String) {
    match Sqlite::open(folder, access) {
        Ok(_) => panic!("{} was opened", folder.display()),
        Err(error) => {
            let words = error.to_string();
            (error, words)
        }
    }
}

fn at(millis: i64) -> Timestamp {
    jiff::Timestamp::from_millisecond(1_796_000_000_000 + millis).expect("an instant").into()
}

fn session(id: &str) -> Op {
    let row = SessionRow {
        id: id.into(),
        owner: Owner { kind: "user".to_owned(), subject: "u".to_owned() },
        facts: "{}".to_owned(),
        status: Status::Waiting,
        token: format!("token of {id}"),
        created_at: at(0),
        updated_at: at(0),
        events: 0,
    };
    Op::OpenSession(row.into())
}

fn append(session: &str, count: usize, size: usize) -> Op {
    let events = (0..count).map(|_| NewEvent { kind: "action.result", data: "x".repeat(size) }).collect();
    Op::Append { session: session.into(), at: at(1), status: None, events }
}

fn put(key: &str, value: &str) -> Op {
    let (space, key, value) = ("s".into(), key.to_owned(), value.to_owned());
    Op::PutValue { space, key, value, now: at(0), expires: None, expect: Expect::Anything }
}

fn put_file(path: &str, size: usize) -> Op {
    let file = StoredFile { meta: String::new(), session: None, expires: None, bytes: vec![7; size].into() };
    Op::PutFile { space: "s".into(), path: path.to_owned(), file }
}

async fn get(store: &Sqlite, key: &str) -> Option<String> {
    store.value("s", key, at(0)).await.unwrap().map(|v| v.value)
}

/// How many plain files lie in the folder.
fn blobs(folder: &Path) -> usize {
    folder.join("blobs").read_dir().map_or(0, Iterator::count)
}

/// A folder as a process leaves it that is killed now, while `store` still has the original.
fn killed(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fn all(from: &Path, to: &Path) {
        for entry in from.read_dir().unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                std::fs::create_dir(&to).unwrap();
                all(&entry.path(), &to);
            } else {
                // SQLite's shared memory is of no use to the next process, which makes it anew from the log
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    all(folder, copy.path());
    copy
}
