//! The store of several replicas: PostgreSQL, 13 or newer, all of sqlx.
//!
//! A batch is one transaction, in a task of its own, so that it takes effect also when nobody waits for the answer. What
//! two processes write at the same time is told apart by the database's row locks and conditions; what one process writes
//! is put in order before it gets there ([`order`]), so that batches take effect as they were handed over though they use
//! many connections. A connection that is lost is replaced; whether a commit that it took with it holds is asked of
//! the database ([`write`]).
//!
//! What may be any text is `bytea`: `text` holds no NUL, and has an order of its own. (To look into the tables:
//! `convert_from(data, 'UTF8')`.) Times are microseconds since 1970.
//!
//! A pooler between bot and server must keep sessions (pgbouncer: `pool_mode = session`): whether a process still runs is
//! seen by a lock of its session ([`alive`]).

mod alive;
mod connect;
mod ops;
mod order;
mod read;
mod row;
mod schema;
#[cfg(test)]
mod tests;
mod write;

use super::{
    Answer, Batch, Did, KeyRow, OpenCall, SessionPage, SessionRow, Store, StoreError, StoredEvent, StoredFile,
    Versioned,
};
use crate::{Error, Timestamp};
use alive::Alive;
use connect::Server;
use futures_util::future::{BoxFuture, FutureExt};
use order::Order;
use sqlx::{PgPool, postgres::PgPoolOptions};
use std::{sync::Arc, time::Duration};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// How many connections a process has at most, beside the one that shows that it is there.
const CONNECTIONS: u32 = 16;
/// How long is waited for a connection: a server that starts again meanwhile is not noticed.
const ACQUIRE: Duration = Duration::from_secs(10);
/// How long one statement may take, locks included; the server ends it then.
const STATEMENT: Duration = Duration::from_secs(30);
/// How long is waited for the answer to one statement, from a server that may be gone without a word.
const SILENCE: Duration = Duration::from_secs(45);

/// How long a connection may lie idle and be used without asking whether it still carries anything.
const FORGOTTEN: Duration = Duration::from_secs(15);

/// State in a PostgreSQL database, in its schema `bdk`.
pub(crate) struct Postgres(Arc<Shared>);

/// What the store and the tasks that write for it know.
struct Shared {
    server: Server,
    pool: PgPool,
    alive: Alive,
    order: Order,
    writes: TaskTracker,
    runtime: Handle,
}

impl Postgres {
    /// Connects to the database of a URL (`postgres://USER:PASSWORD@HOST:PORT/DATABASE`), and makes or upgrades its schema
    /// `bdk`. What the URL leaves out is taken from `PGHOST`, `PGUSER`, `PGPASSWORD`, `~/.pgpass` and so on, as `psql` does.
    ///
    /// # Errors
    /// No server there, a wrong password, no such database, a right that is missing, a server that is too old, a schema that is
    /// newer than this bdk. They name host, database and user, never the password.
    pub(crate) fn connect(url: &str) -> BoxFuture<'_, Result<Self, Error>> {
        async move {
            let (server, probe) = Server::reach(url).await?;
            schema::migrate(probe, &server).await?;
            let alive = Alive::begin(&server).await.map_err(|e| server.refused(&e))?;
            let pool = PgPoolOptions::new()
                .max_connections(CONNECTIONS)
                .acquire_timeout(ACQUIRE)
                // the first statement is the test, but where the network may have forgotten the connection: that is silent
                .test_before_acquire(false)
                .before_acquire(|conn, idle| {
                    Box::pin(async move { Ok(idle.idle_for < FORGOTTEN || connect::answers(conn).await) })
                })
                .connect_lazy_with(server.options.clone());
            Ok(Self(Arc::new(Shared {
                server,
                pool,
                alive,
                order: Order::default(),
                writes: TaskTracker::new(),
                runtime: Handle::current(),
            })))
        }
        .boxed()
    }
}

impl Store for Postgres {
    fn write(&self, batch: Batch) -> Answer<'static, Vec<Did>> {
        // now, and not in the task: the order is that of the calls
        let mut turn = self.0.order.enter(&batch);
        if self.0.writes.is_closed() {
            return std::future::ready(Err(StoreError::shutting_down())).boxed();
        }
        let shared = self.0.clone();
        let task = async move {
            turn.come().await;
            shared.write(&batch).await
        };
        let task = self.0.writes.spawn_on(task, &self.0.runtime);
        async move { task.await.unwrap_or_else(|e| Err(StoreError::unavailable(format!("the write was stopped: {e}")))) }
            .boxed()
    }
    fn session<'a>(&'a self, id: &'a str) -> Answer<'a, Option<SessionRow>> {
        self.0.session(id).boxed()
    }
    fn session_of_token<'a>(&'a self, token: &'a str) -> Answer<'a, Option<SessionRow>> {
        self.0.session_of_token(token).boxed()
    }
    fn sessions<'a>(&'a self, page: SessionPage<'a>) -> Answer<'a, Vec<SessionRow>> {
        self.0.sessions(page).boxed()
    }
    fn events<'a>(&'a self, session: &'a str, from: u64, limit: usize) -> Answer<'a, Vec<StoredEvent>> {
        self.0.events(session, from, limit).boxed()
    }
    fn value<'a>(&'a self, space: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<Versioned>> {
        self.0.value(space, key, now).boxed()
    }
    fn keys<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>> {
        self.0.names(read::KEYS, space, prefix, now).boxed()
    }
    fn file<'a>(&'a self, space: &'a str, path: &'a str, now: Timestamp) -> Answer<'a, Option<StoredFile>> {
        self.0.file(space, path, now).boxed()
    }
    fn files<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>> {
        self.0.names(read::PATHS, space, prefix, now).boxed()
    }
    fn idempotency<'a>(&'a self, scope: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<KeyRow>> {
        self.0.idempotency(scope, key, now).boxed()
    }
    fn cut_off(&self) -> Answer<'_, Vec<OpenCall>> {
        self.0.cut_off().boxed()
    }
    fn is_shared(&self) -> bool {
        true
    }
    fn close(&self) -> BoxFuture<'_, ()> {
        async {
            self.0.writes.close();
            self.0.writes.wait().await;
            self.0.pool.close().await;
            self.0.alive.end().await;
        }
        .boxed()
    }
}
