//! Tools that come and go while the bot runs.

use crate::{
    bot::Run,
    client::{Client, call, get, post, serve, soon},
};
use bdk_runtime::{Effect, Server, ToolContext, ToolDefinition};
use serde_json::{Value, json};

fn late(name: &str) -> ToolDefinition {
    let schema = json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
    ToolDefinition::new(name)
        .description("Wait until the test says so.")
        .input_schema(schema)
        .effect(Effect::Read)
        .handler(async |input: Value, ctx: ToolContext| {
            let run = Run::of(input["id"].as_str().unwrap());
            run.started.notify_one();
            run.release.notified().await;
            Ok(json!({ "released": ctx.tool_name() }))
        })
}

#[tokio::test]
async fn a_tool_that_is_added_is_listed_described_and_called_until_it_is_removed() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let listed = async || {
        let tools = get(addr, "/test-bot/v1/tools").await.json()["tools"].take();
        let tool = tools.as_array().unwrap().iter().find(|t| t["name"] == "latecomer").cloned();
        let openapi = get(addr, "/test-bot/v1/openapi.json").await.json();
        assert_eq!(openapi["paths"].get("/tools/latecomer").is_some(), tool.is_some());
        let info = get(addr, "/test-bot/v1/info").await.body;
        assert_eq!(info.contains("latecomer"), tool.is_some(), "{info}");
        tool
    };
    assert_eq!(listed().await, None);

    handle.add_tool(late("latecomer")).unwrap();
    let tool = listed().await.expect("it is listed");
    assert_eq!(tool["inputSchema"]["required"], json!(["id"]));
    assert!(tool["source"]["file"].as_str().unwrap().ends_with("changes.rs"), "{tool}");
    Run::of("listed").release.notify_one();
    let answer = post(addr, "latecomer", r#"{"input":{"id":"listed"}}"#).await;
    assert_eq!(answer.json()["result"], json!({ "released": "latecomer" }));

    assert!(handle.remove_tool("latecomer").unwrap());
    assert_eq!(listed().await, None);
    let answer = post(addr, "latecomer", r#"{"input":{"id":"listed"}}"#).await;
    assert_eq!((answer.status, answer.error()), (404, "unknown_tool".to_owned()));
    assert!(!handle.remove_tool("latecomer").unwrap());
}

#[tokio::test]
async fn an_added_tool_is_among_the_near_names() {
    let handle = serve(Server::new()).await;
    handle.add_tool(late("latecomer")).unwrap();
    let told = post(handle.addr(), "late_commer", "{}").await.message();
    assert!(told.contains("\"latecomer\""), "{told}");
    assert!(handle.remove_tool("latecomer").unwrap());
    let told = post(handle.addr(), "late_commer", "{}").await.message();
    assert!(!told.contains("\"latecomer\""), "{told}");
}

#[tokio::test]
async fn a_call_that_runs_survives_the_removal_of_its_tool() {
    let handle = serve(Server::new()).await;
    handle.add_tool(late("brief")).unwrap();
    let run = Run::of("survivor");
    let mut client = Client::connect(handle.addr()).await;
    client.send(call(handle.addr(), "brief", r#"{"input":{"id":"survivor"}}"#, "")).await;
    soon(run.started.notified()).await;
    assert!(handle.remove_tool("brief").unwrap());
    run.release.notify_one();
    let answer = client.read().await.unwrap();
    assert_eq!(answer.json()["result"], json!({ "released": "brief" }));
}

#[tokio::test]
async fn a_tool_of_the_binary_stays_and_its_name_is_taken() {
    let handle = serve(Server::new()).await;
    let error = handle.remove_tool("echo").unwrap_err().to_string();
    assert!(error.contains("`echo`") && error.contains("bot.rs:"), "{error}");
    let error = handle.add_tool(late("echo")).unwrap_err().to_string();
    assert!(error.contains("`echo`") && error.contains("bot.rs:"), "{error}");
    assert_eq!(post(handle.addr(), "echo", r#"{"input":{"nonce":"n"}}"#).await.json()["result"]["nonce"], "n");
}
