//! Where `ctx.block_on` may stand.

use super::{answered, call, code, yes};
use crate::call::ErrorCode;
use futures_util::FutureExt;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn an_async_tool_that_blocks_panics_at_once_on_whichever_thread_its_call_begins() {
    assert_eq!(code(&call("blocks", json!({}), None).await), Some(ErrorCode::Panicked));
    // no thread of tokio's, as over stdio
    let runtime = tokio::runtime::Handle::current();
    let elsewhere = std::thread::spawn(move || {
        let _runtime = runtime.enter();
        call("blocks", json!({}), None).now_or_never()
    });
    let outcome = elsewhere.join().expect("the panic is caught").expect("it ends at once");
    assert_eq!((code(&outcome), outcome.attempts), (Some(ErrorCode::Panicked), 1));
}

#[tokio::test]
async fn a_thread_of_the_authors_own_may_block() {
    for place in ["the pool", "a thread"] {
        let outcome = answered("blocks_elsewhere", json!({ "place": place }), Duration::ZERO, yes).await;
        assert_eq!(outcome.result, true, "{place}: {outcome:?}");
    }
}
