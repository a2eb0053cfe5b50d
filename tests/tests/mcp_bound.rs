//! MCP bound to a session of the bot's (`/mcp?session=ses_…`): whatever a client calls through that address is part of the
//! session, in every version of the protocol.

use bdk_tests::{
    Server,
    mcp::{Answer, Client, id, mark, marked, notification, request, text},
    peers, run,
};
use serde_json::{Value, json};
use std::io::Write;

const HARBOUR: &str = env!("CARGO_BIN_EXE_harbour");

/// What can be stubbed by a text, in the order of their names.
const ACKNOWLEDGED: [&str; 6] = ["moor", "moor_all", "moor_aloud", "moor_asking", "seek", "tow"];

/// A request of somebody's, who may be nobody in particular: status and JSON.
fn ask(server: &Server, who: Option<&str>, method: &str, route: &str, body: Option<&Value>) -> (u16, Value) {
    let who = who.map(|who| format!("x-who: {who}\r\n")).unwrap_or_default();
    let body = body.map(ToString::to_string).unwrap_or_default();
    let head = format!(
        "{method} {}/{route} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{who}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.prefix,
        server.addr,
        body.len()
    );
    let answer = server.raw(head.as_bytes());
    (answer.status, answer.json())
}

/// Opens a session.
#[track_caller]
fn open(server: &Server, who: Option<&str>, facts: &Value) -> String {
    let (status, opened) = ask(server, who, "POST", "session", Some(facts));
    assert_eq!(status, 200, "{opened}");
    opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
}

/// What its log has behind its opening.
#[track_caller]
fn events(server: &Server, who: Option<&str>, session: &str) -> Vec<Value> {
    let who = who.map(|who| format!("x-who: {who}\r\n")).unwrap_or_default();
    let head = format!(
        "GET {}/session/{session}/events?from=2&follow=false HTTP/1.0\r\nHost: {}\r\n{who}\r\n",
        server.prefix, server.addr
    );
    let answer = server.raw(head.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// A client of this address that has agreed on nothing yet.
fn at(server: &Server, who: Option<&str>, query: &str) -> Client {
    let client = Client::new(server);
    let client = Client { path: format!("{}{query}", client.path), ..client };
    match who {
        Some(who) => client.with("x-who", who),
        None => client,
    }
}

/// One client of each kind, bound to this session.
fn of_every_kind(server: &Server, who: Option<&str>, session: &str) -> [Client; 3] {
    let client = || at(server, who, &format!("?session={session}"));
    let capabilities = json!({ "elicitation": {} });
    let stateless = Client { era: bdk_tests::mcp::Era::Stateless(capabilities.clone()), ..client() };
    [client().initialized("2025-11-25", capabilities), client(), stateless]
}

/// Calls with this in `_meta`.
fn with_meta(client: &Client, tool: &str, arguments: Value, meta: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    client.send(&request(id(), "tools/call", params)).said().1
}

fn tools(client: &Client) -> (Vec<Value>, Value) {
    let listed = client.send(&request(id(), "tools/list", json!({}))).whole().json();
    (listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone(), listed["result"].clone())
}

#[test]
fn every_call_through_the_address_is_part_of_the_session_and_its_log() {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, Some("ann"), &json!({ "title": "Night watch" }));
    let mut calls = 0;
    for client in of_every_kind(&server, Some("ann"), &session) {
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
            let wrong = client.call_any("moor", json!({}));
            assert_eq!(wrong["_meta"]["bdk/error"]["code"], "invalid_input", "{wrong}");
            calls += 3;
        }
        let pinged =
            client.send(&request(id(), if client.is_stateless() { "server/discover" } else { "ping" }, json!({})));
        assert!(pinged.whole().json()["result"].is_object());
        assert_eq!(client.send(&notification("notifications/progress", json!({}))).whole().status, 202);
    }
    let events = events(&server, Some("ann"), &session);
    assert_eq!(events.len(), 2 * calls);
    for pair in events.chunks(2) {
        assert_eq!((&pair[0]["type"], &pair[1]["type"]), (&json!("actions.requested"), &json!("action.result")));
        let action = &pair[0]["data"]["actions"][0];
        assert_eq!((&action["caller"], &action["callId"]), (&json!("name:ann"), &pair[1]["data"]["callId"]));
    }
    assert!(events.iter().enumerate().all(|(i, event)| event["index"] == i + 2), "gapless");
}

trait Any {
    fn call_any(&self, tool: &str, arguments: Value) -> Value;
}

impl Any for Client {
    /// Calls a tool, whatever kind of answer comes: its result.
    #[track_caller]
    fn call_any(&self, tool: &str, arguments: Value) -> Value {
        let mut response = self.begin(tool, arguments).said().1;
        assert!(response["result"].is_object(), "{response}");
        response["result"].take()
    }
}

#[test]
fn a_workspace_is_the_session_s_and_unbound_calls_are_none_of_it() {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, None, &json!({}));
    let mut there = Vec::new();
    for (i, client) in of_every_kind(&server, None, &session).iter().enumerate() {
        there.push(format!("note{i}"));
        let listed = client.call("note", json!({ "name": format!("note{i}") }));
        assert_eq!(serde_json::from_str::<Vec<String>>(text(&listed)).expect("a list"), there);
    }
    let alone = Client::new(&server).call("note", json!({ "name": "alone" }));
    assert_eq!(text(&alone), r#"["alone"]"#);
    assert_ne!(Client::new(&server).call("here", json!({}))["structuredContent"]["id"], session);
    assert_eq!(events(&server, None, &session).len(), 6);
}

