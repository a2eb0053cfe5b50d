//! 28, 29: the same listing, the same result, the same words and one record, at every door.

use crate::{
    KITCHEN,
    doors::{In, essence, is_outcome, with_bot, without_id},
};
use bdk_tests::{
    Server,
    mcp::{Client, id, request},
    run,
};
use serde_json::{Value, json};

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
                // an integral float is the integer that it stands for
                let sent: Value = serde_json::from_str(&input.to_string().replace(".0", "")).unwrap();
                let logged: Value = serde_json::from_str(&action["input"].to_string().replace(".0", "")).unwrap();
                assert_eq!((&action["toolName"], &logged), (&json!(tool), &sent));
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
