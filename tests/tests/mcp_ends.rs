//! cases.md 18, 19 over MCP: whatever ends a call (the client that cancels or goes away, the deadline, a panic, the bot's own
//! end) ends it in every way of speaking, drops what it holds, and leaves the bot to the others.

use bdk_tests::{
    Server,
    mcp::{Client, Reading, id, mark, marked, notification, request, text},
    run_with,
};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

const TALKER: &str = env!("CARGO_BIN_EXE_talker");

fn clients(server: &Server) -> [(&'static str, Client); 3] {
    let [session, without, stateless] = Client::of_every_kind(server, &json!({ "elicitation": {} }));
    [("session", session), ("without", without), ("stateless", stateless)]
}

/// Begins a call that listens to log messages, where that can be said.
fn begin(client: &Client, id: u64, tool: &str, arguments: &Value) -> Reading {
    let meta = json!({ "io.modelcontextprotocol/logLevel": "info" });
    client.send(&request(id, "tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta })))
}

/// Whether such a call answers with a stream.
fn streams(client: &Client) -> bool {
    client.is_stateless() || matches!(client.era, bdk_tests::mcp::Era::Session(_))
}

fn cancel(client: &Client, id: u64) {
    let answer =
        client.send(&notification("notifications/cancelled", json!({ "requestId": id, "reason": "enough" }))).whole();
    assert_eq!(answer.status, 202, "{answer:?}");
}

#[test]
fn a_client_that_cancels_in_its_session_ends_the_call_and_the_session_stays_usable() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({ "elicitation": {} }));
    for tool in ["hangs", "says_and_hangs", "asks_and_marks"] {
        let (mark, id) = (mark(&format!("cancel-{tool}")), id());
        let reading = begin(&client, id, tool, &json!({ "mark": mark }));
        marked(&mark, "running");
        cancel(&client, id);
        marked(&mark, "dropped");
        // the answer ends; nothing of it would be read as a success
        let (_, last) = reading.said();
        if let Some(result) = last.get("result") {
            assert_eq!(result["_meta"]["bdk/error"]["code"], "cancelled", "{last}");
        }
        assert_eq!(text(&client.call("silent", json!({}))), "silent");
    }
}

#[test]
fn a_call_is_cancelled_only_from_its_own_session_and_under_its_own_id() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({}));
    let other = Client::session(&server, json!({}));
    let (mark, id) = (mark("others"), id());
    let reading = begin(&client, id, "hangs", &json!({ "mark": mark }));
    marked(&mark, "running");
    cancel(&other, id);
    cancel(&Client::new(&server), id);
    cancel(&Client::stateless(&server, json!({})), id);
    cancel(&client, id + 1_000_000);
    // the same digits as a text are another id
    let text_id = client.send(&notification("notifications/cancelled", json!({ "requestId": id.to_string() }))).whole();
    assert_eq!(text_id.status, 202);
    assert_eq!(client.send(&notification("notifications/cancelled", json!({}))).whole().status, 202);
    std::thread::sleep(Duration::from_millis(300));
    marked(&mark, "running");
    cancel(&client, id);
    marked(&mark, "dropped");
    drop(reading);
}

#[test]
fn a_call_that_ended_cannot_be_cancelled_and_its_id_may_be_used_again() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({}));
    let id = id();
    for _ in 0..2 {
        let answer = client.send(&request(id, "tools/call", json!({ "name": "silent" }))).whole();
        assert_eq!(text(&answer.json()["result"]), "silent");
        cancel(&client, id);
    }
    assert_eq!(text(&client.call("silent", json!({}))), "silent");
}

#[test]
fn two_calls_under_one_id_are_both_cancelled_under_it() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({}));
    let id = id();
    let marks = [mark("twin-a"), mark("twin-b")];
    let readings = marks.each_ref().map(|mark| {
        let reading = begin(&client, id, "hangs", &json!({ "mark": mark }));
        marked(mark, "running");
        reading
    });
    // a third one that ends does not hide those that run
    let answer = client.send(&request(id, "tools/call", json!({ "name": "silent" }))).whole();
    assert_eq!(text(&answer.json()["result"]), "silent");
    cancel(&client, id);
    marks.iter().for_each(|mark| marked(mark, "dropped"));
    readings.into_iter().for_each(|reading| drop(reading.said()));
}

