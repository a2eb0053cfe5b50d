//! 200 secrets are planted wherever a value can flow, and none of them comes out anywhere; what is no secret does.
//!
//! Each front is a function that gives what came out of it, place by place: another place is another line there.

use bdk_tests::{
    Ran, Server,
    mcp::{self, request},
    run_with, stdio,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, process::Command};

const SECRETIVE: &str = env!("CARGO_BIN_EXE_secretive");
const OPEN: &str = "in-the-open";
/// What tells as it is called.
const TELLING: [&str; 13] = [
    "text",
    "nested",
    "raw",
    "envelope",
    "envelope_of_an_error",
    "fails",
    "fails_again_and_again",
    "panics",
    "panics_apart",
    "panics_while_blocking",
    "times_out",
    "says",
    "logs",
];

/// The secrets, by their names, and what of each must not be seen anywhere: it is of letters and digits, so that no escape of
/// a whole secret, nor a half of it, is without it.
fn planted() -> Vec<(String, String, String)> {
    (0..200_u64)
        .map(|n| {
            let digits = format!("{:010}", 9_000_000_000 + n * 48_271 % 999_999_937);
            let mark = format!("Kq{digits}zX");
            let secret = match n % 10 {
                0 => format!("{mark}plain"),
                1 => format!("\"{mark}\\\"q'uo\\tes\""),
                2 => format!("schlüssel-🔑-{mark}-ключ\u{301}\u{200b}"),
                3 => format!("a/b+c=&? d#{mark}%41%zz;~!*()"),
                4 => format!("\n\t\u{1}\u{1b}[31m{mark}\r\n\u{7f}"),
                5 => digits.clone(),
                6 => format!("{mark}{}", "long".repeat(60)),
                // the secret before it, and more
                7 => format!("Kq{:010}zX{}longer", 9_000_000_000 + (n - 1) * 48_271 % 999_999_937, "long".repeat(60)),
                8 => format!("<{mark}>&amp;{{\"json\":[1]}}\\u0041\\\\n"),
                _ => format!("-----BEGIN KEY-----\n{mark}\nAAAA//++==\n-----END KEY-----\n"),
            };
            let mark = if n % 10 == 5 { digits } else { mark };
            (format!("CANARY_{n:03}"), secret, mark)
        })
        .collect()
}

fn plant(command: &mut Command) {
    command.envs(planted().into_iter().map(|(name, secret, _)| (name, secret)));
    command.env("CANARY_BEARER", BEARER);
}

const BEARER: &str = "Kq-bearer-of-the-server-zX";

/// What came out, by place.
#[derive(Default)]
struct Told(BTreeMap<String, String>);

impl Told {
    fn add(&mut self, place: impl Into<String>, text: impl AsRef<str>) {
        let told = self.0.entry(place.into()).or_default();
        told.push_str(text.as_ref());
        told.push('\n');
    }
    fn ran(&mut self, place: &str, ran: &Ran) {
        self.add(format!("{place}: stdout"), &ran.stdout);
        self.add(format!("{place}: stderr"), &ran.stderr);
    }
    /// Checks that no secret is among it, and that this came out in the places that begin so.
    #[track_caller]
    fn holds_none_but(&self, open: &str, places: &[&str]) {
        let marks: Vec<String> = planted().into_iter().map(|(.., mark)| mark).chain([BEARER.to_owned()]).collect();
        for (place, told) in &self.0 {
            let mut texts = vec![told.clone(), percent_decoded(told)];
            for line in told.lines() {
                let line = line.strip_prefix("data: ").unwrap_or(line);
                if let Ok(json) = serde_json::from_str::<Value>(line) {
                    strings(&json, &mut texts);
                }
            }
            for text in texts {
                // what is in all of them but one is looked for first: there is much to look through
                let some = text.contains("900") || text.contains(BEARER);
                if let Some(mark) = marks.iter().find(|mark| some && text.contains(*mark)) {
                    let at = text.find(mark.as_str()).unwrap_or_default();
                    let around: String =
                        text.chars().skip(text[..at].chars().count().saturating_sub(80)).take(240).collect();
                    panic!("{place}: {mark} came out: …{around}…");
                }
            }
        }
        for begin in places {
            let told: Vec<&String> =
                self.0.iter().filter(|(place, _)| place.starts_with(begin)).map(|(_, told)| told).collect();
            assert!(!told.is_empty(), "no place {begin}: {:?}", self.0.keys());
            for told in told {
                assert!(told.contains(open), "{begin}: {open} did not come out: {told}");
                assert!(told.contains("[redacted]"), "{begin}: nothing was planted there: {told}");
            }
        }
    }
}

