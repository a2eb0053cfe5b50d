//! cases.md 22–31, through every door at once: HTTP, the command line, in process and MCP, in a session and without one.
//!
//! The kitchen's tools are compiled into this test, so that one bot is called in process and over the network; its command
//! line is the built one. What one door or one step alone has to hold is tested where it stands:
//!
//! | case | here | elsewhere |
//! | --- | --- | --- |
//! | 22 dry run | `case_22_…`, repo-scout | `effects.rs`, `sessions.rs`; over MCP, with clients that throw, `mcp_bound.rs` |
//! | 23 predicates | `case_23_…` | `effects.rs` |
//! | 24 transient reads | `case_24_…` | `effects.rs`; what counts as transient, `transient.rs`; `bdk-runtime/src/call/transient.rs` |
//! | 25 transient writes | `case_25_…` | `effects.rs` |
//! | 26 waits | `case_26_…` | `effects.rs` |
//! | 27 asOf | `case_27_…`, repo-scout | `effects.rs`; the words over MCP, `mcp_bound.rs`; every form of an instant, `bdk-runtime/src/tool/timestamp` |
//! | 28 listings | `case_28_…` | `effects.rs`, `bdk-runtime/src/mcp/listing.rs` |
//! | 29 one call path | `case_29_…` | `doors.rs` (the command line against a running bot) |
//! | 30 workspaces | `case_30_…` | `guard.rs` (panic, a caller that goes away), `sessions.rs`, `mcp_bound.rs` |
//! | 31 refusals | | `bdk-runtime/tests/http` (`auth.rs`, `limits.rs`, `refused.rs`); over MCP, `mcp_faults.rs` |
#![allow(unused_attributes, reason = "the kitchen is a program of its own, too")]

#[path = "../src/bin/kitchen.rs"]
#[allow(dead_code, reason = "nobody runs its `main` here")]
mod kitchen;

