//! cases.md 15–20, 29: HTTP, the command line and the command line against a running bot give the same result, the same
//! error text, and one record each.

use bdk_tests::{Ran, Server, run, run_with};
use serde_json::{Value, json};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

fn in_process(tool: &str, input: &Value) -> (Ran, Value) {
    let ran = run(KITCHEN, &["call", tool, "--input", &input.to_string()]);
    let json = ran.json();
    (ran, json)
}

/// What must be the same at every door: all but the id and the time it took.
fn essence(mut answer: Value) -> Value {
    let o = answer.as_object_mut().expect("an object");
    o.remove("callId");
    o.remove("durationMs");
    answer
}

#[test]
fn every_door_gives_the_same_result_and_the_same_error() {
    let server = Server::start(KITCHEN, &[]);
    let calls = [
        ("add", json!({ "a": 1, "b": 2 }), false),
        ("add", json!({ "a": 3.0, "b": 2 }), false),
        ("add", json!({ "a": "5" }), true),
        ("add", json!({ "a": 1, "b": 2, "bogus": 1 }), true),
        ("add", json!({ "a": 5_000_000_000_u64, "b": -1 }), true),
        ("add", json!([]), true),
        ("add", json!("{\"a\":1,\"b\":2}"), true),
        ("unit_of", json!({}), false),
        ("unit_of", json!({ "unit": null }), false),
        ("unit_of", json!({ "unit": "celsius" }), false),
        ("unit_of", json!({ "unit": "celsus" }), true),
        ("nothing_asked", json!({}), false),
        ("nothing_asked", json!(null), false),
        ("say_nothing", json!({}), false),
        ("area", json!({ "kind": "circle", "radius": 1 }), false),
        ("area", json!({ "kind": "rect", "w": 2, "h": 3.0 }), false),
        ("area", json!({ "kind": "triangle" }), true),
        ("area", json!({ "kind": "rect", "w": "x", "h": -1 }), true),
        (
            "tree_size",
            json!({ "root": { "name": "a", "children": [{ "name": "b", "children": [{ "name": "c" }] }] } }),
            false,
        ),
        ("anything", json!({ "data": [1, { "x": null }] }), false),
        ("weigh", json!({ "crates": [{ "mass": 2, "label": null }], "days": 14 }), false),
        ("weigh", json!({ "crates": [{ "mass": "heavy" }, { "label": "x" }, [1]], "days": 15 }), true),
        ("rules", json!({}), false),
        ("rules", json!({ "count": "3", "loud": "true", "name": "  Ann ", "site": "https://x.y/" }), false),
        ("rules", json!({ "count": "", "tags": ["A", "b", "c"], "site": "nowhere" }), true),
        ("raw", json!({ "x": 3.0, "y": null }), false),
        ("raw", json!({ "y": 1 }), true),
        ("lenient", json!({ "n": -9_223_372_036_854_775_808_i64, "else": 1 }), false),
        ("window", json!({ "lo": 1, "hi": 3 }), false),
        ("window", json!({ "lo": 3, "hi": 1 }), true),
        ("fails", json!({ "why": "disk on fire" }), true),
        ("not_a_number", json!({}), true),
        ("too_big", json!({}), true),
        ("odd_keys", json!({}), true),
        ("envelope", json!({ "bad": false }), false),
        ("envelope", json!({ "bad": true }), true),
        ("lookalike", json!({}), false),
        ("paint_red", json!({ "what": "the door" }), false),
        ("paint_red", json!({}), true),
        // what serde_json's own types say to their own deserialiser is only a name here
        ("anything", json!({ "data": { "$serde_json::private::RawValue": "[1,2]" } }), false),
        ("note", json!({ "note": { "$serde_json::private::RawValue": "[1,2]" } }), true),
    ];
    for (tool, input, fails) in &calls {
        let (status, http) = server.call(tool, &json!({ "input": input }));
        assert_eq!(
            (status, http["ok"].clone(), http["isError"].clone()),
            (200, json!(true), json!(*fails)),
            "{tool} {http}"
        );
        let (ran, cli) = in_process(tool, input);
        assert_eq!(ran.code, i32::from(*fails), "{tool}: {ran:?}");
        let remote = run(KITCHEN, &["call", tool, "--input", &input.to_string(), "--url", &server.url]);
        assert_eq!(remote.code, i32::from(*fails), "{tool}: {remote:?}");
        assert_eq!(essence(http.clone()), essence(cli), "{tool} {input}");
        assert_eq!(essence(http), essence(remote.json()), "{tool} {input}");
    }
}

fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn a_bad_input_is_told_whole_with_paths_and_what_was_expected() {
    let (_, answer) = in_process("weigh", &json!({ "crates": [{ "mass": "heavy" }], "days": 15, "dayz": 1 }));
    let text = text(&answer);
    assert!(text.starts_with("Invalid input for \"weigh\": "), "{text}");
    for part in ["crates[0].mass", "heavy", "days", "15", "dayz"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let issues = answer["error"]["issues"].as_array().expect("issues");
    assert_eq!(answer["error"]["code"], "invalid_input");
    assert_eq!(issues.len(), 3, "{issues:?}");
    assert!(
        issues.iter().any(|i| i["path"] == "crates[0].mass" && i["expected"].is_string() && i["received"].is_string())
    );
}

#[test]
fn a_near_miss_is_told_the_nearest() {
    let (_, answer) = in_process("unit_of", &json!({ "unit": "celsus" }));
    assert!(text(&answer).contains("celsius"), "{answer}");
    let (_, answer) = in_process("weigh", &json!({ "crates": [], "dais": 1 }));
    assert!(text(&answer).contains("days"), "{answer}");
    let ran = run(KITCHEN, &["call", "ad"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()["error"], "unknown_tool");
    assert!(ran.json()["message"].as_str().is_some_and(|m| m.contains("\"add\"")), "{ran:?}");
}

#[test]
fn an_error_is_told_with_its_sources() {
    let (_, answer) = in_process("fails", &json!({ "why": "disk on fire" }));
    assert_eq!(text(&answer), "Tool \"fails\" failed: the upstream answered nothing: disk on fire");
    assert_eq!(answer["error"], json!({ "code": "failed", "retryable": false }));
}

#[test]
fn what_json_cannot_hold_is_an_error_with_its_path() {
    let (_, answer) = in_process("not_a_number", &json!({}));
    assert!(text(&answer).contains("readings[1].value"), "{answer}");
    let (_, answer) = in_process("too_big", &json!({}));
    assert!(text(&answer).contains("big"), "{answer}");
    let (_, answer) = in_process("odd_keys", &json!({}));
    assert!(text(&answer).contains("key"), "{answer}");
}

#[test]
fn a_panic_is_an_error_without_its_message_and_the_next_call_works() {
    let server = Server::start(KITCHEN, &[]);
    for tool in ["panics", "panics_blocking"] {
        let (status, answer) = server.call(tool, &json!({ "input": { "secret": "hunter2hunter2" } }));
        assert_eq!((status, &answer["error"]["code"]), (200, &json!("panicked")), "{answer}");
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
        let id = answer["callId"].as_str().expect("an id").to_owned();
        assert!(text(&answer).contains(&id), "{answer}");
        let log = server.logged(&id);
        // once, with its place: not also by the standard hook, which knows no call id
        assert_eq!(
            log.matches("the secret is hunter2hunter2").count(),
            1 + usize::from(tool == "panics_blocking"),
            "{log}"
        );
        assert!(log.contains("kitchen.rs:"), "{log}");
    }
    assert_eq!(server.call("panics", &json!({})).1["result"], "calm");
    let ran = run(KITCHEN, &["call", "panics", "--input", r#"{"secret":"hunter2hunter2"}"#]);
    assert_eq!(ran.code, 1);
    assert!(!ran.stdout.contains("hunter2"), "{ran:?}");
}

#[test]
fn each_call_leaves_one_record() {
    let server = Server::start_with(KITCHEN, &[], |c| {
        c.env("RUST_LOG", "bdk::call=info");
    });
    for (tool, input) in [("add", json!({ "a": 1, "b": 2 })), ("add", json!({})), ("panics", json!({ "secret": "x" }))]
    {
        let (_, answer) = server.call(tool, &json!({ "input": input }));
        let id = answer["callId"].as_str().expect("an id").to_owned();
        server.logged(&id);
        let records = server.stderr().lines().filter(|l| l.contains(&id) && l.contains("outcome=")).count();
        assert_eq!(records, 1, "{}", server.stderr());
    }
    let ran = run_with(KITCHEN, &["call", "nothing_asked"], b"", |c| {
        c.env("RUST_LOG", "bdk::call=info");
    });
    assert_eq!(ran.stderr.lines().filter(|l| l.contains("outcome=")).count(), 1, "{ran:?}");
}

#[test]
fn json_in_json_gets_no_further_depth() {
    let server = Server::start(KITCHEN, &[]);
    let mut text = "1".to_owned();
    for _ in 0..7 {
        let deep = format!("{}{text}{}", "[".repeat(100), "]".repeat(100));
        text = json!({ "$serde_json::private::RawValue": deep }).to_string();
    }
    for (tool, name) in [("anything", "data"), ("note", "note"), ("paint_red", "what")] {
        let body = format!("{{\"input\":{{\"{name}\":{text}}}}}");
        let answer = server.post(&format!("{}/tools/{tool}", server.prefix), body.as_bytes());
        assert_eq!(answer.status, 200, "{tool}: {answer:?}");
    }
    assert_eq!(server.call("nothing_asked", &json!({})).1["result"], "pong");
}
