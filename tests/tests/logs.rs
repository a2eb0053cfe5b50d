//! The bot's log: as lines for people, or as one JSON object a line for collectors, with what the conventions ask of a call.

use bdk_tests::{Server, mcp, run, run_with, stdio};
use serde_json::{Value, json};
use std::process::Command;

const SECRETIVE: &str = env!("CARGO_BIN_EXE_secretive");
const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

fn plant(command: &mut Command) {
    command.envs((0..200).map(|n| (format!("CANARY_{n:03}"), format!("a-canary-{n:03}"))));
}

/// The lines of a log, each of which is an object.
#[track_caller]
fn objects(log: &str) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    let all: Vec<Value> = log.lines().map(read).collect();
    assert!(all.iter().all(Value::is_object), "{log}");
    all
}

/// The first that the tool itself logged.
#[track_caller]
fn of_the_tool(log: &str) -> Value {
    let found = objects(log)
        .into_iter()
        .find(|line| line["target"] == "secretive" && line["spans"][0]["name"] == "execute_tool");
    found.unwrap_or_else(|| panic!("nothing of the tool's: {log}"))
}

#[test]
fn each_line_is_an_object_with_its_fields_and_the_calls_span() {
    let ran = run_with(SECRETIVE, &["call", "logs", "--log-format", "json"], b"", |command| {
        plant(command);
        command.env("RUST_LOG", "info");
    });
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = of_the_tool(&ran.stderr);
    assert_eq!((&line["level"], &line["message"]), (&json!("ERROR"), &json!("in-the-open [redacted]")));
    assert!(line["timestamp"].as_str().is_some_and(|at| at.ends_with('Z')), "{line}");
    let span = &line["spans"][0];
    assert_eq!((&span["gen_ai.tool.name"], &span["otel.name"]), (&json!("logs"), &json!("execute_tool logs")));
    assert_eq!(span["gen_ai.tool.call.arguments"], Value::Null, "{span}");
    assert_eq!((&line["span"]["name"], &line["span"]["token"]), (&json!("outer"), &json!("[redacted]")), "{line}");
    // the record of the call, whose fields stand beside the message
    let record = objects(&ran.stderr).into_iter().find(|line| line["target"] == "bdk::call").expect("the record");
    assert_eq!((&record["tool"], &record["outcome"], &record["attempts"]), (&json!("logs"), &json!("ok"), &json!(1)));
    assert_eq!(record["call_id"], span["gen_ai.tool.call.id"]);
}

#[test]
fn a_record_says_which_session_and_whose_trace_and_a_panic_s_line_has_one_message() {
    let server = Server::start_with(KITCHEN, &["--log-format", "json"], |_| {});
    let me = server.anyone();
    let session = me.open(&json!({}));
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let body = json!({ "input": { "secret": "x" }, "sessionId": session }).to_string();
    let request = format!(
        "POST {}/tools/panics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\ntraceparent: {trace}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.prefix,
        server.addr,
        body.len()
    );
    let answer = server.raw(request.as_bytes());
    let id = answer.json()["callId"].as_str().expect("an id").to_owned();
    let of = |log: &str| objects(log).into_iter().filter(|line| line["call_id"] == *id).collect::<Vec<_>>();
    let lines = bdk_tests::eventually(|| Some(of(&server.stderr())).filter(|lines| lines.len() == 2));
    let lines = lines.expect("the panic and the record");
    assert_eq!((&lines[0]["message"], &lines[0]["panic"]), (&json!("a tool panicked"), &json!("the secret is x")));
    assert_eq!((&lines[1]["session"], &lines[1]["traceparent"]), (&json!(session), &json!(trace)));
    let line = server.stderr().lines().find(|line| line.contains("a tool panicked")).expect("its line").to_owned();
    assert_eq!(line.matches("\"message\":").count(), 1, "{line}");
}

