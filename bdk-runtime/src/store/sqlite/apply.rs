//! One batch, as SQL, within the transaction of its group.

use super::{blobs::INLINE, read, schema::micros};
use crate::store::{Did, Expect, Op, Status, StoreError, StoredFile};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// What a transaction changes beside its rows.
pub(super) struct Beside {
    /// The last version that was given to a value.
    pub(super) versions: i64,
    /// The plain files that no row names any more.
    pub(super) gone: Vec<String>,
    /// What the group's appends change of their sessions: written once a session, however many there were.
    tails: HashMap<Arc<str>, Tail>,
}

/// The end of a session's log.
struct Tail {
    number: i64,
    /// How many events it has.
    events: u64,
    at: i64,
    status: Option<Status>,
}

impl Beside {
    pub(super) fn new(versions: i64) -> Self {
        Self { versions, gone: Vec::new(), tails: HashMap::new() }
    }
    /// The transaction does not hold.
    pub(super) fn clear(&mut self) {
        self.gone.clear();
        self.tails.clear();
    }
    /// Writes what its appends left to be written.
    pub(super) fn flush(&mut self, db: &Connection) -> rusqlite::Result<()> {
        for tail in self.tails.drain().map(|(_, tail)| tail) {
            let sql =
                "UPDATE sessions SET events = ?2, updated_at = ?3, status = coalesce(?4, status) WHERE number = ?1";
            let status = tail.status.map(Status::as_str);
            db.prepare_cached(sql)?.execute(params![tail.number, tail.events.cast_signed(), tail.at, status])?;
        }
        Ok(())
    }
    /// Of a session, from before this append on.
    fn tail(&mut self, db: &Connection, session: &Arc<str>) -> Result<&mut Tail, Failure> {
        Ok(match self.tails.entry(session.clone()) {
            Entry::Occupied(tail) => tail.into_mut(),
            Entry::Vacant(vacant) => {
                let sql = "SELECT number, events FROM sessions WHERE id = ?1";
                let row = |row: &Row<'_>| {
                    let events = row.get::<_, i64>(1)?.unsigned_abs();
                    Ok(Tail { number: row.get(0)?, events, at: 0, status: None })
                };
                let tail = db.prepare_cached(sql)?.query_row([session], row).optional()?;
                vacant.insert(tail.ok_or(StoreError::UnknownSession)?)
            }
        })
    }
}

/// Why a batch does not hold.
pub(super) enum Failure {
    /// Something is not as its writer thought: the others of its group can go on.
    Refused(StoreError),
    /// SQLite cannot.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// A batch with the names of the plain files that hold the bytes of its large files, in their order.
pub(super) struct Work<'a> {
    pub(super) ops: &'a [Op],
    pub(super) blobs: Vec<&'a str>,
    /// Which opening of the folder this is.
    pub(super) run: i64,
}

/// Whether the op may be refused. Each then is refused before it has changed anything.
fn may_be_refused(op: &Op) -> bool {
    match op {
        Op::OpenSession(_) | Op::Append { .. } | Op::SetToken { .. } | Op::ClaimKey { .. } => true,
        Op::PutValue { expect, .. } => *expect != Expect::Anything,
        _ => false,
    }
}

/// Does all of the batch or nothing, within a transaction.
pub(super) fn batch(db: &Connection, work: &Work<'_>, beside: &mut Beside) -> Result<Vec<Did>, Failure> {
    // a batch that is refused at its first op has nothing to take back
    let guarded = work.ops.iter().skip(1).any(may_be_refused);
    if !guarded {
        return all(db, work, beside);
    }
    // so that what the savepoint takes back is all that is taken back
    beside.flush(db)?;
    db.prepare_cached("SAVEPOINT batch")?.execute([])?;
    let gone = beside.gone.len();
    let did = all(db, work, beside);
    if did.is_err() {
        beside.gone.truncate(gone);
        beside.tails.clear();
        db.prepare_cached("ROLLBACK TO batch")?.execute([])?;
    }
    db.prepare_cached("RELEASE batch")?.execute([])?;
    did
}

fn all(db: &Connection, work: &Work<'_>, beside: &mut Beside) -> Result<Vec<Did>, Failure> {
    let mut blobs = work.blobs.iter();
    work.ops
        .iter()
        .map(|op| {
            let blob = match op {
                Op::PutFile { file, .. } if file.bytes.len() > INLINE => blobs.next().copied(),
                _ => None,
            };
            one(db, op, blob, work.run, beside)
        })
        .collect()
}