/// All that a JSON value says, as it reads.
fn strings(json: &Value, out: &mut Vec<String>) {
    match json {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            out.push(key.clone());
            strings(member, out);
        }),
        other => out.push(other.to_string()),
    }
}

fn percent_decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digit = |at: usize| bytes.clone().nth(at).and_then(|b| char::from(b).to_digit(16));
        match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).expect("two digits"));
                bytes.nth(1);
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Inputs that are refused, each with a secret where the refusal would repeat it.
fn refused_inputs() -> Vec<Value> {
    let fine = json!({
        "either": "left", "id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "at": "https://example.com", "pattern": "x",
        "since": "2020-01-01T00:00:00Z",
    });
    let mut inputs = Vec::new();
    for (n, (_, secret, _)) in planted().into_iter().enumerate() {
        // each kind of secret in each property, and so that what is cut would cut it in two
        let property = ["either", "id", "at", "pattern", "since"][n / 10 % 5];
        let before = " ".repeat([0, 72][n / 50 % 2]);
        let mut input = fine.clone();
        input[property] = match n % 10 {
            5 => secret.parse::<u64>().expect("a number").into(),
            _ => format!("{before}{secret}").into(),
        };
        inputs.push(input);
        let mut input = fine.clone();
        input[&secret] = secret.as_str().into();
        inputs.push(input);
    }
    inputs
}

/// Requests over HTTP that are refused: path, content type and body.
fn refused_requests() -> Vec<(String, String, String)> {
    let (json, mut requests) = ("application/json".to_owned(), Vec::new());
    for (n, (_, secret, _)) in planted().into_iter().enumerate() {
        let in_path: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path =
            [format!("tools/{in_path}"), format!("tools/{}{in_path}", "x".repeat(50)), in_path][n / 10 % 3].clone();
        requests.push((path, json.clone(), "{}".to_owned()));
        let body = match n / 10 % 9 {
            0 => json!({ &secret: 1 }),
            1 => json!({ format!("{}{secret}", " ".repeat(70)): 1 }),
            2 => json!({ "dryRun": secret }),
            3 => json!({ "asOf": secret }),
            4 => json!({ "sessionId": secret }),
            5 => json!({ "continuationToken": format!("{}{secret}", "x".repeat(70)) }),
            6 => json!({ "sessionId": [secret] }),
            7 => json!({ "callId": secret, "sessionId": 1 }),
            _ => json!(secret),
        };
        requests.push(("tools/text".to_owned(), json.clone(), body.to_string()));
        requests.push(("tools/text".to_owned(), json.clone(), format!("{{\"{secret}")));
        if secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            requests.push(("tools/text".to_owned(), format!("text/{secret}"), "{}".to_owned()));
        }
    }
    requests
}