use bdk::{CallOptions, ServeHandle, SessionOptions};
use bdk_tests::{
    Server, eventually,
    mcp::{Client, Era, id, mark, request, text},
    run, run_with, scout,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

// ---- the doors ----

/// The kitchen in this process, and how it is reached over the network.
struct Bot {
    handle: ServeHandle,
    http: Client,
}

/// Which facts a call is made with.
#[derive(Clone, Copy)]
enum In<'a> {
    /// No session.
    Nothing,
    /// This session.
    Session(&'a str),
}

impl Bot {
    async fn start() -> Self {
        let handle = bdk::Server::new().port(0).state("memory:").start().await.expect("it starts");
        let http = Client {
            addr: handle.addr().to_string(),
            path: handle.prefix().to_owned(),
            era: Era::NoSession,
            headers: Vec::new(),
            accept: bdk_tests::mcp::BOTH.to_owned(),
            kept: None,
        };
        Self { handle, http }
    }

    fn at(&self, route: &str) -> Client {
        Client { path: format!("{}/{route}", self.http.path), ..self.http.clone() }
    }

    /// Opens a session over HTTP, so that its callers there are its owner.
    fn open(&self, facts: &Value) -> String {
        let opened = self.at("session").post(&[], facts.to_string().as_bytes()).whole();
        assert_eq!(opened.status, 200, "{opened:?}");
        opened.json()["sessionId"].as_str().expect("an id").to_owned()
    }

    fn http(&self, tool: &str, input: &Value, inside: In<'_>) -> Value {
        let mut body = json!({ "input": input });
        if let In::Session(id) = inside {
            body["sessionId"] = id.into();
        }
        let answer = self.at(&format!("tools/{tool}")).post(&[], body.to_string().as_bytes()).whole();
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    async fn in_process(&self, tool: &str, input: &Value, inside: In<'_>) -> Value {
        let options = match inside {
            In::Nothing => CallOptions::new(),
            In::Session(id) => CallOptions::new().session(id),
        };
        let outcome = self.handle.call_tool_with(tool, input.clone(), options).await.expect("it is there");
        serde_json::to_value(outcome).expect("JSON")
    }

    /// A client of each kind.
    fn mcp(&self, inside: In<'_>) -> [Client; 3] {
        let client = match inside {
            In::Nothing => self.at("mcp"),
            In::Session(id) => self.at(&format!("mcp?session={id}")),
        };
        let stateless = Client { era: Era::Stateless(json!({})), ..client.clone() };
        [client.clone().initialized("2025-11-25", json!({})), client, stateless]
    }

    /// What comes of a call at every door but the command line: over HTTP and in process as an outcome, over MCP as a result.
    async fn everywhere(&self, tool: &str, input: &Value, inside: In<'_>) -> (Vec<Value>, Vec<Value>) {
        let outcomes = vec![self.http(tool, input, inside), self.in_process(tool, input, inside).await];
        let call = |client: &Client| {
            let params = json!({ "name": tool, "arguments": input });
            client.send(&request(id(), "tools/call", params)).said().1["result"].clone()
        };
        (outcomes, self.mcp(inside).iter().map(call).collect())
    }

    /// The events of a session behind its opening.
    async fn events(&self, session: &str) -> Vec<Value> {
        let events = self.handle.session(session).events(2).await.expect("events");
        events.iter().map(|event| serde_json::to_value(event).expect("JSON")).collect()
    }
}

fn with_bot(test: impl AsyncFnOnce(Bot)) {
    bdk::__private::block_on(async {
        test(Bot::start().await).await;
    });
}

/// What must be the same at every door: all but the id, the time it took, and that HTTP says that it answered.
fn essence(mut outcome: Value) -> Value {
    let members = outcome.as_object_mut().unwrap_or_else(|| panic!("an outcome"));
    for name in ["ok", "callId", "durationMs"] {
        members.remove(name);
    }
    outcome
}

/// Whether an MCP result is this outcome.
#[track_caller]
fn is_outcome(result: &Value, outcome: &Value) {
    let failed = outcome["isError"] == true;
    assert_eq!(result["isError"] == true, failed, "{result} {outcome}");
    assert_eq!(result["_meta"].get("bdk/error"), outcome.get("error"), "{result} {outcome}");
    assert_eq!(result["_meta"]["bdk/stubbed"] == true, outcome["stubbed"] == true, "{result} {outcome}");
    let value = &outcome["result"];
    match value {
        _ if failed || outcome["toolName"] == "envelope" => {
            assert_eq!(result["content"], value["content"]);
            assert_eq!(result.get("structuredContent"), value.get("structuredContent"));
        }
        Value::Null => assert!(matches!(text(result), "Done." | "null"), "{result}"),
        Value::String(said) => assert_eq!(text(result), said),
        value => {
            assert_eq!(&serde_json::from_str::<Value>(text(result)).expect("JSON"), value);
            if value.is_object() {
                assert_eq!(&result["structuredContent"], value);
            }
        }
    }
}

// ---- 29 ----

/// Inputs that are right and wrong in every way, and whether the call fails.
fn calls() -> Vec<(&'static str, Value, bool)> {
    vec![
        ("add", json!({ "a": 1, "b": 2 }), false),
        ("add", json!({ "a": 3.0, "b": 2 }), false),
        ("add", json!({ "a": "5" }), true),
        ("add", json!({ "a": 5_000_000_000_u64, "b": -1, "bogus": 1 }), true),
        ("add", json!([]), true),
        ("add", json!("{\"a\":1,\"b\":2}"), true),
        ("unit_of", json!({ "unit": null }), false),
        ("unit_of", json!({ "unit": "celsus" }), true),
        ("nothing_asked", json!({}), false),
        ("say_nothing", json!({}), false),
        ("area", json!({ "kind": "rect", "w": 2, "h": 3.0 }), false),
        ("area", json!({ "kind": "triangle" }), true),
        ("tree_size", json!({ "root": { "name": "a", "children": [{ "name": "b" }] } }), false),
        ("anything", json!({ "data": [1, { "x": null }, "line\nbreak"] }), false),
        ("weigh", json!({ "crates": [{ "mass": "heavy" }, { "label": "x" }, [1]], "days": 15 }), true),
        ("rules", json!({ "count": "", "tags": ["A", "b", "c"], "site": "nowhere" }), true),
        ("raw", json!({ "x": 3.0, "y": null }), false),
        ("raw", json!({ "y": 1 }), true),
        ("window", json!({ "lo": 3, "hi": 1 }), true),
        ("fails", json!({ "why": "disk on fire" }), true),
        ("not_a_number", json!({}), true),
        ("envelope", json!({ "bad": false }), false),
        ("envelope", json!({ "bad": true }), true),
        ("lookalike", json!({}), false),
        ("paint_red", json!({ "what": "the door" }), false),
        ("paint_red", json!({}), true),
        ("panics", json!({ "secret": "hunter2hunter2" }), true),
        ("no_such_user", json!({}), true),
        ("flaky_write", json!({}), true),
        ("writes_unreachable", json!({}), true),
    ]
}

/// Without the ids that a panic's text names.
fn without_id(outcome: &Value, value: Value) -> Value {
    let Some(id) = outcome["callId"].as_str() else { return value };
    serde_json::from_str(&value.to_string().replace(id, "…")).expect("JSON")
}

#[test]
fn case_29_every_door_gives_the_same_result_and_the_same_words() {
    with_bot(async |bot| {
        for (tool, input, fails) in calls() {
            let (outcomes, results) = bot.everywhere(tool, &input, In::Nothing).await;
            let ran = run(KITCHEN, &["call", tool, "--input", &input.to_string()]);
            assert_eq!(ran.code, i32::from(fails), "{ran:?}");
            let outcomes = outcomes.into_iter().chain([ran.json()]);
            let outcomes: Vec<Value> = outcomes.map(|o| without_id(&o, o.clone())).map(essence).collect();
            assert_eq!(outcomes[0]["isError"], fails, "{tool} {input}: {}", outcomes[0]);
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{tool} {input}: {outcomes:#?}");
            for result in results {
                let id = json!({ "callId": result["_meta"]["bdk/callId"] });
                is_outcome(&without_id(&id, result), &outcomes[0]);
            }
        }
    });
}

#[test]
fn case_29_in_a_session_every_door_leaves_the_same_record_once() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let mut seen = 0;
        for (tool, input, fails) in calls() {
            let (outcomes, results) = bot.everywhere(tool, &input, In::Session(&session)).await;
            let answered = outcomes.iter().map(|o| o["callId"].clone());
            let ids: Vec<Value> = answered.chain(results.iter().map(|r| r["_meta"]["bdk/callId"].clone())).collect();
            let events = bot.events(&session).await.split_off(seen);
            seen += events.len();
            assert_eq!(events.len(), 2 * ids.len(), "{tool} {input}: {events:#?}");
            let mut records = Vec::new();
            for (pair, id) in events.chunks(2).zip(&ids) {
                let [requested, result] = pair else { panic!("a pair") };
                assert_eq!(
                    (&requested["type"], &result["type"]),
                    (&json!("actions.requested"), &json!("action.result"))
                );
                let action = &requested["data"]["actions"][0];
                assert_eq!((&action["callId"], &result["data"]["callId"]), (id, id), "{pair:#?}");
                assert_eq!((&action["toolName"], &action["input"]), (&json!(tool), &input));
                // who asks in process does it for the session's owner
                assert_eq!(action["caller"], "local:loopback");
                records.push(without_id(&json!({ "callId": id }), essence(result["data"].clone())));
            }
            assert!(records.iter().all(|record| *record == records[0]), "{tool} {input}: {records:#?}");
            // the record is what the callers heard, and that is what they hear without a session
            let heard = essence(without_id(&outcomes[0], outcomes[0].clone()));
            assert_eq!((&records[0], &heard["isError"]), (&heard, &json!(fails)));
            let unbound = bot.http(tool, &input, In::Nothing);
            assert_eq!(heard, essence(without_id(&unbound, unbound.clone())), "{tool} {input}");
        }
    });
}

