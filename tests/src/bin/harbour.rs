//! A bot that keeps a harbour: tools of every effect with an output schema, a frozen time, questions. Callers say who they
//! are in a header. The tests call it in its sessions, over MCP most of all.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs)]

use anyhow as _;
use axum as _;
use bdk::{AuthFuture, AuthRequest, Authenticator, LogLevel, Principal, Server, Verdict, prelude::*};
use bdk_tests as _;
use reqwest as _;
use rmcp_old as _;
use schemars as _;
use serde as _;
use serde_json as _;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use tempfile as _;
use tokio as _;
use tracing as _;

static MOORED: AtomicU32 = AtomicU32::new(0);

/// A berth and who lies there.
#[derive(Serialize, JsonSchema)]
struct Berth {
    ship: String,
    /// Counted from 1; 0 where nothing was moored.
    number: u32,
}

fn moored(ship: String) -> Berth {
    Berth { ship, number: MOORED.fetch_add(1, SeqCst) + 1 }
}

#[derive(Serialize, JsonSchema)]
struct Depth {
    metres: u32,
}

/// Tell how deep the harbour is.
#[tool(effect = "read", output_schema)]
async fn depth() -> Depth {
    Depth { metres: 12 }
}

/// Count what was moored.
#[tool(effect = "read")]
async fn count() -> u32 {
    MOORED.load(SeqCst)
}

/// Moor a ship.
#[tool(effect = "write", output_schema)]
async fn moor(ship: String) -> Berth {
    moored(ship)
}

/// Moor a ship, and say that nothing happened where nothing did.
#[tool(effect = "write", output_schema, dry_run_result = |ship| Berth { ship: ship.clone(), number: 0 })]
async fn book(ship: String) -> Berth {
    moored(ship)
}

/// Moor a ship without saying that it is a write.
#[tool(output_schema)]
async fn tow(ship: String) -> Berth {
    moored(ship)
}

/// Look for a berth, or take it.
#[tool(effect = |take| if *take { Effect::Write } else { Effect::Read }, output_schema)]
async fn seek(ship: String, take: bool) -> Berth {
    if take { moored(ship) } else { Berth { ship, number: 7 } }
}

/// Moor several ships.
#[tool(effect = "write", output_schema)]
async fn moor_all(ships: Vec<String>) -> Vec<Berth> {
    ships.into_iter().map(moored).collect()
}

/// Moor a ship when a person says so.
#[tool(effect = "write", output_schema, needs_approval)]
async fn moor_asking(ship: String) -> Berth {
    moored(ship)
}

/// Ask whether a ship may leave.
#[tool(effect = "read")]
async fn clear(ship: String, ctx: &ToolContext) -> Result<bool> {
    Ok(ctx.ask(format!("May {ship} leave?")).await?.accepted())
}

/// Moor a ship, and say so before it is done.
#[tool(effect = "write", output_schema)]
async fn moor_aloud(ship: String, ctx: &ToolContext) -> Berth {
    ctx.log(LogLevel::Info, "the lines are over").await;
    moored(ship)
}

/// List who came since.
#[tool(effect = "read", time_args = ["since"])]
async fn arrivals(since: String) -> String {
    since
}

/// Tell where and when the call is.
#[tool(effect = "read")]
async fn here(ctx: &ToolContext) -> Value {
    let session = ctx.session();
    json!({ "id": session.id, "title": session.title, "who": session.auth.subject, "dryRun": ctx.is_dry_run(), "now": ctx.now() })
}

/// Leave a note in the workspace, and list what lies there.
#[tool(effect = "write")]
fn note(name: String, ctx: &ToolContext) -> Result<Vec<String>> {
    let dir = ctx.workspace_dir()?;
    std::fs::write(dir.join(name), "")?;
    let names = std::fs::read_dir(dir)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Leaves a mark in a file when it is dropped.
struct Mark(PathBuf);

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.0, "gone");
    }
}

/// Lie at anchor for ever.
#[tool(effect = "write", timeout = "none")]
async fn lie(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    std::fs::write(&mark, "lies")?;
    let _mark = Mark(mark);
    ctx.log(LogLevel::Info, "at anchor").await;
    std::future::pending().await
}

/// Callers say who they are; whoever does not is nobody in particular.
struct Names;

impl Authenticator for Names {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
        Box::pin(async move {
            match request.header("x-who") {
                None => Verdict::Skip,
                Some(who) => Verdict::Accept(Principal::new("name", who)),
            }
        })
    }
}

#[bdk::main]
async fn main() -> ExitCode {
    Server::new().auth([Names]).allow_anonymous().main().await
}
