//! The least that keeps a durable record: callers that wait for one writer, which commits what waits for it together, with SQLite's
//! `synchronous = FULL`. Nothing is called and nothing is answered; the rows are those that a bot writes of a call, or of a value.
//!
//! `commit_loop FOLDER calls|values CALLERS WARM-UP LASTING` (milliseconds) prints how many a second, as JSON.
#![allow(clippy::print_stdout, missing_docs, reason = "a program that reports")]

use rusqlite::{Connection, params};
use std::{
    path::Path,
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

const TABLES: &str = "
PRAGMA journal_mode = wal;
PRAGMA synchronous = full;
PRAGMA wal_autocheckpoint = 4096;
CREATE TABLE sessions (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, updated_at INTEGER NOT NULL, events INTEGER NOT NULL) STRICT;
CREATE TABLE events (place INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL) STRICT;
CREATE TABLE kv (number INTEGER PRIMARY KEY, space TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, expires INTEGER, value TEXT NOT NULL, UNIQUE (space, key)) STRICT;
CREATE INDEX kv_by_expiry ON kv (expires) WHERE expires IS NOT NULL;
INSERT INTO sessions VALUES (1, 'ses_abcdefghij0123450123', 0, 0);
";

/// What a bot writes of a call of `small` in a session.
const REQUESTED: &str = r#"{"actions":[{"callId":"tool_small_abcdefghij0123450123","toolName":"small","input":{"name":"bdk","note":"a note"},"effect":"read","caller":"local:loopback"}]}"#;
const RESULT: &str = r#"{"toolName":"small","callId":"tool_small_abcdefghij0123450123","isError":false,"result":{"name":"bdk","length":3,"note":"a note","ok":true},"durationMs":0,"attempts":1,"stubbed":false}"#;

struct Job {
    caller: usize,
    done: oneshot::Sender<()>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, what, callers, warm_up, lasting] = &arguments[..] else {
        panic!("commit_loop FOLDER calls|values CALLERS WARM-UP LASTING");
    };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    std::fs::create_dir_all(folder).expect("a folder");
    let db = Connection::open(Path::new(folder).join("loop.db")).expect("a database");
    db.execute_batch(TABLES).expect("tables");
    let values = what == "values";
    let (jobs, waiting) = channel();
    std::thread::spawn(move || write(&db, values, &waiting));

    let start = Instant::now();
    let from = start + Duration::from_millis(number(warm_up));
    let until = from + Duration::from_millis(number(lasting));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let counted: u64 = runtime.block_on(async {
        let callers: Vec<_> = (0..number(callers) as usize)
            .map(|caller| {
                let jobs = jobs.clone();
                tokio::spawn(async move {
                    let mut counted = 0;
                    while Instant::now() < until {
                        let (done, is_done) = oneshot::channel();
                        let sent = Instant::now();
                        jobs.send(Job { caller, done }).expect("the writer runs");
                        is_done.await.expect("the writer runs");
                        counted += u64::from(sent >= from && Instant::now() < until);
                    }
                    counted
                })
            })
            .collect();
        let mut counted = 0;
        for caller in callers {
            counted += caller.await.expect("a caller's end");
        }
        counted
    });
    println!("{{\"rate\":{}}}", counted as f64 / (until - from).as_secs_f64());
}

fn write(db: &Connection, values: bool, waiting: &Receiver<Job>) {
    let mut version = 0_i64;
    while let Ok(first) = waiting.recv() {
        let jobs: Vec<Job> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let run = |sql: &str| db.prepare_cached(sql).expect("SQL").execute([]).expect("a statement");
        run("BEGIN IMMEDIATE");
        for job in &jobs {
            if values {
                version += 1;
                let sql = "INSERT INTO kv (space, key, version, expires, value) VALUES (?1, ?2, ?3, NULL, ?4) \
                           ON CONFLICT (space, key) DO UPDATE SET version = ?3, value = ?4";
                let key = format!("key-{}", job.caller);
                db.prepare_cached(sql)
                    .expect("SQL")
                    .execute(params!["keeper", key, version, "{\"count\":1,\"name\":\"a value\"}"])
                    .expect("a value");
                continue;
            }
            let at = 1_764_547_200_000_000_i64;
            let sql = "UPDATE sessions SET events = events + 2, updated_at = ?2 WHERE id = ?1 RETURNING events - 2";
            let first: i64 = db
                .prepare_cached(sql)
                .expect("SQL")
                .query_row(params!["ses_abcdefghij0123450123", at], |row| row.get(0))
                .expect("the session");
            let sql = "INSERT INTO events (place, kind, at, data) VALUES (?1, ?2, ?3, ?4)";
            let mut insert = db.prepare_cached(sql).expect("SQL");
            let place = (1_i64 << 32) + first;
            insert.execute(params![place, "actions.requested", at, REQUESTED]).expect("an event");
            insert.execute(params![place + 1, "action.result", at, RESULT]).expect("an event");
        }
        run("COMMIT");
        for job in jobs {
            let _ = job.done.send(());
        }
    }
}
