//! Tools made from data.
use bdk::prelude::*;
use std::sync::Arc;

#[tools]
fn generated() -> Vec<ToolDefinition> {
    let shared = Arc::new(3);
    let captured = shared.clone();
    vec![
        ToolDefinition::new("data_plain")
            .description("Repeats.")
            .effect(Effect::Read)
            .input_schema(json!({ "type": "object", "properties": { "since": { "type": "string" } } }))
            .time_args(["since"])
            .handler(async |input: Value, _ctx: ToolContext| Ok(input)),
        ToolDefinition::new("data_captures").description("Captures.").effect(Effect::Read).handler(
            move |_: Value, _: ToolContext| {
                let captured = captured.clone();
                async move { Ok(json!(*captured)) }
            },
        ),
    ]
}

/// The same where one crate makes a list of another's.
#[tools(crate = ::bdk)]
fn mapped() -> Vec<ToolDefinition> {
    let made = |name: &'static str| ToolDefinition::new(name).description("One of many.").effect(Effect::Read);
    let held = made("data_held").needs_approval().handler(async |_: Value, _: ToolContext| Ok("ran"));
    let mut all: Vec<_> =
        ["data_a", "data_b"].map(|name| made(name).handler(move |_: Value, _| async move { Ok(json!(name)) })).into();
    all.push(held);
    all
}

#[bdk::test]
async fn data_makes_tools(bot: TestBot) {
    assert_eq!(bot.call_tool("data_plain", json!({ "since": "x" })).await.result, json!({ "since": "x" }));
    assert_eq!(bot.call_tool("data_captures", json!({})).await.result, 3);
    assert_eq!(bot.call_tool("data_b", json!({})).await.result, "data_b");
    assert!(bot.call_tool("data_held", json!({})).await.is_error);
    assert_eq!(bot.answering(|_| true).call_tool("data_held", json!({})).await.result, "ran");
}
