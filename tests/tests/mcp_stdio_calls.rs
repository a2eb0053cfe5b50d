//! MCP over stdin and stdout: every call ends, and none holds up another one, whatever tool and client do. cases.md 13, 18,
//! 19.

use bdk_tests::{
    eventually,
    mcp::text,
    stdio::{Client, mark, says},
};
use serde_json::{Value, json};
use std::collections::HashSet;

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");
const NOISY: &str = env!("CARGO_BIN_EXE_noisy");
const TALKER: &str = env!("CARGO_BIN_EXE_talker");

#[test]
fn an_endless_call_ends_at_its_deadline_and_others_do_not_wait_for_it() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let mark = mark("endless");
        let endless = client.begin("endless", json!({ "mark": mark }));
        let blocks = client.begin("blocks_until_cancelled", json!({ "mark": mark.with_extension("blocking") }));
        let pong = client.begin("nothing_asked", json!({}));
        let first = client.message();
        assert_eq!(first["id"], pong, "{first}");
        for (id, tool) in [(endless, "endless"), (blocks, "blocks_until_cancelled")] {
            let result = client.result(id);
            assert_eq!(text(&result), format!("Tool \"{tool}\" failed: timed out after 1s"));
            assert_eq!(result["isError"], true);
        }
        says(&mark, "dropped");
        says(&mark.with_extension("blocking"), "noticed");
        client.is_quiet();
    }
}

#[test]
fn a_cancelled_call_ends_without_an_answer_and_the_bot_goes_on() {
    for mut client in Client::of_every_era(TALKER, &json!({})) {
        for tool in ["hangs", "says_and_hangs"] {
            let mark = mark(tool);
            let id = client.begin(tool, json!({ "mark": mark }));
            says(&mark, "running");
            client.cancel(id);
            says(&mark, "dropped");
            if tool == "says_and_hangs" && !client.is_stateless() {
                let said = client.message();
                assert_eq!(said["method"], "notifications/message", "{said}");
            }
            client.is_quiet();
            // once more is nothing
            client.cancel(id);
            client.is_quiet();
        }
    }
}

#[test]
fn a_cancellation_right_behind_its_call_reaches_it() {
    for mut client in Client::of_every_era(TALKER, &json!({})) {
        let marks: Vec<_> = (0..50).map(|_| mark("at-once")).collect();
        for mark in &marks {
            let (id, call) = client.made("tools/call", json!({ "name": "hangs", "arguments": { "mark": mark } }));
            let params = json!({ "requestId": id });
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
            client.raw(format!("{call}\n{cancel}\n"));
        }
        client.is_quiet();
        for mark in &marks {
            // one that was cancelled early enough never began
            let ended = || std::fs::read_to_string(mark).map_or(true, |text| text == "dropped");
            eventually(|| ended().then_some(())).expect("it ends");
        }
        // nothing is left that a shutdown would wait for
        client.close();
        assert_eq!(client.wait(), Some(0));
        assert_eq!(client.next_message(), None);
    }
}

#[test]
fn an_async_tool_that_holds_up_its_thread_holds_up_nobody_else() {
    for mut client in Client::of_every_era(NOISY, &json!({})) {
        for tool in ["holds_up", "holds_up_and_listens"] {
            let (held, gate) = (mark("held"), mark("gate"));
            let holding = client.begin(tool, json!({ "held": held, "gate": gate }));
            says(&held, "held");
            // the gate is shut: all of this is answered meanwhile
            assert_eq!(text(&client.call("naps", json!({ "ms": 1 }))), "1");
            assert_eq!(text(&client.call("long", json!({ "bytes": 3 }))), "xxx");
            client.is_quiet();
            if !client.is_stateless() {
                let id = client.request("ping", json!({}));
                client.result(id);
            }
            let cancelled = mark("cancelled");
            let other = client.begin("holds_up_and_listens", json!({ "held": cancelled, "gate": gate }));
            says(&cancelled, "held");
            client.cancel(other);
            client.is_quiet();
            std::fs::write(&gate, "").expect("opened");
            let expected = if tool == "holds_up" { "through" } else { "false" };
            assert_eq!(text(&client.result(holding)), expected);
            client.is_quiet();
        }
    }
}

