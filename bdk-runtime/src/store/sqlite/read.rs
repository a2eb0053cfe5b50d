//! Reading: a few connections, each used by one reader at a time.

use super::{blobs::Blobs, failure, schema, schema::micros};
use crate::store::{
    KeyRow, OpenCall, Owner, SessionPage, SessionRow, Status, StoreError, StoredEvent, StoredFile, Versioned,
};
use crate::{Timestamp, lock::lock};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

/// So many connections are kept for the next reader; more are opened when they are needed, and closed again.
const KEPT: usize = 8;

/// The connections that nobody reads with.
pub(super) struct Readers {
    database: PathBuf,
    idle: Mutex<Vec<Connection>>,
    closed: AtomicBool,
    pub(super) blobs: Blobs,
}

/// A file's row: its bytes may lie elsewhere.
pub(super) enum FileRow {
    Whole(StoredFile),
    Elsewhere(StoredFile, String),
}

impl Readers {
    pub(super) fn new(database: &Path, blobs: Blobs) -> Self {
        let (idle, closed) = (Mutex::default(), AtomicBool::new(false));
        Self { database: database.to_owned(), idle, closed, blobs }
    }

    /// Reads with a connection that nobody else has.
    pub(super) fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::shutting_down());
        }
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => schema::reader(&self.database).map_err(|error| failure(&error))?,
        };
        let answer = read(&connection);
        let mut idle = lock(&self.idle);
        // under the lock, so that none is put back behind `close`
        if idle.len() < KEPT && !self.closed.load(Ordering::Acquire) {
            idle.push(connection);
        }
        drop(idle);
        answer.map_err(|error| failure(&error))
    }

    /// A file whose bytes lie elsewhere: its row, and the name of the plain file.
    pub(super) fn large(
        &self,
        space: &str,
        path: &str,
        now: Timestamp,
        mut file: StoredFile,
        mut blob: String,
    ) -> Result<Option<StoredFile>, StoreError> {
        loop {
            match self.blobs.read(&blob) {
                Ok(bytes) => return Ok(Some(StoredFile { bytes, ..file })),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(StoreError::unavailable(error)),
            }
            // it was put anew or removed meanwhile, and the row says so now
            match self.with(|db| self::file(db, space, path, now))? {
                None => return Ok(None),
                Some(FileRow::Whole(file)) => return Ok(Some(file)),
                Some(FileRow::Elsewhere(_, same)) if same == blob => {
                    return Err(StoreError::unavailable(format_args!(
                        "the file {blob} is missing in its folder `blobs`"
                    )));
                }
                Some(FileRow::Elsewhere(row, name)) => (file, blob) = (row, name),
            }
        }
    }

    pub(super) fn close(&self) {
        let mut idle = lock(&self.idle);
        self.closed.store(true, Ordering::Release);
        let gone = std::mem::take(&mut *idle);
        drop(idle);
        drop(gone);
    }
}

/// The instant that a column of microseconds stands for.
fn instant(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    let at = jiff::Timestamp::from_microsecond(row.get(column)?);
    at.map(Timestamp::from).map_err(|error| unreadable(column, error.into()))
}

fn unreadable(column: usize, why: Box<dyn std::error::Error + Send + Sync>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Integer, why)
}

/// The columns of [`session_row`].
macro_rules! session_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, owner_kind, owner_subject, token, created_at, updated_at, status, events, facts FROM sessions ",
            $rest
        )
    };
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let status: Box<str> = row.get(6)?;
    let status = Status::parse(&status).ok_or_else(|| unreadable(6, format!("no status is called {status}").into()))?;
    Ok(SessionRow {
        id: row.get(0)?,
        owner: Owner { kind: row.get(1)?, subject: row.get(2)? },
        token: row.get(3)?,
        created_at: instant(row, 4)?,
        updated_at: instant(row, 5)?,
        status,
        events: row.get::<_, i64>(7)?.unsigned_abs(),
        facts: row.get(8)?,
    })
}

