//! Servers of the tests' own: they end with this process, however it ends.

use sqlx::{Connection, PgConnection};
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

/// A server, with a cluster that can be stopped and served again.
pub(super) struct Server {
    folder: PathBuf,
    port: String,
    script: Option<Child>,
}

impl Server {
    pub(super) fn start() -> Self {
        let (script, said) = serve(&[]);
        let (folder, port) = said.split_once(' ').expect("the script says folder and port");
        Self { folder: folder.into(), port: port.to_owned(), script: Some(script) }
    }
    /// Ends it: `stop`, as an operator does, or `crash`.
    pub(super) fn end(&mut self, how: &str) {
        let mut script = self.script.take().expect("it runs");
        let mut stdin = script.stdin.take().expect("it is piped");
        writeln!(stdin, "{how}").expect("the script listens");
        drop(stdin);
        script.wait().expect("the script ends");
    }
    pub(super) fn resume(&mut self) {
        let folder = self.folder.to_str().expect("a plain path");
        self.script = Some(serve(&[folder, &self.port]).0);
    }
    pub(super) fn port(&self) -> &str {
        &self.port
    }
    pub(super) fn certificate(&self) -> PathBuf {
        self.folder.join("data/server.crt")
    }
    pub(super) fn url(&self, database: &str) -> String {
        format!("postgres://bdk:p4ss%2Fw%25rd@127.0.0.1:{}/{database}", self.port)
    }
    pub(super) fn socket_url(&self, database: &str) -> String {
        let folder = self.folder.to_str().expect("a plain path").replace('/', "%2F");
        format!("postgres://bdk:p4ss%2Fw%25rd@{folder}:{}/{database}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.script.is_none() {
            self.resume();
        }
        self.end("remove");
    }
}

fn serve(again: &[&str]) -> (Child, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/postgres");
    let mut command = Command::new(script);
    command.args(again).stdin(Stdio::piped()).stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0); // ^C must not end what is to clean up
    let mut script = command.spawn().expect("tests/postgres runs");
    let mut said = String::new();
    BufReader::new(script.stdout.take().expect("it is piped")).read_line(&mut said).expect("it is text");
    assert!(!said.is_empty(), "tests/postgres could not serve: see above");
    (script, said.trim_end().to_owned())
}

/// The one that the tests share which do not stop it: its standard input is closed when this process ends.
pub(super) fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::start)
}

/// The URL of a database of a test's own, by the unix socket: TLS without optimisation takes its time.
pub(super) async fn database() -> String {
    let server = tokio::task::spawn_blocking(shared).await.expect("it starts");
    let name = format!("t_{}", crate::id::random().to_lowercase());
    run(&server.socket_url("postgres"), &format!("create database {name}")).await;
    server.socket_url(&name)
}

/// Runs statements as the operator of a database would.
pub(super) async fn run(url: &str, sql: &str) {
    let mut conn = PgConnection::connect(url).await.expect("the server runs");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut conn).await.expect("it is SQL");
    conn.close().await.expect("it is open");
}

/// The only number that a statement gives.
pub(super) async fn number(url: &str, sql: &str) -> i64 {
    let mut conn = PgConnection::connect(url).await.expect("the server runs");
    let n = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut conn).await.expect("it is SQL");
    conn.close().await.expect("it is open");
    n
}
