//! cases.md 22 over MCP: what a dry-run session lists and answers, in every version of the protocol and with the client
//! libraries of others, which throw where a result is not what its schema in the listing says.

use bdk_tests::{
    Server,
    mcp::{Client, id, request, text},
    peers,
};
use serde_json::{Value, json};

const HARBOUR: &str = env!("CARGO_BIN_EXE_harbour");

/// What can be stubbed by a text.
const ACKNOWLEDGED: [&str; 6] = ["moor", "moor_all", "moor_aloud", "moor_asking", "seek", "tow"];

fn tools(client: &Client) -> (Vec<Value>, Value) {
    let listed = client.send(&request(id(), "tools/list", json!({}))).whole().json();
    (listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone(), listed["result"].clone())
}

#[test]
fn a_dry_run_lists_what_it_may_stub_by_a_text_without_its_output_schema() {
    let server = Server::start(HARBOUR, &[]);
    let dry = server.anyone().open(&json!({ "dryRun": true }));
    let usual = server.anyone().open(&json!({}));
    for session in [&dry, &usual] {
        for client in Client::bound_of_every_kind(&server, session, None) {
            let (tools, listed) = tools(&client);
            assert_eq!(listed["_meta"]["bdk/dryRun"] == true, *session == dry, "{listed}");
            for tool in tools {
                let name = tool["name"].as_str().expect("a name");
                let described = match name {
                    "depth" | "book" => true,
                    // a list has no schema for clients before 2026-07-28
                    "moor_all" => *session == usual && client.is_stateless(),
                    _ => *session == usual && ACKNOWLEDGED.contains(&name),
                };
                assert_eq!(tool.get("outputSchema").is_some(), described, "{tool}");
            }
        }
    }
}

#[test]
fn a_dry_run_over_mcp_runs_reads_and_stubs_everything_else() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.anyone().open(&json!({ "dryRun": true }));
    for client in Client::bound_of_every_kind(&server, &session, None) {
        assert_eq!(client.call("depth", json!({}))["structuredContent"], json!({ "metres": 12 }));
        let looked = client.call("seek", json!({ "ship": "Ada", "take": false }));
        assert_eq!(looked["structuredContent"]["number"], 7, "a predicate's read runs: {looked}");
        assert_eq!(looked["_meta"].get("bdk/stubbed"), None);
        for (tool, input) in [
            ("moor", json!({ "ship": "Ada" })),
            ("tow", json!({ "ship": "Ada" })),
            ("seek", json!({ "ship": "Ada", "take": true })),
            ("moor_all", json!({ "ships": ["Ada"] })),
            ("moor_aloud", json!({ "ship": "Ada" })),
            // nobody has to approve what does not run
            ("moor_asking", json!({ "ship": "Ada" })),
        ] {
            let stub = client.call_to_its_end(tool, input);
            assert_eq!(text(&stub), "Operation acknowledged.");
            assert!(stub.get("structuredContent").is_none() && stub.get("isError").is_none(), "{stub}");
            assert_eq!(stub["_meta"]["bdk/stubbed"], true);
        }
        let stub = client.call("book", json!({ "ship": "Ada" }));
        assert_eq!(stub["structuredContent"], json!({ "ship": "Ada", "number": 0 }));
        assert_eq!(stub["_meta"]["bdk/stubbed"], true);
        let wrong = client.call("moor", json!({ "ship": 5 }));
        assert_eq!(wrong["_meta"]["bdk/error"]["code"], "invalid_input", "{wrong}");
    }
    assert_eq!(Client::new(&server).call("count", json!({}))["content"][0]["text"], "0", "nothing ran");
    let stubbed = server.anyone().events(&session).iter().filter(|e| e["data"]["stubbed"] == true).count();
    assert_eq!(stubbed, 3 * 7);
}

/// Clients throw where a result is not what its schema in the listing says.
#[track_caller]
fn a_dry_run_with(client: peers::Client) {
    let server = Server::start(HARBOUR, &[]);
    let session = server.anyone().open(&json!({ "dryRun": true }));
    let eras: &[&str] = if client == peers::Client::SdkV1 { &["legacy"] } else { &["legacy", "auto"] };
    for era in eras {
        let done = client.run(&json!({
            "http": format!("{}?session={session}", server.mcp()),
            "era": era,
            "steps": [
                { "list": true },
                { "call": "moor", "arguments": { "ship": "Ada" } },
                { "call": "tow", "arguments": { "ship": "Ada" } },
                { "call": "seek", "arguments": { "ship": "Ada", "take": true } },
                { "call": "moor_all", "arguments": { "ships": ["Ada"] } },
                { "call": "moor_aloud", "arguments": { "ship": "Ada" } },
                { "call": "seek", "arguments": { "ship": "Ada", "take": false } },
                { "call": "book", "arguments": { "ship": "Ada" } },
                { "call": "depth", "arguments": {} },
            ],
        }));
        done.came_through();
        for n in 1..=5 {
            assert_eq!(done.text(n), ("Operation acknowledged.", false), "{done:#?}");
        }
        assert_eq!(done.result(6)["structuredContent"]["number"], 7, "{done:#?}");
        assert_eq!(done.result(7)["structuredContent"]["number"], 0, "{done:#?}");
        assert_eq!(done.result(8)["structuredContent"]["metres"], 12, "{done:#?}");
    }
    assert_eq!(server.call("count", &json!({})).1["result"], 0);
}

#[test]
fn the_first_typescript_sdk_works_in_a_dry_run() {
    a_dry_run_with(peers::Client::SdkV1);
}

#[test]
fn the_second_typescript_sdk_works_in_a_dry_run() {
    a_dry_run_with(peers::Client::SdkV2);
}

#[test]
fn the_python_sdk_works_in_a_dry_run() {
    a_dry_run_with(peers::Client::Mcp);
}

#[test]
fn fastmcp_works_in_a_dry_run() {
    a_dry_run_with(peers::Client::FastMcp);
}
