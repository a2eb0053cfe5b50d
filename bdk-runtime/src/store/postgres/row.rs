//! Between Rust's values and those of PostgreSQL.

use crate::{
    Timestamp,
    store::{Owner, SessionRow, Status},
};
use sqlx::{Row, postgres::PgRow};
use std::sync::Arc;

/// Microseconds since 1970.
pub(super) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// A number that PostgreSQL cannot hold is beyond all that it has.
pub(super) fn signed(n: impl TryInto<i64>) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}

fn broken(what: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> sqlx::Error {
    sqlx::Error::Decode(what.into())
}

/// A `bytea` that holds text.
pub(super) fn text(row: &PgRow, column: usize) -> Result<String, sqlx::Error> {
    String::from_utf8(row.try_get(column)?).map_err(broken)
}

/// A `bytea` that holds text or is not there.
pub(super) fn maybe_text(row: &PgRow, column: usize) -> Result<Option<String>, sqlx::Error> {
    let bytes: Option<Vec<u8>> = row.try_get(column)?;
    bytes.map(String::from_utf8).transpose().map_err(broken)
}

pub(super) fn unsigned(row: &PgRow, column: usize) -> Result<u64, sqlx::Error> {
    let n: i64 = row.try_get(column)?;
    u64::try_from(n).map_err(broken)
}

pub(super) fn time(micros: i64) -> Result<Timestamp, sqlx::Error> {
    Ok(jiff::Timestamp::from_microsecond(micros).map_err(broken)?.into())
}

/// What [`session`] reads, in its order.
macro_rules! session_columns {
    () => {
        "id, owner_kind, owner_subject, facts, status, token, created_at, updated_at, events"
    };
}
pub(super) use session_columns;

pub(super) fn session(row: &PgRow) -> Result<SessionRow, sqlx::Error> {
    let id: Arc<str> = text(row, 0)?.into();
    let status: String = row.try_get(4)?;
    let status = Status::parse(&status).ok_or_else(|| {
        broken(format!("the session {id} has the status `{status}`, which this version does not know"))
    })?;
    Ok(SessionRow {
        id,
        owner: Owner { kind: text(row, 1)?, subject: text(row, 2)? },
        facts: text(row, 3)?,
        status,
        token: text(row, 5)?,
        created_at: time(row.try_get(6)?)?,
        updated_at: time(row.try_get(7)?)?,
        events: unsigned(row, 8)?,
    })
}
