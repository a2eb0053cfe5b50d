//! A bot that other bots call as a server: what they know of its tools is what it says of them over MCP.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use bdk::{LogLevel, prelude::*};
use std::{
    fs,
    sync::atomic::{AtomicU32, Ordering::SeqCst},
};

static LENT: AtomicU32 = AtomicU32::new(0);

/// Tell how often something was lent.
#[tool(effect = "read")]
async fn lent() -> u32 {
    LENT.load(SeqCst)
}

/// Lend something that there is.
#[tool(effect = "write", check = |what| if what == "ladder" { Ok(()) } else { Err(format!("there is no {what}: lend a ladder")) })]
async fn lend(what: String) -> String {
    format!("{what} {}", LENT.fetch_add(1, SeqCst) + 1)
}

/// Say no, in words that help.
#[tool(effect = "read")]
async fn complain(about: String) -> Result<u32> {
    Err(format!("nobody is in because of {about}: come back on Monday"))?
}

/// Nobody said what it does.
#[tool]
async fn shrug() -> &'static str {
    "who knows"
}

/// Rake, and tell all the while how far it is.
#[tool(effect = "read")]
async fn rake(rows: u32, ctx: &ToolContext) -> String {
    for row in 0..rows {
        ctx.progress(row, rows, format!("row {row}")).await;
        ctx.log(LogLevel::Warning, "leaves everywhere").await;
    }
    format!("{rows} rows")
}

/// Fall over, unless there is a mark that it did.
#[tool(effect = "read")]
async fn stumble(mark: PathBuf) -> Result<&'static str> {
    if !mark.exists() {
        fs::write(mark, "fell")?;
        std::process::abort();
    }
    Ok("up again")
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
