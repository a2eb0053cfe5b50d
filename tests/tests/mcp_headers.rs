//! 2026-07-28: what a request says in its headers and its `_meta` must be there, and must be what the body says.

use bdk_tests::{
    Server,
    mcp::{Answer, BOTH, Client, request, text},
};
use serde_json::{Value, json};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");
const TALKER: &str = env!("CARGO_BIN_EXE_talker");
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn meta() -> Value {
    json!({ VERSION: "2026-07-28", CAPABILITIES: {}, "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" } })
}

/// Calls `add` with this `_meta` and these headers.
fn send(server: &Server, meta: &Value, headers: &[(&str, &str)]) -> Answer {
    let params = json!({ "name": "add", "arguments": { "a": 1, "b": 2 }, "_meta": meta });
    post(server, &request(7, "tools/call", params), headers)
}

fn post(server: &Server, message: &Value, headers: &[(&str, &str)]) -> Answer {
    let headers = [&[("Accept", BOTH)], headers].concat();
    let headers: Vec<_> = headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    Client::new(server).post(&headers, message.to_string().as_bytes()).whole()
}

const V: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const M: (&str, &str) = ("Mcp-Method", "tools/call");
const N: (&str, &str) = ("Mcp-Name", "add");

#[test]
fn headers_that_are_missing_or_say_another_thing_than_the_body_are_refused() {
    let server = Server::start(KITCHEN, &[]);
    let wrong: [&[(&str, &str)]; 11] = [
        &[M, N],
        &[V, N],
        &[V, M],
        &[("MCP-Protocol-Version", "2025-11-25"), M, N],
        &[V, ("Mcp-Method", "tools/list"), N],
        &[V, ("Mcp-Method", "Tools/Call"), N],
        &[V, M, ("Mcp-Name", "sub")],
        &[V, M, ("Mcp-Name", "ADD")],
        &[V, M, ("Mcp-Name", "=?base64?c3Vi?=")],
        &[V, M, ("Mcp-Name", "=?base64?%%%?=")],
        &[V, M, N, ("Mcp-Name", "sub")],
    ];
    for headers in wrong {
        let answer = send(&server, &meta(), headers);
        assert_eq!(answer.refusal(), (400, -32020, json!(7)), "{headers:?} {answer:?}");
    }
    assert_eq!(text(&send(&server, &meta(), &[V, M, N]).json()["result"]), "3");
}

#[test]
fn a_name_may_be_sent_as_base64() {
    let server = Server::start(KITCHEN, &[]);
    let base64 = ("Mcp-Name", "=?base64?YWRk?=");
    assert_eq!(text(&send(&server, &meta(), &[V, M, base64]).json()["result"]), "3");
    // arguments of any type get the answer that they get under a plain name
    for arguments in [json!([]), json!("{}"), json!(1)] {
        let params = json!({ "name": "add", "arguments": arguments, "_meta": meta() });
        let answer = post(&server, &request(1, "tools/call", params), &[V, M, base64]).json();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text(&answer["result"]).contains("must be an object"), "{answer}");
    }
    let name = json!({ "name": "größe", "_meta": meta() });
    let answer = post(&server, &request(1, "tools/call", name), &[V, M, ("Mcp-Name", "=?base64?Z3LDtsOfZQ==?=")]);
    assert_eq!(answer.json()["error"]["code"], -32602, "{answer:?}");
    assert!(answer.body.contains("größe"), "{answer:?}");
}

#[test]
fn what_a_request_must_say_of_itself_is_told_when_it_is_missing() {
    let server = Server::start(KITCHEN, &[]);
    for missing in [VERSION, CAPABILITIES] {
        let mut meta = meta();
        meta.as_object_mut().expect("an object").remove(missing);
        let answer = send(&server, &meta, &[V, M, N]);
        assert_eq!(answer.refusal(), (400, -32602, json!(7)), "{answer:?}");
        assert!(answer.body.contains(missing), "{answer:?}");
    }
    let answer = send(&server, &json!({}), &[V, M, N]);
    assert_eq!(answer.refusal(), (400, -32602, json!(7)), "{answer:?}");
    let none = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    let answer = post(&server, &none, &[V, ("Mcp-Method", "tools/list")]);
    assert_eq!(answer.refusal(), (400, -32602, json!(7)), "{answer:?}");
    for odd in [json!({ VERSION: 5 }), json!({ VERSION: "2026-07-28", CAPABILITIES: [] }), json!([])] {
        let answer = send(&server, &odd, &[V, M, N]);
        assert_eq!(answer.refusal(), (400, -32602, json!(7)), "{odd} {answer:?}");
    }
}

#[test]
fn a_version_that_there_is_not_is_told_with_those_that_there_are() {
    let server = Server::start(KITCHEN, &[]);
    for version in ["2027-01-01", "zebra"] {
        let mut said = meta();
        said[VERSION] = version.into();
        let header = ("MCP-Protocol-Version", version);
        for meta in [said, json!({})] {
            let answer = send(&server, &meta, &[header, M, N]);
            assert_eq!(answer.refusal(), (400, -32022, json!(7)), "{answer:?}");
            let data = &answer.json()["error"]["data"];
            assert_eq!(data["requested"], version);
            let supported = data["supported"].as_array().expect("a list");
            assert!(["2025-06-18", "2025-11-25", "2026-07-28"].iter().all(|v| supported.contains(&json!(v))), "{data}");
        }
    }
    let answer =
        Client::new(&server).with("MCP-Protocol-Version", "2025-01-01").send(&request(1, "ping", json!({}))).whole();
    assert_eq!(answer.refusal(), (400, -32600, json!(1)), "{answer:?}");
}

