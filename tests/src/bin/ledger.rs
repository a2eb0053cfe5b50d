//! A bot whose tools leave marks that outlive it: what the tests of `kill -9` hold against its log.

use bdk::prelude::*;
use std::{fs::OpenOptions, io::Write};

/// Write a line into a file. Every run leaves one.
#[tool(effect = "write")]
fn mark(file: PathBuf, line: String) -> Result<String> {
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    // one write, so that a line is there or not
    file.write_all(format!("{line}\n").as_bytes())?;
    Ok(format!("marked {line}"))
}

/// Keep a number under a key.
#[tool(effect = "write")]
async fn keep(key: String, number: u64, ctx: &ToolContext) -> Result<()> {
    ctx.host.kv.put(&key, &number).await?;
    Ok(())
}

/// Add one to the number under a key.
#[tool(effect = "write")]
async fn count(key: String, ctx: &ToolContext) -> Result<u64> {
    Ok(ctx.host.kv.update(&key, |old: Option<u64>| old.unwrap_or_default() + 1).await?)
}

/// Look up the number under a key.
#[tool(effect = "read")]
async fn look(key: String, ctx: &ToolContext) -> Result<Option<u64>> {
    Ok(ctx.host.kv.get(&key).await?)
}

/// Write a line into a file, and then take its time.
#[tool(effect = "write")]
async fn dawdle(file: PathBuf, line: String) -> Result<String> {
    let marked = mark(file, line)?;
    tokio::time::sleep(Duration::from_secs(60)).await;
    Ok(marked)
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
