//! A bot with seventy processes that end when they are told to. Of crashes it puts up with four a minute and process.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use bdk::prelude::*;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/crashing.sh");

macro_rules! crowd {
    ($($name:ident)*) => {
        const ALL: &[&str] = &[$(stringify!($name)),*];
        $(
            #[connection(host)]
            fn $name() -> impl IntoConnection {
                Connection::stdio("sh").args([SERVER])
            }
        )*
    };
}

crowd! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
    e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3 g4 g5 g6 g7 g8 g9
}

async fn pid(mcp: &bdk::Mcp, name: &str) -> Result<u32> {
    let told = mcp.call_tool(name, "pid", json!({})).await?;
    let text = told.content().first().and_then(|part| part["text"].as_str()).unwrap_or_default();
    Ok(text.parse::<u32>()?)
}

/// Have each end once with this code, and started again. Gives their processes.
#[tool(effect = "read", attempts = 1)]
async fn end_each(code: u8, ctx: &ToolContext) -> Result<Vec<u32>> {
    let mcp = &ctx.host.mcp;
    let mut pids = Vec::new();
    for name in ALL {
        let before = pid(mcp, name).await?;
        match mcp.call_tool(name, "die", json!({ "code": code })).await {
            Err(error) if error.to_string().contains("it is all over") => {}
            other => return Err(format!("{name} did not die as it should: {other:?}"))?,
        }
        let after = pid(mcp, name).await?;
        if before == after {
            return Err(format!("{name} was not started again"))?;
        }
        pids.push(after);
    }
    Ok(pids)
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