/// Over HTTP, with a log in this format: the answers' heads and bodies, and the log.
fn over_http(format: &str) -> Told {
    let mut told = Told::default();
    let server =
        Server::start_with(SECRETIVE, &["--bearer-token-env", "CANARY_BEARER", "--log-format", format], |command| {
            plant(command);
            command.env("RUST_LOG", "trace,rmcp=trace");
        });
    let send = |method: &str, path: &str, kind: &str, body: &str| {
        let answer = server.raw(
            format!(
                "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nAuthorization: Bearer {BEARER}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                server.addr,
                body.len()
            )
            .as_bytes(),
        );
        assert_ne!(answer.status, 0, "{body}");
        format!("{}\n{}", answer.head, answer.body)
    };
    let post = |path: &str, kind: &str, body: &str| send("POST", path, kind, body);
    let call = |tool: &str, body: &Value| {
        post(&format!("{}/tools/{tool}", server.prefix), "application/json", &body.to_string())
    };
    for tool in TELLING.iter().chain(&["bearer", "asks"]) {
        told.add(format!("http {tool}"), call(tool, &json!({})));
        told.add(format!("http calls {tool}"), call("calls", &json!({ "input": { "tool": tool } })));
    }
    told.add("http stubbed", call("stubbed", &json!({ "input": { "what": "x" }, "dryRun": true })));
    for input in refused_inputs() {
        told.add("http refused input", call("picky", &json!({ "input": input, "asOf": "2026-01-01T00:00:00Z" })));
    }
    for (path, kind, body) in refused_requests() {
        told.add("http refused request", post(&format!("{}/{path}", server.prefix), &kind, &body));
    }
    // what a session keeps
    let opened = post(&format!("{}/session", server.prefix), "application/json", "{}");
    let opened: Value = serde_json::from_str(opened.lines().last().expect("a body")).expect("JSON");
    let session = opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}"));
    for tool in ["text", "nested", "envelope", "fails"] {
        told.add("http bound", call(tool, &json!({ "sessionId": session })));
    }
    for (_, secret, _) in planted() {
        told.add("http bound", call("stubbed", &json!({ "sessionId": session, "input": { "what": secret } })));
    }
    let get = |path: &str| send("GET", &format!("{}/{path}", server.prefix), "text/plain", "");
    told.add("session log", get(&format!("session/{session}/events?follow=false")));
    // what its opener left in it
    for (n, (_, secret, _)) in planted().iter().enumerate() {
        let open = json!({
            "title": format!("{OPEN} {secret}"), "purpose": secret, "state": { secret: [secret, n] },
        });
        let opened = post(&format!("{}/session", server.prefix), "application/json", &open.to_string());
        let opened: Value = serde_json::from_str(opened.lines().last().expect("a body")).expect("JSON");
        if let Some(id) = opened["sessionId"].as_str() {
            told.add("session detail", get(&format!("session/{id}")));
        } else {
            told.add("session refused", opened.to_string());
        }
    }
    told.add("session list", get("sessions?limit=1000"));
    let published = call("publishes", &json!({}));
    for id in published.split("artifacts/").skip(1).filter_map(|rest| rest.split('/').next()) {
        told.add("http artifact", get(&format!("artifacts/{id}/content")));
    }
    told.add("http publishes", published);
    for args in [&["trace", session][..], &["sessions"], &["sessions", "--json"]] {
        let ran = run_with(
            SECRETIVE,
            &[args, &["--url", &format!("http://{}", server.addr), "--bearer-token-env", "CANARY_BEARER"]].concat(),
            b"",
            plant,
        );
        assert_eq!(ran.code, 0, "{ran:?}");
        told.ran(args[0], &ran);
    }
    told.add("http wrong token", server.post(&format!("{}/tools/text", server.prefix), b"{}").body);
    server.logged("panicked");
    let log = server.stderr();
    if format == "json" {
        for line in log.lines() {
            // what the panic of a task of the author's own prints is no log
            let json = serde_json::from_str::<Value>(line);
            assert!(json.is_ok() || !line.starts_with('{'), "{line}");
        }
    }
    told.add("the log over http", log);
    told
}

#[test]
fn no_secret_comes_out_over_http_nor_in_the_log() {
    for format in ["text", "json"] {
        let told = over_http(format);
        told.holds_none_but("\"action.result\"", &["session log"]);
        told.holds_none_but(
            OPEN,
            &["session detail", "session list", "http artifact", "http publishes", "sessions: stdout"],
        );
        told.holds_none_but("stubbed", &["trace: stdout"]);
        told.holds_none_but("", &["http refused request", "http refused input", "http bearer", "the log over http"]);
        let open = ["text", "nested", "raw", "envelope", "envelope_of_an_error", "fails", "fails_again_and_again"];
        let places: Vec<String> =
            open.iter().flat_map(|tool| [format!("http {tool}"), format!("http calls {tool}")]).collect();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        told.holds_none_but(OPEN, &[&places[..], &["the log over http", "http stubbed"]].concat());
    }
}