#[test]
fn case_29_over_mcp_each_call_leaves_one_record_too() {
    let server = Server::start_with(KITCHEN, &[], |c| {
        c.env("RUST_LOG", "bdk::call=info");
    });
    for client in Client::of_every_kind(&server, &json!({})) {
        for (tool, input) in [("add", json!({ "a": 1, "b": 2 })), ("add", json!({})), ("here_is_none", json!({}))] {
            let answer = client.begin(tool, input).whole().json();
            let Some(id) = answer["result"]["_meta"]["bdk/callId"].as_str() else {
                assert_eq!(answer["error"]["code"], -32602, "{answer}");
                continue;
            };
            server.logged(id);
            let records = server.stderr().lines().filter(|l| l.contains(id) && l.contains("outcome=")).count();
            assert_eq!(records, 1, "{}", server.stderr());
        }
    }
}

// ---- 22, 23 ----

#[test]
fn case_22_in_a_dry_run_session_every_door_runs_reads_and_stubs_the_rest() {
    with_bot(async |bot| {
        let session = bot.open(&json!({ "dryRun": true }));
        let inside = In::Session(&session);
        let acknowledged = json!("Operation acknowledged.");
        let published = json!({ "published": false, "version": "1.0" });
        for (tool, input, result, stubbed) in [
            ("add", json!({ "a": 1, "b": 2 }), json!(3), false),
            ("publish", json!({ "version": "1.0", "key": "12345678" }), published, true),
            ("undeclared", json!({}), acknowledged.clone(), true),
            ("say_nothing", json!({}), acknowledged, true),
        ] {
            let (outcomes, results) = bot.everywhere(tool, &input, inside).await;
            for outcome in &outcomes {
                assert_eq!((&outcome["result"], &outcome["stubbed"]), (&result, &json!(stubbed)), "{outcome}");
                assert_eq!(outcome["attempts"], u32::from(!stubbed), "{outcome}");
            }
            results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        }
        let (outcomes, results) = bot.everywhere("publish", &json!({ "version": "1.0", "key": "short" }), inside).await;
        assert_eq!((&outcomes[0]["error"]["code"], &outcomes[0]["stubbed"]), (&json!("invalid_input"), &json!(false)));
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let relayed = bot.http("relay", &json!({ "tool": "undeclared", "input": {} }), inside);
        assert_eq!(relayed["result"]["stubbed"], true, "also what a tool calls: {relayed}");

        let events = bot.events(&session).await;
        let stubbed = events.iter().filter(|e| e["type"] == "action.result" && e["data"]["stubbed"] == true);
        assert_eq!(stubbed.count(), 3 * 5 + 1, "recorded as what they are");
    });
}

