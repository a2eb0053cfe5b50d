//! cases.md 4, 15, 16, 18–20, 28, 29 over MCP: in every way of speaking it, a call's result and error are those of the other
//! doors, only wrapped.

use bdk_tests::{
    Server,
    mcp::{Client, request, text},
    run,
};
use serde_json::{Value, json};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

/// What MCP makes of an answer of `POST /tools`.
fn wrapped(http: &Value) -> Value {
    let result = &http["result"];
    let mut out = match (result, &result["content"]) {
        (Value::Null, _) => json!({ "content": [{ "type": "text", "text": "Done." }] }),
        (Value::String(text), _) => json!({ "content": [{ "type": "text", "text": text }] }),
        // an envelope; a value that only looks like one has no error that says so
        (Value::Object(_), Value::Array(_)) if http["isError"] == result["isError"] || result["isError"].is_null() => {
            result.clone()
        }
        (Value::Object(_), _) => {
            json!({ "content": [{ "type": "text", "text": result.to_string() }], "structuredContent": result })
        }
        (other, _) => json!({ "content": [{ "type": "text", "text": other.to_string() }] }),
    };
    if http["isError"] == true {
        out["isError"] = true.into();
    }
    out
}

#[test]
fn every_way_of_speaking_mcp_gives_the_result_and_the_error_of_the_other_doors() {
    let server = Server::start(KITCHEN, &[]);
    let clients = Client::of_every_kind(&server, &json!({}));
    let calls = [
        ("add", json!({ "a": 1, "b": 2 })),
        ("add", json!({ "a": 3.0, "b": 2 })),
        ("add", json!({ "a": "5" })),
        ("add", json!({ "a": 1, "b": 2, "bogus": 1 })),
        ("add", json!({ "a": 5_000_000_000_u64, "b": -1 })),
        ("add", json!([])),
        ("add", json!("{\"a\":1,\"b\":2}")),
        ("add", json!(7)),
        ("add", json!(true)),
        ("unit_of", json!({ "unit": null })),
        ("unit_of", json!({ "unit": "celsus" })),
        ("nothing_asked", json!({})),
        ("nothing_asked", json!(null)),
        ("say_nothing", json!({})),
        ("area", json!({ "kind": "rect", "w": 2, "h": 3.0 })),
        ("area", json!({ "kind": "triangle" })),
        ("tree_size", json!({ "root": { "name": "a", "children": [{ "name": "b" }] } })),
        ("anything", json!({ "data": [1, { "x": null }] })),
        ("anything", json!({ "data": { "text": "a \"quote\" \u{2028}\n and an é" } })),
        ("weigh", json!({ "crates": [{ "mass": "heavy" }, { "label": "x" }, [1]], "days": 15 })),
        ("rules", json!({ "count": "3", "loud": "true", "name": "  Ann ", "site": "https://x.y/" })),
        ("raw", json!({ "x": 3.0, "y": null })),
        ("window", json!({ "lo": 3, "hi": 1 })),
        ("fails", json!({ "why": "disk on fire" })),
        ("not_a_number", json!({})),
        ("too_big", json!({})),
        ("odd_keys", json!({})),
        ("envelope", json!({ "bad": false })),
        ("envelope", json!({ "bad": true })),
        ("publish", json!({ "version": "1", "key": "12345678" })),
        ("paint_red", json!({ "what": "the door" })),
        ("paint_red", json!({})),
        ("note", json!({ "note": { "$serde_json::private::RawValue": "[1,2]" } })),
    ];
    for (tool, input) in &calls {
        let (_, http) = server.call(tool, &json!({ "input": input }));
        let expected = wrapped(&http);
        for client in &clients {
            let mut result = client.call(tool, input.clone());
            let meta = result["_meta"].take();
            let o = result.as_object_mut().expect("an object");
            o.remove("_meta");
            let complete = o.remove("resultType");
            assert_eq!(complete, client.is_stateless().then(|| json!("complete")), "{tool}");
            assert_eq!(result, expected, "{tool} {input} {:?}", client.era);
            assert_eq!(meta.get("bdk/error"), http.get("error"), "{tool} {input}");
            let id = meta["bdk/callId"].as_str().unwrap_or_default();
            assert!(id.starts_with(&format!("tool_{tool}_")), "{meta}");
        }
    }
}

