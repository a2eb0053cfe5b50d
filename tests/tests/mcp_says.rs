//! What a call says before its end: progress to those who ask for it, log messages from the level they want on, in order,
//! before the result; and an answer in one piece where nothing was said or nothing can be taken.

use bdk_tests::{
    Server,
    mcp::{Client, id, request, text},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TALKER: &str = env!("CARGO_BIN_EXE_talker");
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Calls with this `_meta`.
#[expect(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
fn call(client: &Client, tool: &str, arguments: Value, meta: Value) -> (Vec<Value>, Value) {
    let id = id();
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let (said, response) = client.send(&request(id, "tools/call", params)).said();
    assert_eq!(response["id"], id, "{response}");
    (said, response["result"].clone())
}

#[test]
fn progress_comes_in_order_under_its_token_and_before_the_result() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for token in [json!("t\"1"), json!(7), json!(-1)] {
            let (said, result) = call(&client, "steps", json!({ "n": 3 }), json!({ "progressToken": token }));
            let expected: Vec<Value> = (1..=3)
                .map(|i| {
                    let params =
                        json!({ "progressToken": token, "progress": i, "total": 3, "message": format!("step {i}") });
                    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
                })
                .collect();
            assert_eq!(said, expected);
            assert_eq!(text(&result), "3");
        }
    }
}

#[test]
fn progress_nobody_asked_for_is_not_sent_and_the_answer_is_json() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for meta in [json!({}), json!({ "progressToken": null }), json!({ "progressToken": { "a": 1 } })] {
            let params = json!({ "name": "steps", "arguments": { "n": 3 }, "_meta": meta });
            let answer = client.send(&request(1, "tools/call", params)).whole();
            assert_eq!(text(&answer.json()["result"]), "3", "{meta}");
        }
        // nor is there a stream where a token came and nothing was said
        let params = json!({ "name": "silent", "_meta": { "progressToken": 1 } });
        assert_eq!(text(&client.send(&request(1, "tools/call", params)).whole().json()["result"]), "silent");
    }
}

#[test]
fn what_is_said_comes_when_it_is_said() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let params = json!({ "name": "slowly", "_meta": { "progressToken": 1 } });
        let mut reading = client.send(&request(1, "tools/call", params));
        let head = reading.head();
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")), "{head:?}");
        assert_eq!(head.header("cache-control"), Some("no-cache"));
        assert_eq!(
            reading.message()["params"],
            json!({ "progressToken": 1, "progress": 1, "total": 2, "message": "begun" })
        );
        let begun = Instant::now();
        // an empty message is none
        assert_eq!(reading.message()["params"], json!({ "progressToken": 1, "progress": 2, "total": 2 }));
        assert!(begun.elapsed() > Duration::from_millis(100), "both came at once");
        assert_eq!(text(&reading.message()["result"]), "slow");
        assert_eq!(reading.messages(), Vec::<Value>::new());
    }
}

fn levels(said: &[Value]) -> Vec<&str> {
    said.iter().map(|m| m["params"]["level"].as_str().unwrap_or_else(|| panic!("{m}"))).collect()
}

#[test]
fn a_session_gets_log_messages_from_the_level_it_sets_on() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({}));
    let other = Client::session(&server, json!({}));
    let (said, result) = call(&client, "logs", json!({}), json!({}));
    assert_eq!(levels(&said), LEVELS[1..], "without a word of it, from info on");
    assert_eq!(said[0]["method"], "notifications/message");
    assert_eq!(said[0]["params"], json!({ "level": "info", "logger": "logs", "data": "this is info:\n\"so\"" }));
    assert_eq!(text(&result), "logged");
    for (i, level) in LEVELS.iter().enumerate() {
        let set = client.send(&request(1, "logging/setLevel", json!({ "level": level }))).whole();
        assert_eq!((set.status, &set.json()["result"]), (200, &json!({})), "{set:?}");
        assert_eq!(levels(&call(&client, "logs", json!({}), json!({})).0), LEVELS[i..]);
    }
    assert_eq!(levels(&call(&other, "logs", json!({}), json!({})).0), LEVELS[1..], "a session's level is its own");
}

#[test]
fn a_level_that_there_is_not_is_a_wrong_parameter_and_changes_nothing() {
    let server = Server::start(TALKER, &[]);
    for client in [Client::session(&server, json!({})), Client::new(&server)] {
        for params in [json!({ "level": "loud" }), json!({ "level": "INFO" }), json!({})] {
            let answer = client.send(&request(1, "logging/setLevel", params)).whole();
            assert_eq!(answer.refusal(), (200, -32602, json!(1)), "{answer:?}");
            assert!(LEVELS.iter().all(|l| answer.body.contains(l)), "{answer:?}");
        }
    }
    let client = Client::session(&server, json!({}));
    assert_eq!(client.send(&request(1, "logging/setLevel", json!({ "level": 3 }))).whole().refusal().1, -32602);
    assert_eq!(levels(&call(&client, "logs", json!({}), json!({})).0), LEVELS[1..]);
}

