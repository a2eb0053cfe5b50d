//! Up to 2025-11-25: `initialize` opens a session, which belongs to whoever opened it, until it is deleted.

use bdk_tests::{
    Server,
    mcp::{Client, Era, notification, request, text},
};
use serde_json::{Value, json};

const TALKER: &str = env!("CARGO_BIN_EXE_talker");

fn initialize(version: &str) -> Value {
    let who = json!({ "name": "tests", "version": "1" });
    request(1, "initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": who }))
}

#[test]
fn every_version_is_agreed_on_and_an_unknown_one_is_answered_with_one_that_there_is() {
    let server = Server::start(TALKER, &[]);
    let mut ids = Vec::new();
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ] {
        let answer = Client::new(&server).send(&initialize(asked)).whole();
        let result = &answer.json()["result"];
        assert_eq!((answer.status, &result["protocolVersion"]), (200, &json!(agreed)), "{asked} {answer:?}");
        assert_eq!(result["serverInfo"]["name"], "bdk-tests");
        assert!(result["capabilities"]["tools"].is_object() && result["capabilities"]["logging"].is_object());
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        assert!(id.len() >= 32 && id.bytes().all(|b| b.is_ascii_graphic()), "{id}");
        assert!(!ids.contains(&id));
        let client = Client::new(&server).with("Mcp-Session-Id", &id).with("MCP-Protocol-Version", agreed);
        assert_eq!(text(&client.call("silent", json!({}))), "silent");
        ids.push(id);
    }
}

#[test]
fn what_initialize_lacks_is_named_and_no_session_is_opened() {
    let server = Server::start(TALKER, &[]);
    let whole = initialize("2025-11-25");
    for (at, name) in [
        ("/params/protocolVersion", "params.protocolVersion"),
        ("/params/capabilities", "params.capabilities"),
        ("/params/clientInfo", "params.clientInfo"),
        ("/params/clientInfo/name", "params.clientInfo.name"),
        ("/params/clientInfo/version", "params.clientInfo.version"),
        ("/params", "params"),
    ] {
        let mut message = whole.clone();
        *message.pointer_mut(at).expect("there") = Value::Null;
        let answer = Client::new(&server).send(&message).whole();
        assert_eq!(answer.refusal(), (400, -32602, json!(1)), "{at} {answer:?}");
        assert!(answer.body.contains(&format!("`{name}`")), "{at} {answer:?}");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
}

#[test]
fn a_session_of_another_caller_does_not_exist() {
    let server = Server::start(TALKER, &[]);
    let ann = Client::new(&server).with("x-who", "ann").initialized("2025-11-25", json!({}));
    let others = [
        Client { headers: Vec::new(), ..ann.clone() },
        Client { headers: Vec::new(), ..ann.clone() }.with("x-who", "bob"),
        Client { era: Era::Session("0123456789abcdef0123456789abcdef".into()), ..ann.clone() },
        Client { era: Era::Session(String::new()), ..ann.clone() },
    ];
    for other in others {
        for message in [
            request("q", "tools/call", json!({ "name": "silent" })),
            request("q", "tools/list", json!({})),
            request("q", "ping", json!({})),
            request("q", "nope", json!({})),
        ] {
            assert_eq!(other.send(&message).whole().refusal(), (404, -32001, json!("q")), "{message}");
        }
        assert_eq!(other.send(&notification("notifications/cancelled", json!({ "requestId": 1 }))).whole().status, 404);
        assert_eq!(other.send(&json!({ "jsonrpc": "2.0", "id": "bdk-1", "result": {} })).whole().status, 404);
        assert_eq!(other.bare("GET").whole().refusal().0, 404);
        assert_eq!(other.bare("DELETE").whole().refusal().0, 404);
    }
    // whoever opened it is still who it was, though something else is known of her at each request
    assert_eq!(ann.call("whoami", json!({}))["structuredContent"]["subject"], "ann");
}

#[test]
fn a_call_runs_as_the_one_who_sent_it_with_what_is_known_of_her_now() {
    let server = Server::start(TALKER, &[]);
    let ann = Client::new(&server).with("x-who", "ann").initialized("2025-11-25", json!({}));
    let seen = |c: &Client| {
        c.call("whoami", json!({}))["structuredContent"]["attributes"]["request"].as_u64().expect("a number")
    };
    let (first, second) = (seen(&ann), seen(&ann));
    assert!(second > first, "{first} {second}");
}

#[test]
fn a_session_ends_when_it_is_deleted() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({}));
    let deleted = client.bare("DELETE").whole();
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""), "{deleted:?}");
    assert_eq!(client.bare("DELETE").whole().refusal().0, 404);
    assert_eq!(client.begin("silent", json!({})).whole().refusal().0, 404);
    assert_eq!(client.bare("GET").whole().refusal().0, 404);
    let another = Client::session(&server, json!({}));
    assert_ne!(another.session_id(), client.session_id());
    assert_eq!(text(&another.call("silent", json!({}))), "silent");
}

#[test]
fn a_session_of_the_bot_itself_that_is_not_there_is_404() {
    let server = Server::start(TALKER, &[]);
    for method in ["POST", "GET", "DELETE"] {
        let body = if method == "POST" { initialize("2025-11-25").to_string() } else { String::new() };
        let head = format!(
            "{method} {}/mcp?session=ses_x HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            server.prefix,
            server.addr,
            body.len()
        );
        let answer = server.raw(head.as_bytes());
        assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("unknown_session")), "{method} {answer:?}");
        assert!(answer.body.contains("ses_x"), "{answer:?}");
    }
}

#[test]
fn without_a_session_calls_work_and_with_a_stale_one_a_new_one_may_be_opened() {
    let server = Server::start(TALKER, &[]);
    assert_eq!(text(&Client::new(&server).call("silent", json!({}))), "silent");
    let stale = Client { era: Era::Session("gone".into()), ..Client::new(&server) };
    assert_eq!(text(&stale.initialized("2025-11-25", json!({})).call("silent", json!({}))), "silent");
}

#[test]
fn a_client_that_takes_events_alone_opens_a_session_too() {
    let server = Server::start(TALKER, &[]);
    let mut reading = Client::new(&server).accepting("text/event-stream").send(&initialize("2025-11-25"));
    let head = reading.head();
    let id = head.header("mcp-session-id").expect("a session").to_owned();
    assert_eq!(reading.messages()[0]["result"]["protocolVersion"], "2025-11-25");
    let client = Client { era: Era::Session(id), ..Client::new(&server) };
    assert_eq!(text(&client.call("silent", json!({}))), "silent");
}
