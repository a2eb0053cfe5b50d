//! Opening and closing: what is kept, who is refused, what is made.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_is_there_when_the_folder_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let batch = vec![
        session("ses_a"),
        append("ses_a", 3, 600),
        put("k", "1"),
        put_file("small", 3),
        put_file("large", 100_000),
    ];
    let did = store.write(batch).await.unwrap();
    let Did::Version(version) = did[2] else { panic!("{did:?}") };
    store.close().await;
    drop(store);

    let store = open(folder.path());
    assert_eq!(store.session("ses_a").await.unwrap().unwrap().events, 3);
    assert_eq!(store.events("ses_a", 0, 10).await.unwrap().len(), 3);
    assert_eq!(store.write(vec![append("ses_a", 1, 1)]).await.unwrap(), [Did::Index(3)]);
    assert_eq!(get(&store, "k").await.as_deref(), Some("1"));
    assert_eq!(store.file("s", "large", at(0)).await.unwrap().unwrap().bytes.len(), 100_000);
    // also not after a deletion and a restart
    store.write(vec![Op::DeleteValue { space: "s".into(), key: "k".to_owned(), now: at(0) }]).await.unwrap();
    drop(store);
    let store = open(folder.path());
    let Did::Version(next) = store.write(vec![put("k", "2")]).await.unwrap()[0] else { panic!("a version") };
    assert!(next > version);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_let_go_of_has_done_what_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for n in 0..200 {
        drop(store.write(vec![put(&n.to_string(), "v")])); // nobody waits for the answer
    }
    drop(store.write(vec![put_file("large", 100_000)]));
    drop(store.write(vec![put("last", "v")]).await);
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.keys("s", "", at(0)).await.unwrap().len(), 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_is_told_who_has_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let pid = std::process::id();
    let (error, words) = refused(folder.path(), Access::Write);
    assert!(matches!(error, OpenError::InUse { pid: Some(p), .. } if p == pid));
    let place = folder.path().display();
    assert_eq!(
        words,
        format!(
            "{place} is in use by process {pid}: give this one a folder of its own with --state, or call that one with --url"
        )
    );
    store.note("http://127.0.0.1:3000\nand more");
    let (_, words) = refused(folder.path(), Access::Write);
    assert!(words.contains(&format!("by process {pid} (http://127.0.0.1:3000): give")), "{words}");
    store.write(vec![put("k", "1")]).await.unwrap();

    store.close().await; // and not only when it is dropped
    let again = open(folder.path());
    assert_eq!(get(&again, "k").await.as_deref(), Some("1"));
    drop(store); // does nothing to the one that has it now
    refused(folder.path(), Access::Write);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_read_beside_the_one_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let writer = open(folder.path());
    writer.write(vec![session("ses_a"), put("k", "1")]).await.unwrap();
    let reader = Sqlite::open(folder.path(), Access::Read).unwrap();
    assert_eq!(get(&reader, "k").await.as_deref(), Some("1"));
    writer.write(vec![put("k", "2"), put_file("large", 100_000)]).await.unwrap();
    assert_eq!(get(&reader, "k").await.as_deref(), Some("2"));
    assert_eq!(reader.file("s", "large", at(0)).await.unwrap().unwrap().bytes.len(), 100_000);
    assert!(reader.is_shared() && !writer.is_shared());
    let error = reader.write(vec![put("k", "3")]).await.unwrap_err();
    assert!(error.to_string().contains("opened for reading"), "{error}");
    assert_eq!(reader.cut_off().await.unwrap(), []);
    writer.close().await;
    assert_eq!(get(&reader, "k").await.as_deref(), Some("2"), "and after that has gone");
    reader.close().await;
    assert!(matches!(reader.value("s", "k", at(0)).await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn whoever_reads_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let files = || {
        let mut names: Vec<_> = folder.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (error, words) = refused(folder.path(), Access::Read);
    assert!(matches!(error, OpenError::Missing { .. }));
    assert!(words.contains("there is no state in") && words.contains("--state"), "{words}");
    let nowhere = folder.path().join("nowhere");
    assert!(matches!(refused(&nowhere, Access::Read).0, OpenError::Missing { .. }));
    assert_eq!(files(), [""; 0]);

    let store = open(folder.path());
    store.write(vec![put("k", "1")]).await.unwrap();
    store.close().await;
    drop(store);
    let before = files();
    let reader = Sqlite::open(folder.path(), Access::Read).unwrap();
    assert_eq!(get(&reader, "k").await.as_deref(), Some("1"));
    drop(reader);
    assert_eq!(files(), before);
    drop(open(folder.path())); // and keeps nobody out
}

#[test]
fn a_database_of_a_newer_bdk_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let db = Connection::open(folder.path().join("state.db")).unwrap();
    db.pragma_update(None, "user_version", schema::VERSION as i64 + 3).unwrap();
    drop(db);
    for access in [Access::Write, Access::Read] {
        let (error, words) = refused(folder.path(), access);
        assert!(matches!(error, OpenError::Newer { .. }));
        let (found, known) = (schema::VERSION + 3, schema::VERSION);
        assert!(words.contains(&format!("schema is {found}, this bot knows up to {known}")), "{words}");
    }
}

#[tokio::test]
async fn one_that_was_made_and_not_filled_is_filled_now() {
    // killed between making the file and its tables
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("state.db"), "").unwrap();
    assert!(matches!(refused(folder.path(), Access::Read).0, OpenError::Missing { .. }));
    let store = open(folder.path());
    store.write(vec![put("k", "1")]).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_and_its_files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a/b");
    let store = open(&folder);
    store.write(vec![put_file("large", 100_000)]).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in ["state.db", "state.db-wal", "state.db-shm", "lock"] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
    assert_eq!(mode(&folder.join("blobs")), 0o700);
    assert_eq!(std::fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
    let blob = folder.join("blobs").read_dir().unwrap().next().unwrap().unwrap();
    assert_eq!(mode(&blob.path()), 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_were_cut_off_are_told_to_the_next_process_until_they_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    let call = |id: &str, key: Option<&str>| OpenCall {
        call_id: id.into(),
        tool: "send".to_owned(),
        session: Some("ses_a".into()),
        key: key.map(|key| ("scope".into(), key.into())),
        began: at(5),
    };
    let begin = |call: OpenCall| Op::BeginCall(call.into());
    let store = open(folder.path());
    let batch = vec![begin(call("a", None)), begin(call("b", Some("k"))), begin(call("c", None))];
    store.write(batch).await.unwrap();
    store.write(vec![Op::EndCall { call_id: "c".into() }]).await.unwrap();
    assert_eq!(store.cut_off().await.unwrap(), [], "its own are running");
    drop(store);

    // one that is killed before it has dealt with them
    drop(open(folder.path()).cut_off().await.unwrap());

    let store = open(folder.path());
    store.write(vec![begin(call("of now", None))]).await.unwrap();
    assert_eq!(store.cut_off().await.unwrap(), [call("a", None), call("b", Some("k"))]);
    assert_eq!(store.cut_off().await.unwrap(), [], "each once");
    let ended = ["a", "b"].map(|id| Op::EndCall { call_id: id.into() });
    assert_eq!(store.write(ended.into()).await.unwrap(), [Did::Existed(true); 2]);
    drop(store);
    assert_eq!(open(folder.path()).cut_off().await.unwrap(), [call("of now", None)]);
}

#[test]
fn every_question_is_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let asked = [
        read::SESSION,
        read::SESSION_OF_TOKEN,
        read::SESSIONS_AFTER,
        read::SESSIONS_OF,
        read::SESSIONS_OF_AFTER,
        read::NUMBER,
        read::EVENTS,
        read::VALUE,
        read::KEYS,
        read::FILE,
        read::FILES,
        read::KEY,
        "DELETE FROM events WHERE place BETWEEN ?1 AND ?2",
        "DELETE FROM files WHERE session = ?1",
        "DELETE FROM kv WHERE expires <= ?1",
        "DELETE FROM files WHERE expires <= ?1",
        "DELETE FROM idempotency WHERE expires <= ?1",
    ];
    let plan = |sql: &str| {
        let explained = store.readers.with(|db| {
            let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            #[allow(clippy::let_and_return, reason = "the rows go before the statement")]
            let steps = plan.raw_query().mapped(|row| row.get::<_, String>(3)).collect::<rusqlite::Result<Vec<_>>>();
            steps
        });
        explained.unwrap().join("; ")
    };
    for sql in asked {
        let plan = plan(sql);
        assert!(plan.contains("SEARCH") && !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{sql}: {plan}");
    }
    // everybody's, from the youngest on, and the names of all plain files: along an index, and not sorted
    for sql in [read::SESSIONS, read::BLOBS] {
        let plan = plan(sql);
        assert!(plan.contains("USING") && plan.contains("INDEX") && !plan.contains("TEMP B-TREE"), "{sql}: {plan}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_removed_or_replaced_under_a_running_bot_takes_nothing_more() {
    for removed in ["state.db", "lock", ""] {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("state");
        let store = open(&place);
        store.write(vec![put("k", "1")]).await.unwrap();
        if removed.is_empty() {
            std::fs::rename(&place, folder.path().join("away")).unwrap();
            drop(open(&place)); // another process begins anew there
        } else {
            std::fs::remove_file(place.join(removed)).unwrap();
        }
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        let told = store.write(vec![put("k", "2")]).await.unwrap_err().to_string();
        assert!(told.contains("its folder was removed"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_stand_in_the_database_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.path().join("state.db"), copy.path().join("state.db")).unwrap();
    drop(store);
    // without the log beside it
    drop(Sqlite::open(copy.path(), Access::Read).unwrap());
}
