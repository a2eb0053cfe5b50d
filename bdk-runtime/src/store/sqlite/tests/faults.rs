//! Folders that cannot be used, full disks, crashes and damage.

use super::*;
use futures_util::future::join_all;
use std::fs;

/// What says the place and the way out.
fn unusable(folder: &Path, access: Access) -> String {
    let (error, words) = refused(folder, access);
    assert!(matches!(error, OpenError::Unusable { .. }), "{error:?}");
    assert!(words.contains("--state"), "{words}");
    words
}

#[test]
fn a_folder_that_cannot_be_made_or_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let words = unusable(&file, Access::Write);
    assert!(words.contains(&*file.to_string_lossy()) && words.contains("a file, not a folder"), "{words}");
    let below = file.join("below");
    let words = unusable(&below, Access::Write);
    assert!(words.contains(&*below.to_string_lossy()), "{words}");
    assert!(matches!(refused(&below, Access::Read).0, OpenError::Missing { .. }));
    // where nobody may make a file, root neither
    #[cfg(target_os = "linux")]
    {
        let words = unusable(Path::new("/proc/self"), Access::Write);
        assert!(words.contains("/proc/self cannot be used"), "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_database_refuses_what_does_not_fit_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(folder.path()));
    store.write(vec![session("ses_a"), append("ses_a", 1, 10), put("k", "before")]).await.unwrap();
    let limit = |pages: u32| {
        let (told, set) = std::sync::mpsc::channel();
        store.writing.as_ref().unwrap().queue.run(move |db| {
            db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
            told.send(()).unwrap();
        });
        set.recv().unwrap();
    };
    let pages = store.readers.with(|db| db.query_row("PRAGMA page_count", [], |row| row.get::<_, u32>(0))).unwrap();
    limit(pages + 4);

    // at once, so that they share transactions: those that fit hold, whatever their company
    let large = "x".repeat(100_000);
    let writes = (0..40).map(|n| {
        let op = if n % 4 == 0 { put("k", &large) } else { append("ses_a", 1, 10) };
        let store = store.clone();
        tokio::spawn(async move { store.write(vec![op]).await })
    });
    let answers: Vec<_> = join_all(writes).await.into_iter().map(Result::unwrap).collect();
    for (n, answer) in answers.iter().enumerate() {
        match answer {
            Err(StoreError::Unavailable(why)) if n % 4 == 0 => assert!(why.contains("full"), "{why}"),
            Ok(_) if n % 4 != 0 => {}
            _ => panic!("{n}: {answer:?}"),
        }
    }
    assert_eq!(get(&store, "k").await.as_deref(), Some("before"));
    assert_eq!(store.events("ses_a", 0, 100).await.unwrap().len(), 31);
    let batch = vec![put("other", "1"), put_file("f", 60_000), put_file("g", 100_000)];
    assert!(matches!(store.write(batch.clone()).await, Err(StoreError::Unavailable(_))));
    assert_eq!(get(&store, "other").await, None);
    assert_eq!(blobs(folder.path()), 0, "no plain file is left behind");

    limit(1 << 20);
    store.write(vec![put("k", &large)]).await.unwrap();
    store.write(batch).await.unwrap();
    assert_eq!(get(&store, "k").await, Some(large));
    assert_eq!(blobs(folder.path()), 1);
}

/// A small filesystem, where this process may mount one.
#[cfg(target_os = "linux")]
struct Small(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl Small {
    fn mounted(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder.path()).output();
        mounted.is_ok_and(|done| done.status.success()).then_some(Self(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Small {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let Some(small) = Small::mounted("size=2m") else {
        println!("not run: this process may not mount a filesystem; the full database has a test of its own");
        return;
    };
    let folder = small.0.path();
    let store = Arc::new(open(folder));
    store.write(vec![session("ses_a")]).await.unwrap();
    let mut written = 0;
    let why = loop {
        match store.write(vec![append("ses_a", 1, 9000)]).await {
            Ok(did) => {
                assert_eq!(did, [Did::Index(written)]);
                written += 1;
            }
            Err(StoreError::Unavailable(why)) => break why,
            Err(error) => panic!("{error}"),
        }
    };
    assert!(why.contains("full"), "{why}");
    assert!(written > 20, "{written}");
    assert!(matches!(store.write(vec![put_file("large", 3 << 20)]).await, Err(StoreError::Unavailable(_))));
    assert_eq!(blobs(folder), 0, "what was written of it is gone");
    assert_eq!(store.session("ses_a").await.unwrap().unwrap().events, written);
    assert_eq!(store.events("ses_a", 0, 10_000).await.unwrap().len() as u64, written);

    // with room it goes on where it was, and a restart finds all of it
    let remounted = std::process::Command::new("mount").args(["-o", "remount,size=64m"]).arg(folder).status();
    assert!(remounted.unwrap().success());
    assert_eq!(store.write(vec![append("ses_a", 1, 9000)]).await.unwrap(), [Did::Index(written)]);
    store.write(vec![put_file("large", 3 << 20)]).await.unwrap();
    drop(store);
    let store = open(folder);
    assert_eq!(store.events("ses_a", 0, 10_000).await.unwrap().len() as u64, written + 1);
    drop(store);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_folder_is_refused_for_writing_and_fine_for_reading() {
    let Some(small) = Small::mounted("size=4m") else {
        println!("not run: this process may not mount a filesystem");
        return;
    };
    let folder = small.0.path();
    let store = open(folder);
    store.write(vec![put("k", "1")]).await.unwrap();
    drop(store);
    let remounted = std::process::Command::new("mount").args(["-o", "remount,ro"]).arg(folder).status();
    assert!(remounted.unwrap().success());
    let words = unusable(folder, Access::Write);
    assert!(words.contains("Read-only file system"), "{words}");
    let new = folder.join("new");
    assert!(unusable(&new, Access::Write).contains(&*new.to_string_lossy()));
    let store = Sqlite::open(folder, Access::Read).unwrap();
    assert_eq!(get(&store, "k").await.as_deref(), Some("1"));
    drop(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_becomes_of_the_end_of_the_log_the_rest_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(vec![session("ses_a")]).await.unwrap();
    let log = |folder: &Path| folder.join("state.db-wal");
    let mut ends = Vec::new(); // of each commit, in the log
    for n in 0..20 {
        assert_eq!(store.write(vec![append("ses_a", 1, 600)]).await.unwrap(), [Did::Index(n)]);
        ends.push(fs::metadata(log(folder.path())).unwrap().len());
    }
    let last = *ends.last().unwrap();
    for cut in [last, last - 1, last - 4000, ends[17] + 1, ends[10], ends[3] - 5] {
        for garbled in [false, true] {
            let copy = killed(folder.path());
            let mut bytes = fs::read(log(copy.path())).unwrap();
            let cut_at = usize::try_from(cut).unwrap();
            if garbled {
                bytes[cut_at..].fill(0xa5);
            } else {
                bytes.truncate(cut_at);
            }
            fs::write(log(copy.path()), bytes).unwrap();
            let there = ends.iter().filter(|end| **end <= cut).count();
            let store = open(copy.path());
            let events = store.events("ses_a", 0, 100).await.unwrap();
            assert_eq!(events.len(), there, "cut at {cut} of {last}, garbled: {garbled}");
            assert!(events.iter().zip(0..).all(|(event, index)| event.index == index));
            assert_eq!(store.write(vec![append("ses_a", 1, 600)]).await.unwrap(), [Did::Index(there as u64)]);
        }
    }
    drop(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_is_refused_after_a_crash_and_nothing_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(vec![session("ses_a"), append("ses_a", 200, 600)]).await.unwrap();
    store.close().await;
    drop(store);
    let database = folder.path().join("state.db");
    let whole = fs::read(&database).unwrap();
    let told = |bytes: &[u8]| {
        fs::write(&database, bytes).unwrap();
        let (error, words) = refused(folder.path(), Access::Write);
        assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
        assert!(words.contains("state.db is damaged") && words.contains("move the folder away"), "{words}");
        assert!(fs::read(&database).unwrap() == bytes, "it is left as it was");
    };
    // no database at all: seen whether or not the one before was killed
    told(&[&b"this is no database, whatever its name says".repeat(100)[..]].concat());
    // a page of nonsense in its middle: seen when the one before was killed
    fs::write(folder.path().join("lock"), "1\n").unwrap();
    let mut garbled = whole.clone();
    let page = whole.len() / 4096 / 2 * 4096;
    garbled[page..page + 4096].fill(0xa5);
    told(&garbled);
    // and it is looked at again until it is whole
    told(&garbled);
    fs::write(&database, &whole).unwrap();
    assert_eq!(open(folder.path()).events("ses_a", 0, 1000).await.unwrap().len(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_files_that_no_row_names_are_swept_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.write(vec![put_file("kept", 100_000)]).await.unwrap();
    // killed between writing a plain file and its row, and between removing a row and its plain file
    fs::write(folder.path().join("blobs/abc"), "orphan").unwrap();
    fs::write(folder.path().join("blobs/abc.tmp"), "half").unwrap();
    let copy = killed(folder.path());
    assert_eq!(blobs(copy.path()), 3);
    let again = open(copy.path());
    assert_eq!(blobs(copy.path()), 1);
    assert_eq!(again.file("s", "kept", at(0)).await.unwrap().unwrap().bytes.len(), 100_000);
    // one that somebody removed by hand is told, not taken for an empty one
    fs::remove_dir_all(copy.path().join("blobs")).unwrap();
    let error = again.file("s", "kept", at(0)).await.unwrap_err();
    assert!(error.to_string().contains("missing in its folder `blobs`"), "{error}");
    drop(store);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_acknowledged_before_a_kill_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(folder.path()));
    store.write(vec![session("ses_a")]).await.unwrap();
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let writers: Vec<_> = (0..64)
        .map(|writer| {
            let (store, acknowledged) = (store.clone(), acknowledged.clone());
            tokio::spawn(async move {
                for n in 0..10 {
                    let key = format!("{writer}-{n}");
                    store.write(vec![append("ses_a", 2, 300), put(&key, "v")]).await.unwrap();
                    lock(&acknowledged).push(key);
                }
            })
        })
        .collect();
    for _ in 0..5 {
        tokio::time::sleep(std::time::Duration::from_millis(7)).await;
        // what had been acknowledged when the copy began is in it; SQLite's log is only ever written at its end meanwhile
        let before = lock(&acknowledged).clone();
        let copy = killed(folder.path());
        let again = open(copy.path());
        let keys = again.keys("s", "", at(0)).await.unwrap();
        let lost: Vec<_> = before.iter().filter(|key| !keys.contains(key)).collect();
        assert!(lost.is_empty(), "{lost:?}");
        let events = again.events("ses_a", 0, 10_000).await.unwrap();
        assert_eq!(events.len(), 2 * keys.len(), "whole batches");
        assert!(events.iter().zip(0..).all(|(event, index)| event.index == index));
    }
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    assert_eq!(store.session("ses_a").await.unwrap().unwrap().events, 1280);
}
