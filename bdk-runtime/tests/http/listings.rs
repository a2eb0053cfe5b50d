//! What there is.

use crate::client::{Client, get, serve};
use bdk_runtime::{ServeMode, Server};
use serde_json::{Value, json};

#[tokio::test]
async fn the_tools_are_listed_by_name_the_same_each_time() {
    let handle = serve(Server::new()).await;
    let answer = get(handle.addr(), "/test-bot/v1/tools").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, get(handle.addr(), "/test-bot/v1/tools?").await.body);
    let json = answer.json();
    let tools = json["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    let echo = tools.iter().find(|t| t["name"] == "echo").unwrap();
    assert_eq!(echo["description"], "The tool echo.");
    assert_eq!(echo["effect"], "read");
    assert_eq!(echo["annotations"], json!({ "readOnlyHint": true }));
    assert_eq!(echo["inputSchema"]["required"], json!(["nonce"]));
    assert_eq!(echo["agent"], "test-bot");
    assert_eq!(json.get("nextCursor"), None);
}

#[tokio::test]
async fn a_cursor_gives_the_tools_behind_it() {
    let handle = serve(Server::new()).await;
    let all = get(handle.addr(), "/test-bot/v1/tools").await.json()["tools"].as_array().unwrap().clone();
    let rest = get(handle.addr(), "/test-bot/v1/tools?cursor=echo").await.json()["tools"].as_array().unwrap().clone();
    let from = all.iter().position(|t| t["name"] == "echo").unwrap() + 1;
    assert_eq!(rest, all[from..]);
    assert_eq!(get(handle.addr(), "/test-bot/v1/tools?cursor=zzz").await.json()["tools"], json!([]));
}

#[tokio::test]
async fn info_agents_and_the_index_say_what_this_is() {
    let handle = serve(Server::new()).await;
    let info = get(handle.addr(), "/test-bot/v1/info").await.json();
    assert_eq!((info["name"].as_str(), info["version"].as_str()), (Some("test-bot"), Some("1.2.3")));
    assert_eq!(info["agents"][0]["slug"], "test-bot");
    let agents = get(handle.addr(), "/v1/agents").await.json();
    assert_eq!(agents["agents"], json!([{ "slug": "test-bot", "name": "test-bot", "path": "/test-bot/v1" }]));
    let index = get(handle.addr(), "/").await.json();
    assert!(index["routes"].as_array().unwrap().contains(&json!("/test-bot/v1/tools/{name}")), "{index}");
}

#[tokio::test]
async fn the_openapi_document_has_a_path_for_each_tool() {
    let handle = serve(Server::new().bearer_token("sesame")).await;
    let lines = "Authorization: Bearer sesame\r\n";
    let document = crate::client::ask(handle.addr(), "GET", "/test-bot/v1/openapi.json", lines).await.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["servers"], json!([{ "url": "/test-bot/v1" }]));
    assert_eq!(document["security"], json!([{ "bearer": [] }]));
    let post = &document["paths"]["/tools/echo"]["post"];
    assert_eq!(post["operationId"], "echo");
    let body = &post["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["required"], json!(["input"]));
    assert_eq!(resolve(&document, &body["properties"]["input"])["properties"]["nonce"], json!({ "type": "string" }));
    let refused = &post["responses"]["413"]["content"]["application/json"]["schema"];
    assert_eq!(resolve(&document, refused)["required"], json!(["ok", "error", "message"]));
    references(&document, &document);
}

/// What a reference leads to.
fn resolve<'a>(document: &'a Value, reference: &Value) -> &'a Value {
    let pointer = reference["$ref"].as_str().unwrap().strip_prefix('#').unwrap();
    document.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere"))
}

fn references(document: &Value, value: &Value) {
    match value {
        Value::Object(members) => {
            if members.get("$ref").is_some_and(Value::is_string) {
                resolve(document, value);
            }
            members.values().for_each(|v| references(document, v));
        }
        Value::Array(items) => items.iter().for_each(|v| references(document, v)),
        _ => {}
    }
}

#[tokio::test]
async fn in_single_mode_the_routes_stand_under_v1() {
    let handle = serve(Server::new().mode(ServeMode::Single)).await;
    assert_eq!(handle.prefix(), "/v1");
    for path in ["/v1/tools", "/v1/info", "/v1/openapi.json", "/v1/agents"] {
        assert_eq!(get(handle.addr(), path).await.status, 200, "{path}");
    }
    let answer = get(handle.addr(), "/test-bot/v1/tools").await;
    assert_eq!((answer.status, &*answer.error()), (404, "unknown_route"));
}

#[tokio::test]
async fn head_gives_the_head_of_get() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let mut client = Client::connect(addr).await;
    for path in [
        "/",
        "/healthz",
        "/readyz",
        "/v1/agents",
        "/test-bot/v1/tools",
        "/test-bot/v1/info",
        "/test-bot/v1/openapi.json",
    ] {
        client.send(format!("HEAD {path} HTTP/1.1\r\nHost: {addr}\r\n\r\n")).await;
        let head = client.read_head().await.unwrap();
        let full = get(addr, path).await;
        assert_eq!((head.status, head.header("content-length")), (200, full.header("content-length")), "{path}");
    }
}
