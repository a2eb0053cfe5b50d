//! MCP over stdin and stdout: what stands on the wire, whatever is printed and whatever comes in. cases.md 15, 16, 18, 20,
//! 21, 29.

use bdk_tests::{mcp::text, run, stdio::Client};
use serde_json::{Value, json};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");
const NOISY: &str = env!("CARGO_BIN_EXE_noisy");

#[test]
fn nothing_that_is_printed_anywhere_reaches_the_client() {
    for mut client in Client::of_every_era(NOISY, &json!({})) {
        for _ in 0..3 {
            assert_eq!(text(&client.call("prints", json!({}))), "7");
        }
        assert_eq!(text(&client.call("starts_a_program", json!({}))), "true");
        client.is_quiet();
        client.close();
        assert_eq!(client.wait(), Some(0));
        assert_eq!(client.next_message(), None);
        for noise in [
            "NOISE from main",
            "NOISE from a program of main",
            "NOISE from the start",
            "NOISE from a static",
            "NOISE from a provider",
            "NOISE from a tool",
            "NOISE without an end of line",
            "NOISE {\"jsonrpc\"",
            "NOISE on stderr",
            "NOISE from a program\n",
            "NOISE after it",
        ] {
            client.told(noise);
        }
    }
}

#[test]
fn no_tool_and_no_program_that_it_starts_takes_messages_away() {
    for mut client in Client::of_every_era(NOISY, &json!({})) {
        let programs: Vec<u64> = (0..5).map(|_| client.begin("starts_a_program", json!({}))).collect();
        let readers: Vec<u64> = (0..5).map(|_| client.begin("reads_stdin", json!({}))).collect();
        let others: Vec<u64> = (0..50).map(|n| client.begin("long", json!({ "bytes": n }))).collect();
        for id in programs {
            assert_eq!(text(&client.result(id)), "true");
        }
        for id in readers {
            assert_eq!(text(&client.result(id)), "0");
        }
        for (n, id) in others.into_iter().enumerate() {
            assert_eq!(text(&client.result(id)).len(), n);
        }
        client.is_quiet();
    }
}

#[test]
fn what_is_no_message_is_answered_once_and_the_loop_lives() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
        let arguments = format!(
            r#"{{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{{"name":"add","arguments":{deep}}}}}"#
        );
        let faults: [(&[u8], i64, Value); 11] = [
            (b"garbage", -32700, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,", -32700, Value::Null),
            (b"Content-Length: 40", -32700, Value::Null),
            (b"\xff\xfe\x00", -32700, Value::Null),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, Value::Null),
            (b"\x00", -32700, Value::Null),
            (b"[]", -32600, Value::Null),
            (b"3", -32600, Value::Null),
            (b"{\"id\":4,\"method\":\"ping\"}", -32600, json!(4)),
            (deep.as_bytes(), -32600, Value::Null),
            (arguments.as_bytes(), -32700, json!("d")),
        ];
        for (line, code, id) in faults {
            client.raw([line, b"\n"].concat());
            let answer = client.message();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{}", line.escape_ascii());
            client.is_quiet();
        }
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_is_read() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let (_, mut message) = client.made("tools/call", json!({ "name": "anything", "arguments": { "data": "" } }));
        message["params"]["arguments"]["data"] = "x".repeat(20 << 20).into();
        client.send(&message);
        let answer = client.message();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
        client.is_quiet();
        // no line at all
        client.raw(vec![b'x'; 17 << 20]);
        client.raw(vec![b'x'; 17 << 20]);
        client.raw("\n");
        assert_eq!(client.message()["error"]["code"], -32600);
        client.is_quiet();
    }
}

#[test]
fn a_line_of_almost_the_limit_is_a_call_like_any_other() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let data = "x".repeat(15 << 20);
        let result = client.call("anything", json!({ "data": data }));
        assert!(text(&result) == data, "{} bytes", text(&result).len());
    }
}

#[test]
fn lines_end_as_they_like_and_blank_ones_are_none() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let (id, call) = client.made("tools/call", json!({ "name": "nothing_asked" }));
        client.raw("\n\r\n  \n\t\r\n");
        client.raw(format!("{call}\r\n \n\n"));
        assert_eq!(text(&client.result(id)), "pong");
        let (id, call) = client.made("tools/call", json!({ "name": "nothing_asked" }));
        // it comes in pieces
        for byte in format!("  {call}  \n").bytes() {
            client.raw([byte]);
        }
        assert_eq!(text(&client.result(id)), "pong");
        client.is_quiet();
        // and the last has no end
        let (id, call) = client.made("tools/call", json!({ "name": "nothing_asked" }));
        client.raw(call.to_string());
        client.close();
        assert_eq!(text(&client.result(id)), "pong");
        assert_eq!((client.next_message(), client.wait()), (None, Some(0)));
    }
}

#[test]
fn a_notification_is_never_answered_and_neither_is_an_answer_to_nothing() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        client.notify("notifications/initialized", json!({}));
        client.notify("notifications/cancelled", json!({ "requestId": 999 }));
        client.notify("notifications/cancelled", json!({}));
        client.notify("notifications/no/such", json!({ "a": 1 }));
        client.notify("tools/call", json!({ "name": "nothing_asked" }));
        client.send(&json!({ "jsonrpc": "2.0", "id": "bdk-7", "result": {} }));
        client.send(&json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": -1, "message": "no" } }));
        client.is_quiet();
    }
}

