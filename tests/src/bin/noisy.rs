//! A bot whose author prints wherever an author can, reads stdin where none should, and holds up threads.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

use anyhow as _;
use axum as _;
use bdk::prelude::*;
use bdk_tests as _;
use reqwest as _;
use rmcp_old as _;
use schemars as _;
use serde as _;
use serde_json as _;
use std::{
    io::{self, Read, Write},
    process::Command,
    sync::LazyLock,
};
use tempfile as _;
use tracing as _;

static SET_UP: LazyLock<u32> = LazyLock::new(|| {
    println!("NOISE from a static");
    7
});

struct Greeter(u32);

#[provide]
fn greeter() -> Greeter {
    println!("NOISE from a provider");
    Greeter(*SET_UP)
}

#[tools]
fn generated() -> Vec<ToolDefinition> {
    println!("NOISE from the start");
    Vec::new()
}

/// Print all over the place.
#[tool(effect = "read")]
async fn prints(greeter: &Greeter) -> Result<u32> {
    println!("NOISE from a tool");
    print!("NOISE without an end of line");
    io::stdout().flush()?;
    io::stdout().write_all(b"NOISE {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")?;
    eprintln!("NOISE on stderr");
    Ok(greeter.0)
}

/// Block where it should await.
#[tool(effect = "read")]
async fn blocks(ctx: &ToolContext) -> Result<bool> {
    Ok(ctx.block_on(ctx.ask("Go on?"))?.accepted())
}

/// Start a program that prints, and reads what it can.
#[tool(effect = "read")]
fn starts_a_program() -> Result<bool> {
    Ok(Command::new("sh").args(["-c", "echo NOISE from a program; cat; echo NOISE after it"]).status()?.success())
}

/// Read stdin to its end.
#[tool(effect = "read")]
fn reads_stdin() -> Result<usize> {
    let mut text = String::new();
    Ok(io::stdin().read_to_string(&mut text)?)
}

/// Hold up the thread, as an `async fn` should not, until there is a file.
#[tool(effect = "read", timeout = "none")]
async fn holds_up(held: PathBuf, gate: PathBuf) -> Result<&'static str> {
    std::fs::write(held, "held")?;
    while !gate.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok("through")
}

/// The same, with a way to say something.
#[tool(effect = "read", timeout = "none")]
async fn holds_up_and_listens(held: PathBuf, gate: PathBuf, ctx: &ToolContext) -> Result<bool> {
    std::fs::write(held, "held")?;
    while !gate.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(ctx.is_cancelled())
}

/// Wait without holding up anybody.
#[tool(effect = "read")]
async fn naps(ms: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

/// Return a long text.
#[tool(effect = "read")]
async fn long(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// Log so many long lines.
#[tool(effect = "read", timeout = "30s")]
async fn chatters(lines: u32, ctx: &ToolContext) -> u32 {
    let line = "y".repeat(100_000);
    let mut said = 0;
    while said < lines {
        ctx.log(bdk::LogLevel::Warning, &line).await;
        said += 1;
    }
    eprintln!("chattered");
    said
}

/// Leaves a mark in a file when it is dropped.
struct Mark(PathBuf);

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.0, "dropped");
    }
}

/// Log long lines without an end, until the deadline.
#[tool(effect = "read", timeout = "1s")]
async fn chatters_on(mark: PathBuf, ctx: &ToolContext) -> u32 {
    let _mark = Mark(mark);
    loop {
        ctx.log(bdk::LogLevel::Warning, "y".repeat(100_000)).await;
    }
}

/// Ask, and ask again once the caller is gone.
#[tool(effect = "read", timeout = "none")]
async fn insists(ctx: &ToolContext) -> Result<String> {
    let first = ctx.ask("Are you there?").await.err().map(|e| e.to_string());
    let second = ctx.ask("And now?").await.err().map(|e| e.to_string());
    Ok(format!("{first:?}, {second:?}"))
}

/// Ask after a while.
#[tool(effect = "read", timeout = "none")]
async fn asks_later(ms: u64, ctx: &ToolContext) -> Result<bool> {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    Ok(ctx.ask("Still there?").await?.accepted())
}

#[bdk::main]
async fn main() -> ExitCode {
    println!("NOISE from main");
    let _ = Command::new("echo").arg("NOISE from a program of main").status();
    bdk::serve().await
}
