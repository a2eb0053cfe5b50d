//! cases.md 31 over MCP: a request that is wrong as such is told so, with its id where there is one, and the bot lives.

use bdk_tests::{
    Answer, Server,
    mcp::{BOTH, Client, id, notification, request},
};
use serde_json::{Value, json};
use std::io::Write;

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");
const TALKER: &str = env!("CARGO_BIN_EXE_talker");

/// Status, code and id of what these bytes bring.
fn refusal(client: &Client, body: &str) -> (u16, i64, Value) {
    client.post(&[("Accept".into(), BOTH.into())], body.as_bytes()).whole().refusal()
}

#[test]
fn what_is_no_message_is_told_by_its_code_and_its_id() {
    let server = Server::start(KITCHEN, &[]);
    let client = Client::new(&server);
    let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    let null = Value::Null;
    let faults = [
        ("{", -32700, null.clone()),
        ("", -32700, null.clone()),
        ("nonsense", -32700, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}x", -32700, null.clone()),
        ("3", -32600, null.clone()),
        ("null", -32600, null.clone()),
        ("\"ping\"", -32600, null.clone()),
        ("[]", -32600, null.clone()),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, null.clone()),
        ("{}", -32600, null.clone()),
        ("{\"id\":1,\"method\":\"ping\"}", -32600, json!(1)),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600, json!(1)),
        ("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", -32600, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600, null.clone()),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/call\",\"params\":{\"name\":\"add\"}}",
            -32600,
            null.clone(),
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", -32600, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", -32600, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":1}", -32600, json!(1)),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"ping\"}", -32600, null.clone()),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":[\"add\"]}", -32602, json!("x")),
        ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":5}}", -32602, json!(5)),
        ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"_meta\":[]}}", -32602, json!(5)),
        (&*deep, -32600, null.clone()),
    ];
    for (body, code, id) in faults {
        assert_eq!(refusal(&client, body), (400, code, id), "{body}");
    }
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{deep}}}}}"#);
    assert_eq!(refusal(&client, &deep), (400, -32700, json!(1)));
    let bytes = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}";
    assert_eq!(client.post(&[("Accept".into(), BOTH.into())], bytes).whole().refusal().0, 400);
    assert_eq!(refusal(&client, r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#), (200, -32602, json!(1)));
    assert_eq!(
        refusal(&client, r#"{"jsonrpc":"2.0","id":-2.5,"method":"tools/call","params":{}}"#),
        (200, -32602, json!(-2.5))
    );
    assert_eq!(
        client.send(&request(1, "ping", json!({}))).whole().json(),
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} })
    );
}

#[test]
fn a_method_that_does_not_exist_is_told_so() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for method in
            ["nope", "tools/nope", "resources/list", "prompts/get", "completion/complete", "sampling/createMessage"]
        {
            let id = id();
            let answer = client.send(&request(id, method, json!({}))).whole();
            let status = if client.is_stateless() { 404 } else { 200 };
            assert_eq!(answer.refusal(), (status, -32601, json!(id)), "{method} {answer:?}");
        }
    }
}

#[test]
fn a_notification_of_whatever_kind_is_accepted() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for method in [
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/roots/list_changed",
            "nope",
            "tools/call",
        ] {
            let answer = client.send(&notification(method, json!({ "requestId": 77 }))).whole();
            assert_eq!((answer.status, answer.body.as_str()), (202, ""), "{method} {answer:?}");
        }
    }
}

#[test]
fn a_response_without_a_session_answers_nothing() {
    let server = Server::start(KITCHEN, &[]);
    for message in [
        json!({ "jsonrpc": "2.0", "id": "bdk-1", "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": "no" } }),
    ] {
        let answer = Client::new(&server).send(&message).whole();
        assert_eq!((answer.refusal().0, answer.refusal().1), (400, -32600), "{answer:?}");
    }
}

#[test]
fn parameters_that_are_wrong_are_told_under_the_request_s_id() {
    let server = Server::start(KITCHEN, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        let mut all = vec![
            json!({ "arguments": {} }),
            json!({ "name": null }),
            json!({ "name": "add", "requestState": 5 }),
            json!({ "name": ["add"] }),
        ];
        // what the newer era alone has is passed over in the older one
        if client.is_stateless() {
            all.extend([json!([]), json!("x")].map(|odd| json!({ "name": "add", "inputResponses": odd })));
        }
        for params in all {
            let id = id();
            let answer = client.send(&request(id, "tools/call", params.clone())).whole();
            let (_, code, of) = answer.refusal();
            // 2026-07-28 judges the headers first
            assert!(code == -32602 || (client.is_stateless() && code == -32020), "{params} {answer:?}");
            assert_eq!(of, json!(id), "{params} {answer:?}");
        }
        let answer = client.send(&request(9, "tools/list", json!({ "cursor": "nonsense" }))).whole();
        assert!(matches!(answer.refusal(), (200 | 400, -32602, id) if id == 9), "{answer:?}");
    }
}