// cases.md 22
#[test]
fn a_dry_run_lists_what_it_may_stub_by_a_text_without_its_output_schema() {
    let server = Server::start(HARBOUR, &[]);
    let dry = open(&server, None, &json!({ "dryRun": true }));
    let usual = open(&server, None, &json!({}));
    for session in [&dry, &usual] {
        for client in of_every_kind(&server, None, session) {
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

// cases.md 22
#[test]
fn a_dry_run_over_mcp_runs_reads_and_stubs_everything_else() {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, None, &json!({ "dryRun": true }));
    for client in of_every_kind(&server, None, &session) {
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
            let stub = client.call_any(tool, input);
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
    let stubbed = events(&server, None, &session).iter().filter(|e| e["data"]["stubbed"] == true).count();
    assert_eq!(stubbed, 3 * 7);
}

/// Clients throw where a result is not what its schema in the listing says.
#[track_caller]
fn a_dry_run_with(client: peers::Client) {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, None, &json!({ "dryRun": true }));
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

// cases.md 27
#[test]
fn a_frozen_time_tells_the_model_which_argument_to_bound_and_how() {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, Some("ann"), &json!({ "asOf": "2026-01-01T00:00:00Z" }));
    for client in of_every_kind(&server, Some("ann"), &session) {
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
    let anns = open(&server, Some("ann"), &json!({}));
    let unknown = "ses_aaaaaaaaaaaaaaaaaaaa";
    let told = |answer: &Answer, session: &str| {
        assert_eq!(answer.status, 404, "{answer:?}");
        let json = answer.json();
        assert_eq!((&json["ok"], &json["error"]), (&json!(false), &json!("unknown_session")), "{json}");
        json["message"].as_str().expect("a message").replace(session, "…")
    };
    for (who, session) in [(Some("bob"), anns.as_str()), (None, &anns), (Some("ann"), unknown), (Some("ann"), "x")] {
        let client = at(&server, who, &format!("?session={session}"));
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
    assert!(events(&server, Some("ann"), &anns).is_empty());
}

#[test]
fn an_address_with_two_sessions_or_an_empty_one_is_invalid() {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, None, &json!({}));
    for query in ["?session=".to_owned(), "?session".to_owned(), format!("?session={session}&session={session}")] {
        let client = at(&server, None, &query);
        for answer in [client.send(&request(1, "tools/list", json!({}))).whole(), client.bare("GET").whole()] {
            assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_request")), "{answer:?}");
            assert!(answer.json()["message"].as_str().is_some_and(|m| m.contains("`?session=`")), "{answer:?}");
        }
    }
    // other words of a query are nobody's business
    assert_eq!(text(&at(&server, None, "?theme=dark").call("count", json!({}))), "0");
}

#[test]
fn a_call_that_waits_is_taken_up_in_its_own_session_alone() {
    let server = Server::start(HARBOUR, &[]);
    let sessions = [open(&server, Some("ann"), &json!({})), open(&server, Some("ann"), &json!({}))];
    let stateless = |query: &str| Client {
        era: bdk_tests::mcp::Era::Stateless(json!({ "elicitation": {} })),
        ..at(&server, Some("ann"), query)
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
    assert_eq!(events(&server, Some("ann"), &sessions[0]).len(), 4);
    assert!(events(&server, Some("ann"), &sessions[1]).is_empty());
}

#[test]
fn a_session_that_is_deleted_ends_what_runs_through_its_address_and_the_address_is_unknown() {
    let server = Server::start(HARBOUR, &[]);
    let session = open(&server, Some("ann"), &json!({}));
    let [connected, plain, stateless] = of_every_kind(&server, Some("ann"), &session);
    let mut listening = connected.bare("GET");
    assert_eq!(listening.head().status, 200);
    let marks = [mark("bound-1"), mark("bound-2")];
    let mut running =
        [connected.begin("lie", json!({ "mark": marks[0] })), stateless.begin("lie", json!({ "mark": marks[1] }))];
    for mark in &marks {
        marked(mark, "lies");
    }
    let (status, _) = ask(&server, Some("ann"), "DELETE", &format!("session/{session}"), None);
    assert_eq!(status, 200);
    for (call, mark) in running.iter_mut().zip(&marks) {
        let ended = if call.head().is_stream() {
            call.messages().pop().expect("an end")
        } else {
            panic!("it says something first")
        };
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
    let session = open(&server, None, &json!({}));
    let unbound = Client::of_every_kind(&server, &json!({ "elicitation": {} }));
    let mut number = 0;
    for (n, client) in unbound.iter().chain(&of_every_kind(&server, None, &session)).enumerate() {
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
    let dry = open(&server, Some("ann"), &json!({ "dryRun": true }));
    let wet = open(&server, Some("bob"), &json!({}));
    std::thread::scope(|scope| {
        for (who, session, stub) in [("ann", &dry, true), ("bob", &wet, false)] {
            for client in of_every_kind(&server, Some(who), session) {
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
        let events = events(&server, Some(who), session);
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
