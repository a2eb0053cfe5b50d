//! MCP bound to a session of the bot's (`/mcp?session=ses_…`): whatever a client calls through that address is part of the
//! session, in every version of the protocol.

use bdk_tests::{
    Server,
    asking::Asker,
    mcp::{Answer, Client, Era, id, mark, marked, notification, request, text},
    run, stdio,
};
use serde_json::{Value, json};
use std::io::Write;

const HARBOUR: &str = env!("CARGO_BIN_EXE_harbour");

/// What a session's log has behind its opening.
#[track_caller]
fn events(asker: Asker<'_>, session: &str) -> Vec<Value> {
    asker.events(session).split_off(2)
}

/// Calls with this in `_meta`.
#[allow(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
fn with_meta(client: &Client, tool: &str, arguments: Value, meta: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    client.send(&request(id(), "tools/call", params)).said().1
}

#[test]
fn every_call_through_the_address_is_part_of_the_session_and_its_log() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.named("ann").open(&json!({ "title": "Night watch" }));
    let mut calls = 0;
    for client in Client::bound_of_every_kind(&server, &session, Some("ann")) {
        for accept in ["application/json, text/event-stream", "application/json", "text/event-stream"] {
            let client = client.clone().accepting(accept);
            let told = client.begin("here", json!({})).said().1;
            let told = &told["result"]["structuredContent"];
            assert_eq!(
                (&told["id"], &told["title"], &told["who"]),
                (&json!(session), &json!("Night watch"), &json!("ann"))
            );
            let aloud = client.begin("moor_aloud", json!({ "ship": "Ada" })).said().1;
            assert_eq!(aloud["result"]["structuredContent"]["ship"], "Ada", "{aloud}");
            let wrong = client.call_to_its_end("moor", json!({}));
            assert_eq!(wrong["_meta"]["bdk/error"]["code"], "invalid_input", "{wrong}");
            calls += 3;
        }
        let pinged =
            client.send(&request(id(), if client.is_stateless() { "server/discover" } else { "ping" }, json!({})));
        assert!(pinged.whole().json()["result"].is_object());
        assert_eq!(client.send(&notification("notifications/progress", json!({}))).whole().status, 202);
    }
    let events = events(server.named("ann"), &session);
    assert_eq!(events.len(), 2 * calls);
    for pair in events.chunks(2) {
        assert_eq!((&pair[0]["type"], &pair[1]["type"]), (&json!("actions.requested"), &json!("action.result")));
        let action = &pair[0]["data"]["actions"][0];
        assert_eq!((&action["caller"], &action["callId"]), (&json!("name:ann"), &pair[1]["data"]["callId"]));
    }
    assert!(events.iter().enumerate().all(|(i, event)| event["index"] == i + 2), "gapless");
}

#[test]
fn a_workspace_is_the_session_s_and_unbound_calls_are_none_of_it() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.anyone().open(&json!({}));
    let mut there = Vec::new();
    for (i, client) in Client::bound_of_every_kind(&server, &session, None).iter().enumerate() {
        there.push(format!("note{i}"));
        let listed = client.call("note", json!({ "name": format!("note{i}") }));
        assert_eq!(serde_json::from_str::<Vec<String>>(text(&listed)).expect("a list"), there);
    }
    let alone = Client::new(&server).call("note", json!({ "name": "alone" }));
    assert_eq!(text(&alone), r#"["alone"]"#);
    assert_ne!(Client::new(&server).call("here", json!({}))["structuredContent"]["id"], session);
    assert_eq!(events(server.anyone(), &session).len(), 6);
}

// cases.md 27
#[test]
fn a_frozen_time_tells_the_model_which_argument_to_bound_and_how() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.named("ann").open(&json!({ "asOf": "2026-01-01T00:00:00Z" }));
    for client in Client::bound_of_every_kind(&server, &session, Some("ann")) {
        assert_eq!(client.call("here", json!({}))["structuredContent"]["now"], "2026-01-01T00:00:00Z");
        for late in ["2026-01-01T00:00:00.000000001Z", "yesterday", "2025-12-01", "2025-12-01 00:00:00Z"] {
            let refused = client.call("arrivals", json!({ "since": late }));
            assert_eq!(refused["_meta"]["bdk/error"]["code"], "as_of", "{late}: {refused}");
            let words = text(&refused);
            assert!(refused["isError"] == true && words.starts_with("Invalid input for \"arrivals\": "), "{words}");
            assert!(
                words.contains("since") && words.contains("2026-01-01T00:00:00Z") && words.contains("absolute"),
                "{words}"
            );
        }
        assert_eq!(
            text(&client.call("arrivals", json!({ "since": "2026-01-01T02:00:00+02:00" }))),
            "2026-01-01T02:00:00+02:00"
        );
    }
    let free = Client::new(&server).call("arrivals", json!({ "since": "yesterday" }));
    assert_eq!(text(&free), "yesterday", "without a session nothing is frozen");
}