#[test]
fn a_message_that_is_cut_short_or_changed_anywhere_gets_an_answer_and_none_is_the_bot_s_fault() {
    let server = Server::start(KITCHEN, &[]);
    let head =
        |names: &[(&str, &str)]| names.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect::<Vec<_>>();
    let older = head(&[("Accept", "application/json")]);
    let mut newer = head(&[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "add")]);
    newer.extend(older.clone());
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1}"#;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}"#;
    let client = Client::new(&server);
    for (headers, message) in [(older, format!("{call}}}}}")), (newer, format!("{call},{meta}}}}}"))] {
        let bytes = message.as_bytes();
        let cut = (0..bytes.len()).map(|n| bytes[..n].to_vec());
        let changed = (0..bytes.len()).flat_map(|at| {
            [b'"', b'{', b']', b'9', b'\\', 0, 0xff].map(|byte| [&bytes[..at], &[byte], &bytes[at + 1..]].concat())
        });
        let left_out = (0..bytes.len()).map(|at| [&bytes[..at], &bytes[at + 1..]].concat());
        for body in cut.chain(changed).chain(left_out) {
            let answer = client.post(&headers, &body).whole();
            let shown = String::from_utf8_lossy(&body);
            assert!(matches!(answer.status, 200 | 202 | 400 | 404), "{shown}: {answer:?}");
            if answer.status != 202 {
                let json = answer.json();
                assert!(json["result"].is_object() || json["error"]["code"].is_i64(), "{shown}: {answer:?}");
                assert_ne!(json["error"]["code"], -32603, "{shown}: {answer:?}");
            }
        }
        assert_eq!(client.post(&headers, bytes).whole().json()["result"]["content"][0]["text"], "3");
    }
}

// ---- the door ----

#[test]
fn without_credentials_nothing_of_the_body_is_read() {
    let server = Server::start_with(KITCHEN, &["--bearer-token-env", "TOKEN"], |c| {
        c.env("TOKEN", "correct-horse");
    });
    for token in [None, Some("wrong")] {
        let mut stream = server.connect();
        let token = token.map_or(String::new(), |t| format!("Authorization: Bearer {t}\r\n"));
        // the body is announced and never sent: an answer can only come if nobody waits for it
        let head = format!(
            "POST {}/mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{token}Content-Length: 100000\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
            server.prefix, server.addr
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let answer = bdk_tests::read_answer(&mut stream);
        assert_eq!((answer.status, &answer.json()["error"]), (401, &json!("unauthorized")), "{answer:?}");
        assert!(answer.head.to_ascii_lowercase().contains("www-authenticate: bearer"), "{answer:?}");
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(Client::new(&server).bare(method).whole().status, 401);
    }
    let known = Client::new(&server).with("Authorization", "Bearer correct-horse");
    assert_eq!(known.call("nothing_asked", json!({}))["content"][0]["text"], "pong");
}

fn raw(server: &Server, head: &str, body: &[u8]) -> Answer {
    let head =
        format!("POST {}/mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{head}\r\n", server.prefix, server.addr);
    server.raw(&[head.as_bytes(), body].concat())
}

#[test]
fn a_body_over_the_limit_is_413_with_and_without_a_length() {
    let server = Server::start(KITCHEN, &["--max-body", "2000"]);
    let body =
        request(1, "tools/call", json!({ "name": "anything", "arguments": { "data": "x".repeat(3000) } })).to_string();
    let json = "Content-Type: application/json\r\n";
    let sized = raw(&server, &format!("{json}Content-Length: {}\r\n", body.len()), body.as_bytes());
    assert_eq!((sized.status, &sized.json()["error"]), (413, &json!("too_large")), "{sized:?}");
    let chunks: String =
        body.as_bytes().chunks(500).map(|c| format!("{:x}\r\n{}\r\n", c.len(), String::from_utf8_lossy(c))).collect();
    let chunked =
        raw(&server, &format!("{json}Transfer-Encoding: chunked\r\n"), format!("{chunks}0\r\n\r\n").as_bytes());
    assert_eq!((chunked.status, &chunked.json()["error"]), (413, &json!("too_large")), "{chunked:?}");
    assert_eq!(Client::new(&server).call("nothing_asked", json!({}))["content"][0]["text"], "pong");
}

#[test]
fn a_body_that_is_not_said_to_be_json_is_415() {
    let server = Server::start(KITCHEN, &[]);
    let body = request(1, "ping", json!({})).to_string();
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"] {
        let answer = raw(&server, &format!("{kind}Content-Length: {}\r\n", body.len()), body.as_bytes());
        assert_eq!((answer.status, &answer.json()["error"]), (415, &json!("unsupported_media_type")), "{answer:?}");
    }
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        let answer =
            raw(&server, &format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len()), body.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

#[test]
fn other_methods_are_405_and_say_which_there_are() {
    let server = Server::start(KITCHEN, &[]);
    for method in ["PUT", "PATCH", "OPTIONS"] {
        let answer = Client::new(&server).bare(method).whole();
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST, GET, DELETE")), "{method} {answer:?}");
    }
    for method in ["GET", "DELETE"] {
        let answer = Client::new(&server).bare(method).whole();
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method} {answer:?}");
    }
}

