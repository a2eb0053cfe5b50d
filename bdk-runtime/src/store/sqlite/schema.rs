//! The tables, their versions, and how a connection is set up.

use super::OpenError;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::{path::Path, time::Duration};

/// The database, in the folder.
pub(super) const DATABASE: &str = "state.db";

/// What brings the tables from one version to the next: the first from nothing to 1. Never change one that was released.
const MIGRATIONS: &[&str] = &["
CREATE TABLE sessions (
    number        INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    owner_kind    TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    token         TEXT NOT NULL,
    created_at    INTEGER NOT NULL, -- instants are microseconds since 1970
    updated_at    INTEGER NOT NULL,
    status        TEXT NOT NULL,
    events        INTEGER NOT NULL,
    facts         TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_token ON sessions (token);
CREATE INDEX sessions_by_age ON sessions (created_at, id);
CREATE INDEX sessions_by_owner ON sessions (owner_kind, owner_subject, created_at, id);

-- a session's events lie together, and are found without an index of their own: place = session's number * 2^32 + index
CREATE TABLE events (
    place INTEGER PRIMARY KEY,
    kind  TEXT NOT NULL,
    at    INTEGER NOT NULL,
    data  TEXT NOT NULL
) STRICT;

CREATE TABLE kv (
    number  INTEGER PRIMARY KEY,
    space   TEXT NOT NULL,
    key     TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires INTEGER,
    value   TEXT NOT NULL,
    UNIQUE (space, key)
) STRICT;
CREATE INDEX kv_by_expiry ON kv (expires) WHERE expires IS NOT NULL;

CREATE TABLE files (
    number  INTEGER PRIMARY KEY,
    space   TEXT NOT NULL,
    path    TEXT NOT NULL,
    session TEXT,
    expires INTEGER,
    meta    TEXT NOT NULL,
    blob    TEXT, -- the name of the plain file that holds the bytes, where they are large
    bytes   BLOB, -- the bytes, where they are not
    UNIQUE (space, path)
) STRICT;
CREATE INDEX files_by_session ON files (session) WHERE session IS NOT NULL;
CREATE INDEX files_by_expiry ON files (expires) WHERE expires IS NOT NULL;
CREATE INDEX files_by_blob ON files (blob) WHERE blob IS NOT NULL;

CREATE TABLE idempotency (
    number      INTEGER PRIMARY KEY,
    scope       TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    call_id     TEXT NOT NULL,
    expires     INTEGER NOT NULL,
    outcome     TEXT,
    UNIQUE (scope, key)
) STRICT;
CREATE INDEX idempotency_by_expiry ON idempotency (expires);

CREATE TABLE calls (
    call_id TEXT PRIMARY KEY,
    run     INTEGER NOT NULL,
    tool    TEXT NOT NULL,
    session TEXT,
    scope   TEXT,
    key     TEXT,
    began   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- one row: the last version given to a value, and how often the folder was opened for writing
CREATE TABLE counters (versions INTEGER NOT NULL, runs INTEGER NOT NULL) STRICT;
INSERT INTO counters VALUES (0, 0);
"];

/// The version that this bdk writes.
pub(super) const VERSION: usize = MIGRATIONS.len();

/// A connection that writes, to a database that may not be there.
pub(super) fn writer(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    settle(&connection)?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // acknowledged is on disk, also when the power fails
    connection.pragma_update(None, "synchronous", "full")?;
    // a page that is written again and again is copied into the database once per 16 MiB, not once per 4
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 4096, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))?;
    connection.pragma_update(None, "cache_size", -8192)?;
    // the log stays when the last connection goes, so that whoever only reads finds it and makes no file
    connection.file_control(rusqlite::MAIN_DB.into(), rusqlite::FileControl::PersistWal(&mut 1))?;
    Ok(connection)
}

/// A connection that reads.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    settle(&connection)?;
    Ok(connection)
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "temp_store", "memory")
}

/// The version of the tables; 0 where there are none.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<usize> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        .map(|v| usize::try_from(v).unwrap_or(0))
}

/// Brings the tables to this bdk's version, all steps or none.
pub(super) fn migrate(connection: &mut Connection, from: usize) -> rusqlite::Result<()> {
    let Some(steps) = MIGRATIONS.get(from..).filter(|steps| !steps.is_empty()) else { return Ok(()) };
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for sql in steps {
        step.execute_batch(sql)?;
    }
    step.pragma_update(None, "user_version", VERSION as i64)?;
    step.commit()
}

/// Looks through the whole database for damage.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match found {
        Ok(found) if found == "ok" => Ok(()),
        Ok(found) => Err(OpenError::Damaged { database: path.to_owned(), why: found.into() }),
        Err(error) => Err(failed(path, &error)),
    }
}

/// What an error of opening means to the operator.
pub(super) fn failed(path: &Path, error: &rusqlite::Error) -> OpenError {
    let (database, why) = (path.to_owned(), error.to_string().into());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => OpenError::Damaged { database, why },
        _ => OpenError::Unusable { path: database, why },
    }
}

/// An instant as it is kept.
pub(super) fn micros(at: crate::Timestamp) -> i64 {
    at.as_microsecond()
}