#[test]
fn an_unknown_session_and_somebody_else_s_are_one_404_before_a_body_is_read() {
    let server = Server::start(HARBOUR, &[]);
    let anns = server.named("ann").open(&json!({}));
    let unknown = "ses_aaaaaaaaaaaaaaaaaaaa";
    let told = |answer: &Answer, session: &str| {
        assert_eq!(answer.status, 404, "{answer:?}");
        let json = answer.json();
        assert_eq!((&json["ok"], &json["error"]), (&json!(false), &json!("unknown_session")), "{json}");
        json["message"].as_str().expect("a message").replace(session, "…")
    };
    for (who, session) in [(Some("bob"), anns.as_str()), (None, &anns), (Some("ann"), unknown), (Some("ann"), "x")] {
        let client = Client::at(&server, &format!("?session={session}"), who);
        let mut messages = Vec::new();
        for method in ["initialize", "tools/list", "tools/call", "ping", "no/such/method"] {
            messages.push(told(&client.send(&request(1, method, json!({}))).whole(), session));
        }
        for method in ["GET", "DELETE"] {
            messages.push(told(&client.bare(method).whole(), session));
        }
        // what is promised never comes
        let mut stream = server.connect();
        let who = who.map(|who| format!("x-who: {who}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\n{who}Content-Type: application/json\r\nContent-Length: 100\r\nConnection: close\r\n\r\n",
            client.path, server.addr
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let answer = bdk_tests::read_answer(&mut stream);
        assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("unknown_session")), "{answer:?}");
        assert!(messages.iter().all(|message| message == "there is no session \"…\""), "{messages:?}");
    }
    assert!(events(server.named("ann"), &anns).is_empty());
}

#[test]
fn an_address_with_two_sessions_or_an_empty_one_is_invalid() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.anyone().open(&json!({}));
    for query in ["?session=".to_owned(), "?session".to_owned(), format!("?session={session}&session={session}")] {
        let client = Client::at(&server, &query, None);
        for answer in [client.send(&request(1, "tools/list", json!({}))).whole(), client.bare("GET").whole()] {
            assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_request")), "{answer:?}");
            assert!(answer.json()["message"].as_str().is_some_and(|m| m.contains("`?session=`")), "{answer:?}");
        }
    }
    // a slip must not make a dry run's calls real ones
    for query in [format!("?sesion={session}"), format!("?session={session}&theme=dark")] {
        let client = Client::at(&server, &query, None);
        for answer in [client.send(&request(1, "tools/list", json!({}))).whole(), client.bare("GET").whole()] {
            assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_request")), "{answer:?}");
            assert!(answer.json()["message"].as_str().is_some_and(|m| m.contains("has `session`")), "{answer:?}");
        }
    }
}

#[test]
fn a_client_s_session_stays_in_the_one_that_its_address_named() {
    let server = Server::start(HARBOUR, &[]);
    let [dry, other] = [json!({ "dryRun": true }), json!({})].map(|facts| server.anyone().open(&facts));
    let [connected, ..] = Client::bound_of_every_kind(&server, &dry, None);
    let path = connected.path.split_once('?').expect("a query").0.to_owned();
    for elsewhere in [path.clone(), format!("{path}?session={other}")] {
        let lost = Client { path: elsewhere, ..connected.clone() };
        let params = json!({ "name": "moor", "arguments": { "ship": "Ada" } });
        for answer in [
            lost.send(&request(1, "tools/call", params)).whole(),
            lost.bare("GET").whole(),
            lost.bare("DELETE").whole(),
        ] {
            assert_eq!(answer.status, 404, "{answer:?}");
        }
    }
    assert_eq!(text(&connected.call("moor", json!({ "ship": "Ada" }))), "Operation acknowledged.");
    assert_eq!(text(&Client::new(&server).call("count", json!({}))), "0");
}