fn one(db: &Connection, op: &Op, blob: Option<&str>, run: i64, beside: &mut Beside) -> Result<Did, Failure> {
    Ok(match op {
        Op::OpenSession(row) => {
            let sql = "INSERT INTO sessions (id, owner_kind, owner_subject, token, created_at, updated_at, status, events, facts) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8) ON CONFLICT (id) DO NOTHING";
            let inserted = db.prepare_cached(sql)?.execute(params![
                row.id,
                row.owner.kind,
                row.owner.subject,
                row.token,
                micros(row.created_at),
                micros(row.updated_at),
                row.status.as_str(),
                row.facts,
            ])?;
            if inserted == 0 {
                return Err(StoreError::Conflict.into());
            }
            Did::Done
        }
        Op::Append { session, at, status, events } => {
            let tail = beside.tail(db, session)?;
            let (first, number, at) = (tail.events, tail.number, micros(*at));
            *tail = Tail { number, events: first + events.len() as u64, at, status: status.or(tail.status) };
            let mut insert = db.prepare_cached("INSERT INTO events (place, kind, at, data) VALUES (?1, ?2, ?3, ?4)")?;
            for (index, event) in (first..).zip(events) {
                insert.execute(params![read::place(number, index).0, event.kind, at, event.data])?;
            }
            Did::Index(first)
        }
        Op::SetToken { session, expected, token } => {
            let sql = "UPDATE sessions SET token = ?3 WHERE id = ?1 AND token = ?2";
            if db.prepare_cached(sql)?.execute(params![session, expected, token])? == 0 {
                let there = db.prepare_cached(read::NUMBER)?.exists([session])?;
                return Err(if there { StoreError::Conflict } else { StoreError::UnknownSession }.into());
            }
            Did::Done
        }
        Op::DeleteSession { session } => {
            let sql = "DELETE FROM sessions WHERE id = ?1 RETURNING number";
            let Some(number) = db.prepare_cached(sql)?.query_row([session], |row| row.get(0)).optional()? else {
                return Ok(Did::Existed(false));
            };
            beside.tails.remove(session);
            let (first, last) = read::place(number, 0);
            db.prepare_cached("DELETE FROM events WHERE place BETWEEN ?1 AND ?2")?.execute([first, last])?;
            let sql = "DELETE FROM files WHERE session = ?1 RETURNING blob";
            forget(db.prepare_cached(sql)?.query_map([session], |row| row.get(0))?, beside)?;
            Did::Existed(true)
        }
        Op::BeginCall(call) => {
            let sql = "INSERT OR REPLACE INTO calls (call_id, run, tool, session, scope, key, began) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let (scope, key) = call.key.as_ref().map(|(scope, key)| (scope, key)).unzip();
            db.prepare_cached(sql)?.execute(params![
                call.call_id,
                run,
                call.tool,
                call.session,
                scope,
                key,
                micros(call.began)
            ])?;
            Did::Done
        }
        Op::EndCall { call_id } => existed(db, "DELETE FROM calls WHERE call_id = ?1", params![call_id])?,
        Op::ClaimKey { scope, key, fingerprint, call_id, now, expires } => {
            let sql = "INSERT INTO idempotency (scope, key, fingerprint, call_id, expires) VALUES (?1, ?2, ?3, ?4, ?5) \
                       ON CONFLICT (scope, key) DO UPDATE SET fingerprint = ?3, call_id = ?4, expires = ?5, outcome = NULL \
                       WHERE expires <= ?6";
            let (expires, at) = (micros(*expires), micros(*now));
            if db.prepare_cached(sql)?.execute(params![scope, key, fingerprint, call_id, expires, at])? == 0 {
                let taken = read::key(db, scope, key, *now)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
                return Err(StoreError::KeyTaken(Box::new(taken)).into());
            }
            Did::Done
        }
        Op::SettleKey { scope, key, outcome } => {
            let sql = "UPDATE idempotency SET outcome = ?3 WHERE scope = ?1 AND key = ?2";
            existed(db, sql, params![scope, key, outcome])?
        }
        Op::ReleaseKey { scope, key } => {
            existed(db, "DELETE FROM idempotency WHERE scope = ?1 AND key = ?2", params![scope, key])?
        }
        Op::PutValue { space, key, value, now, expires, expect } => {
            let version = beside.versions + 1;
            let (at, expires) = (micros(*now), expires.map(micros));
            let put = match expect {
                Expect::Anything => {
                    let sql = "INSERT INTO kv (space, key, version, expires, value) VALUES (?1, ?2, ?3, ?4, ?5) \
                               ON CONFLICT (space, key) DO UPDATE SET version = ?3, expires = ?4, value = ?5";
                    db.prepare_cached(sql)?.execute(params![space, key, version, expires, value])?
                }
                Expect::Absent => {
                    let sql = "INSERT INTO kv (space, key, version, expires, value) VALUES (?1, ?2, ?3, ?4, ?5) \
                               ON CONFLICT (space, key) DO UPDATE SET version = ?3, expires = ?4, value = ?5 \
                               WHERE expires <= ?6";
                    db.prepare_cached(sql)?.execute(params![space, key, version, expires, value, at])?
                }
                Expect::Version(expected) => {
                    let sql = "UPDATE kv SET version = ?3, expires = ?4, value = ?5 WHERE space = ?1 AND key = ?2 \
                               AND version = ?7 AND (expires IS NULL OR expires > ?6)";
                    // one that is too large was never given
                    let expected = i64::try_from(*expected).unwrap_or(-1);
                    db.prepare_cached(sql)?.execute(params![space, key, version, expires, value, at, expected])?
                }
            };
            if put == 0 {
                return Err(StoreError::Conflict.into());
            }
            beside.versions = version;
            Did::Version(version.unsigned_abs())
        }
        Op::DeleteValue { space, key, now } => {
            let sql = "DELETE FROM kv WHERE space = ?1 AND key = ?2 RETURNING expires IS NULL OR expires > ?3";
            let held = db.prepare_cached(sql)?.query_row(params![space, key, micros(*now)], |row| row.get(0));
            Did::Existed(held.optional()?.unwrap_or(false))
        }
        Op::PutFile { space, path, file } => {
            put_file(db, space, path, file, blob, beside)?;
            Did::Done
        }
        Op::DeleteFile { space, path, now } => {
            let sql =
                "DELETE FROM files WHERE space = ?1 AND path = ?2 RETURNING blob, expires IS NULL OR expires > ?3";
            let row = |row: &Row<'_>| Ok((row.get::<_, Option<String>>(0)?, row.get(1)?));
            let gone = db.prepare_cached(sql)?.query_row(params![space, path, micros(*now)], row).optional()?;
            let (blob, held) = gone.unwrap_or((None, false));
            beside.gone.extend(blob);
            Did::Existed(held)
        }
        Op::Purge { now } => {
            let now = micros(*now);
            db.prepare_cached("DELETE FROM kv WHERE expires <= ?1")?.execute([now])?;
            db.prepare_cached("DELETE FROM idempotency WHERE expires <= ?1")?.execute([now])?;
            let sql = "DELETE FROM files WHERE expires <= ?1 RETURNING blob";
            forget(db.prepare_cached(sql)?.query_map([now], |row| row.get(0))?, beside)?;
            Did::Done
        }
    })
}