#[test]
fn the_format_stands_before_or_behind_a_command_or_in_the_environment() {
    let fails = ["call", "fails"];
    let formats = |args: &[&str], env: Option<&str>| {
        let ran = run_with(SECRETIVE, args, b"", |command| {
            plant(command);
            command.env("RUST_LOG", "info");
            env.map(|format| command.env("BDK_LOG_FORMAT", format));
        });
        assert_eq!((ran.code, ran.json()["isError"].as_bool()), (1, Some(true)), "{ran:?}");
        ran.stderr.starts_with('{')
    };
    for (args, env, json) in [
        (&["call", "fails", "--log-format", "json"][..], None, true),
        (&["--log-format", "json", "call", "fails"], None, true),
        (&["--log-format=json", "call", "fails"], None, true),
        (&fails, Some("json"), true),
        (&fails, None, false),
        (&fails, Some(""), false),
        (&["call", "--log-format", "text", "fails"], Some("json"), false),
    ] {
        assert_eq!(formats(args, env), json, "{args:?} {env:?}");
    }
    for args in [&["info"][..], &["tools", "--json"], &["validate"], &["mcp", "config"], &["completions", "bash"]] {
        let with = run(KITCHEN, &[args, &["--log-format", "json"]].concat());
        assert_eq!((with.code, &with.stdout), (0, &run(KITCHEN, args).stdout), "{with:?}");
    }
    assert_eq!(run(KITCHEN, &["info", "--log-format", "xml"]).code, 2);
    let ran = run_with(KITCHEN, &["info"], b"", |command| {
        command.env("BDK_LOG_FORMAT", "xml");
    });
    assert!(ran.code == 2 && ran.stderr.contains("BDK_LOG_FORMAT"), "{ran:?}");
}

#[test]
fn a_call_over_mcp_says_so_in_its_one_span() {
    let of_mcp = |span: &Value| {
        ["mcp.method.name", "mcp.protocol.version", "network.transport", "otel.kind"]
            .map(|name| span[name].as_str().unwrap_or("none").to_owned())
    };
    let server = Server::start_with(SECRETIVE, &["--log-format", "json"], plant);
    for (client, version) in
        mcp::Client::of_every_kind(&server, &json!({})).into_iter().zip(["2025-11-25", "none", "2026-07-28"])
    {
        let before = server.stderr().len();
        let id = format!("id of {version}");
        client.send(&mcp::request(id.as_str(), "tools/call", json!({ "name": "logs" }))).whole();
        let line = of_the_tool(&server.stderr()[before..]);
        assert_eq!(line["spans"].as_array().map(Vec::len), Some(2), "the call's and the author's: {line}");
        let span = &line["spans"][0];
        assert_eq!(of_mcp(span), ["tools/call", version, "tcp", "server"], "{span}");
        assert_eq!(span["jsonrpc.request.id"], id);
        let session = if version == "2025-11-25" { json!(client.session_id()) } else { Value::Null };
        assert_eq!(span["mcp.session.id"], session);
    }
    let mut command = Command::new(SECRETIVE);
    command.args(["mcp", "serve", "--log-format", "json"]).env("RUST_LOG", "info");
    plant(&mut command);
    let mut client = stdio::Client::spawn(command);
    client.listen();
    let mut client = client.initialized("2025-06-18", &json!({}));
    client.call("logs", json!({}));
    client.close();
    client.wait();
    let span = of_the_tool(&client.stderr())["spans"][0].take();
    assert_eq!(of_mcp(&span), ["tools/call", "2025-06-18", "pipe", "server"], "{span}");
    let (_, answer) = server.call("logs", &json!({}));
    let all = objects(&server.logged(answer["callId"].as_str().expect("an id")));
    let span = &all.iter().rfind(|line| line["spans"][0]["name"] == "execute_tool").expect("a line")["spans"][0];
    assert_eq!(of_mcp(span), ["none", "none", "none", "internal"]);
}

#[test]
fn what_goes_in_is_in_the_span_only_where_that_was_asked_for() {
    for (capture, expected) in [("true", json!(r#"{"what":"[redacted] and more"}"#)), ("false", Value::Null)] {
        let input = r#"{"what":"a-canary-007 and more"}"#;
        let ran =
            run_with(SECRETIVE, &["call", "logs_input", "--input", input, "--log-format", "json"], b"", |command| {
                plant(command);
                command.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", capture).env("RUST_LOG", "info");
            });
        let span = of_the_tool(&ran.stderr)["spans"][0].take();
        assert_eq!(span["gen_ai.tool.call.arguments"], expected, "{span}");
        assert_eq!(span["gen_ai.tool.description"].is_string(), capture == "true", "{span}");
    }
}

#[test]
fn people_read_which_call_it_was_and_not_all_that_collectors_do() {
    let ran = run_with(SECRETIVE, &["call", "logs"], b"", |command| {
        plant(command);
        command.env("RUST_LOG", "info");
    });
    let line = ran.stderr.lines().find(|line| line.contains("execute_tool{")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.contains("execute_tool{gen_ai.tool.name=\"logs\" gen_ai.tool.call.id=\"tool_logs_"), "{line}");
    for name in ["otel.name", "gen_ai.operation.name", "gen_ai.agent.name"] {
        assert!(!line.contains(name), "{line}");
    }
    assert!(line.contains("in-the-open") && line.contains("[redacted]"), "{line}");
}