#[test]
fn case_23_in_a_session_a_predicate_sees_validated_input_and_a_panic_is_a_write() {
    with_bot(async |bot| {
        let session = bot.open(&json!({ "dryRun": true }));
        for (tool, input, stubbed) in [
            ("berth", json!({ "berth": 1 }), true),
            ("berth", json!({ "berth": 1, "hold": null }), true),
            ("berth", json!({ "berth": 1, "hold": false }), false),
            ("berth", json!({ "berth": 0 }), false),
            ("panicky_effect", json!({ "n": 7 }), true),
            ("panicky_effect", json!({ "n": 8 }), false),
        ] {
            let (outcomes, results) = bot.everywhere(tool, &input, In::Session(&session)).await;
            assert!(outcomes.iter().all(|o| o["stubbed"] == stubbed), "{outcomes:#?}");
            results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        }
        let effect = |event: &Value| event["data"]["actions"][0]["effect"].as_str().map(str::to_owned);
        let effects: Vec<String> = bot.events(&session).await.iter().filter_map(effect).collect();
        let expected = ["write", "write", "read", "undecided", "write", "read"].map(|effect| vec![effect; 5]);
        assert_eq!(effects, expected.concat());
    });
}

// ---- 24, 25, 26 ----

#[test]
fn case_24_a_read_that_fails_twice_is_one_record_with_three_attempts_at_every_door() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let (outcomes, results) = bot.everywhere("flaky_read", &json!({}), In::Session(&session)).await;
        for outcome in &outcomes {
            assert_eq!((&outcome["result"], &outcome["attempts"]), (&json!(3), &json!(3)), "{outcome}");
        }
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let (outcomes, results) = bot.everywhere("dead_read", &json!({}), In::Session(&session)).await;
        let words = outcomes[0]["result"]["content"][0]["text"].as_str().expect("words");
        assert!(words.contains("failed after 3 attempts"), "{words}");
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let (outcomes, _) = bot.everywhere("no_such_user", &json!({}), In::Session(&session)).await;
        assert!(outcomes.iter().all(|outcome| outcome["attempts"] == 1), "{outcomes:#?}");

        let events = bot.events(&session).await;
        let attempts: Vec<u64> = events.iter().filter_map(|event| event["data"]["attempts"].as_u64()).collect();
        assert_eq!(attempts, [3; 10].into_iter().chain([1; 5]).collect::<Vec<u64>>());
        assert_eq!(events.len(), 2 * 15);
    });
}

