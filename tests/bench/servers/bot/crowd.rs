//! Fifty connections: forty to the sound server of `BENCH_URL`, and ten that flap: four processes that end in each call, three that crash in
//! it (`BENCH_FLAPPING` is their script), and three servers that are not there.

use crate::told;
use bdk::prelude::*;
use std::time::Instant;

macro_rules! connections {
    ($all:ident: $what:expr => $($name:ident)*) => {
        const $all: &[&str] = &[$(stringify!($name)),*];
        $(
            #[connection(host)]
            fn $name() -> impl IntoConnection {
                $what
            }
        )*
    };
}

connections! { SOUND: Connection::http(told("BENCH_URL", "http://127.0.0.1:9/mcp")) =>
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
}
connections! { ENDING: Connection::stdio("sh").args([told("BENCH_FLAPPING", "none")]) => e0 e1 e2 e3 }
connections! { CRASHING: Connection::stdio("sh").args([told("BENCH_FLAPPING", "none")]) => f0 f1 f2 }
connections! { REFUSING: Connection::http("http://127.0.0.1:9/mcp") => g0 g1 g2 }

/// Call each of the forty every 20 ms, one after the other, so that none waits for another; and of the ten, where they are to flap, each every
/// 100 ms. Gives the median of a call of the forty, in
/// microseconds.
#[tool(effect = "read")]
async fn median_of_forty(flap: bool, warm_up: u64, lasting: u64, ctx: &ToolContext) -> Result<f64> {
    let from = Instant::now() + Duration::from_millis(warm_up);
    let until = from + Duration::from_millis(lasting);
    let codes = ENDING.iter().map(|name| (name, 0)).chain(CRASHING.iter().map(|name| (name, 3)));
    let flapping = codes.chain(REFUSING.iter().map(|name| (name, 3))).filter(|_| flap);
    let mut beside = tokio::task::JoinSet::new();
    for (name, code) in flapping {
        let mcp = ctx.host.mcp.clone();
        beside.spawn(async move {
            while Instant::now() < until {
                if mcp.call_tool(name, "die", json!({ "code": code })).await.is_ok() {
                    return Err(bdk::Error::new("it should have died"));
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Ok(())
        });
    }
    let mut calling = tokio::task::JoinSet::new();
    for (at, name) in (0..).zip(SOUND) {
        let mcp = ctx.host.mcp.clone();
        calling.spawn(async move {
            let mut took = Vec::new();
            // by the clock, so that a stall leaves them apart as they were: all at once, each would wait for the others
            let first = tokio::time::Instant::now() + Duration::from_micros(500 * at);
            let mut turns = tokio::time::interval_at(first, Duration::from_millis(20));
            turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
            while Instant::now() < until {
                turns.tick().await;
                let sent = Instant::now();
                let input = json!({ "repository": "bdk", "branch": "main" });
                let answer = mcp.call_tool(name, "small", input).await?;
                if answer.is_error() {
                    return Err(bdk::Error::new("the call failed"));
                }
                if sent >= from {
                    took.push(sent.elapsed().as_secs_f64() * 1e6);
                }
            }
            Ok(took)
        });
    }
    let mut took = Vec::new();
    while let Some(ended) = calling.join_next().await {
        took.append(&mut ended.map_err(|e| e.to_string())??);
    }
    while let Some(ended) = beside.join_next().await {
        ended.map_err(|e| e.to_string())??;
    }
    took.sort_by(f64::total_cmp);
    Ok(took.get(took.len() / 2).copied().ok_or("no call was made")?)
}