#[test]
fn five_hundred_calls_at_once_are_each_answered_once() {
    for mut client in Client::of_every_era(NOISY, &json!({})) {
        let mut expected = HashSet::new();
        let mut lines = String::new();
        for n in 0..500 {
            let (tool, arguments) = match n % 4 {
                0 => ("naps", json!({ "ms": n % 20 })),
                1 => ("long", json!({ "bytes": 10_000 })),
                2 => ("no_such_tool", json!({})),
                _ => ("long", json!({ "bytes": "many" })),
            };
            let (id, call) = client.made("tools/call", json!({ "name": tool, "arguments": arguments }));
            expected.insert(id);
            lines.push_str(&format!("{call}\n"));
        }
        client.raw(lines);
        while !expected.is_empty() {
            let message = client.message();
            let id = message["id"].as_u64().unwrap_or_else(|| panic!("{message}"));
            assert!(expected.remove(&id), "{message}");
        }
        client.is_quiet();
    }
}

#[test]
fn a_result_of_many_megabytes_arrives_whole() {
    for mut client in Client::of_every_era(NOISY, &json!({})) {
        let bytes = 10 << 20;
        let result = client.call("long", json!({ "bytes": bytes }));
        assert!(text(&result).len() == bytes && text(&result).bytes().all(|b| b == b'x'));
        client.is_quiet();
    }
}

/// Waits until the bot takes no more of what is sent.
fn stalls(client: &Client) -> usize {
    let mut before = (usize::MAX, 0);
    eventually(|| {
        let now = client.written();
        before = if now == before.0 { (now, before.1 + 1) } else { (now, 0) };
        (before.1 > 25).then_some(now)
    })
    .expect("it stalls")
}

#[test]
#[cfg(target_os = "linux")]
fn a_client_that_does_not_read_is_not_read_from_and_loses_nothing() {
    let mut client = Client::deaf(NOISY, &[]).saying_all(&json!({}));
    let mut expected = HashSet::new();
    let mut sent = 0;
    for _ in 0..2000 {
        let (id, call) = client.made("tools/call", json!({ "name": "long", "arguments": { "bytes": 100 << 10 } }));
        let line = format!("{call}\n");
        sent += line.len();
        client.raw(line);
        expected.insert(id);
    }
    let taken = stalls(&client);
    assert!(taken < sent, "{taken} of {sent} bytes");
    // of the 200 MB of results
    assert!(client.memory() < 100 << 20, "{} bytes", client.memory());
    client.listen();
    while !expected.is_empty() {
        let message = client.message();
        assert_eq!(text(&message["result"]).len(), 100 << 10);
        assert!(message["id"].as_u64().is_some_and(|id| expected.remove(&id)), "{}", message["id"]);
    }
    client.is_quiet();
}

#[test]
fn a_tool_that_talks_to_a_client_that_does_not_read_fills_no_memory_and_is_not_held_up() {
    let mut client = Client::deaf(NOISY, &[]).initialized_unread("2025-11-25");
    let call = client.begin("chatters", json!({ "lines": 1000 }));
    client.told("chattered");
    client.listen();
    assert_eq!(text(&client.result(call)), "1000");
    let said = std::iter::from_fn(|| client.unasked()).filter(|m: &Value| m["method"] == "notifications/message");
    // of the 100 MB some 16 are kept
    let said = said.count();
    assert!((100..400).contains(&said), "{said}");
    client.is_quiet();
}

#[test]
fn a_tool_that_talks_without_an_end_to_a_client_that_does_not_read_ends_at_its_deadline() {
    let mut client = Client::deaf(NOISY, &[]).initialized_unread("2025-11-25");
    let mark = mark("given-up");
    let call = client.begin("chatters_on", json!({ "mark": mark }));
    says(&mark, "dropped");
    client.listen();
    assert_eq!(text(&client.result(call)), "Tool \"chatters_on\" failed: timed out after 1s");
}

#[test]
fn progress_and_log_messages_come_before_the_result() {
    for mut client in Client::of_every_era(TALKER, &json!({})) {
        let params = json!({ "name": "steps", "arguments": { "n": 3 }, "_meta": { "progressToken": "t" } });
        let id = client.request("tools/call", params);
        for n in 1..=3 {
            let message = client.message();
            let expected = json!({ "progressToken": "t", "progress": n, "total": 3, "message": format!("step {n}") });
            assert_eq!((&message["method"], &message["params"]), (&json!("notifications/progress"), &expected));
        }
        let last = client.message();
        assert_eq!((&last["id"], text(&last["result"])), (&json!(id), "3"));
        if !client.is_stateless() {
            let id = client.request("logging/setLevel", json!({ "level": "alert" }));
            client.result(id);
            let id = client.begin("logs", json!({}));
            let levels = [client.message(), client.message()].map(|m| m["params"]["level"].clone());
            assert_eq!(levels, [json!("alert"), json!("emergency")]);
            assert_eq!(client.message()["id"], id);
            let id = client.request("logging/setLevel", json!({ "level": "loud" }));
            assert_eq!(client.response(id)["error"]["code"], -32602);
        }
        client.is_quiet();
    }
}