#[test]
fn a_connection_that_is_dropped_ends_its_call_with_and_without_a_stream() {
    let server = Server::start(TALKER, &[]);
    for (kind, client) in clients(&server) {
        for tool in ["hangs", "says_and_hangs"] {
            let mark = mark(&format!("dropped-{kind}-{tool}"));
            let mut reading = begin(&client, id(), tool, &json!({ "mark": mark }));
            if tool == "says_and_hangs" && streams(&client) {
                assert_eq!(reading.message()["params"]["data"], "this takes long");
            }
            marked(&mark, "running");
            drop(reading);
            marked(&mark, "dropped");
        }
        assert_eq!(text(&client.call("silent", json!({}))), "silent", "{kind}");
    }
}

#[test]
fn a_caller_that_goes_away_while_it_is_asked_ends_the_call() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({ "elicitation": {} }));
    let mark = mark("asked");
    let mut reading = client.begin("asks_and_marks", json!({ "mark": mark }));
    let question = reading.message();
    marked(&mark, "running");
    drop(reading);
    marked(&mark, "dropped");
    let late = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept" } });
    assert_eq!(client.send(&late).whole().status, 202);
}

#[test]
fn a_session_that_is_deleted_ends_what_runs_in_it() {
    let server = Server::start(TALKER, &[]);
    let client = Client::session(&server, json!({ "elicitation": {} }));
    let other = Client::session(&server, json!({}));
    let tools = ["hangs", "says_and_hangs", "asks_and_marks"];
    let marks = tools.map(|tool| mark(&format!("deleted-{tool}")));
    let kept = mark("deleted-other");
    let readings: Vec<Reading> =
        tools.iter().zip(&marks).map(|(tool, mark)| client.begin(tool, json!({ "mark": mark }))).collect();
    let others = other.begin("hangs", json!({ "mark": kept }));
    marks.iter().chain([&kept]).for_each(|m| marked(m, "running"));
    assert_eq!(client.bare("DELETE").whole().status, 204);
    marks.iter().for_each(|m| marked(m, "dropped"));
    readings.into_iter().for_each(|reading| drop(reading.said()));
    marked(&kept, "running");
    drop(others);
}

#[test]
fn a_call_ends_at_its_deadline_whether_it_said_something_or_not() {
    let server = Server::start(TALKER, &[]);
    for (kind, client) in clients(&server) {
        for say in [false, true] {
            let mark = mark(&format!("deadline-{kind}-{say}"));
            let (said, last) = begin(&client, id(), "endless", &json!({ "mark": mark, "say": say })).said();
            assert_eq!(said.len(), usize::from(say && streams(&client)), "{kind} {said:?}");
            assert_eq!(text(&last["result"]), "Tool \"endless\" failed: timed out after 1s");
            assert_eq!(last["result"]["_meta"]["bdk/error"]["code"], "timeout");
            marked(&mark, "dropped");
        }
    }
}

#[test]
fn a_client_that_does_not_read_what_is_said_holds_up_no_deadline() {
    let server = Server::start(TALKER, &[]);
    for (kind, client) in clients(&server) {
        if streams(&client) {
            let mark = mark(&format!("unread-{kind}"));
            let mut reading = begin(&client, id(), "says_much_and_hangs", &json!({ "mark": mark }));
            assert!(reading.head().is_stream());
            marked(&mark, "dropped");
            // and gets all that was kept for it once it reads
            let (_, last) = reading.said();
            assert_eq!(last["result"]["_meta"]["bdk/error"]["code"], "timeout", "{last}");
        }
    }
}

