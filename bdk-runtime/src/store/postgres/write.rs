//! A batch as a transaction: begun, done, committed, and tried again where that is right.

use super::{
    CONNECTIONS, SILENCE, Shared,
    connect::{is_lost, is_passing, is_stale},
    ops,
    read::silence,
};
use crate::store::{Did, Op, OpenCall, StoreError};
use sqlx::{PgConnection, Postgres, Row, pool::PoolConnection};
use std::time::Duration;

/// How often a batch is tried.
const ATTEMPTS: u32 = 6;
/// How often is asked whether a transaction has ended whose connection was lost.
const POLL: Duration = Duration::from_millis(200);

/// Why a batch was not done.
pub(super) enum Fault {
    /// Something is not as it must be for this batch.
    Refused(StoreError),
    Sql(sqlx::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl Shared {
    pub(super) async fn write(&self, batch: &[Op]) -> Result<Vec<Did>, StoreError> {
        if batch.iter().any(|op| matches!(op, Op::BeginCall(_))) {
            // others must see that this process is there before they see its call
            self.alive.seen().await.map_err(|e| self.server.unavailable(&e))?;
        }
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.attempt(batch).await {
                Ok(did) => return Ok(did),
                Err(Fault::Refused(error)) => return Err(error),
                Err(Fault::Sql(error)) if attempt == ATTEMPTS || !(is_stale(&error) || is_passing(&error)) => {
                    return Err(self.cause(error).await);
                }
                // two that are in each other's way must not meet again
                Err(Fault::Sql(_)) => tokio::time::sleep(Duration::from_millis(fastrand::u64(1..20 << attempt))).await,
            }
        }
    }

    async fn attempt(&self, batch: &[Op]) -> Result<Vec<Did>, Fault> {
        let mut open = self.begin().await?;
        let mut did = Vec::with_capacity(batch.len());
        for op in batch {
            match ops::apply(open.conn(), op, self.alive.process).await {
                Ok(done) => did.push(done),
                Err(Fault::Sql(error)) if is_lost(&error) => return Err(error.into()),
                Err(fault) => {
                    open.roll_back().await;
                    return Err(fault);
                }
            }
        }
        match self.commit(open).await? {
            Committed::Surely => Ok(did),
            Committed::Perhaps(error) => match self.is_there(batch, &did).await {
                Some(true) => Ok(did),
                Some(false) => Err(error.into()),
                None => Err(StoreError::unavailable(
                    "the server was started again while a change was being written, and whether it holds cannot be told",
                )
                .into()),
            },
        }
    }

    /// Whether a batch holds that was being committed when the server went down, by the first event it appends. `None` where it
    /// appends none, or that cannot be asked.
    async fn is_there(&self, batch: &[Op], did: &[Did]) -> Option<bool> {
        let (session, first, event) = batch.iter().zip(did).find_map(|pair| match pair {
            (Op::Append { session, events, .. }, Did::Index(first)) => Some((session, *first, events.first()?)),
            _ => None,
        })?;
        let there = self.events(session, first, 1).await.ok()?;
        Some(there.first().is_some_and(|there| there.index == first && there.data == event.data))
    }

    /// The calls of processes that are gone: whose lock can be had. They are nobody else's from then on.
    pub(super) async fn cut_off(&self) -> Result<Vec<OpenCall>, StoreError> {
        let found = async {
            let mut open = self.begin().await?;
            let calls = ops::take_cut_off(open.conn(), self.alive.process).await?;
            match self.commit(open).await? {
                Committed::Surely => Ok(calls),
                Committed::Perhaps(error) => Err(error.into()),
            }
        };
        match found.await {
            Ok(calls) => Ok(calls),
            Err(Fault::Refused(error)) => Err(error),
            Err(Fault::Sql(error)) => Err(self.cause(error).await),
        }
    }

    /// A transaction, on a connection that answers.
    async fn begin(&self) -> Result<Open, sqlx::Error> {
        let mut stale = 0;
        loop {
            let mut open =
                Open { conn: self.pool.acquire().await?, ended: false, id: String::new(), run: String::new() };
            // one round trip, and the number by which its end can be asked for
            let sql = "begin; select pg_current_xact_id()::text, pg_postmaster_start_time()::text";
            let begun = silence(sqlx::raw_sql(sql).fetch_one(open.conn())).await;
            match begun.and_then(|row| Ok((row.try_get(0)?, row.try_get(1)?))) {
                Ok((id, run)) => {
                    (open.id, open.run) = (id, run);
                    return Ok(open);
                }
                Err(error) => {
                    stale += 1;
                    // all that were there may be lost; the one after them is new
                    if stale > CONNECTIONS || !is_stale(&error) {
                        return Err(error);
                    }
                }
            }
        }
    }

    async fn commit(&self, mut open: Open) -> Result<Committed, Fault> {
        match silence(sqlx::raw_sql("commit").execute(open.conn())).await {
            Ok(_) => {
                open.ended = true;
                Ok(Committed::Surely)
            }
            Err(error) if is_lost(&error) => {
                let (id, run) = (std::mem::take(&mut open.id), std::mem::take(&mut open.run));
                drop(open);
                match self.has_committed(&id).await {
                    // after a crash the server gives numbers again whose transactions had not reached its disk
                    Ok(true) if self.run().await.is_none_or(|now| now != run) => Ok(Committed::Perhaps(error)),
                    Ok(true) => Ok(Committed::Surely),
                    Ok(false) => Err(error.into()),
                    Err(why) => Err(StoreError::unavailable(format!(
                        "the connection was lost while a change was being written, and whether it holds could not be asked: {why}"
                    ))
                    .into()),
                }
            }
            // it was rolled back
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a transaction holds whose connection was lost.
    async fn has_committed(&self, id: &str) -> Result<bool, StoreError> {
        let began = tokio::time::Instant::now();
        loop {
            match self.status(id).await.as_deref() {
                Ok("committed") => return Ok(true),
                Ok("aborted") => return Ok(false),
                Ok(_) if began.elapsed() < SILENCE => tokio::time::sleep(POLL).await,
                Ok(status) => return Err(StoreError::unavailable(format!("it is still {status}"))),
                Err(error) => return Err(error.clone()),
            }
        }
    }

    /// Which start of the server this is.
    async fn run(&self) -> Option<String> {
        let found = self.all(|| sqlx::query("select pg_postmaster_start_time()::text"), |row| row.try_get(0)).await;
        found.ok()?.pop()
    }

    async fn status(&self, id: &str) -> Result<String, StoreError> {
        let mut found = self
            .all(
                || sqlx::query("select pg_xact_status($1::text::xid8)").bind(id),
                |row| row.try_get::<Option<String>, _>(0),
            )
            .await?;
        Ok(found.pop().flatten().unwrap_or_else(|| "forgotten".to_owned()))
    }
}

/// How a commit ended.
enum Committed {
    Surely,
    /// Some transaction of this number holds: this one, or one of after the server's crash.
    Perhaps(sqlx::Error),
}

/// An open transaction. A connection that is dropped in the middle of one is closed, which ends it.
struct Open {
    conn: PoolConnection<Postgres>,
    ended: bool,
    /// The transaction's number.
    id: String,
    /// Which start of the server it was begun in.
    run: String,
}

impl Open {
    fn conn(&mut self) -> &mut PgConnection {
        &mut self.conn
    }

    async fn roll_back(mut self) {
        self.ended = silence(sqlx::raw_sql("rollback").execute(self.conn())).await.is_ok();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.ended {
            self.conn.close_on_drop();
        }
    }
}