#[test]
fn case_25_a_write_is_tried_once_and_its_record_says_that_the_outcome_is_unknown() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let (outcomes, results) = bot.everywhere("flaky_write", &json!({}), In::Session(&session)).await;
        let words = outcomes[0]["result"]["content"][0]["text"].as_str().expect("words");
        assert!(words.contains("outcome is unknown: verify"), "{words}");
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let results = bot.events(&session).await.into_iter().filter(|event| event["type"] == "action.result");
        for record in results {
            assert_eq!((&record["data"]["attempts"], &record["data"]["isError"]), (&json!(1), &json!(true)));
            assert_eq!(record["data"]["result"]["content"][0]["text"], words);
        }
    });
}

#[test]
fn case_26_a_wait_for_the_next_attempt_ends_with_the_deadline() {
    with_bot(async |bot| {
        let (outcomes, results) = bot.everywhere("too_late", &json!({ "seconds": 9 }), In::Nothing).await;
        for outcome in &outcomes {
            assert_eq!((&outcome["error"]["code"], &outcome["attempts"]), (&json!("timeout"), &json!(1)), "{outcome}");
        }
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let given_up = bot.http("later", &json!({ "seconds": 11 }), In::Nothing);
        assert_eq!((&given_up["error"]["code"], &given_up["attempts"]), (&json!("failed"), &json!(1)), "{given_up}");
    });
}

#[test]
fn case_26_a_wait_for_the_next_attempt_ends_with_cancellation() {
    let server = Server::start_with(KITCHEN, &[], |c| {
        c.env("RUST_LOG", "bdk::call=debug");
    });
    let waits = |n: usize| {
        eventually(|| (server.stderr().matches("is tried again").count() == n).then_some(())).expect("it waits");
    };
    let ended = |n: usize| {
        let ended = |line: &&str| line.contains("outcome=\"cancelled\"") || line.contains("outcome=cancelled");
        eventually(|| (server.stderr().lines().filter(ended).count() == n).then_some(())).expect("it ends");
        assert!(server.stderr().lines().filter(ended).all(|line| line.contains("attempts=1")), "{}", server.stderr());
    };
    // a caller that goes away
    let body = json!({ "input": { "seconds": 10 } }).to_string();
    let http = Client { path: format!("{}/tools/later", server.prefix), ..Client::new(&server) };
    let call = http.post(&[], body.as_bytes());
    waits(1);
    drop(call);
    ended(1);
    // one that says so
    let client = Client::session(&server, json!({}));
    let call = client.send(&request(777, "tools/call", json!({ "name": "later", "arguments": { "seconds": 10 } })));
    waits(2);
    let cancel = bdk_tests::mcp::notification("notifications/cancelled", json!({ "requestId": 777 }));
    assert_eq!(client.send(&cancel).whole().status, 202);
    ended(2);
    assert_eq!(call.whole().json()["result"]["_meta"]["bdk/error"]["code"], "cancelled");
    // a session that is deleted
    let opened = Client { path: format!("{}/session", server.prefix), ..Client::new(&server) }.post(&[], b"{}").whole();
    let session = opened.json()["sessionId"].as_str().expect("an id").to_owned();
    let body = json!({ "input": { "seconds": 10 }, "sessionId": session }).to_string();
    let call = http.post(&[], body.as_bytes());
    waits(3);
    let gone = Client { path: format!("{}/session/{session}", server.prefix), ..Client::new(&server) }.bare("DELETE");
    assert_eq!(gone.whole().status, 200);
    ended(3);
    assert_eq!(call.whole().json()["error"]["code"], "cancelled");
}

// ---- 27 ----