fn existed(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Did, Failure> {
    Ok(Did::Existed(db.prepare_cached(sql)?.execute(params)? > 0))
}

/// Notes the plain files of rows that were deleted.
fn forget(blobs: impl Iterator<Item = rusqlite::Result<Option<String>>>, beside: &mut Beside) -> Result<(), Failure> {
    for blob in blobs {
        beside.gone.extend(blob?);
    }
    Ok(())
}

fn put_file(
    db: &Connection,
    space: &str,
    path: &str,
    file: &StoredFile,
    blob: Option<&str>,
    beside: &mut Beside,
) -> Result<(), Failure> {
    let sql = "SELECT blob FROM files WHERE space = ?1 AND path = ?2 AND blob IS NOT NULL";
    let old = db.prepare_cached(sql)?.query_row([space, path], |row| row.get::<_, String>(0)).optional()?;
    let sql = "INSERT INTO files (space, path, session, expires, meta, blob, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
               ON CONFLICT (space, path) DO UPDATE \
               SET session = ?3, expires = ?4, meta = ?5, blob = ?6, bytes = ?7";
    let bytes = blob.is_none().then_some(&*file.bytes);
    let expires = file.expires.map(micros);
    db.prepare_cached(sql)?.execute(params![space, path, file.session, expires, file.meta, blob, bytes])?;
    beside.gone.extend(old);
    Ok(())
}
