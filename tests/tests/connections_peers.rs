//! Servers that others made, and one made with bdk itself, as connections of a whole bot.

use bdk_tests::{Server, asking::Asker, eventually, mcp, peers};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

const PATRON: &str = env!("CARGO_BIN_EXE_patron");
const OLD: &str = env!("CARGO_BIN_EXE_old_server");
const NEIGHBOUR: &str = env!("CARGO_BIN_EXE_neighbour");

/// A bot whose connection `near` is this program.
fn near(command: &[&str]) -> Server {
    Server::start_with(PATRON, &[], |bot| {
        bot.env("PATRON_COMMAND", json!(command).to_string());
    })
}

/// A bot whose connection `far` is the server at this URL.
fn far(url: &str) -> Server {
    Server::start_with(PATRON, &[], |bot| {
        bot.env("PATRON_URL", url);
    })
}

/// The effect of each tool that is a connection's.
fn effects(me: Asker<'_>) -> BTreeMap<String, String> {
    let (_, answer) = me.get("tools");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tools = answer["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).iter();
    let remote = tools.filter(|tool| tool["source"]["connection"].is_string());
    remote.map(|tool| (text(&tool["name"]), text(&tool["effect"]))).collect()
}

fn call(me: Asker<'_>, tool: &str, input: &Value) -> Value {
    me.post(&format!("tools/{tool}"), &json!({ "input": input })).1
}
/// What it says, which is no error.
#[track_caller]
fn said(outcome: &Value) -> &str {
    assert_eq!(outcome["isError"], false, "{outcome}");
    outcome["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{outcome}"))
}
/// The words of its error.
#[track_caller]
fn complained(outcome: &Value) -> &str {
    assert_eq!(outcome["isError"], true, "{outcome}");
    outcome["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{outcome}"))
}

/// A web site of two pages, and what it was asked for.
fn site() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let paths = asked.clone();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            lines.find(String::is_empty);
            let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, kind, text) = match path.as_str() {
                "/robots.txt" => ("200 OK", "text/plain", "User-agent: *\nDisallow: /private\n"),
                "/private" => ("200 OK", "text/plain", "nobody may read this"),
                "/news" => {
                    ("200 OK", "text/html", "<html><body><h1>News</h1><p>The <b>milk</b> is sour.</p></body></html>")
                }
                _ => ("404 Not Found", "text/plain", ""),
            };
            paths.lock().expect("not poisoned").push(path);
            let length = text.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(format!("{head}{text}").as_bytes());
        }
    });
    (address, asked)
}

#[test]
fn the_fetch_server_fetches_a_page_and_asks_the_site_whether_it_may() {
    let (site, asked) = site();
    let program = peers::pypi("mcp-server-fetch");
    let bot = Server::start_with(PATRON, &[], |bot| {
        bot.env("PATRON_COMMAND", json!([program, "--allow-private-ips"]).to_string());
        // a node on the path makes it install something from afar
        bot.env("PATH", "/no/node/here");
        for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            bot.env_remove(proxy);
        }
    });
    let me = bot.anyone();
    let fetch = |page: &str| call(me, "fetch", &json!({ "url": format!("{site}{page}") }));
    let news = fetch("/news");
    assert!(said(&news).ends_with("# News\n\nThe milk is sour."), "{news}");
    assert_eq!(*asked.lock().expect("not poisoned"), ["/robots.txt", "/news"]);
    let private = fetch("/private");
    assert!(complained(&private).contains("not allowed"), "{private}");
    let missing = fetch("/missing");
    assert!(complained(&missing).contains("404"), "{missing}");
    // what is no URL is seen here or there, and told either way
    let wrong = call(me, "fetch", &json!({ "url": 7 }));
    assert_eq!(wrong["error"]["issues"][0]["path"], "url", "{wrong}");
}

/// All that is the same of the older server, however it is reached.
fn meets_the_old_server(me: Asker<'_>) {
    let is = |name: &str| effects(me).get(name).cloned().unwrap_or_default();
    assert_eq!(["balance", "book", "shrug"].map(is), ["read", "write", "undeclared"]);
    assert_eq!(said(&call(me, "balance", &json!({}))), "0");
    let booked = call(me, "book", &json!({ "what": "ink" }));
    assert_eq!(booked["result"]["structuredContent"]["number"], 1, "{booked}");
    // an error that is a result, and one of the protocol
    assert_eq!(complained(&call(me, "fail", &json!({}))), "there is no such drawer");
    let lost = call(me, "lose", &json!({}));
    assert!(complained(&lost).contains("the key is lost") && lost["attempts"] == 1, "{lost}");
    let session = me.open(&json!({ "dryRun": true }));
    assert_eq!(me.call_in(&session, "book", &json!({}))["result"], "Operation acknowledged.");
    assert_eq!(said(&me.call_in(&session, "balance", &json!({}))), "1");
    // it says so when its tools change
    for there in [true, false] {
        said(&call(me, "grow", &json!({})));
        let follows = eventually(|| (effects(me).contains_key("more") == there).then_some(()));
        assert!(follows.is_some(), "more: {there}");
    }
}

/// How far the reference server's slow tool says it is.
fn paces(bot: &Server) {
    for client in mcp::Client::of_every_kind(bot, &json!({})) {
        let said = client.send(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "trigger-long-running-operation", "arguments": { "duration": 0.3, "steps": 3 },
                "_meta": { "progressToken": 7 },
            },
        }));
        let (said, response) = said.said();
        assert!(mcp::text(&response["result"]).ends_with("Steps: 3."), "{response}");
        let paces = (1..=3).map(|step| json!({ "progressToken": 7, "progress": step, "total": 3 }));
        assert_eq!(said.iter().map(|said| said["params"].clone()).collect::<Vec<_>>(), paces.collect::<Vec<_>>());
    }
}