#[test]
fn case_27_in_a_frozen_session_every_door_bounds_the_named_arguments() {
    let frozen = "2026-01-01T00:00:00Z";
    let fine = "2025-12-01T00:00:00Z";
    with_bot(async |bot| {
        let session = bot.open(&json!({ "asOf": frozen }));
        for bad in [
            None,
            Some(json!(null)),
            Some(json!("yesterday")),
            Some(json!("2025-12-01")),
            Some(json!("2025-12-01T00:00:00")),
            Some(json!("2026-01-01T00:00:00.000000001Z")),
            Some(json!("2025-12-01 00:00:00Z")),
            Some(json!("2025-12-01T24:00:00Z")),
        ] {
            for (wrong, right) in [("since", "until"), ("until", "since")] {
                let mut input = json!({ right: fine });
                if let Some(bad) = &bad {
                    input[wrong] = bad.clone();
                }
                let (outcomes, results) = bot.everywhere("search", &input, In::Session(&session)).await;
                let words = outcomes[0]["result"]["content"][0]["text"].as_str().expect("words");
                assert_eq!(outcomes[0]["error"]["code"], "as_of", "{input}: {words}");
                assert!(words.contains(wrong) && words.contains("retry with absolute bounds"), "{words}");
                let path = outcomes[0]["error"]["issues"][0]["path"].as_str();
                assert_eq!(path, Some(wrong), "{}", outcomes[0]);
                results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
                // the same as for a call that has an asOf of its own
                let own = run(KITCHEN, &["call", "search", "--as-of", frozen, "--input", &input.to_string()]).json();
                let all = outcomes.into_iter().chain([own]).map(essence).collect::<Vec<_>>();
                assert!(all.iter().all(|outcome| *outcome == all[0]), "{all:#?}");
            }
        }
        for fine in ["2025-12-01t00:00:00z", "2025-12-01T00:00:00+00:00", "2026-01-01T02:00:00+02:00", frozen] {
            let input = json!({ "since": fine, "until": fine });
            let (outcomes, results) = bot.everywhere("search", &input, In::Session(&session)).await;
            assert!(outcomes.iter().all(|outcome| outcome["isError"] == false), "{fine}: {outcomes:#?}");
            results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        }
        assert_eq!(bot.http("now", &json!({}), In::Session(&session))["result"], frozen);
        let (free, _) = bot.everywhere("search", &json!({ "since": "yesterday" }), In::Nothing).await;
        assert!(free.iter().all(|outcome| outcome["isError"] == false), "{free:#?}");
    });
}

// ---- 28 ----

#[test]
fn case_28_every_listing_has_the_same_hints() {
    with_bot(async |bot| {
        let cli = run(KITCHEN, &["tools", "--json"]).json();
        let http = bot.at("tools").bare("GET").whole().json()["tools"].clone();
        let mcp = bot.mcp(In::Nothing).map(|client| {
            client.send(&request(id(), "tools/list", json!({}))).whole().json()["result"]["tools"].clone()
        });
        for (name, hint) in [
            ("add", Some(true)),
            ("publish", Some(false)),
            ("say_nothing", Some(false)),
            ("berth", None),
            ("undeclared", None),
        ] {
            for listing in [&cli, &http].into_iter().chain(&mcp) {
                let tool = listing.as_array().expect("a list").iter().find(|tool| tool["name"] == name);
                let hints = &tool.unwrap_or_else(|| panic!("{name}"))["annotations"];
                assert_eq!(hints.get("readOnlyHint").map(|hint| hint == true), hint, "{name}: {hints}");
            }
        }
    });
}

// ---- 30 ----

