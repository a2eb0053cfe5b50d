//! What is asked of the database. A connection that was lost since it was last used is replaced, and the question put again.

use super::{
    CONNECTIONS, SILENCE, Shared,
    connect::{is_lost, is_stale},
    row::{maybe_text, micros, session, session_columns, signed, text, time, unsigned},
};
use crate::{
    Timestamp,
    store::{KeyRow, SessionPage, SessionRow, StoreError, StoredEvent, StoredFile, Versioned},
};
use sqlx::{
    Postgres, Row,
    postgres::{PgArguments, PgRow},
    query::Query,
};
use std::io;

type Question<'q> = Query<'q, Postgres, PgArguments>;

const SESSION: &str = concat!("select ", session_columns!(), " from bdk.sessions where id = $1");
const SESSION_OF_TOKEN: &str = concat!("select ", session_columns!(), " from bdk.sessions where token = $1");
const SESSIONS: &str = concat!(
    "select ",
    session_columns!(),
    " from bdk.sessions where (created_at, id) < ($1, $2) order by created_at desc, id desc limit $3"
);
const SESSIONS_OF_ONE: &str = concat!(
    "select ",
    session_columns!(),
    " from bdk.sessions where owner_kind = $4 and owner_subject = $5 and (created_at, id) < ($1, $2)
      order by created_at desc, id desc limit $3"
);
const EVENTS: &str =
    "select index, kind, at, data from bdk.events where session = $1 and index >= $2 order by index limit $3";
const VALUE: &str = "select value, version from bdk.values
     where space = $1 and key = $2 and (expires is null or expires > $3)";
const FILE: &str = "select meta, session, expires, bytes from bdk.files
     where space = $1 and path = $2 and (expires is null or expires > $3)";
const IDEMPOTENCY: &str =
    "select fingerprint, call_id, outcome from bdk.keys where scope = $1 and key = $2 and expires > $3";
/// For [`Shared::names`].
pub(super) const KEYS: &str = "select key from bdk.values
     where space = $1 and key >= $2 and key < $3 and (expires is null or expires > $4) order by key";
/// For [`Shared::names`].
pub(super) const PATHS: &str = "select path from bdk.files
     where space = $1 and path >= $2 and path < $3 and (expires is null or expires > $4) order by path";

impl Shared {
    pub(super) async fn session(&self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        self.one(|| sqlx::query(SESSION).bind(id.as_bytes()), session).await
    }

    pub(super) async fn session_of_token(&self, token: &str) -> Result<Option<SessionRow>, StoreError> {
        self.one(|| sqlx::query(SESSION_OF_TOKEN).bind(token.as_bytes()), session).await
    }

    pub(super) async fn sessions(&self, page: SessionPage<'_>) -> Result<Vec<SessionRow>, StoreError> {
        let (at, id) = page.after.map_or((i64::MAX, ""), |(at, id)| (micros(at), id));
        let ask = || {
            let sql = if page.owner.is_some() { SESSIONS_OF_ONE } else { SESSIONS };
            let query = sqlx::query(sql).bind(at).bind(id.as_bytes()).bind(signed(page.limit));
            match page.owner {
                Some(owner) => query.bind(owner.kind.as_bytes()).bind(owner.subject.as_bytes()),
                None => query,
            }
        };
        self.all(ask, session).await
    }

    pub(super) async fn events(&self, session: &str, from: u64, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let ask = || sqlx::query(EVENTS).bind(session.as_bytes()).bind(signed(from)).bind(signed(limit));
        let read = |row: &PgRow| {
            Ok(StoredEvent {
                index: unsigned(row, 0)?,
                kind: row.try_get(1)?,
                at: time(row.try_get(2)?)?,
                data: text(row, 3)?,
            })
        };
        self.all(ask, read).await
    }

    pub(super) async fn value(&self, space: &str, key: &str, now: Timestamp) -> Result<Option<Versioned>, StoreError> {
        let ask = || sqlx::query(VALUE).bind(space.as_bytes()).bind(key.as_bytes()).bind(micros(now));
        self.one(ask, |row| Ok(Versioned { value: text(row, 0)?, version: unsigned(row, 1)? })).await
    }

    pub(super) async fn file(&self, space: &str, path: &str, now: Timestamp) -> Result<Option<StoredFile>, StoreError> {
        let ask = || sqlx::query(FILE).bind(space.as_bytes()).bind(path.as_bytes()).bind(micros(now));
        let read = |row: &PgRow| {
            Ok(StoredFile {
                meta: text(row, 0)?,
                session: maybe_text(row, 1)?.map(Into::into),
                expires: row.try_get::<Option<i64>, _>(2)?.map(time).transpose()?,
                bytes: row.try_get::<&[u8], _>(3)?.into(),
            })
        };
        self.one(ask, read).await
    }

    pub(super) async fn idempotency(
        &self,
        scope: &str,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<KeyRow>, StoreError> {
        let ask = || sqlx::query(IDEMPOTENCY).bind(scope.as_bytes()).bind(key.as_bytes()).bind(micros(now));
        self.one(ask, key_row).await
    }

    /// What lies in a space under a prefix: [`KEYS`] or [`PATHS`].
    pub(super) async fn names(
        &self,
        sql: &'static str,
        space: &str,
        prefix: &str,
        now: Timestamp,
    ) -> Result<Vec<String>, StoreError> {
        let behind = behind(prefix);
        let ask = || {
            let query = sqlx::query(sql).bind(space.as_bytes()).bind(prefix.as_bytes());
            query.bind(behind.as_slice()).bind(micros(now))
        };
        self.all(ask, |row| text(row, 0)).await
    }

    async fn one<'q, T>(
        &self,
        ask: impl Fn() -> Question<'q>,
        read: impl Fn(&PgRow) -> Result<T, sqlx::Error>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.all(ask, read).await?.pop())
    }

    pub(super) async fn all<'q, T>(
        &self,
        ask: impl Fn() -> Question<'q>,
        read: impl Fn(&PgRow) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        match self.rows(ask).await {
            Ok(rows) => rows.iter().map(read).collect::<Result<_, _>>().map_err(|e| self.server.unavailable(&e)),
            Err(error) => Err(self.cause(error).await),
        }
    }

    async fn rows<'q>(&self, ask: impl Fn() -> Question<'q>) -> Result<Vec<PgRow>, sqlx::Error> {
        let mut stale = 0;
        loop {
            let mut conn = self.pool.acquire().await?;
            match silence(ask().fetch_all(&mut *conn)).await {
                Err(error) if is_lost(&error) => {
                    conn.close_on_drop();
                    stale += 1;
                    // all that were there may be; the one after them is new
                    if stale > CONNECTIONS || !is_stale(&error) {
                        return Err(error);
                    }
                }
                answer => return answer,
            }
        }
    }
}

/// Fingerprint, call and outcome.
pub(super) fn key_row(row: &PgRow) -> Result<KeyRow, sqlx::Error> {
    Ok(KeyRow { fingerprint: text(row, 0)?, call_id: text(row, 1)?.into(), outcome: maybe_text(row, 2)? })
}

/// The first bytes behind all texts that begin so.
fn behind(prefix: &str) -> Vec<u8> {
    let mut behind = prefix.as_bytes().to_vec();
    match behind.last_mut() {
        // no byte of UTF-8 is 0xff
        Some(last) => *last += 1,
        None => behind.push(0xff),
    }
    behind
}

/// A server that does not answer for [`SILENCE`] is lost.
pub(super) async fn silence<T>(answer: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(SILENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer").into()),
    }
}
