//! cases.md 13, 18, 19, 30: every call ends, and leaves nothing behind.

use bdk_tests::{Server, eventually, run};
use serde_json::{Value, json};
use std::{fs, io::Write, path::PathBuf, time::Instant};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

fn mark(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bdk-tests-{}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn an_endless_call_ends_at_its_deadline_and_its_future_is_dropped() {
    let mark = mark("endless");
    let ran = run(KITCHEN, &["call", "endless", "--input", &json!({ "mark": mark }).to_string()]);
    let answer = ran.json();
    assert_eq!(text(&answer), "Tool \"endless\" failed: timed out after 1s");
    assert_eq!(answer["error"]["code"], "timeout");
    assert_eq!(fs::read_to_string(&mark).expect("dropped"), "dropped");
}

#[test]
fn a_caller_that_goes_away_ends_the_call_and_its_workspace() {
    let server = Server::start(KITCHEN, &[]);
    let mark = mark("gone");
    let body = json!({ "input": { "mark": mark } }).to_string();
    let mut stream = server.connect();
    let head = format!(
        "POST {}/tools/long_wait HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        server.prefix,
        server.addr,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let dir = eventually(|| fs::read_to_string(&mark).ok().filter(|s| !s.is_empty())).expect("the tool runs");
    assert!(fs::metadata(&dir).is_ok_and(|m| m.is_dir()), "{dir}");
    drop(stream);
    eventually(|| fs::read_to_string(&mark).ok().filter(|s| s == "given up")).expect("the tool was given up");
    eventually(|| (!fs::exists(&dir).unwrap_or(true)).then_some(())).expect("its folder is gone");
    assert_eq!(server.call("nothing_asked", &json!({})).1["result"], "pong");
}

#[test]
fn a_blocking_tool_is_told_that_nobody_waits_any_more() {
    let server = Server::start(KITCHEN, &[]);
    let mark = mark("blocking");
    let (_, answer) = server.call("blocks_until_cancelled", &json!({ "input": { "mark": mark } }));
    assert_eq!(answer["error"]["code"], "timeout");
    eventually(|| fs::read_to_string(&mark).ok()).expect("the thread noticed");
}

#[test]
fn blocking_tools_hold_up_nobody() {
    let server = Server::start(KITCHEN, &[]);
    std::thread::scope(|scope| {
        let slow: Vec<_> =
            (0..4).map(|_| scope.spawn(|| server.call("sleeps", &json!({ "input": { "ms": 2000 } })))).collect();
        std::thread::sleep(std::time::Duration::from_millis(200));
        let before = Instant::now();
        assert_eq!(server.call("nothing_asked", &json!({})).1["result"], "pong");
        assert!(slow.iter().all(|t| !t.is_finished()), "another tool answered first, after {:?}", before.elapsed());
        for call in slow {
            assert_eq!(call.join().expect("answered").1["result"], 2000);
        }
    });
}

#[test]
fn a_workspace_is_there_during_the_call_and_gone_after_it() {
    let server = Server::start(KITCHEN, &[]);
    let (_, answer) = server.call("workspace", &json!({ "input": { "panic": false } }));
    let dir = answer["result"]["dir"].as_str().expect("a folder");
    assert!(!fs::exists(dir).expect("known"), "{dir}");
    let session = &answer["result"]["session"];
    assert_eq!(session["mode"], "direct");
    assert!(session["id"].as_str().is_some_and(|id| id.starts_with("ses_")), "{session}");
    assert_eq!(answer["result"]["callId"], answer["callId"]);

    let before = folders();
    assert_eq!(server.call("workspace", &json!({ "input": { "panic": true } })).1["error"]["code"], "panicked");
    let left: Vec<_> =
        folders().into_iter().filter(|f| !before.contains(f)).filter(|f| f.join("note").exists()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_outlives_its_call_is_told_so_however_late_it_asks() {
    let server = Server::start(KITCHEN, &[]);
    let mark = mark("late");
    let (_, answer) = server.call("asks_late", &json!({ "input": { "mark": mark } }));
    assert_eq!(answer["error"]["code"], "timeout");
    let told = eventually(|| fs::read_to_string(&mark).ok().filter(|s| !s.is_empty())).expect("the thread goes on");
    assert_eq!(told, "cancelled: true, calls: false");
}

#[test]
fn a_future_that_panics_when_dropped_changes_nothing_of_how_its_call_ended() {
    let server = Server::start(KITCHEN, &[]);
    let (status, answer) = server.call("panics_when_dropped", &json!({}));
    assert_eq!((status, &answer["error"]["code"]), (200, &json!("timeout")), "{answer}");
    let (status, answer) = server.call("panics_twice", &json!({ "input": { "now": true } }));
    assert_eq!((status, &answer["error"]["code"]), (200, &json!("panicked")), "{answer}");
    assert_eq!(server.call("panics_twice", &json!({ "input": { "now": false } })).1["result"], 0);
    let ran = run(KITCHEN, &["call", "panics_when_dropped"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!("timeout")));
}

#[test]
fn a_result_too_deep_to_be_read_is_an_error_and_the_bot_lives() {
    let server = Server::start(KITCHEN, &[]);
    assert_eq!(server.call("deep", &json!({ "input": { "levels": 100 } })).1["isError"], false);
    let (_, answer) = server.call("deep", &json!({ "input": { "levels": 1000 } }));
    assert!(text(&answer).contains("nested more than 120 levels deep"), "{answer}");
    assert_eq!(server.call("nothing_asked", &json!({})).1["result"], "pong");
}

#[test]
fn a_provider_that_blocks_holds_up_no_deadline_and_nobody_else() {
    let server = Server::start(KITCHEN, &[]);
    let (_, answer) = server.call("needs_slow", &json!({}));
    assert_eq!(answer["error"]["code"], "timeout", "{answer}");
    assert_eq!(server.call("nothing_asked", &json!({})).1["result"], "pong");
}

#[test]
fn whoever_waits_for_a_provider_shares_its_failure_and_only_the_next_call_tries_again() {
    let server = Server::start(KITCHEN, &[]);
    let ask = || server.call("needs_failing", &json!({})).1;
    let first: Vec<Value> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
        calls.into_iter().map(|call| call.join().expect("answered")).collect()
    });
    // all but stragglers that came after the first try had ended
    let shared = first.iter().filter(|a| text(a) == "Tool \"needs_failing\" failed: failure 0").count();
    assert!(shared >= 8, "{first:?}");
    assert!(first.iter().all(|a| a["error"]["code"] == "failed"), "{first:?}");
    assert_ne!(text(&ask()), "Tool \"needs_failing\" failed: failure 0");
}

fn folders() -> Vec<PathBuf> {
    let all = fs::read_dir(std::env::temp_dir()).expect("readable").filter_map(Result::ok).map(|e| e.path());
    all.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("bdk-"))).collect()
}

