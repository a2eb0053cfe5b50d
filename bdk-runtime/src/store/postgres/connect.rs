//! Which server it is, and what is said when it cannot be reached or refuses.

use super::{ACQUIRE, CONNECTIONS, STATEMENT, Shared};
use crate::{Error, store::StoreError};
use sqlx::{
    ConnectOptions, Connection, PgConnection, Row,
    error::DatabaseError,
    postgres::{PgConnectOptions, PgSslMode},
};
use std::{borrow::Cow, io, str::FromStr, time::Duration};

/// How long is waited for a first connection.
const REACH: Duration = Duration::from_secs(10);
/// How long is waited for a sign of life.
const PING: Duration = Duration::from_secs(1);

/// A database on a server.
pub(super) struct Server {
    pub(super) options: PgConnectOptions,
    /// "PostgreSQL at HOST:PORT".
    host: String,
    /// The database and who asks for it.
    database: String,
    user: String,
}

impl Server {
    /// The database of this URL, and a first connection to it.
    pub(super) async fn reach(url: &str) -> Result<(Self, PgConnection), Error> {
        let mut server = Self::parse(url)?;
        let mut probe = match tokio::time::timeout(REACH, server.options.connect()).await {
            Ok(Ok(conn)) => conn,
            Ok(Err(error)) => return Err(server.refused(&error)),
            Err(_) => return Err(server.refused(&silent())),
        };
        server.suits(&mut probe).await?;
        Ok((server, probe))
    }

    fn parse(url: &str) -> Result<Self, Error> {
        // without its text, which may hold a password
        let options = PgConnectOptions::from_str(url).map_err(|e| {
            Error::new(format!(
                "the URL of the PostgreSQL database cannot be read: {}; it is written \
                 postgres://USER:PASSWORD@HOST:PORT/DATABASE, with % escapes for what is special in a URL",
                root(&e)
            ))
        })?;
        // sqlx keeps the brackets of an IPv6 address, with which no address is found
        let bare = options.get_host().trim_matches(['[', ']']).to_owned();
        let mut options = options.host(&bare).disable_statement_logging();
        if options.get_application_name().is_none() {
            options = options.application_name("bdk");
        }
        let host = match options.get_socket() {
            Some(socket) => format!("PostgreSQL at {}/.s.PGSQL.{}", socket.display(), options.get_port()),
            None => format!("PostgreSQL at {}:{}", options.get_host(), options.get_port()),
        };
        let user = options.get_username().to_owned();
        let database = options.get_database().unwrap_or(&user).to_owned();
        Ok(Self { options: options.options(settings()), host, database, user })
    }

    /// Whether this server can hold what is to be kept.
    async fn suits(&mut self, conn: &mut PgConnection) -> Result<(), Error> {
        let asked = "select current_setting('server_version'), current_setting('server_version_num')::int,
             current_setting('server_encoding'), pg_is_in_recovery(), current_setting('synchronous_commit')";
        let row = sqlx::query(asked).fetch_one(conn).await.map_err(|e| self.refused(&e))?;
        let read = || -> Result<(String, i32, String, bool, String), sqlx::Error> {
            Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?))
        };
        let (version, number, encoding, standby, commit) = read().map_err(|e| self.refused(&e))?;
        let Self { host, database, .. } = self;
        if number < 130_000 {
            return Err(Error::new(format!("{host} is version {version}: 13 or newer is needed")));
        }
        if encoding != "UTF8" {
            return Err(Error::new(format!(
                "{host}: the database `{database}` has the encoding {encoding}; create one with: \
                 create database {database} encoding 'UTF8' template template0"
            )));
        }
        if standby {
            return Err(Error::new(format!("{host} is a standby, which takes no writes: name its primary in the URL")));
        }
        if commit == "off" {
            // what is acknowledged must be on disk
            self.options = self.options.clone().options([("synchronous_commit", "on")]);
        }
        Ok(())
    }

    /// Why there is no connection, for whoever runs the bot, and what to do.
    pub(super) fn refused(&self, error: &sqlx::Error) -> Error {
        let Self { host, database, user, .. } = self;
        let who = format!("database `{database}` as user `{user}`");
        let (why, what_to_do) = match error {
            sqlx::Error::Database(e) => (
                e.message().to_owned(),
                match e.code().as_deref() {
                    Some("28P01" | "28000") => {
                        "check the user and the password: in the URL, in PGPASSWORD, or in ~/.pgpass".to_owned()
                    }
                    Some("3D000") => format!("create it with: createdb --owner={user} {database}"),
                    Some("42501") => {
                        format!(
                            "let the user make and change the schema `bdk`: grant create on database {database} to {user}"
                        )
                    }
                    Some("53300") => format!(
                        "a bot takes up to {} connections: raise max_connections, or put a pooler in between",
                        CONNECTIONS + 1
                    ),
                    _ => "see the server's log".to_owned(),
                },
            ),
            sqlx::Error::Tls(e) => (format!("TLS: {e}"), self.without_tls()),
            // a certificate that is not trusted comes so
            sqlx::Error::Io(e) if e.kind() == io::ErrorKind::InvalidData => (format!("TLS: {e}"), self.without_tls()),
            sqlx::Error::Io(e) => {
                (e.to_string(), "check that the server runs, and that the URL names its host and port".to_owned())
            }
            sqlx::Error::PoolTimedOut => (root(&silent()), "check that the server runs".to_owned()),
            e => (root(e), "see the server's log".to_owned()),
        };
        Error::new(format!("{host}, {who}: {why}; {what_to_do}"))
    }

    fn without_tls(&self) -> String {
        match self.options.get_ssl_mode() {
            PgSslMode::VerifyCa | PgSslMode::VerifyFull => {
                "name who signed the server's certificate: sslrootcert=FILE in the URL"
            }
            _ => "turn on `ssl` at the server, or, in a network that you trust, say sslmode=disable in the URL",
        }
        .to_owned()
    }

    /// Why something could not be read or written.
    pub(super) fn unavailable(&self, error: &sqlx::Error) -> StoreError {
        match error {
            sqlx::Error::PoolClosed => StoreError::shutting_down(),
            sqlx::Error::Database(e) => {
                let code = e.code().unwrap_or(Cow::Borrowed("no code"));
                StoreError::unavailable(format!("{}: {} ({code})", self.host, e.message()))
            }
            e => StoreError::unavailable(format!("{}: {}", self.host, root(e))),
        }
    }
}

