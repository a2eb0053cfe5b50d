//! The bot whose state is measured: `small`, and tools that read and write values in a loop of their own, so that no
//! network is measured.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "the shapes are shared with the bare handler")]

#[path = "../shapes.rs"]
mod shapes;
mod small;

use bdk::prelude::*;
use std::time::Instant;

#[derive(Serialize, Deserialize)]
struct Stored {
    count: u64,
    name: String,
}

/// Read a value again and again, and say how many times a second.
#[tool(effect = "read")]
async fn kv_gets(times: u32, ctx: &ToolContext) -> Result<f64> {
    ctx.host.kv.put("read", &Stored { count: 1, name: "a value".into() }).await?;
    let begun = Instant::now();
    for _ in 0..times {
        ctx.host.kv.get::<Stored>("read").await?.ok_or("it was there")?;
    }
    Ok(f64::from(times) / begun.elapsed().as_secs_f64())
}

/// Write values, each durably, by so many callers at once, and say how many a second.
#[tool(effect = "write")]
async fn kv_puts(callers: u32, warm_up: u64, lasting: u64, ctx: &ToolContext) -> Result<f64> {
    let from = Instant::now() + Duration::from_millis(warm_up);
    let until = from + Duration::from_millis(lasting);
    let mut counted = 0_u64;
    // tasks of their own, as callers are
    let mut puts = tokio::task::JoinSet::new();
    for caller in 0..callers {
        let (kv, key) = (ctx.host.kv.clone(), format!("key-{caller}"));
        puts.spawn(async move {
            let mut counted = 0;
            while Instant::now() < until {
                let sent = Instant::now();
                kv.put(&key, &Stored { count: 1, name: "a value".into() }).await?;
                counted += u64::from(sent >= from && Instant::now() < until);
            }
            Ok::<u64, bdk::Error>(counted)
        });
    }
    while let Some(ended) = puts.join_next().await {
        counted += ended.map_err(|e| e.to_string())??;
    }
    Ok(counted as f64 / (until - from).as_secs_f64())
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
