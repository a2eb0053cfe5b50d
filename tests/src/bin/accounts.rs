//! A bot that keeps accounts: what its tools do can be counted, so that tests see what ran and how often.

use bdk::prelude::*;
use std::{
    io::{self, Write},
    sync::atomic::{AtomicU32, Ordering::SeqCst},
};

static BOOKED: AtomicU32 = AtomicU32::new(0);
static LOOKED: AtomicU32 = AtomicU32::new(0);
static REACHED: AtomicU32 = AtomicU32::new(0);

/// Tell how many bookings there are.
#[tool(effect = "read")]
async fn balance() -> u32 {
    BOOKED.load(SeqCst)
}

/// Book something, and tell which booking it is.
#[tool(effect = "write", dry_run_result = |what| Booking { number: 0, what: what.clone() })]
async fn book(what: String, ms: Option<u64>) -> Booking {
    tokio::time::sleep(Duration::from_millis(ms.unwrap_or(0))).await;
    Booking { number: BOOKED.fetch_add(1, SeqCst) + 1, what }
}

#[derive(Serialize, JsonSchema)]
struct Booking {
    number: u32,
    what: String,
}

/// Book without saying that it does.
#[tool]
async fn adjust() -> u32 {
    BOOKED.fetch_add(1, SeqCst) + 1
}

/// Book, and fail all the same.
#[tool(effect = "write")]
async fn book_badly() -> Result<u32> {
    let number = BOOKED.fetch_add(1, SeqCst) + 1;
    Err(format!("booking {number} was torn"))?
}

/// Tell how often it was looked.
#[tool(effect = "read")]
async fn look() -> u32 {
    LOOKED.fetch_add(1, SeqCst) + 1
}

/// List what was booked since.
#[tool(effect = "read", time_args = ["since"])]
async fn since(since: String) -> String {
    since
}

/// Ask a server that resets every connection.
#[tool(effect = "read")]
async fn ask_dead_server() -> Result<u32> {
    Err(io::Error::from(io::ErrorKind::ConnectionReset))?
}

struct Bank;

/// Away when it is asked for the first time.
#[provide]
fn bank() -> Result<Bank> {
    if REACHED.fetch_add(1, SeqCst) == 0 {
        Err(io::Error::from(io::ErrorKind::ConnectionRefused))?;
    }
    Ok(Bank)
}

/// Pay at the bank.
#[tool(effect = "write")]
async fn pay(_bank: &Bank) -> u32 {
    BOOKED.fetch_add(1, SeqCst) + 1
}

/// Call another tool.
#[tool(effect = "read")]
async fn relay(tool: String, input: Value, ctx: &ToolContext) -> Result<Value> {
    let outcome = ctx.call_tool(&tool, input).await?;
    Ok(json!({ "result": outcome.result, "stubbed": outcome.stubbed }))
}

/// Write into the workspace, and list what is there.
#[tool(effect = "write")]
fn file_note(name: String, ctx: &ToolContext) -> Result<Value> {
    let dir = ctx.workspace_dir()?;
    std::fs::write(dir.join(&name), &name)?;
    let mut there: Vec<String> = std::fs::read_dir(dir)?
        .map(|e| Ok(e?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    there.sort();
    Ok(json!({ "dir": dir, "there": there }))
}

/// Leaves a mark in a file when it is dropped.
struct Mark(PathBuf);

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.0, "given up");
    }
}

/// Write one's workspace into a file, and wait for ever.
#[tool(effect = "write", timeout = "none")]
async fn wait(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    std::fs::write(&mark, ctx.workspace_dir()?.display().to_string())?;
    let _mark = Mark(mark);
    std::future::pending().await
}

/// Tell what the session knows.
#[tool(effect = "read")]
async fn session(ctx: &ToolContext) -> Value {
    json!({ "session": ctx.session(), "dryRun": ctx.is_dry_run(), "asOf": ctx.as_of() })
}

/// Say much.
#[tool(effect = "read")]
async fn recite(bytes: usize) -> String {
    "la ".repeat(bytes / 3)
}

/// Serves several callers, each with a token of its own: the command line takes one.
async fn serve_bearers_of(tokens: &str) -> Result<()> {
    let server = tokens.split(',').fold(bdk::Server::new().port(0).state("memory:"), bdk::Server::bearer_token);
    let handle = server.start().await?;
    writeln!(io::stdout(), "{}", handle.url())?;
    handle.wait().await;
    Ok(())
}

#[bdk::main]
async fn main() -> ExitCode {
    match std::env::var("ACCOUNTS_TOKENS") {
        Ok(tokens) if serve_bearers_of(&tokens).await.is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(_) => bdk::serve().await,
    }
}