#[test]
fn a_call_that_waits_is_taken_up_in_its_own_session_alone() {
    let server = Server::start(HARBOUR, &[]);
    let sessions = [server.named("ann").open(&json!({})), server.named("ann").open(&json!({}))];
    let stateless = |query: &str| Client {
        era: Era::Stateless(json!({ "elicitation": {} })),
        ..Client::at(&server, query, Some("ann"))
    };
    let [one, other] = sessions.clone().map(|id| stateless(&format!("?session={id}")));
    let unbound = stateless("");
    let ship = json!({ "ship": "Ada" });
    let send = |client: &Client, tool: &str, beside: &Value| {
        let mut params = json!({ "name": tool, "arguments": ship });
        for (name, value) in beside.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        client.send(&request(id(), "tools/call", params)).whole().json()
    };
    for tool in ["clear", "moor_asking"] {
        let asked = send(&one, tool, &json!({}));
        let asked = &asked["result"];
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let keys = asked["inputRequests"].as_object().expect("requests").keys();
        let yes: serde_json::Map<_, _> =
            keys.map(|key| (key.clone(), json!({ "action": "accept", "content": {} }))).collect();
        let again = json!({ "requestState": asked["requestState"], "inputResponses": yes });
        for elsewhere in [&other, &unbound] {
            let refused = send(elsewhere, tool, &again);
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
        }
        let done = send(&one, tool, &again);
        assert_eq!(done["result"].get("isError"), None, "{done}");
    }
    assert_eq!(events(server.named("ann"), &sessions[0]).len(), 4);
    assert!(events(server.named("ann"), &sessions[1]).is_empty());
}

#[test]
fn a_session_that_is_deleted_ends_what_runs_through_its_address_and_the_address_is_unknown() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.named("ann").open(&json!({}));
    let [connected, plain, stateless] = Client::bound_of_every_kind(&server, &session, Some("ann"));
    let mut listening = connected.bare("GET");
    assert_eq!(listening.head().status, 200);
    let marks = [mark("bound-1"), mark("bound-2")];
    let running =
        [connected.begin("lie", json!({ "mark": marks[0] })), stateless.begin("lie", json!({ "mark": marks[1] }))];
    for mark in &marks {
        marked(mark, "lies");
    }
    let (status, _) = server.named("ann").delete(&format!("session/{session}"));
    assert_eq!(status, 200);
    for (call, mark) in running.into_iter().zip(&marks) {
        let ended = call.said().1;
        assert_eq!(ended["result"]["_meta"]["bdk/error"]["code"], "cancelled", "{ended}");
        marked(mark, "gone");
    }
    assert!(listening.messages().is_empty(), "the stream ends, too");
    for client in [connected, plain, stateless] {
        let answer = client.send(&request(1, "tools/list", json!({}))).whole();
        assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("unknown_session")), "{answer:?}");
    }
}

#[test]
fn a_write_that_is_repeated_with_its_key_runs_once() {
    let server = Server::start(HARBOUR, &[]);
    let session = server.anyone().open(&json!({}));
    let unbound = Client::of_every_kind(&server, &json!({ "elicitation": {} }));
    let mut number = 0;
    for (n, client) in unbound.iter().chain(&Client::bound_of_every_kind(&server, &session, None)).enumerate() {
        for tool in ["moor", "moor_aloud"] {
            let key = json!({ "bdk/idempotencyKey": format!("{tool}-{n}") });
            let call = || with_meta(client, tool, json!({ "ship": "Ada" }), key.clone())["result"].clone();
            let first = call();
            number += 1;
            assert_eq!(first["structuredContent"]["number"], number, "{first}");
            assert_eq!(call(), first, "with the first one's id, too");
            let other = with_meta(client, tool, json!({ "ship": "Bo" }), key.clone());
            let words = text(&other["result"]);
            assert!(other["result"]["isError"] == true && words.contains("idempotency key"), "{words}");
        }
        for bad in [json!(""), json!("a b"), json!(7), json!("x".repeat(256))] {
            let refused = with_meta(client, "moor", json!({ "ship": "Ada" }), json!({ "bdk/idempotencyKey": bad }));
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
            assert!(
                refused["error"]["message"].as_str().is_some_and(|m| m.contains("bdk/idempotencyKey")),
                "{refused}"
            );
        }
    }
    assert_eq!(text(&Client::new(&server).call("count", json!({}))), number.to_string());
}