/// What `call` prints, as MCP has it.
fn wrapped(printed: &Value) -> Value {
    let result = &printed["result"];
    if result["content"].is_array() {
        let mut result = result.clone();
        result["isError"] = printed["isError"].clone();
        return result;
    }
    let text = match result {
        Value::Null => "Done.".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    json!({ "content": [{ "type": "text", "text": text }], "isError": printed["isError"] })
}

/// Takes the call's id out of a text, which is another one each time.
fn nameless(result: &mut Value) {
    if let Some((text, _)) = result["content"][0]["text"].as_str().and_then(|text| text.split_once(" under tool_")) {
        result["content"][0]["text"] = text.into();
    }
}

#[test]
fn results_texts_and_errors_are_those_of_the_command_line() {
    let calls = [
        ("add", json!({ "a": 1, "b": 2 })),
        ("add", json!({ "a": 5.0, "b": "6" })),
        ("add", json!({ "a": "5", "b": -1 })),
        ("add", json!({ "a": 1, "b": 2, "bogus": 1 })),
        ("add", json!([])),
        ("add", json!("{\"a\":1,\"b\":2}")),
        ("add", json!(3)),
        ("unit_of", json!({ "unit": "celsuis" })),
        ("anything", json!({ "data": "{\"a\":1}" })),
        ("fails", json!({ "why": "no \"route\"\nto host" })),
        ("panics", json!({ "secret": "hunter2hunter2" })),
        ("panics_blocking", json!({ "secret": "hunter2hunter2" })),
        ("not_a_number", json!({})),
        ("too_big", json!({})),
        ("odd_keys", json!({})),
        ("deep", json!({ "levels": 1500 })),
        ("envelope", json!({ "bad": false })),
        ("envelope", json!({ "bad": true })),
        ("say_nothing", json!({})),
        ("window", json!({ "lo": 3, "hi": 2 })),
        ("panics_twice", json!({ "now": true })),
    ];
    let mut clients = Client::of_every_era(KITCHEN, &json!({}));
    for (tool, input) in calls {
        let printed = run(KITCHEN, &["call", tool, "--input", &input.to_string()]).json();
        let mut expected = wrapped(&printed);
        nameless(&mut expected);
        for client in &mut clients {
            let mut result = client.call(tool, input.clone());
            assert!(!result.to_string().contains("hunter2"), "{result}");
            nameless(&mut result);
            assert_eq!(result["content"], expected["content"], "{tool} {input}: {printed}");
            let is_error = result["isError"].take();
            assert_eq!(is_error.as_bool().unwrap_or(false), expected["isError"], "{tool} {input}: {printed}");
        }
    }
    for client in &mut clients {
        // it only looks like a result of MCP's
        let lookalike = client.call("lookalike", json!({}));
        assert_eq!(text(&lookalike), r#"{"content":[{"type":"text","text":"data"}],"isError":true}"#);
        assert_eq!(text(&client.call("panics", json!({}))), "calm");
        client.is_quiet();
    }
}

#[test]
fn an_unknown_tool_is_a_wrong_parameter_in_the_words_of_the_command_line() {
    let printed = run(KITCHEN, &["call", "ad"]).json();
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let id = client.begin("ad", json!({}));
        let response = client.response(id);
        assert_eq!(response["error"]["code"], -32602, "{response}");
        let message = response["error"]["message"].as_str().expect("a message");
        assert!(message.contains("\"add\""), "{message}");
        assert_eq!(printed["message"], message, "{printed}");
    }
}

#[test]
fn the_listing_is_that_of_the_command_line() {
    let names = |tools: &Value| -> Vec<Value> {
        tools.as_array().unwrap_or_else(|| panic!("{tools}")).iter().map(|tool| tool["name"].clone()).collect()
    };
    let printed = run(KITCHEN, &["tools", "--json"]).json();
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        let id = client.request("tools/list", json!({}));
        let listed = client.result(id)["tools"].take();
        let printed = if printed.is_array() { &printed } else { &printed["tools"] };
        assert_eq!(names(&listed), names(printed));
    }
}

#[test]
#[cfg(unix)]
fn sockets_that_do_not_block_are_as_good_as_pipes() {
    use std::{
        io::{BufRead, BufReader, Write},
        os::{fd::OwnedFd, unix::net::UnixStream},
        process::{Command, Stdio},
        time::Duration,
    };
    let pair = || {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        theirs.set_nonblocking(true).expect("an option");
        ours.set_read_timeout(Some(Duration::from_secs(60))).expect("an option");
        (ours, Stdio::from(OwnedFd::from(theirs)))
    };
    let ((mut input, stdin), (output, stdout)) = (pair(), pair());
    let mut command = Command::new(NOISY);
    command.args(["mcp", "serve"]).stdin(stdin).stdout(stdout).stderr(Stdio::null());
    let mut child = command.spawn().expect("started");
    drop(command);
    let mut output = BufReader::new(output);
    for round in 0..3 {
        // nothing is there to be read for a while
        std::thread::sleep(Duration::from_millis(100));
        for tool in ["long", "naps"] {
            let arguments = json!({ "bytes": 1 << 20 });
            let arguments = if tool == "naps" { json!({ "ms": 50 }) } else { arguments };
            let params = json!({ "name": tool, "arguments": arguments });
            let call = json!({ "jsonrpc": "2.0", "id": round, "method": "tools/call", "params": params });
            writeln!(input, "{call}").expect("sent");
            std::thread::sleep(Duration::from_millis(100));
            let mut line = String::new();
            output.read_line(&mut line).expect("a line");
            let response: Value = serde_json::from_str(&line).expect("a message");
            assert_eq!(response["id"], round);
        }
    }
    drop(input);
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}