#[test]
fn case_30_without_a_session_a_workspace_goes_with_its_call_at_every_door() {
    with_bot(async |bot| {
        let (outcomes, results) = bot.everywhere("workspace", &json!({ "panic": false }), In::Nothing).await;
        let dirs = outcomes.iter().map(|o| &o["result"]["dir"]);
        let dirs: Vec<&str> =
            dirs.chain(results.iter().map(|r| &r["structuredContent"]["dir"])).filter_map(Value::as_str).collect();
        assert_eq!(dirs.len(), 5, "{outcomes:#?} {results:#?}");
        assert!(dirs.iter().all(|dir| !Path::new(dir).exists()), "{dirs:?}");
        let ran = run(KITCHEN, &["call", "workspace", "--input", r#"{"panic":false}"#]).json();
        assert!(!Path::new(ran["result"]["dir"].as_str().expect("a folder")).exists(), "{ran}");

        let mark = mark("cases-workspace");
        let input = json!({ "mark": mark });
        for door in 0..5 {
            let code = match door {
                0 => bot.http("waits_in_workspace", &input, In::Nothing)["error"]["code"].clone(),
                1 => bot.in_process("waits_in_workspace", &input, In::Nothing).await["error"]["code"].clone(),
                n => {
                    bot.mcp(In::Nothing)[n - 2].call("waits_in_workspace", input.clone())["_meta"]["bdk/error"]["code"]
                        .clone()
                }
            };
            assert_eq!(code, "timeout");
            let dir = fs::read_to_string(&mark).expect("it ran");
            assert!(dir.contains("bdk-") && !Path::new(&dir).exists(), "{dir}");
            fs::remove_file(&mark).expect("read");
        }
    });
}

#[test]
fn case_30_in_a_session_every_door_has_the_one_workspace_until_the_session_goes() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let (outcomes, results) = bot.everywhere("workspace", &json!({ "panic": false }), In::Session(&session)).await;
        let dirs = outcomes.iter().map(|o| &o["result"]["dir"]);
        let dirs: Vec<&Value> = dirs.chain(results.iter().map(|r| &r["structuredContent"]["dir"])).collect();
        assert!(dirs.iter().all(|dir| *dir == dirs[0]), "{dirs:?}");
        let dir = Path::new(dirs[0].as_str().expect("a folder"));
        assert!(dir.join("note").exists(), "{dir:?}");
        bot.http("workspace", &json!({ "panic": true }), In::Session(&session));
        assert!(dir.join("note").exists(), "also behind a panic");
        bot.handle.session(session.as_str()).delete().await.expect("deleted");
        assert!(!dir.exists(), "{dir:?}");
    });
}