#[test]
fn a_client_is_told_what_it_has_to_accept() {
    let server = Server::start(KITCHEN, &[]);
    for accept in ["text/html", "application/xml, text/html", "application/json;q=0"] {
        let answer = Client::new(&server).accepting(accept).begin("nothing_asked", json!({})).whole();
        assert_eq!((answer.status, answer.refusal().1), (406, -32600), "{answer:?}");
        assert!(answer.body.contains("text/event-stream"), "{answer:?}");
    }
    let session = Client::session(&server, json!({})).accepting("application/json");
    assert_eq!(session.bare("GET").whole().status, 406);
}

#[test]
fn a_page_or_a_name_that_is_not_allowed_is_refused() {
    let server = Server::start(KITCHEN, &["--allowed-origin", "https://app.example.com"]);
    let client = Client::new(&server);
    for origin in ["https://evil.example.com", "null", "http://localhost.evil.example.com"] {
        for method in ["GET", "DELETE", "OPTIONS"] {
            assert_eq!(client.clone().with("Origin", origin).bare(method).whole().status, 403, "{origin} {method}");
        }
        let answer = client.clone().with("Origin", origin).begin("nothing_asked", json!({})).whole();
        assert_eq!((answer.status, &answer.json()["error"]), (403, &json!("forbidden")), "{answer:?}");
    }
    let body = request(1, "ping", json!({})).to_string();
    let head = format!(
        "POST {}/mcp HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.prefix,
        body.len()
    );
    let answer = server.raw(head.as_bytes());
    assert_eq!((answer.status, &answer.json()["error"]), (403, &json!("forbidden")), "{answer:?}");
}

#[test]
fn a_listed_page_may_send_and_read_what_mcp_needs() {
    let server = Server::start(KITCHEN, &["--allowed-origin", "https://app.example.com"]);
    let page = Client::new(&server).with("Origin", "https://app.example.com");
    let asks = page.clone().with("Access-Control-Request-Method", "POST").bare("OPTIONS").whole();
    assert_eq!((asks.status, asks.header("access-control-allow-origin")), (204, Some("https://app.example.com")));
    let headers: Vec<String> = asks.headers("access-control-allow-headers");
    for name in [
        "content-type",
        "authorization",
        "mcp-session-id",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "last-event-id",
        "traceparent",
    ] {
        assert!(headers.iter().any(|h| h == name), "{name} in {headers:?}");
    }
    let methods = asks.headers("access-control-allow-methods");
    assert!(["get", "post", "delete"].iter().all(|m| methods.iter().any(|h| h == m)), "{methods:?}");
    let who = json!({ "name": "page", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who });
    let answer = page.send(&request(1, "initialize", params)).whole();
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("https://app.example.com")));
    assert!(answer.headers("access-control-expose-headers").iter().any(|h| h == "mcp-session-id"), "{answer:?}");
}

#[test]
fn an_authenticator_of_the_author_s_own_decides_here_too() {
    let server = Server::start(TALKER, &[]);
    let answer = Client::new(&server).with("x-who", "nobody").begin("silent", json!({})).whole();
    assert_eq!((answer.status, &answer.json()["error"]), (401, &json!("unauthorized")), "{answer:?}");
    for client in Client::of_every_kind(&server, &json!({})) {
        let who = |c: &Client| c.call("whoami", json!({}))["structuredContent"]["kind"].clone();
        assert_eq!(who(&client), "anonymous");
    }
    let ann = Client::stateless(&server, json!({})).with("x-who", "ann");
    let shown = ann.call("whoami", json!({}));
    assert_eq!(shown["structuredContent"]["subject"], "ann", "{shown}");
}