#[test]
fn a_shutdown_lets_running_calls_end_and_takes_no_new_ones() {
    let mut server = Server::start(KITCHEN, &["--drain", "10s"]);
    let pid = server.pid();
    let answer = std::thread::scope(|scope| {
        let running = scope.spawn(|| server.call("sleeps", &json!({ "input": { "ms": 1000 } })));
        std::thread::sleep(std::time::Duration::from_millis(300));
        server.interrupt();
        running.join().expect("answered")
    });
    assert_eq!(answer.1["result"], 1000, "{pid}");
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_shutdown_gives_up_what_outlasts_the_grace_time() {
    let mut server = Server::start(KITCHEN, &["--drain", "200ms"]);
    let mark = mark("drain");
    let answer = std::thread::scope(|scope| {
        let running = scope.spawn(|| server.call("long_wait", &json!({ "input": { "mark": mark } })));
        eventually(|| fs::read_to_string(&mark).ok().filter(|s| !s.is_empty())).expect("the tool runs");
        server.interrupt();
        running.join().expect("answered")
    });
    assert_eq!(answer.1["error"]["code"], "cancelled");
    assert!(text(&answer.1).contains("outcome is unknown"), "{answer:?}");
    assert_eq!(server.wait(), Some(0));
    assert_eq!(fs::read_to_string(&mark).expect("dropped"), "given up");
}
