//! What an async body may do: streams, guards over an await, what is not `Send` before one, other tools, itself.
use bdk::prelude::*;
use futures_util::{StreamExt, TryStreamExt, future, stream};
use std::rc::Rc;
use tokio::sync::Mutex;

#[derive(Default)]
struct Ledger(Mutex<Vec<u32>>);

#[provide]
fn ledger() -> Ledger {
    Ledger::default()
}

async fn square(n: u32) -> Result<u32> {
    future::ready(()).await;
    n.checked_mul(n).ok_or_else(|| "too large".into())
}

/// `buffered`.
#[tool(effect = "read")]
async fn awaits_buffered(numbers: Vec<u32>) -> Result<Vec<u32>> {
    stream::iter(numbers).map(square).buffered(4).try_collect().await
}

/// `then`, `buffer_unordered` and a borrow of the input.
#[tool(effect = "read")]
async fn awaits_then(numbers: Vec<u32>, ctx: &ToolContext) -> Result<u32> {
    let seen = ctx.call_id().to_string().len();
    let sums = stream::iter(&numbers).then(async |n| square(*n).await.map(|n| n + u32::from(seen == 0)));
    let sum: u32 = sums.try_fold(0, |sum, n| future::ready(Ok(sum + n))).await?;
    let mut more = stream::iter(numbers.iter().copied().map(square)).buffer_unordered(2);
    let mut count = 0;
    while let Some(n) = more.next().await {
        count += u32::from(n? > 0);
    }
    Ok(sum + count)
}

/// A guard over an await.
#[tool(effect = "write")]
async fn awaits_guard(ledger: &Ledger, number: u32) -> usize {
    let mut entries = ledger.0.lock().await;
    let squared = square(number).await.unwrap_or_default();
    entries.push(squared);
    entries.len()
}

/// What is not `Send` is gone before the await.
#[tool(effect = "read")]
async fn awaits_rc(text: String) -> Result<usize> {
    let length = {
        let shared = Rc::new(text);
        Rc::clone(&shared).len()
    };
    future::ready(()).await;
    Ok(length)
}

/// What is not `Send` in a blocking tool.
#[tool(effect = "read")]
fn awaits_not(text: String, ctx: &ToolContext) -> Result<u32> {
    let shared = Rc::new(text);
    ctx.block_on(square(u32::try_from(shared.len())?))
}

/// Itself.
#[tool(effect = "read")]
async fn awaits_itself(depth: u8) -> u8 {
    if depth == 0 { 1 } else { 1 + Box::pin(awaits_itself(depth - 1)).await }
}

#[bdk::test]
async fn bodies_await_what_they_like(bot: TestBot) {
    assert_eq!(bot.call_tool("awaits_buffered", json!({ "numbers": [1, 2, 3] })).await.result, json!([1, 4, 9]));
    assert_eq!(bot.call_tool("awaits_then", json!({ "numbers": [1, 2] })).await.result, 7);
    assert_eq!(bot.call_tool("awaits_guard", json!({ "number": 2 })).await.result, 1);
    assert_eq!(bot.call_tool("awaits_guard", json!({ "number": 2 })).await.result, 2);
    assert_eq!(bot.call_tool("awaits_rc", json!({ "text": "abc" })).await.result, 3);
    assert_eq!(bot.call_tool("awaits_not", json!({ "text": "abc" })).await.result, 9);
    assert_eq!(bot.call_tool("awaits_itself", json!({ "depth": 3 })).await.result, 4);
}
