//! Tools that run in a process of their own: what they know of the call, and how long the process is there.

use bdk_tests::{Server, eventually, mcp};
use serde_json::{Value, json};
use std::path::Path;

const ANNEX: &str = env!("CARGO_BIN_EXE_annex");

/// What `seen` says of its call.
fn seen(outcome: &Value) -> Value {
    assert_eq!(outcome["isError"], false, "{outcome}");
    outcome["result"]["structuredContent"].clone()
}

fn gone(pid: &Value) -> bool {
    eventually(|| (!Path::new(&format!("/proc/{pid}/stat")).exists()).then_some(())).is_some()
}

#[test]
fn they_see_the_session_of_the_call_and_work_in_its_folder() {
    let state = tempfile::tempdir().expect("a folder");
    let bot = Server::start_with(ANNEX, &["--state", &state.path().display().to_string()], |_| {});
    let me = bot.anyone();
    let as_of = "2026-01-02T03:04:05Z";
    let facts = json!({ "title": "Night", "asOf": as_of, "dryRun": true, "state": { "shift": 3 } });
    let session = me.open(&facts);
    for (tool, input) in [("seen", json!({})), ("asks", json!({})), ("by_code", json!({ "tool": "seen" }))] {
        let told = seen(&me.call_in(&session, tool, &input));
        assert_eq!(told["id"], *session, "{told}");
        assert_eq!((&told["title"], &told["state"]), (&json!("Night"), &json!({ "shift": 3 })));
        assert_eq!((&told["asOf"], &told["now"], &told["dryRun"]), (&json!(as_of), &json!(as_of), &json!(true)));
        assert_eq!(told["auth"]["kind"], "local", "{told}");
        let folder = state.path().canonicalize().expect("there").join("workspaces").join(&session);
        assert_eq!((&told["workspace"], &told["folder"]), (&json!(folder), &json!(folder)), "{told}");
    }
    // one call, one record: that of the bot
    let log = bot.logged("tool=\"asks\"");
    let records = log.lines().filter(|line| line.contains("tool=\"asks\"") && line.contains("outcome=")).count();
    assert_eq!(records, 1, "{log}");
    // a write is stubbed, whoever calls it, and listing them starts nothing
    assert_eq!(me.call_in(&session, "by_code", &json!({ "tool": "keep" }))["isError"], false);
    assert_eq!(me.call_in(&session, "listed", &json!({}))["result"], json!(["asks", "keep", "paces", "seen"]));
    // without a session there is one for the call, and its folder goes with it
    let once = seen(&me.post("tools/seen", &json!({ "asOf": as_of })).1);
    assert_eq!((&once["mode"], &once["asOf"]), (&json!("direct"), &json!(as_of)), "{once}");
    assert_eq!(once["workspace"], once["folder"]);
    assert!(!Path::new(once["folder"].as_str().expect("a folder")).exists(), "{once}");
    assert!(gone(&once["pid"]));
}

#[test]
fn they_tell_the_caller_how_far_they_are() {
    let bot = Server::start(ANNEX, &[]);
    for client in mcp::Client::of_every_kind(&bot, &json!({})) {
        let params = json!({ "name": "paces", "arguments": { "steps": 3 }, "_meta": { "progressToken": "t" } });
        let (said, response) = client.send(&mcp::request(1, "tools/call", params)).said();
        assert_eq!(mcp::text(&response["result"]), "3", "{response}");
        let steps = (1..=3).map(
            |step| json!({ "progressToken": "t", "progress": step, "total": 3, "message": format!("step {step}") }),
        );
        assert_eq!(said.iter().map(|said| said["params"].clone()).collect::<Vec<_>>(), steps.collect::<Vec<_>>());
    }
}

#[test]
fn they_have_nothing_of_the_bots_state_and_say_so() {
    let bot = Server::start(ANNEX, &[]);
    let refused = bot.anyone().post("tools/keep", &json!({})).1;
    let words = refused["result"].to_string();
    assert!(refused["isError"] == true && words.contains("give such a tool what it needs as arguments"), "{refused}");
}

#[test]
fn a_deleted_session_takes_its_process_along_and_then_its_folder() {
    let state = tempfile::tempdir().expect("a folder");
    let bot = Server::start_with(ANNEX, &["--state", &state.path().display().to_string()], |_| {});
    let me = bot.anyone();
    let (kept, deleted) = (me.open(&json!({})), me.open(&json!({})));
    let pids = [&kept, &deleted].map(|session| seen(&me.call_in(session, "seen", &json!({})))["pid"].clone());
    // it stays for the next call
    assert_eq!(seen(&me.call_in(&deleted, "seen", &json!({})))["pid"], pids[1]);
    assert_eq!(me.delete(&format!("session/{deleted}")).0, 200);
    assert!(!Path::new(&format!("/proc/{}", pids[1])).exists(), "its folder is gone, and it is not");
    assert!(!state.path().join("workspaces").join(&deleted).exists());
    assert_eq!(seen(&me.call_in(&kept, "seen", &json!({})))["pid"], pids[0]);
}