#[test]
fn a_panic_before_and_after_a_word_is_an_error_and_other_calls_go_on() {
    let server = Server::start(TALKER, &[]);
    for (kind, client) in clients(&server) {
        let running = mark(&format!("panic-{kind}"));
        let other = client.begin("hangs", json!({ "mark": running }));
        marked(&running, "running");
        for say in [false, true, false] {
            let (said, last) = begin(&client, id(), "panics", &json!({ "say": say })).said();
            assert_eq!(said.len(), usize::from(say && streams(&client)), "{kind} {said:?}");
            assert_eq!(last["result"]["_meta"]["bdk/error"]["code"], "panicked", "{last}");
            assert!(!last.to_string().contains("hunter2"), "{last}");
        }
        marked(&running, "running");
        drop(other);
        marked(&running, "dropped");
    }
}

#[test]
fn a_session_where_many_calls_run_answers_each_under_its_id() {
    let server = Server::start(TALKER, &[]);
    for (_, client) in clients(&server) {
        let calls: Vec<(u64, Reading)> = (0..20)
            .map(|_| {
                let id = id();
                (id, begin(&client, id, if id.is_multiple_of(2) { "logs" } else { "silent" }, &json!({})))
            })
            .collect();
        for (id, reading) in calls {
            let (_, last) = reading.said();
            assert_eq!(
                (&last["id"], text(&last["result"])),
                (&json!(id), if id.is_multiple_of(2) { "logged" } else { "silent" })
            );
        }
    }
}

#[test]
fn a_call_that_always_finds_something_ready_ends_at_its_deadline_and_when_nobody_waits() {
    let server = Server::start(TALKER, &[]);
    let over_stdio = |say: bool, path: &Path| {
        let call = json!({ "name": "never_rests", "arguments": { "mark": path, "say": say } });
        let ran = run_with(TALKER, &["mcp", "serve"], request(1, "tools/call", call).to_string().as_bytes(), |_| {});
        ran.json()
    };
    for say in [true, false] {
        let path = mark(&format!("never-rests-{say}"));
        for (kind, client) in clients(&server) {
            let (_, ended) = begin(&client, id(), "never_rests", &json!({ "mark": path, "say": say })).said();
            assert_eq!(ended["result"]["_meta"]["bdk/error"]["code"], "timeout", "{kind}: {ended}");
            let reading = begin(&client, id(), "never_rests", &json!({ "mark": path, "say": say }));
            marked(&path, "running");
            drop(reading);
            marked(&path, "dropped");
        }
        let ended = over_stdio(say, &path);
        assert_eq!(ended["result"]["_meta"]["bdk/error"]["code"], "timeout", "{ended}");
    }
}

/// A bot with a call that blocks its thread, for ever.
fn blocked(name: &str) -> (Server, Reading) {
    let server = Server::start_with(TALKER, &["--drain", "100ms"], |command| {
        // one is blocked, and the others go on, however many cores there are
        command.env("TOKIO_WORKER_THREADS", "4");
    });
    let mark = mark(name);
    let reading = Client::new(&server).begin("blocks", json!({ "mark": mark, "seconds": 600 }));
    marked(&mark, "running");
    (server, reading)
}

#[test]
fn a_tool_that_blocks_its_thread_holds_up_no_other_call_and_no_deadline() {
    let (server, _blocked) = blocked("blocks-others");
    for (_, client) in clients(&server) {
        assert_eq!(text(&client.call("silent", json!({}))), "silent");
        let endless = client.call("endless", json!({ "mark": mark("blocks-endless"), "say": false }));
        assert_eq!(endless["_meta"]["bdk/error"]["code"], "timeout", "{endless}");
    }
}

// ---- the end of the bot ----

#[test]
fn a_tool_that_blocks_its_thread_does_not_hold_up_the_end() {
    let (mut server, _blocked) = blocked("blocks-the-end");
    server.terminate();
    assert_eq!(server.ends(), Some(0));
    assert!(server.stderr().contains("blocks its thread"), "{}", server.stderr());
}

/// Begins what runs, or waits, in every way there is.
fn busy(server: &Server, path: impl Fn(&str) -> std::path::PathBuf) -> Vec<(std::path::PathBuf, Reading)> {
    let mut all = Vec::new();
    for (kind, client) in clients(server) {
        for tool in ["hangs", "says_and_hangs"] {
            let mark = path(&format!("{kind}-{tool}"));
            let reading = begin(&client, id(), tool, &json!({ "mark": mark }));
            marked(&mark, "running");
            all.push((mark, reading));
        }
    }
    all
}

