//! Typed clients as `mcp lock` writes them, of a server that knows no Rust: they compile where every warning is denied, and call.
//!
//! `clients` is what `bdk-runtime/src/cli/clients/tests.rs` makes, which tells when it is not.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

mod clients;

use bdk::prelude::*;
use clients::nasty::{self, Type, TypeArgs, TypeArgsKind, TypeArgsSize};

/// A server that has one of the tools.
#[connection(host)]
fn nasty() -> impl IntoConnection {
    Connection::stdio(env!("CARGO_BIN_EXE_shop")).args(["mcp", "serve"]).env("SHOP", "nasty")
}

fn args() -> TypeArgs {
    let size = TypeArgsSize { h: Some(2.5), ..TypeArgsSize::new(1.0) };
    TypeArgs {
        max_results_2: Some(3),
        max_results: Some(-3),
        labels: Some([("a".to_owned(), "b".to_owned())].into()),
        ..TypeArgs::new("t", None, TypeArgsKind::AB, size)
    }
}

/// Call it by its client.
#[tool(effect = "read")]
async fn call(fail: bool, ctx: &ToolContext) -> Result<Value> {
    let one = fail.then(|| json!("fail"));
    let answer: Type = nasty::r#type(&ctx.host.mcp, TypeArgs { one, ..args() }).await?;
    Ok(json!({ "answer": format!("{answer:?}"), "connection": nasty::CONNECTION }))
}

#[bdk::test]
async fn a_call_by_a_typed_client_is_answered_with_its_type() {
    let bot = TestBot::new();
    let outcome = bot.call_tool("call", json!({ "fail": false })).await;
    let answer = outcome.result["answer"].as_str().unwrap_or_default().to_owned();
    assert!(answer.contains("id: 1, state: Some(Open)") && answer.contains("id: 2, state: None"), "{outcome:?}");
    assert_eq!(outcome.result["connection"], "nasty");
}

#[bdk::test]
async fn an_answer_that_is_an_error_is_one_and_the_arguments_go_under_the_servers_names() {
    let bot = TestBot::new();
    let outcome = bot.call_tool("call", json!({ "fail": true })).await;
    let words = serde_json::to_string(&outcome.result).unwrap_or_default();
    let sent = words.split_once("no: ").map(|(_, sent)| sent.replace("\\\"", "\"")).unwrap_or_default();
    for part in [
        "\"kind\":\"a-b\"",
        "\"self\":null",
        "\"size\":{\"w\":1.0,\"h\":2.5}",
        "\"type\":\"t\"",
        "\"maxResults\":3",
        "\"max_results\":-3",
        "\"labels\":{\"a\":\"b\"}",
    ] {
        assert!(sent.contains(part), "{part}: {words}");
    }
    assert!(!sent.contains("rows") && !sent.contains("maybe"), "{words}");
}