#[test]
fn no_secret_comes_out_over_mcp() {
    let mut told = Told::default();
    let server = Server::start_with(SECRETIVE, &[], |command| {
        plant(command);
        command.env("RUST_LOG", "trace,rmcp=trace");
    });
    let able = json!({ "elicitation": {} });
    for (n, client) in mcp::Client::of_every_kind(&server, &able).into_iter().enumerate() {
        for tool in TELLING {
            let meta = json!({ "progressToken": 1, "io.modelcontextprotocol/logLevel": "debug" });
            let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
            let (said, response) = client.send(&request(mcp::id(), "tools/call", params)).said();
            told.add(format!("mcp {tool} {n}"), response.to_string());
            said.iter().for_each(|said| told.add(format!("mcp {tool} {n} said"), said.to_string()));
        }
        for input in refused_inputs().into_iter().step_by(7) {
            told.add("mcp refused input", client.call("picky", input).to_string());
        }
        for (_, secret, _) in planted().into_iter().step_by(7) {
            for request in [
                request(1, "tools/call", json!({ "name": secret })),
                request(1, "tools/call", json!({ "name": format!("{}{secret}", "x".repeat(55)) })),
                request(1, "tools/call", json!({ "name": "text", "arguments": [secret] })),
                request(1, "tools/list", json!({ "cursor": secret })),
                request(1, &format!("x{secret}"), json!({})),
                request(1, "logging/setLevel", json!({ "level": secret })),
                request(1, "tools/call", json!(secret)),
            ] {
                // a header cannot say everything that a name can, nor is there a `_meta` in a text
                let (name, method) = (request["params"]["name"].as_str(), request["method"].as_str());
                let sendable = || {
                    request["params"].is_object()
                        && [name, method].into_iter().flatten().all(|text| text.bytes().all(|b| b.is_ascii_graphic()))
                };
                if !client.is_stateless() || sendable() {
                    told.add("mcp refused request", client.send(&request).whole().body);
                }
            }
            told.add("mcp refused body", client.post(&[], secret.as_bytes()).whole().body);
        }
    }
    let client = mcp::Client::stateless(&server, able);
    let asked = client.call("asks", json!({}));
    told.add("mcp asks", asked.to_string());
    let answer = json!({ "action": "accept", "content": { "answer": "mine" } });
    let answers: serde_json::Map<String, Value> = asked["inputRequests"]
        .as_object()
        .expect("questions")
        .keys()
        .map(|key| (key.clone(), answer.clone()))
        .collect();
    let params =
        json!({ "name": "asks", "arguments": {}, "inputResponses": answers, "requestState": asked["requestState"] });
    told.add("mcp asks", client.send(&request(1, "tools/call", params)).whole().body);
    told.add("the log over mcp", server.stderr());
    told.holds_none_but(
        "",
        &["mcp refused request", "mcp refused input", "mcp refused body", "mcp text 2", "mcp nested 0"],
    );
    told.holds_none_but(
        OPEN,
        &["mcp asks", "the log over mcp", "mcp fails 0", "mcp envelope 1", "mcp says 0 said", "mcp says 2 said"],
    );
}

