//! The bot whose calls of other servers are measured: `host.mcp` in a loop of a tool's own, so that nothing but the connection is measured.
//! `BENCH_URL` is a server over HTTP, `BENCH_PROGRAM` one over stdio.
#![allow(missing_docs)]

mod crowd;

use bdk::prelude::*;
use std::{env, time::Instant};

fn told(name: &str, otherwise: &str) -> String {
    env::var(name).unwrap_or_else(|_| otherwise.to_owned())
}

#[connection(host)]
fn far() -> impl IntoConnection {
    Connection::http(told("BENCH_URL", "http://127.0.0.1:9/mcp"))
}

#[connection(host)]
fn near() -> impl IntoConnection {
    Connection::stdio(told("BENCH_PROGRAM", "none")).args(["stdio"])
}

/// Call `small` of a connection by so many callers at once, and say how many times a second.
#[tool(effect = "read")]
async fn calls(connection: String, callers: u32, warm_up: u64, lasting: u64, ctx: &ToolContext) -> Result<f64> {
    let from = Instant::now() + Duration::from_millis(warm_up);
    let until = from + Duration::from_millis(lasting);
    let mut calling = tokio::task::JoinSet::new();
    for _ in 0..callers {
        let (mcp, connection) = (ctx.host.mcp.clone(), connection.clone());
        calling.spawn(async move {
            let mut counted = 0_u64;
            while Instant::now() < until {
                let sent = Instant::now();
                let input = json!({ "repository": "bdk", "branch": "main" });
                let answer = mcp.call_tool(&connection, "small", input).await?;
                if answer.is_error() {
                    return Err(bdk::Error::new("the call failed"));
                }
                counted += u64::from(sent >= from && Instant::now() < until);
            }
            Ok(counted)
        });
    }
    let mut counted = 0;
    while let Some(ended) = calling.join_next().await {
        counted += ended.map_err(|e| e.to_string())??;
    }
    Ok(counted as f64 / (until - from).as_secs_f64())
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