#[test]
fn two_clients_of_two_sessions_have_one_bot_and_two_logs() {
    let server = Server::start(HARBOUR, &[]);
    let dry = server.named("ann").open(&json!({ "dryRun": true }));
    let wet = server.named("bob").open(&json!({}));
    std::thread::scope(|scope| {
        for (who, session, stub) in [("ann", &dry, true), ("bob", &wet, false)] {
            for client in Client::bound_of_every_kind(&server, session, Some(who)) {
                scope.spawn(move || {
                    for _ in 0..20 {
                        let moored = client.call("moor", json!({ "ship": who }));
                        assert_eq!(moored["_meta"]["bdk/stubbed"] == true, stub, "{moored}");
                    }
                });
            }
        }
    });
    for (who, session) in [("ann", &dry), ("bob", &wet)] {
        let events = events(server.named(who), session);
        assert_eq!(events.len(), 2 * 60);
        assert!(events.iter().enumerate().all(|(i, event)| event["index"] == i + 2), "gapless");
        let input = |event: &Value| event["data"]["actions"][0]["input"]["ship"].clone();
        assert!(events.iter().filter(|e| e["type"] == "actions.requested").all(|e| input(e) == *who));
    }
    assert_eq!(text(&Client::new(&server).call("count", json!({}))), "60");
}

#[test]
fn over_stdin_and_stdout_a_session_that_is_not_there_is_told_before_anything_is_served() {
    let ran = run(HARBOUR, &["mcp", "serve", "--state", "memory:", "--session", "ses_aaaaaaaaaaaaaaaaaaaa"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("there is no session \"ses_aaaaaaaaaaaaaaaaaaaa\""), "{ran:?}");
    let ran = run(HARBOUR, &["mcp", "serve", "--state", "mysql://h/d"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("--state") && ran.stderr.contains("postgres://"), "{ran:?}");
}

#[test]
fn a_client_s_settings_name_the_session() {
    let session = "ses_aaaaaaaaaaaaaaaaaaaa";
    let url = "http://127.0.0.1:3000/bdk-tests/v1/mcp";
    let config = run(HARBOUR, &["mcp", "config", "--url", url, "--session", session]).json();
    assert_eq!(config["mcpServers"]["bdk-tests"]["url"], format!("{url}?session={session}"));
    let config = run(HARBOUR, &["mcp", "config", "--session", session, "--state", "/var/bot"]).json();
    let args = json!(["mcp", "serve", "--session", session, "--state", "/var/bot"]);
    assert_eq!(config["mcpServers"]["bdk-tests"]["args"], args);
    let ran = run(HARBOUR, &["mcp", "config", "--session", "night watch"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("ses_"), "{ran:?}");
}

#[test]
fn over_stdin_and_stdout_every_call_is_part_of_the_session_in_the_state_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    let state = state.to_str().expect("a text");
    let mut server = Server::start(HARBOUR, &["--state", state]);
    let session = server.named("ann").open(&json!({ "dryRun": true, "title": "Night watch" }));
    let args = ["--state", state, "--session", &session];
    let taken = run(HARBOUR, &[&["mcp", "serve"], &args[..]].concat());
    assert_eq!((taken.code, taken.stdout.as_str()), (1, ""), "somebody has that state: {taken:?}");
    assert!(taken.stderr.contains("in use by process"), "{taken:?}");
    server.terminate();
    assert_eq!(server.ends(), Some(0));

    let mut calls = 0;
    for version in ["2025-11-25", "2026-07-28"] {
        let client = stdio::Client::start(HARBOUR, &args);
        let mut client = match version {
            "2026-07-28" => client.saying_all(&json!({})),
            older => client.initialized(older, &json!({})),
        };
        let told = client.call("here", json!({}));
        let told = &told["structuredContent"];
        assert_eq!(
            (&told["id"], &told["title"], &told["who"]),
            (&json!(session), &json!("Night watch"), &json!("ann"))
        );
        let stub = client.call("moor", json!({ "ship": "Ada" }));
        assert_eq!((text(&stub), stub.get("structuredContent")), ("Operation acknowledged.", None));
        let listed = client.request("tools/list", json!({}));
        assert_eq!(client.result(listed)["_meta"]["bdk/dryRun"], true);
        calls += 2;
        client.close();
        assert_eq!(client.wait(), Some(0));
    }

    let server = Server::start(HARBOUR, &["--state", state]);
    let events = events(server.named("ann"), &session);
    assert_eq!(events.len(), 2 * calls);
    assert!(
        events.iter().filter_map(|e| e["data"]["actions"][0]["caller"].as_str()).all(|caller| caller == "name:ann")
    );
}
