//! A bot that keeps values and files, and publishes artifacts.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use bdk::{Artifact, prelude::*};

/// Count one more.
#[tool(effect = "write")]
async fn count(key: String, ctx: &ToolContext) -> Result<u64> {
    // a read and a write of its own would lose some
    Ok(ctx.host.kv.update(&key, |old: Option<u64>| old.unwrap_or(0) + 1).await?)
}

/// Count one more, on a thread.
#[tool(effect = "write")]
fn count_blocking(key: String, ctx: &ToolContext) -> Result<u64> {
    Ok(ctx.block_on(ctx.host.kv.update(&key, |old: Option<u64>| old.unwrap_or(0) + 1))?)
}

#[derive(Serialize, Deserialize, JsonSchema, Debug, Clone, PartialEq)]
struct Guest {
    name: String,
    nights: u32,
}

/// Book a guest in.
#[tool(effect = "write", dry_run_result = || "not booked".to_owned())]
async fn book(guest: Guest, ctx: &ToolContext) -> Result<String> {
    ctx.host.kv.put(&format!("guests/{}", guest.name), &guest).await?;
    Ok("booked".to_owned())
}

/// List who is there.
#[tool(effect = "read")]
async fn guests(ctx: &ToolContext) -> Result<Vec<Guest>> {
    let mut guests = Vec::new();
    for key in ctx.host.kv.list("guests/").await? {
        guests.extend(ctx.host.kv.get::<Guest>(&key).await?);
    }
    Ok(guests)
}

/// Answer slowly the first time, from a cache afterwards.
#[tool(effect = "read")]
async fn cached(ctx: &ToolContext) -> Result<String> {
    if let Some(answer) = ctx.host.kv.get::<String>("cache").await? {
        return Ok(answer);
    }
    ctx.host.kv.put_with_ttl("cache", "from the cache", Duration::from_secs(60)).await?;
    Ok("worked out".to_owned())
}

/// Read a number that is none.
#[tool(effect = "read")]
async fn misread(key: String, ctx: &ToolContext) -> Result<u64> {
    Ok(ctx.host.kv.get(&key).await?.unwrap_or_default())
}

/// Write a file.
#[tool(effect = "write")]
async fn write(path: String, text: String, ctx: &ToolContext) -> Result<()> {
    ctx.host.files.write(&path, text).await?;
    Ok(())
}

/// Read a file.
#[tool(effect = "read")]
async fn read(path: String, ctx: &ToolContext) -> Result<Option<String>> {
    let bytes = ctx.host.files.read(&path).await?;
    Ok(bytes.map(String::from_utf8).transpose()?)
}

/// Remove a file.
#[tool(effect = "write")]
async fn remove(path: String, ctx: &ToolContext) -> Result<bool> {
    Ok(ctx.host.files.delete(&path).await?)
}

/// List files.
#[tool(effect = "read")]
async fn files(prefix: String, ctx: &ToolContext) -> Result<Vec<String>> {
    Ok(ctx.host.files.list(&prefix).await?)
}

/// Export the guests.
#[tool(effect = "read")]
async fn export(ctx: &ToolContext) -> Result<ToolOutput> {
    let artifact = ctx.artifacts().publish("guests.csv", "text/csv", "name,nights\n").await?;
    Ok(ToolOutput::text("Exported.").resource_link(artifact.url(), &artifact.name))
}

/// Export so many bytes.
#[tool(effect = "read")]
fn export_bytes(bytes: usize, ctx: &ToolContext) -> Result<Artifact> {
    Ok(ctx.block_on(ctx.artifacts().publish("bytes.bin", "application/octet-stream", vec![b'x'; bytes]))?)
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
