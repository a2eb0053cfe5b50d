//! MCP over stdin and stdout: the client goes away, or the bot is told to stop. It ends by itself, in time, and with nothing
//! left unanswered that can be answered.

use bdk_tests::{
    eventually,
    mcp::text,
    run_with,
    stdio::{Client, mark, says},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");
const NOISY: &str = env!("CARGO_BIN_EXE_noisy");
const TALKER: &str = env!("CARGO_BIN_EXE_talker");

/// A client of every kind, whose bot has this grace time.
fn with_grace(exe: &str, grace: &str) -> [Client; 2] {
    let start = || Client::start(exe, &["--drain", grace]);
    [start().initialized("2025-11-25", &json!({})), start().saying_all(&json!({}))]
}

#[test]
fn a_client_that_closes_its_end_ends_the_bot() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        client.close();
        assert_eq!((client.wait(), client.next_message()), (Some(0), None));
        assert_eq!(client.stderr(), "");
    }
    // nothing was ever said
    let ran = run_with(KITCHEN, &["mcp", "serve"], b"", |_| {});
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn whatever_was_sent_before_the_end_is_answered() {
    let call = |id: u32, tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let who = json!({ "name": "t", "version": "1" });
    let initialize = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who });
    let requests = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        call(3, "naps", json!({ "ms": 300 })),
        call(4, "long", json!({ "bytes": 3_000_000 })),
        call(5, "starts_a_program", json!({})),
        json!({ "jsonrpc": "2.0", "id": 6, "method": "no/such/method" }),
    ];
    for alone in [false, true] {
        let lots: Vec<Vec<&Value>> =
            if alone { requests.iter().map(|r| vec![r]).collect() } else { vec![requests.iter().collect()] };
        for lot in lots {
            let input: String = lot.iter().map(|request| format!("{request}\n")).collect();
            let ran = run_with(NOISY, &["mcp", "serve"], input.as_bytes(), |_| {});
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            let answers = ran.stdout.lines().map(|l| serde_json::from_str::<Value>(l).expect("a message"));
            let mut answered: Vec<u64> = answers.filter_map(|a| a["id"].as_u64()).collect();
            answered.sort_unstable();
            let expected: Vec<u64> = lot.iter().filter_map(|r| r["id"].as_u64()).collect();
            assert_eq!(answered, expected);
        }
    }
}

#[test]
fn a_call_that_runs_when_the_client_closes_its_end_is_answered_and_then_the_bot_ends() {
    for mut client in with_grace(KITCHEN, "30s") {
        let blocking = client.begin("sleeps", json!({ "ms": 300 }));
        client.close();
        assert_eq!(text(&client.result(blocking)), "300");
        assert_eq!((client.wait(), client.next_message()), (Some(0), None));
    }
    for mut client in with_grace(NOISY, "30s") {
        let napping = client.begin("naps", json!({ "ms": 300 }));
        client.close();
        assert_eq!(text(&client.result(napping)), "300");
        assert_eq!((client.wait(), client.next_message()), (Some(0), None));
    }
}

#[test]
fn a_call_that_holds_up_its_thread_is_waited_for_and_answered_too() {
    for mut client in with_grace(NOISY, "30s") {
        let (held, gate) = (mark("held"), mark("gate"));
        let id = client.begin("holds_up", json!({ "held": held, "gate": gate }));
        says(&held, "held");
        client.close();
        fs::write(&gate, "").expect("opened");
        assert_eq!(text(&client.result(id)), "through");
        assert_eq!((client.wait(), client.next_message()), (Some(0), None));
    }
}

#[test]
fn an_endless_call_is_given_up_when_the_grace_time_is_over() {
    for mut client in with_grace(TALKER, "200ms") {
        let mark = mark("endless");
        let id = client.begin("hangs", json!({ "mark": mark }));
        says(&mark, "running");
        client.close();
        let result = client.result(id);
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains("shut") || text(&result).contains("cancelled"), "{result}");
        assert_eq!(client.wait(), Some(0));
        says(&mark, "dropped");
    }
}

#[test]
fn a_tool_that_holds_up_its_thread_for_good_does_not_keep_the_bot() {
    for mut client in with_grace(NOISY, "100ms") {
        let (held, gate) = (mark("held"), mark("gate"));
        client.begin("holds_up", json!({ "held": held, "gate": gate }));
        says(&held, "held");
        client.close();
        assert_eq!(client.wait(), Some(0));
    }
}