#[test]
fn a_stateless_request_gets_log_messages_from_the_level_it_names_on() {
    let server = Server::start(TALKER, &[]);
    let client = Client::stateless(&server, json!({}));
    for (i, level) in LEVELS.iter().enumerate() {
        let (said, _) = call(&client, "logs", json!({}), json!({ "io.modelcontextprotocol/logLevel": level }));
        assert_eq!(levels(&said), LEVELS[i..]);
    }
    for meta in [json!({}), json!({ "io.modelcontextprotocol/logLevel": "loud" })] {
        assert!(call(&client, "logs", json!({}), meta).0.is_empty());
    }
    let without_session = Client::new(&server);
    assert!(call(&without_session, "logs", json!({}), json!({})).0.is_empty(), "nobody set a level");
}

#[test]
fn a_client_that_takes_json_alone_gets_the_result_in_one_piece() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let client = client.accepting("application/json");
        for tool in ["logs", "steps", "silent"] {
            let arguments = if tool == "steps" { json!({ "n": 2 }) } else { json!({}) };
            let meta = json!({ "progressToken": 1, "io.modelcontextprotocol/logLevel": "debug" });
            let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
            let answer = client.send(&request(1, "tools/call", params)).whole();
            assert_eq!((answer.status, answer.json()["result"].is_object()), (200, true), "{tool} {answer:?}");
        }
    }
}

#[test]
fn a_client_that_takes_events_alone_gets_all_of_it_as_events() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let client = client.accepting("text/event-stream");
        let mut reading = client.begin("silent", json!({}));
        assert!(reading.head().is_stream());
        let messages = reading.messages();
        assert_eq!((messages.len(), text(&messages[0]["result"])), (1, "silent"), "{messages:?}");
        let (said, result) = call(&client, "steps", json!({ "n": 2 }), json!({ "progressToken": 1 }));
        assert_eq!((said.len(), text(&result)), (2, "2"));
        let listing = client.send(&request(1, "tools/list", json!({}))).said().1;
        assert!(listing["result"]["tools"].is_array(), "{listing}");
        let other = if client.is_stateless() { "server/discover" } else { "ping" };
        let mut reading = client.send(&request(1, other, json!({})));
        assert!(reading.head().is_stream() && reading.messages()[0]["result"].is_object());
    }
}

#[test]
fn more_than_fits_the_line_costs_messages_and_never_the_result() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({}));
    let (said, result) = call(&client, "flood", json!({ "n": 5000 }), json!({}));
    assert_eq!(text(&result), "5000");
    let told: Vec<u64> =
        said.iter().map(|m| m["params"]["data"].as_str().expect("a text").parse().expect("a number")).collect();
    assert!(told.len() >= 64 && told.is_sorted(), "{} in order", told.len());
}

#[test]
fn a_trace_of_the_caller_reaches_the_tool_and_a_broken_one_is_passed_over() {
    let server = Server::start(TALKER, &[]);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for client in Client::of_every_kind(&server, &json!({})) {
        let of = |meta: Value| text(&call(&client, "trace", json!({}), meta).1).to_owned();
        assert_eq!(of(json!({ "traceparent": trace })), trace);
        for broken in [json!("00-xyz"), json!(5), json!(null), json!(format!("{trace}-")), json!({})] {
            assert_ne!(of(json!({ "traceparent": broken })), trace);
        }
    }
}

#[test]
fn line_breaks_in_what_is_said_and_returned_do_not_break_the_stream() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let meta = json!({ "io.modelcontextprotocol/logLevel": "info" });
        let (said, result) = call(&client, "laid_out", json!({}), meta.clone());
        assert!(said.iter().all(|m| m["params"]["data"] == "line\nbreak\r\n\n"), "{said:?}");
        assert_eq!(result["structuredContent"], json!({ "a": [1] }));
        let (_, result) = call(&client.accepting("text/event-stream"), "laid_out", json!({}), meta);
        assert_eq!(result["structuredContent"], json!({ "a": [1] }));
    }
}

#[test]
fn a_large_result_comes_whole_in_either_form() {
    let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &["--max-body", "20000000"]);
    let data = "xé\"\n".repeat(600_000);
    for client in Client::of_every_kind(&server, &json!({})) {
        for accept in ["application/json", "text/event-stream"] {
            let client = client.clone().accepting(accept);
            let (_, result) = call(&client, "anything", json!({ "data": { "all": data } }), json!({}));
            assert!(result["structuredContent"]["all"] == *data, "{accept}");
        }
    }
}

#[test]
fn one_connection_carries_streams_and_answers_in_one_piece_by_turns() {
    let server = Server::start(TALKER, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let client = client.on_one_connection();
        for i in 0..50 {
            let meta = if i % 2 == 0 { json!({ "progressToken": i }) } else { json!({}) };
            let (said, result) = call(&client, "steps", json!({ "n": 3 }), meta);
            assert_eq!((said.len(), text(&result)), (if i % 2 == 0 { 3 } else { 0 }, "3"));
            if i % 10 == 0 {
                let listing = client.send(&request(1, "tools/list", json!({}))).whole().json();
                assert!(listing["result"]["tools"].is_array());
                assert_eq!(client.send(&request(1, "nope", json!({}))).whole().refusal().1, -32601);
            }
        }
    }
}