impl Shared {
    /// Why something could not be read or written. The pool hides why it has no connection, so that is asked.
    pub(super) async fn cause(&self, error: sqlx::Error) -> StoreError {
        if !matches!(error, sqlx::Error::PoolTimedOut) {
            return self.server.unavailable(&error);
        }
        match tokio::time::timeout(ACQUIRE, self.server.options.connect()).await {
            Ok(Ok(conn)) => {
                let _ = conn.close().await;
                let busy = format!("all {CONNECTIONS} connections are busy for {} s", ACQUIRE.as_secs());
                StoreError::unavailable(format!("{}: {busy}", self.server.host))
            }
            Ok(Err(error)) => self.server.unavailable(&error),
            Err(_) => self.server.unavailable(&silent()),
        }
    }
}

/// What every session asks of the server.
fn settings() -> [(&'static str, String); 7] {
    let ms = STATEMENT.as_millis().to_string();
    [
        ("default_transaction_isolation", "read committed".to_owned()),
        ("default_transaction_read_only", "off".to_owned()),
        ("statement_timeout", ms.clone()),
        // a process that is stopped in the middle must not keep its rows from the others
        ("idle_in_transaction_session_timeout", ms),
        // nor one whose machine is gone seem to be there
        ("tcp_keepalives_idle", "10".to_owned()),
        ("tcp_keepalives_interval", "5".to_owned()),
        ("tcp_keepalives_count", "3".to_owned()),
    ]
}

/// Whether a connection that lay idle still carries anything.
pub(super) async fn answers(conn: &mut PgConnection) -> bool {
    matches!(tokio::time::timeout(PING, conn.ping()).await, Ok(Ok(())))
}

/// Whether another connection may do better: this one is of no use any more, and it did not take long to see that.
pub(super) fn is_stale(error: &sqlx::Error) -> bool {
    is_lost(error) && !matches!(error, sqlx::Error::Io(e) if e.kind() == io::ErrorKind::TimedOut)
}

/// Whether the connection is of no use any more.
pub(super) fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        // it was shut down, crashed, is not up yet, or ended the session
        sqlx::Error::Database(e) => e.code().is_some_and(|code| {
            code.starts_with("08") || matches!(&*code, "57P01" | "57P02" | "57P03" | "57P05" | "25P03")
        }),
        _ => false,
    }
}

/// Whether the same may succeed when it is tried again: a conflict with another transaction.
pub(super) fn is_passing(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    matches!(code.as_deref(), Some("40001" | "40P01"))
}

pub(super) fn silent() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it does not answer").into()
}

/// The innermost cause: sqlx repeats it in front.
fn root(error: &sqlx::Error) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