#[test]
fn a_signal_lets_running_calls_end_and_a_second_one_does_not() {
    for signal in ["TERM", "INT"] {
        for mut client in with_grace(NOISY, "30s") {
            let napping = client.begin("naps", json!({ "ms": 500 }));
            client.is_quiet();
            client.signal(signal);
            assert_eq!(text(&client.result(napping)), "500");
            assert_eq!((client.wait(), client.next_message()), (Some(0), None));
        }
        // far shorter than its grace time
        for mut client in with_grace(TALKER, "10m") {
            let mark = mark("signal");
            let id = client.begin("hangs", json!({ "mark": mark }));
            says(&mark, "running");
            client.signal(signal);
            std::thread::sleep(std::time::Duration::from_millis(200));
            assert!(client.runs());
            client.signal(signal);
            assert_eq!(client.result(id)["isError"], true);
            assert_eq!(client.wait(), Some(0));
            says(&mark, "dropped");
        }
    }
}

#[test]
fn a_signal_after_the_client_closed_its_end_is_heeded_too() {
    for mut client in with_grace(TALKER, "10m") {
        let mark = mark("closed");
        client.begin("hangs", json!({ "mark": mark }));
        says(&mark, "running");
        client.close();
        std::thread::sleep(std::time::Duration::from_millis(200));
        client.signal("TERM");
        assert_eq!(client.wait(), Some(0));
        says(&mark, "dropped");
    }
}

#[test]
fn an_open_subscription_keeps_no_bot() {
    let mut client = Client::start(TALKER, &["--drain", "10m"]).saying_all(&json!({}));
    let params = json!({ "notifications": { "toolsListChanged": true } });
    client.request("subscriptions/listen", params);
    let opened = client.message();
    assert!(opened.get("error").is_none(), "{opened}");
    client.close();
    assert_eq!(client.wait(), Some(0));
}

#[test]
fn a_client_that_reads_no_more_ends_the_bot_without_a_word() {
    let mut client = Client::deaf(TALKER, &["--drain", "10m"]).initialized_unread("2025-11-25");
    let mark = mark("unread");
    client.begin("hangs", json!({ "mark": mark }));
    says(&mark, "running");
    client.shut_out();
    client.begin("list", json!({}));
    assert_eq!(client.wait(), Some(0));
    says(&mark, "dropped");
    assert_eq!(client.stderr(), "");
}

#[test]
fn a_client_that_reads_no_more_of_a_long_result_ends_the_bot_too() {
    let mut client = Client::deaf(NOISY, &["--drain", "10m"]).saying_all(&json!({}));
    for _ in 0..10 {
        client.begin("long", json!({ "bytes": 10 << 20 }));
    }
    client.told("NOISE from the start");
    client.shut_out();
    assert_eq!(client.wait(), Some(0));
    assert!(!client.stderr().contains("panicked"), "{}", client.stderr());
}

#[test]
fn a_client_that_does_not_read_keeps_no_bot_once_it_closed_its_end() {
    let mut client = Client::deaf(NOISY, &["--drain", "100ms"]).saying_all(&json!({}));
    client.begin("long", json!({ "bytes": 1 << 20 }));
    client.close();
    assert_eq!(client.wait(), Some(0));
}

#[test]
fn a_client_that_closed_stderr_has_a_bot_that_works() {
    for mut client in Client::of_every_era(KITCHEN, &json!({})) {
        client.close_stderr();
        for _ in 0..3 {
            assert_eq!(client.call("panics", json!({ "secret": "hunter2hunter2" }))["isError"], true);
            assert_eq!(client.call("panics_blocking", json!({ "secret": "hunter2hunter2" }))["isError"], true);
        }
        client.is_quiet();
        client.close();
        assert_eq!((client.wait(), client.next_message()), (Some(0), None));
    }
}

/// A client that starts a bot and is killed leaves nothing behind: here it is a shell, which holds all ends of the pipes.
#[test]
#[cfg(target_os = "linux")]
fn a_client_that_is_killed_takes_the_bot_along() {
    for tool in ["hangs", "says_and_hangs"] {
        let (mark, pid) = (mark("killed"), mark("pid"));
        let params = json!({ "name": tool, "arguments": { "mark": mark } });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        // the pipes are held by the shell alone: it waits at the fifo, whose writer it is itself
        let script = r#"
            dir=$(mktemp -d); mkfifo "$dir/in" "$dir/out" "$dir/err"
            "$BOT" mcp serve --drain 300ms <"$dir/in" >"$dir/out" 2>"$dir/err" &
            exec 3>"$dir/in" 4<"$dir/out" 5<"$dir/err"
            rm -r "$dir"
            printf '%s\n' "$CALL" >&3
            echo $! >"$PIDFILE"
            echo started
            read -r _ || :
            wait
        "#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).env("BOT", TALKER).env("CALL", call.to_string()).env("PIDFILE", &pid);
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut line = String::new();
        BufReader::new(shell.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        says(&mark, "running");
        shell.kill().expect("killed");
        shell.wait().expect("ended");
        says(&mark, "dropped");
        let pid = fs::read_to_string(&pid).expect("its pid").trim().to_owned();
        let gone = || {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            // whoever adopted it may not have looked yet
            (status.is_empty() || status.contains("State:\tZ")).then_some(())
        };
        eventually(gone).expect("the bot is gone");
    }
}