#[test]
fn text_unit_object_list_and_envelope_each_have_their_form() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let call = |tool: &str, input: Value| client.call(tool, input);
        assert_eq!(text(&call("nothing_asked", json!({}))), "pong");
        assert_eq!(text(&call("say_nothing", json!({}))), "Done.");
        let object = call("berth", json!({ "berth": 3 }));
        assert_eq!(object["structuredContent"], json!({ "berth": 3, "hold": true, "commit": false }));
        let parsed: Value = serde_json::from_str(text(&object)).expect("the text is the same as JSON");
        assert_eq!(parsed, object["structuredContent"]);
        let list = call("anything", json!({ "data": [1, 2] }));
        assert_eq!((text(&list), list.get("structuredContent")), ("[1,2]", None));
        let number = call("add", json!({ "a": 1, "b": 1 }));
        assert_eq!((text(&number), number.get("structuredContent")), ("2", None));
        let image = call("envelope", json!({ "bad": false }));
        assert_eq!(image["content"][1], json!({ "type": "image", "data": "AQID", "mimeType": "image/png" }));
        assert_eq!(image["structuredContent"], json!({ "pictures": 1 }));
        assert_eq!(image.get("isError"), None);
        let flagged = call("envelope", json!({ "bad": true }));
        assert_eq!(
            (&flagged["isError"], &flagged["_meta"]["bdk/error"]["code"]),
            (&json!(true), &json!("failed")),
            "{flagged}"
        );
    }
}

#[test]
fn arguments_that_are_missing_null_or_empty_are_the_same() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for params in [
            json!({ "name": "nothing_asked" }),
            json!({ "name": "nothing_asked", "arguments": null }),
            json!({ "name": "nothing_asked", "arguments": {} }),
        ] {
            let answer = client.send(&request("a", "tools/call", params.clone())).whole().json();
            assert_eq!(text(&answer["result"]), "pong", "{params}");
            assert_eq!(answer["id"], "a");
        }
    }
}

#[test]
fn arguments_that_are_no_object_are_told_so_and_never_that_there_is_no_such_method() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for arguments in [json!([]), json!("{}"), json!(3), json!(false)] {
            let result = client.call("nothing_asked", arguments.clone());
            assert_eq!(result["isError"], true, "{arguments}: {result}");
            assert!(text(&result).contains("must be an object"), "{arguments}: {result}");
        }
    }
}

#[test]
fn an_error_tells_the_fault_the_names_that_are_known_and_the_nearest() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let two = client.call("add", json!({ "a": "5", "b": -1 }));
        for part in ["Invalid input for \"add\"", "`a`", "integer", "\"5\"", "`b`", "-1"] {
            assert!(text(&two).contains(part), "{part} in {two}");
        }
        assert_eq!(two["_meta"]["bdk/error"]["code"], "invalid_input");
        assert_eq!(two["_meta"]["bdk/error"]["issues"].as_array().map(Vec::len), Some(2), "{two}");
        let near = client.call("weigh", json!({ "crates": [], "dais": 1 }));
        assert!(text(&near).contains("dais") && text(&near).contains("days"), "{near}");
        let nan = client.call("not_a_number", json!({}));
        assert!(text(&nan).contains("readings[1].value") && nan["isError"] == true, "{nan}");
    }
}