#[test]
fn case_30_both_ids_are_400_naming_both_and_an_unknown_session_is_404() {
    with_bot(async |bot| {
        let post = |body: Value| bot.at("tools/add").post(&[], body.to_string().as_bytes()).whole();
        let both = post(json!({ "sessionId": "ses_a", "continuationToken": "http:b" }));
        let message = both.json()["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!((both.status, both.json()["error"].as_str()), (400, Some("invalid_request")));
        assert!(message.contains("`sessionId`") && message.contains("`continuationToken`"), "{message}");
        for body in [json!({ "sessionId": "ses_aaaaaaaaaaaaaaaaaaaa" }), json!({ "continuationToken": "http:b" })] {
            let unknown = post(body);
            assert_eq!((unknown.status, unknown.json()["error"].as_str()), (404, Some("unknown_session")));
        }
        let unknown = bot.at("mcp?session=ses_aaaaaaaaaaaaaaaaaaaa").send(&request(1, "tools/list", json!({}))).whole();
        assert_eq!((unknown.status, unknown.json()["error"].as_str()), (404, Some("unknown_session")));
        let options = CallOptions::new().session("ses_aaaaaaaaaaaaaaaaaaaa");
        let unknown = bot.handle.call_tool_with("add", json!({}), options).await.expect_err("unknown");
        assert!(unknown.to_string().contains("ses_aaaaaaaaaaaaaaaaaaaa"), "{unknown}");
    });
}

#[test]
fn a_session_opened_in_process_is_not_there_for_callers_over_the_network() {
    with_bot(async |bot| {
        let session = bot.handle.open_session(SessionOptions::new()).await.expect("opened");
        let body = json!({ "sessionId": session.id(), "input": { "a": 1, "b": 2 } });
        assert_eq!(bot.at("tools/add").post(&[], body.to_string().as_bytes()).whole().status, 404);
        let mcp = bot.at(&format!("mcp?session={}", session.id())).send(&request(1, "tools/list", json!({}))).whole();
        assert_eq!(mcp.status, 404);
        assert_eq!(session.call_tool("add", json!({ "a": 1, "b": 2 })).await.expect("its own").result, 3);
    });
}

// ---- repo-scout: what its documentation says of dry runs and of a frozen time ----

/// What a call of repo-scout came to in a session, over HTTP and over MCP of every kind: the value, or the error's words.
#[track_caller]
fn scouted(bot: &Server, session: &str, tool: &str, input: &Value) -> Result<Value, String> {
    let (status, outcome) = bot.call(tool, &json!({ "input": input, "sessionId": session }));
    assert_eq!(status, 200, "{outcome}");
    let client = Client::new(bot);
    let client = Client { path: format!("{}?session={session}", client.path), ..client };
    let stateless = Client { era: Era::Stateless(json!({})), ..client.clone() };
    for client in [client.clone().initialized("2025-11-25", json!({})), client, stateless] {
        is_outcome(&client.call(tool, input.clone()), &outcome);
    }
    match outcome["isError"] == true {
        false => Ok(outcome["result"].clone()),
        true => Err(outcome["result"]["content"][0]["text"].as_str().expect("words").to_owned()),
    }
}

fn opened(bot: &Server, facts: &Value) -> String {
    let opened = bot.post(&format!("{}/session", bot.prefix), facts.to_string().as_bytes()).json();
    opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
}

const ADA: &str = "2025-06-01T12:00:00Z";
const BO: &str = "2026-03-01T12:00:00Z";

#[test]
fn repo_scout_in_a_dry_run_session_reads_and_tags_nothing() {
    let repository = scout::repository_of(ADA, BO);
    let bot = scout::serve(repository.path());
    let session = opened(&bot, &json!({ "dryRun": true }));
    let ask = |tool: &str, input: Value| scouted(&bot, &session, tool, &input);

    let history =
        ask("file_history", json!({ "path": "src/main.rs", "since": "2020-01-01T00:00:00Z" })).expect("a read");
    assert_eq!(history["commits"].as_array().map(Vec::len), Some(2), "{history}");
    let tag = ask("create_tag", json!({ "name": "v1.0.0" })).expect("a stub");
    assert_eq!(tag, json!({ "name": "v1.0.0", "target": "HEAD", "annotated": false, "created": false }));
    let annotated = ask("create_tag", json!({ "name": "v1.0.0", "annotated": true, "message": "The first." }));
    assert_eq!(annotated.expect("a stub")["created"], false);
    let words = ask("create_tag", json!({ "name": "v1", "annotated": true })).expect_err("no message");
    assert!(words.starts_with("Invalid input for \"create_tag\": "), "{words}");
    let tags = run_with("git", &["tag"], b"", |git| _ = git.current_dir(repository.path()));
    assert_eq!((tags.code, tags.stdout.as_str()), (0, ""), "nothing was tagged");

    let client = Client::new(&bot);
    let client = Client { path: format!("{}?session={session}", client.path), ..client };
    let listed = client.send(&request(1, "tools/list", json!({}))).whole().json();
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert!(
        tools.iter().all(|tool| tool["outputSchema"].is_object()),
        "its one write has a `dry_run_result`: {listed}"
    );
}

#[test]
fn repo_scout_in_a_frozen_session_sees_nothing_later() {
    let repository = scout::repository_of(ADA, BO);
    let bot = scout::serve(repository.path());
    let session = opened(&bot, &json!({ "asOf": "2026-01-01T00:00:00Z" }));
    let ask = |tool: &str, input: Value| scouted(&bot, &session, tool, &input);

    let blame = ask("blame_summary", json!({ "path": "src/main.rs" })).expect("a read");
    assert_eq!(blame["lines"], 1, "Bo's line is not there yet: {blame}");
    assert_eq!(ask("todos", json!({})).expect("a read")["total"], 0);
    let history =
        ask("file_history", json!({ "path": "src/main.rs", "since": "2020-01-01T00:00:00Z" })).expect("a read");
    assert_eq!(history["commits"].as_array().map(Vec::len), Some(1), "{history}");
    assert_eq!(history["commits"][0]["subject"], "Start");
    let words = ask("churn", json!({ "since": "2020-01-01T00:00:00Z" })).expect_err("no end");
    assert!(words.contains("until") && words.contains("retry with absolute bounds"), "{words}");
    let words = ask("file_history", json!({ "path": "src/main.rs", "since": BO })).expect_err("too late");
    assert!(words.contains("since") && words.contains("2026-01-01T00:00:00Z"), "{words}");
    let bounded = json!({ "since": "2020-01-01T00:00:00Z", "until": "2025-12-31T00:00:00Z" });
    let churn = ask("churn", bounded).expect("a read");
    assert_eq!((&churn["commits"], &churn["authors"][0]["author"]), (&json!(1), &json!("Ada <Ada@example.org>")));
}