#[test]
fn no_secret_comes_out_over_stdio_and_an_answer_is_not_touched() {
    let mut told = Told::default();
    let mut command = Command::new(SECRETIVE);
    command.args(["mcp", "serve", "--log-format", "json"]).env("RUST_LOG", "trace,rmcp=trace");
    plant(&mut command);
    let mut client = stdio::Client::spawn(command);
    client.listen();
    let mut client = client.initialized("2025-11-25", &json!({ "elicitation": {} }));
    let secrets = planted();
    for tool in TELLING {
        let id =
            client.request("tools/call", json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": 1 } }));
        told.add(format!("stdio {tool}"), client.response(id).to_string());
        while let Some(said) = client.unasked() {
            told.add(format!("stdio {tool} said"), said.to_string());
        }
    }
    let what: Vec<&String> = secrets.iter().map(|(_, secret, _)| secret).collect();
    let id = client.begin("approved", json!({ "what": what[..40] }));
    let asked = client.message();
    told.add("stdio approval", asked.to_string());
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "accept", "content": {} } }));
    assert_eq!(mcp::text(&client.result(id)), format!("{OPEN} 40"));
    for (method, params) in [
        ("nope", json!({})),
        ("tools/call", json!({ "name": what[3] })),
        ("initialize", json!({ "protocolVersion": what[0] })),
    ] {
        let id = client.request(&format!("{method}{}", if method == "nope" { what[0] } else { "" }), params);
        told.add("stdio refused", client.response(id).to_string());
    }
    // nobody but the tool sees an answer, and it gets it whole
    let id = client.begin("asks", json!({}));
    for answer in [json!({ "answer": format!("{} and mine", what[0]) }), json!({})] {
        let asked = client.message();
        told.add("stdio asks", asked.to_string());
        let result = json!({ "action": "accept", "content": answer });
        client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }));
    }
    told.add("stdio asked", client.result(id).to_string());
    client.close();
    client.wait();
    told.add("the log over stdio", client.stderr());
    told.holds_none_but("", &["stdio refused", "stdio approval", "stdio text", "stdio asks"]);
    told.holds_none_but(OPEN, &["stdio fails", "stdio says said", "stdio asked", "the log over stdio"]);
}

#[test]
fn no_secret_comes_out_on_the_command_line_nor_in_process() {
    let mut told = Told::default();
    for tool in TELLING {
        let ran = run_with(SECRETIVE, &["call", tool], b"", |command| {
            plant(command);
            command.env("RUST_LOG", "trace");
        });
        assert!(ran.code < 2, "{ran:?}");
        told.ran(&format!("call {tool}"), &ran);
    }
    let secrets = planted();
    for (_, secret, _) in secrets.iter().step_by(9) {
        let ran = run_with(
            SECRETIVE,
            &["call", "picky", "--input", "-"],
            json!({ "id": secret }).to_string().as_bytes(),
            plant,
        );
        told.ran("call refused", &ran);
        let ran = run_with(SECRETIVE, &["call", &format!("x{secret}")], b"", plant);
        told.ran("call unknown", &ran);
    }
    let ran = run_with(SECRETIVE, &[], b"", |command| {
        plant(command);
        command.env("CANARY_IN_PROCESS", TELLING.join(" "));
    });
    assert_eq!(ran.code, 0, "{ran:?}");
    told.ran("in process", &ran);
    told.holds_none_but("", &["call refused: stdout", "call unknown: stdout", "call logs: stderr"]);
    told.holds_none_but(
        OPEN,
        &["in process: stdout", "call text: stdout", "call nested: stdout", "call fails: stdout"],
    );
}

#[test]
fn a_secret_of_an_env_file_is_read_anew_and_blanked_from_then_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_with(SECRETIVE, &[], |command| {
        plant(command);
        command.current_dir(folder.path());
    });
    let call = || server.call("late", &json!({})).1;
    let answer = call();
    assert!(answer["isError"] == true && answer.to_string().contains("`CANARY_LATE`"), "{answer}");
    for (file, line) in [(".env", "CANARY_LATE=the-first-of-all"), (".env.local", "CANARY_LATE='the second of all'")] {
        fs::write(folder.path().join(file), line).expect("written");
        assert_eq!(call()["result"], format!("{OPEN} [redacted]"));
    }
    for text in ["the-first-of-all", "the second of all", "the+second+of+all", "the%20second%20of%20all"] {
        let answer = server.call("calls", &json!({ "input": { "tool": text } })).1;
        assert!(answer.to_string().contains("there is no tool \\\"[redacted]\\\""), "{answer}");
    }
    fs::write(folder.path().join(".env.local"), "CANARY_LATE=short").expect("written");
    assert_eq!(call()["result"], format!("{OPEN} short"));
    fs::write(folder.path().join(".env.local"), "a-line-with-a-secret in it").expect("written");
    let answer = call().to_string();
    assert!(answer.contains(".env.local:1") && !answer.contains("a-line-with-a-secret"), "{answer}");
}