#[test]
fn an_unknown_tool_is_a_wrong_parameter_with_the_near_names() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for (name, near) in [("ad", Some("\"add\"")), ("", None), ("zzzzzzzzzzzz", None), ("ädd", None)] {
            // the name of a header is text of a kind: what is not goes as base64
            if client.is_stateless() && !name.is_ascii() {
                continue;
            }
            let answer = client.begin(name, json!({})).whole();
            assert_eq!(answer.json()["error"]["code"], -32602, "{name} {answer:?}");
            if let Some(near) = near {
                assert!(answer.json()["error"]["message"].as_str().is_some_and(|m| m.contains(near)), "{answer:?}");
            }
        }
    }
}

#[test]
fn a_panic_is_an_error_without_its_message_and_the_tool_works_next_time() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for tool in ["panics", "panics_blocking"] {
            let result = client.call(tool, json!({ "secret": "hunter2hunter2" }));
            assert_eq!((&result["isError"], &result["_meta"]["bdk/error"]["code"]), (&json!(true), &json!("panicked")));
            assert!(!result.to_string().contains("hunter2"), "{result}");
            let id = result["_meta"]["bdk/callId"].as_str().expect("an id").to_owned();
            assert!(text(&result).contains(&id), "{result}");
            server.logged(&id);
        }
        assert_eq!(text(&client.call("panics", json!({}))), "calm");
    }
}

#[test]
fn each_call_leaves_one_record() {
    let server = Server::start_with(KITCHEN, &[], |c| {
        c.env("RUST_LOG", "bdk::call=info");
    });
    for client in Client::of_every_kind(&server, &json!({})) {
        // one that can say something and one that cannot
        for tool in ["add", "flaky_read"] {
            let result = client.call(tool, json!({}));
            let id = result["_meta"]["bdk/callId"].as_str().expect("an id").to_owned();
            server.logged(&id);
            let records = server.stderr().lines().filter(|l| l.contains(&id) && l.contains("outcome=")).count();
            assert_eq!(records, 1, "{}", server.stderr());
        }
    }
}

#[test]
fn an_effect_is_listed_as_a_hint_and_none_where_it_is_not_known() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let listing = client.send(&request(1, "tools/list", json!({}))).whole().json();
        let tools = listing["result"]["tools"].as_array().expect("tools");
        let hint = |name: &str| {
            let tool = tools.iter().find(|t| t["name"] == name).unwrap_or_else(|| panic!("{name} in {listing}"));
            tool["annotations"]["readOnlyHint"].clone()
        };
        assert_eq!(hint("add"), true);
        assert_eq!(hint("publish"), false);
        assert_eq!((hint("undeclared"), hint("berth")), (Value::Null, Value::Null));
        assert_eq!(
            tools.iter().find(|t| t["name"] == "nothing_asked").expect("listed")["inputSchema"],
            json!({
                "type": "object", "properties": {}, "additionalProperties": false
            })
        );
    }
}

#[test]
fn the_command_line_says_what_mcp_says() {
    let server = Server::start(KITCHEN, &[]);
    let client = Client::new(&server);
    for (tool, input) in [("fails", json!({ "why": "x" })), ("add", json!({ "a": "5" })), ("add", json!([]))] {
        let cli = run(KITCHEN, &["call", tool, "--input", &input.to_string()]).json();
        let result = client.call(tool, input);
        assert_eq!(cli["result"]["content"], result["content"]);
        assert_eq!(cli["error"], result["_meta"]["bdk/error"]);
    }
}

#[test]
fn where_a_schema_is_advertised_the_result_has_what_it_describes() {
    let server = Server::start(env!("CARGO_BIN_EXE_companion"), &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for (tool, input, value) in [
            ("planets", json!({}), json!(["Mercury", "Venus"])),
            ("planet_count", json!({}), json!(8)),
            ("largest_planet", json!({}), json!("Jupiter")),
            ("smallest_planet", json!({ "of": 0 }), json!(null)),
        ] {
            let result = client.call(tool, input);
            let structured = result.as_object().and_then(|o| o.get("structuredContent"));
            assert_eq!(structured, client.is_stateless().then_some(&value), "{tool}: {result}");
        }
    }
}