pub(super) const SESSION: &str = session_columns!("WHERE id = ?1");
pub(super) const SESSION_OF_TOKEN: &str = session_columns!("WHERE token = ?1 LIMIT 1");
pub(super) const SESSIONS: &str = session_columns!("ORDER BY created_at DESC, id DESC LIMIT ?1");
pub(super) const SESSIONS_AFTER: &str =
    session_columns!("WHERE (created_at, id) < (?2, ?3) ORDER BY created_at DESC, id DESC LIMIT ?1");
pub(super) const SESSIONS_OF: &str =
    session_columns!("WHERE owner_kind = ?2 AND owner_subject = ?3 ORDER BY created_at DESC, id DESC LIMIT ?1");
pub(super) const SESSIONS_OF_AFTER: &str = session_columns!(
    "WHERE owner_kind = ?2 AND owner_subject = ?3 AND (created_at, id) < (?4, ?5) ORDER BY created_at DESC, id DESC LIMIT ?1"
);
pub(super) const NUMBER: &str = "SELECT number FROM sessions WHERE id = ?1";
pub(super) const EVENTS: &str =
    "SELECT place, kind, at, data FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT ?3";
pub(super) const VALUE: &str =
    "SELECT value, version FROM kv WHERE space = ?1 AND key = ?2 AND (expires IS NULL OR expires > ?3)";
pub(super) const KEYS: &str =
    "SELECT key, expires IS NULL OR expires > ?3 FROM kv WHERE space = ?1 AND key >= ?2 ORDER BY key";
pub(super) const FILE: &str = "SELECT meta, session, expires, blob, bytes FROM files \
                               WHERE space = ?1 AND path = ?2 AND (expires IS NULL OR expires > ?3)";
pub(super) const FILES: &str =
    "SELECT path, expires IS NULL OR expires > ?3 FROM files WHERE space = ?1 AND path >= ?2 ORDER BY path";
pub(super) const KEY: &str =
    "SELECT fingerprint, call_id, outcome FROM idempotency WHERE scope = ?1 AND key = ?2 AND expires > ?3";
pub(super) const CUT_OFF: &str =
    "SELECT call_id, tool, session, scope, key, began FROM calls WHERE run < ?1 ORDER BY began";
pub(super) const BLOBS: &str = "SELECT blob FROM files WHERE blob IS NOT NULL";

/// A limit as SQLite takes it.
fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(super) fn session(db: &Connection, id: &str) -> rusqlite::Result<Option<SessionRow>> {
    db.prepare_cached(SESSION)?.query_row([id], session_row).optional()
}

pub(super) fn session_of_token(db: &Connection, token: &str) -> rusqlite::Result<Option<SessionRow>> {
    db.prepare_cached(SESSION_OF_TOKEN)?.query_row([token], session_row).optional()
}

pub(super) fn sessions(db: &Connection, page: SessionPage<'_>) -> rusqlite::Result<Vec<SessionRow>> {
    let most = limit(page.limit);
    let after = page.after.map(|(at, id)| (micros(at), id));
    match (page.owner, after) {
        (None, None) => db.prepare_cached(SESSIONS)?.query_map([most], session_row)?.collect(),
        (None, Some((at, id))) => {
            db.prepare_cached(SESSIONS_AFTER)?.query_map(params![most, at, id], session_row)?.collect()
        }
        (Some(Owner { kind, subject }), None) => {
            db.prepare_cached(SESSIONS_OF)?.query_map(params![most, kind, subject], session_row)?.collect()
        }
        (Some(Owner { kind, subject }), Some((at, id))) => {
            let mut sessions = db.prepare_cached(SESSIONS_OF_AFTER)?;
            sessions.query_map(params![most, kind, subject, at, id], session_row)?.collect()
        }
    }
}