fn cancelled(reading: Reading, mark: &Path) {
    let (_, last) = reading.said();
    assert_eq!(last["result"]["_meta"]["bdk/error"]["code"], "cancelled", "{last}");
    marked(mark, "dropped");
}

#[test]
fn a_shutdown_gives_running_calls_their_time_and_then_tells_them() {
    let mut server = Server::start(TALKER, &["--drain", "300ms"]);
    let running = busy(&server, |name| mark(&format!("shutdown-{name}")));
    server.terminate();
    for (mark, reading) in running {
        cancelled(reading, &mark);
    }
    assert_eq!(server.ends(), Some(0));
}

#[test]
fn a_second_signal_ends_running_calls_at_once() {
    let mut server = Server::start(TALKER, &["--drain", "60s"]);
    let running = busy(&server, |name| mark(&format!("twice-{name}")));
    server.terminate();
    std::thread::sleep(Duration::from_millis(200));
    server.terminate();
    assert_eq!(server.ends(), Some(0));
    for (mark, reading) in running {
        drop(reading);
        marked(&mark, "dropped");
    }
}

#[test]
fn a_shutdown_does_not_wait_for_streams_on_which_nothing_runs() {
    let mut server = Server::start(TALKER, &["--drain", "60s"]);
    let session = Client::session(&server, json!({}));
    let mut listening = session.bare("GET");
    assert!(listening.head().is_stream());
    let stateless = Client::stateless(&server, json!({}));
    let mut subscribed =
        stateless.send(&request("s", "subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })));
    assert_eq!(subscribed.message()["method"], "notifications/subscriptions/acknowledged");
    server.terminate();
    assert_eq!(listening.more(), None);
    assert!(listening.ended_well());
    subscribed.messages();
    assert_eq!(server.ends(), Some(0));
}

#[test]
fn whoever_asks_after_the_shutdown_began_is_told_that_nobody_answers() {
    let mut server = Server::start(TALKER, &["--drain", "60s"]);
    let session = Client::session(&server, json!({ "elicitation": {} }));
    let stateless = Client::stateless(&server, json!({ "elicitation": {} }));
    let marks = [mark("late-session"), mark("late-stateless")];
    let clients = [&session, &stateless].into_iter();
    let readings: Vec<Reading> =
        clients.zip(&marks).map(|(client, mark)| client.begin("asks_when_told", json!({ "mark": mark }))).collect();
    marks.iter().for_each(|mark| marked(mark, "running"));
    server.terminate();
    // it takes no connections any more once it has begun
    bdk_tests::eventually(|| std::net::TcpStream::connect(&server.addr).is_err().then_some(())).expect("it began");
    for mark in &marks {
        std::fs::write(mark.with_extension("go"), "").expect("written");
    }
    for reading in readings {
        let (_, last) = reading.said();
        assert_eq!(last["result"]["_meta"]["bdk/error"]["code"], "unavailable", "{last}");
    }
    assert_eq!(server.ends(), Some(0));
    marks.iter().for_each(|mark| drop(std::fs::remove_file(mark.with_extension("go"))));
}

#[test]
fn a_shutdown_tells_calls_that_wait_for_an_answer_that_none_will_come() {
    let mut server = Server::start(TALKER, &["--drain", "60s"]);
    let stateless = Client::stateless(&server, json!({ "elicitation": {} }));
    let parked = mark("shutdown-parked");
    let result = stateless.call("asks_and_marks", json!({ "mark": parked }));
    assert_eq!(result["resultType"], "input_required");
    marked(&parked, "running");
    let session = Client::session(&server, json!({ "elicitation": {} }));
    let asked = mark("shutdown-asked");
    let mut reading = session.begin("asks_and_marks", json!({ "mark": asked }));
    assert_eq!(reading.message()["method"], "elicitation/create");
    server.terminate();
    marked(&parked, "dropped");
    let (_, last) = reading.said();
    assert_eq!(last["result"]["_meta"]["bdk/error"]["code"], "unavailable", "{last}");
    marked(&asked, "dropped");
    assert_eq!(server.ends(), Some(0));
}