#[test]
fn how_far_a_server_says_it_is_reaches_whoever_asked() {
    let [node, everything] = peers::npm_server("server-everything");
    paces(&near(&[&node, &everything, "stdio"]));
}

#[test]
fn a_server_made_with_an_older_rmcp_over_pipes() {
    let bot = near(&[OLD]);
    meets_the_old_server(bot.anyone());
}

#[test]
fn a_server_made_with_an_older_rmcp_over_http_and_it_may_be_started_again() {
    let server = Server::start(OLD, &[]);
    let bot = far(&format!("{}/mcp", server.url));
    meets_the_old_server(bot.anyone());
    let port = server.addr.rsplit(':').next().expect("a port").to_owned();
    drop(server);
    // the session is none of the new one's
    let _again = Server::start(OLD, &["--port", &port]);
    let booked = call(bot.anyone(), "book", &json!({}));
    assert_eq!(
        (&booked["isError"], &booked["result"]["structuredContent"]["number"]),
        (&json!(false), &json!(1)),
        "{booked}"
    );
}

/// All that is the same of a bot that is a server, however it is reached.
fn meets_a_bot(bot: &Server) {
    let me = bot.anyone();
    let is = |name: &str| effects(me).get(name).cloned().unwrap_or_default();
    assert_eq!(["lent", "lend", "shrug", "rake"].map(is), ["read", "write", "undeclared", "read"]);
    let ladder = json!({ "what": "ladder" });
    assert_eq!(said(&call(me, "lend", &ladder)), "ladder 1");
    let session = me.open(&json!({ "dryRun": true }));
    let stubbed = me.call_in(&session, "lend", &ladder);
    assert_eq!(
        (&stubbed["stubbed"], &stubbed["result"]),
        (&json!(true), &json!("Operation acknowledged.")),
        "{stubbed}"
    );
    assert_eq!(said(&me.call_in(&session, "lent", &json!({}))), "1");
    let refused = me.call_in(&session, "shrug", &json!({}));
    assert!(complained(&refused).contains("not there in a dry run"), "{refused}");

    // the words are those of the bot that was asked
    let sorry = call(me, "complain", &json!({ "about": "noise" }));
    assert_eq!(complained(&sorry), "Tool \"complain\" failed: nobody is in because of noise: come back on Monday");
    assert_eq!((&sorry["attempts"], &sorry["error"]["code"]), (&json!(1), &json!("failed")), "{sorry}");
    let wrong = call(me, "lend", &json!({ "what": "boat" }));
    assert!(complained(&wrong).starts_with("Invalid input for \"lend\":"), "{wrong}");
    assert!(complained(&wrong).contains("there is no boat: lend a ladder"), "{wrong}");
    // what the schema says is seen here
    let wrong = call(me, "lend", &json!({ "what": 7 }));
    assert_eq!((&wrong["error"]["code"], &wrong["attempts"]), (&json!("invalid_input"), &json!(0)), "{wrong}");

    // what it tells on the way is in nobody's way
    assert_eq!(said(&call(me, "rake", &json!({ "rows": 50 }))), "50 rows");
    for client in mcp::Client::of_every_kind(bot, &json!({})) {
        let said = client.send(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "rake", "arguments": { "rows": 20 }, "_meta": { "progressToken": "p" } },
        }));
        let (said, response) = said.said();
        assert_eq!(mcp::text(&response["result"]), "20 rows", "{response}");
        // and whoever wants to hear of it does, under a token of its own
        let rows: Vec<_> = (0..20)
            .map(|row| json!({ "progressToken": "p", "progress": row, "total": 20, "message": format!("row {row}") }))
            .collect();
        assert_eq!(said.iter().map(|said| said["params"].clone()).collect::<Vec<_>>(), rows);
    }
    assert_eq!(said(&call(me, "lent", &json!({}))), "1");
}

#[test]
fn a_bot_is_a_server_of_another_over_pipes() {
    let bot = near(&[NEIGHBOUR, "mcp", "serve"]);
    meets_a_bot(&bot);
    // it falls over in a read, which is asked again of the one that is started in its place
    let folder = tempfile::tempdir().expect("a folder");
    let up = call(bot.anyone(), "stumble", &json!({ "mark": folder.path().join("mark") }));
    assert_eq!((said(&up), &up["attempts"]), ("up again", &json!(2)), "{up}");
}

#[test]
fn a_bot_is_a_server_of_another_over_http() {
    let server = Server::start(NEIGHBOUR, &[]);
    meets_a_bot(&far(&server.mcp()));
}

#[test]
fn a_bot_is_a_server_of_another_that_is_a_server_itself() {
    let server = Server::start(NEIGHBOUR, &[]);
    let middle = far(&server.mcp());
    let bot = far(&middle.mcp());
    let me = bot.anyone();
    let is = |name: &str| effects(me).get(name).cloned().unwrap_or_default();
    assert_eq!(["lent", "lend", "shrug"].map(is), ["read", "write", "undeclared"]);
    assert_eq!(said(&call(me, "lend", &json!({ "what": "ladder" }))), "ladder 1");
    let sorry = call(me, "complain", &json!({ "about": "noise" }));
    assert!(complained(&sorry).ends_with("nobody is in because of noise: come back on Monday"), "{sorry}");
}