/// Where a session's event lies, and how far its events reach.
pub(super) fn place(number: i64, index: u64) -> (i64, i64) {
    let first = number << 32;
    // an index that no event has lies behind the last place: nothing is there
    (first.saturating_add(i64::try_from(index).unwrap_or(i64::MAX)), first | 0xffff_ffff)
}

pub(super) fn events(db: &Connection, session: &str, from: u64, most: usize) -> rusqlite::Result<Vec<StoredEvent>> {
    // both reads see the same moment: a session that is deleted and opened again between them would mix two
    let moment = db.unchecked_transaction()?;
    let number = moment.prepare_cached(NUMBER)?.query_row([session], |row| row.get(0)).optional()?;
    let Some(number) = number else { return Ok(Vec::new()) };
    let (first, last) = place(number, from);
    let mut events = moment.prepare_cached(EVENTS)?;
    let events = events.query_map([first, last, limit(most)], |row| {
        Ok(StoredEvent {
            index: (row.get::<_, i64>(0)? & 0xffff_ffff).unsigned_abs(),
            kind: row.get(1)?,
            at: instant(row, 2)?,
            data: row.get(3)?,
        })
    })?;
    events.collect()
}

pub(super) fn value(db: &Connection, space: &str, key: &str, now: Timestamp) -> rusqlite::Result<Option<Versioned>> {
    let versioned = |row: &Row<'_>| Ok(Versioned { value: row.get(0)?, version: row.get::<_, i64>(1)?.unsigned_abs() });
    db.prepare_cached(VALUE)?.query_row(params![space, key, micros(now)], versioned).optional()
}

/// The names that begin so: those from the prefix on, as long as they do.
pub(super) fn names(
    db: &Connection,
    sql: &str,
    space: &str,
    prefix: &str,
    now: Timestamp,
) -> rusqlite::Result<Vec<String>> {
    let mut names = db.prepare_cached(sql)?;
    let mut rows = names.query(params![space, prefix, micros(now)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str()?;
        if !name.starts_with(prefix) {
            break;
        }
        if row.get(1)? {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

pub(super) fn file(db: &Connection, space: &str, path: &str, now: Timestamp) -> rusqlite::Result<Option<FileRow>> {
    let row = |row: &Row<'_>| {
        let expires = row.get::<_, Option<i64>>(2)?.map(|_| instant(row, 2)).transpose()?;
        let blob: Option<String> = row.get(3)?;
        let bytes = if blob.is_none() { row.get(4)? } else { Arc::default() };
        let file = StoredFile { meta: row.get(0)?, session: row.get(1)?, expires, bytes };
        Ok(match blob {
            None => FileRow::Whole(file),
            Some(blob) => FileRow::Elsewhere(file, blob),
        })
    };
    db.prepare_cached(FILE)?.query_row(params![space, path, micros(now)], row).optional()
}

pub(super) fn key(db: &Connection, scope: &str, key: &str, now: Timestamp) -> rusqlite::Result<Option<KeyRow>> {
    let row = |row: &Row<'_>| Ok(KeyRow { fingerprint: row.get(0)?, call_id: row.get(1)?, outcome: row.get(2)? });
    db.prepare_cached(KEY)?.query_row(params![scope, key, micros(now)], row).optional()
}

/// The calls that were begun before this run.
pub(super) fn cut_off(db: &Connection, run: i64) -> rusqlite::Result<Vec<OpenCall>> {
    let mut calls = db.prepare_cached(CUT_OFF)?;
    let calls = calls.query_map([run], |row| {
        Ok(OpenCall {
            call_id: row.get(0)?,
            tool: row.get(1)?,
            session: row.get(2)?,
            key: row.get::<_, Option<Arc<str>>>(3)?.zip(row.get(4)?),
            began: instant(row, 5)?,
        })
    })?;
    calls.collect()
}

/// The names of the plain files that rows name.
pub(super) fn blobs<C: FromIterator<String>>(db: &Connection) -> rusqlite::Result<C> {
    db.prepare(BLOBS)?.query_map([], |row| row.get(0))?.collect()
}
