//! How other processes see that this one is there: it holds a lock of the database as long as it runs.
//!
//! A call that was begun carries the number of its process. Each process has locked its number (shared, so that a second
//! connection of it can before the server has noticed that the first one is gone). A lock ends with its connection, and
//! that with its process: a call whose number somebody else can lock was cut off.

use super::{ACQUIRE, connect::Server, connect::silent};
use sqlx::{
    Executor, PgPool,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How often is looked whether the connection still carries anything.
const LOOK: Duration = Duration::from_secs(10);
/// How long is waited, at most, before the next attempt to connect.
const PATIENCE: Duration = Duration::from_secs(2);

/// This process, as the others see it.
pub(super) struct Alive {
    /// Its number.
    pub(super) process: i64,
    seen: watch::Receiver<bool>,
    end: CancellationToken,
    task: TaskTracker,
}

impl Alive {
    /// Takes the lock, and keeps it until [`Alive::end`] or until this is dropped.
    pub(super) async fn begin(server: &Server) -> Result<Self, sqlx::Error> {
        let process = fastrand::i64(..);
        // this connection waits, mostly: no statement of it is too long
        let options = server.options.clone().options([("statement_timeout", "0")]);
        let held = Held::take(&options, process).await?;
        let (tell, seen) = watch::channel(true);
        let (end, task) = (CancellationToken::new(), TaskTracker::new());
        task.spawn(keep(options, process, held, tell, end.clone()));
        task.close();
        Ok(Self { process, seen, end, task })
    }

    /// Waits until the lock is held: it is not for a moment where the server started again.
    pub(super) async fn seen(&self) -> Result<(), sqlx::Error> {
        let mut seen = self.seen.clone();
        match tokio::time::timeout(ACQUIRE, seen.wait_for(|seen| *seen)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(sqlx::Error::PoolClosed),
            Err(_) => Err(silent()),
        }
    }

    /// Lets go of it.
    pub(super) async fn end(&self) {
        self.end.cancel();
        self.task.wait().await;
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

async fn keep(
    options: PgConnectOptions,
    process: i64,
    mut held: Held,
    tell: watch::Sender<bool>,
    end: CancellationToken,
) {
    let keeping = async {
        loop {
            held.lost().await;
            tell.send_replace(false);
            held = again(&options, process).await;
            tell.send_replace(true);
        }
    };
    end.run_until_cancelled(keeping).await;
    let Held { conn, one } = held;
    drop(conn);
    let _ = tokio::time::timeout(PATIENCE, one.close()).await;
}

/// The lock, on a connection of its own, which tells when it is lost.
struct Held {
    conn: PgListener,
    /// What sqlx wants around a connection that listens.
    one: PgPool,
}

impl Held {
    async fn take(options: &PgConnectOptions, process: i64) -> Result<Self, sqlx::Error> {
        let one = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE)
            .max_lifetime(None)
            .idle_timeout(None)
            .after_release(|_, _| Box::pin(async { Ok(false) })) // it is closed, and the lock with it
            .connect_lazy_with(options.clone());
        let mut conn = PgListener::connect_with(&one).await?;
        conn.eager_reconnect(false);
        sqlx::query("select pg_advisory_lock_shared($1)").bind(process).execute(&mut conn).await?;
        Ok(Self { conn, one })
    }

    /// Returns when the connection is lost.
    async fn lost(&mut self) {
        loop {
            match tokio::time::timeout(LOOK, self.conn.try_recv()).await {
                Ok(Ok(Some(_))) => {}
                Ok(_) => return,
                Err(_) => match tokio::time::timeout(LOOK, self.conn.execute("select 1")).await {
                    Ok(Ok(_)) => {}
                    _ => return,
                },
            }
        }
    }
}

async fn again(options: &PgConnectOptions, process: i64) -> Held {
    let mut wait = Duration::from_millis(20);
    loop {
        match Held::take(options, process).await {
            Ok(held) => return held,
            Err(error) => tracing::debug!(%error, "PostgreSQL cannot be reached"),
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(PATIENCE);
    }
}