#[test]
fn a_client_finds_out_what_the_bot_speaks() {
    let server = Server::start(KITCHEN, &[]);
    let answer = Client::stateless(&server, json!({})).send(&request(1, "server/discover", json!({}))).whole();
    let result = &answer.json()["result"];
    assert_eq!((answer.status, &result["resultType"]), (200, &json!("complete")), "{answer:?}");
    assert!(result["supportedVersions"].as_array().is_some_and(|v| v.contains(&json!("2026-07-28"))), "{result}");
    assert_eq!(result["capabilities"]["tools"], json!({ "listChanged": true }));
    let listing = Client::stateless(&server, json!({})).send(&request(1, "tools/list", json!({}))).whole().json();
    assert_eq!(listing["result"]["resultType"], "complete");
    assert!(listing["result"]["ttlMs"].is_u64() && listing["result"]["cacheScope"].is_string(), "{listing}");
}

#[test]
fn parameters_that_do_not_fit_a_method_are_told_so_and_not_that_there_is_no_such_method() {
    let server = Server::start(KITCHEN, &[]);
    let stateless = Client::stateless(&server, json!({}));
    let answer = stateless.send(&request(1, "subscriptions/listen", json!({ "notifications": 5 }))).whole();
    assert_eq!(answer.refusal(), (400, -32602, json!(1)), "{answer:?}");
    let who = json!({ "name": "t", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": { "experimental": { "x": 5 } }, "clientInfo": who });
    let answer = Client::new(&server).send(&request(1, "initialize", params)).whole();
    assert_eq!(answer.refusal(), (400, -32602, json!(1)), "{answer:?}");
    assert_eq!(answer.header("mcp-session-id"), None);
    // what the other era has is not there
    for (method, params) in [("ping", json!({})), ("logging/setLevel", json!({ "level": "info" }))] {
        let answer = stateless.send(&request(1, method, params)).whole();
        assert_eq!(answer.refusal(), (404, -32601, json!(1)), "{method} {answer:?}");
    }
}

#[test]
fn an_argument_that_is_repeated_in_a_header_must_be_the_same_there() {
    let server = Server::start(TALKER, &[]);
    let client = Client::stateless(&server, json!({ "elicitation": {} }));
    let begin = |client: &Client, arguments: Value| client.begin("regional", arguments);
    let here = client.clone().with("Mcp-Param-Region", "here");
    let (said, done) = begin(&here, json!({ "region": "here" })).said();
    assert_eq!((said.len(), text(&done["result"])), (0, "in here"), "{done}");
    let base64 = client.clone().with("Mcp-Param-Region", "=?base64?aGVyZQ==?=");
    assert_eq!(text(&begin(&base64, json!({ "region": "here" })).said().1["result"]), "in here");
    for (client, region) in [(&here, "there"), (&client, "here")] {
        let answer = begin(client, json!({ "region": region })).whole();
        assert_eq!((answer.refusal().0, answer.refusal().1), (400, -32020), "{answer:?}");
    }
    for arguments in [json!([]), json!("here"), json!(5)] {
        let (_, done) = begin(&here, arguments.clone()).said();
        assert!(text(&done["result"]).contains("must be an object"), "{arguments} {done}");
    }
    // an input that is none is the call's to judge
    let (_, done) = begin(&client, json!({ "region": 5 })).said();
    assert!(done["result"]["isError"] == true || done["error"]["code"] == -32020, "{done}");
    // clients of the older era know of no such headers
    for client in [Client::session(&server, json!({})), Client::new(&server)] {
        assert_eq!(text(&begin(&client, json!({ "region": "here" })).said().1["result"]), "in here");
    }
}

#[test]
fn a_call_with_such_a_header_says_and_asks_like_any_other() {
    let server = Server::start(TALKER, &[]);
    let client = Client::stateless(&server, json!({ "elicitation": {} })).with("Mcp-Param-Region", "here");
    let params = |beside: Value| {
        let mut params = json!({ "name": "regional", "arguments": { "region": "here", "ask": true } });
        params["_meta"] = json!({ "io.modelcontextprotocol/logLevel": "info" });
        for (name, value) in beside.as_object().expect("an object") {
            params[name] = value.clone();
        }
        params
    };
    let (said, asked) = client.send(&request(1, "tools/call", params(json!({})))).said();
    assert_eq!((said.len(), &said[0]["params"]["data"]), (1, &json!("looking")), "{said:?}");
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    let keys = result["inputRequests"].as_object().expect("requests").keys();
    let responses: serde_json::Map<_, _> =
        keys.map(|k| (k.clone(), json!({ "action": "accept", "content": {} }))).collect();
    let beside = json!({ "requestState": result["requestState"], "inputResponses": responses });
    let (_, done) = client.send(&request(2, "tools/call", params(beside))).said();
    assert_eq!(text(&done["result"]), "in here", "{done}");
    // one that takes JSON alone is told the result alone
    let whole = client.accepting("application/json");
    let answer = whole.send(&request(3, "tools/call", json!({
        "name": "regional", "arguments": { "region": "here" }, "_meta": { "io.modelcontextprotocol/logLevel": "info" }
    })));
    assert_eq!(text(&answer.whole().json()["result"]), "in here");
}
