//! Idempotency keys over HTTP: a write that is repeated does not run again.

use bdk_tests::{Answer, Server, asking::Asker, eventually};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

const ACCOUNTS: &str = env!("CARGO_BIN_EXE_accounts");

fn start() -> Server {
    Server::start(ACCOUNTS, &[])
}

fn keyed(asker: Asker<'_>, key: &str, tool: &str, body: &Value) -> Answer {
    asker.ask("POST", &format!("tools/{tool}"), &[&format!("Idempotency-Key: {key}")], Some(body))
}

fn booked(asker: Asker<'_>) -> Value {
    asker.post("tools/balance", &json!({})).1["result"].clone()
}

#[test]
fn a_repeated_write_runs_once_and_answers_byte_for_byte_the_same() {
    let server = start();
    let me = server.anyone();
    let body = json!({ "input": { "what": "ink", "ms": 5 } });
    let first = keyed(me, "k-1", "book", &body);
    assert_eq!(first.json()["result"]["number"], 1);
    assert_eq!(keyed(me, "k-1", "book", &body).body, first.body);
    // the order of members does not count
    assert_eq!(keyed(me, "k-1", "book", &json!({ "input": { "ms": 5, "what": "ink" } })).body, first.body);
    // the body's callId is the same key
    let by_id =
        me.ask("POST", "tools/book", &[], Some(&json!({ "input": { "what": "ink", "ms": 5 }, "callId": "k-1" })));
    assert_eq!(by_id.body, first.body);
    let both = json!({ "input": { "what": "ink", "ms": 5 }, "callId": "k-1" });
    assert_eq!(keyed(me, "k-1", "book", &both).body, first.body);
    assert_eq!(booked(me), 1);
    // another key, and none, run
    assert_eq!(keyed(me, "k-2", "book", &body).json()["result"]["number"], 2);
    assert_eq!(me.post("tools/book", &body).1["result"]["number"], 3);
    assert_eq!(keyed(me, "k-3", "adjust", &json!({})).body, keyed(me, "k-3", "adjust", &json!({})).body);
    assert_eq!(booked(me), 4);
}

#[test]
fn repetitions_at_the_same_time_run_once() {
    let server = start();
    let me = server.anyone();
    let body = json!({ "input": { "what": "ink", "ms": 200 } });
    let answers: Vec<String> = thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| keyed(me, "same", "book", &body).body)).collect();
        calls.into_iter().map(|call| call.join().expect("an answer")).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(booked(me), 1);
}

#[test]
fn a_key_is_for_one_call_of_one_principal() {
    let server = Server::start_with(ACCOUNTS, &[], |command| {
        command.env("ACCOUNTS_TOKENS", "token-of-ann,token-of-ben");
    });
    let (ann, ben) = (server.bearer("token-of-ann"), server.bearer("token-of-ben"));
    let first = keyed(ann, "k", "book", &json!({ "input": { "what": "ink" } }));
    for (tool, input) in [("book", json!({ "what": "pens" })), ("adjust", json!({}))] {
        let other = keyed(ann, "k", tool, &json!({ "input": input })).json();
        assert_eq!((&other["isError"], &other["error"]["code"]), (&json!(true), &json!("failed")), "{other}");
        assert!(other["result"].to_string().contains("idempotency key was used"), "{other}");
    }
    let of_ben = keyed(ben, "k", "book", &json!({ "input": { "what": "ink" } }));
    assert_eq!((&first.json()["result"]["number"], &of_ben.json()["result"]["number"]), (&json!(1), &json!(2)));
    assert_eq!(booked(ann), 2);
}

#[test]
fn a_read_with_a_key_runs_each_time() {
    let server = start();
    let results = [(); 3].map(|()| keyed(server.anyone(), "k", "look", &json!({})).json()["result"].clone());
    assert_eq!(results, [1, 2, 3]);
}

#[test]
fn what_did_not_run_claims_no_key() {
    let server = start();
    let me = server.anyone();
    let refused = keyed(me, "k", "book", &json!({ "input": { "what": 1 } })).json();
    assert_eq!(refused["error"]["code"], "invalid_input");
    let stubbed = keyed(me, "k", "book", &json!({ "input": { "what": "ink" }, "dryRun": true })).json();
    assert_eq!((&stubbed["stubbed"], &stubbed["result"]["number"]), (&json!(true), &json!(0)));
    let ran = keyed(me, "k", "book", &json!({ "input": { "what": "ink" } })).json();
    assert_eq!((&ran["stubbed"], &ran["result"]["number"]), (&json!(false), &json!(1)));
    // what it needed was away, so that it did not run
    let away = keyed(me, "p", "pay", &json!({})).json();
    assert_eq!((&away["isError"], &away["error"]["retryable"]), (&json!(true), &json!(true)), "{away}");
    assert_eq!(keyed(me, "p", "pay", &json!({})).json()["result"], 2);
    assert_eq!(keyed(me, "p", "pay", &json!({})).json()["result"], 2);
}

#[test]
fn a_write_that_ran_and_failed_is_not_run_again() {
    let server = start();
    let me = server.anyone();
    let first = keyed(me, "k", "book_badly", &json!({}));
    assert!(first.body.contains("booking 1 was torn"), "{first:?}");
    assert_eq!(keyed(me, "k", "book_badly", &json!({})).body, first.body);
    assert_eq!(booked(me), 1);
}

#[test]
fn a_key_stands_beside_a_session_which_logs_the_one_call() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let body = json!({ "sessionId": id, "input": { "what": "ink" } });
    let first = keyed(me, "k", "book", &body);
    assert_eq!(keyed(me, "k", "book", &body).body, first.body);
    let events = me.events(&id);
    assert_eq!(events.len(), 4, "{events:?}");
    assert_eq!(events[3]["data"]["callId"], first.json()["callId"]);
    // what a tool calls has no key of its own
    let relay = json!({ "sessionId": id, "input": { "tool": "adjust", "input": {} } });
    let twice = [(); 2].map(|()| keyed(me, "r", "relay", &relay).json()["result"]["result"].clone());
    assert_eq!(twice, [2, 3]);
}

/// Somebody else who writes to the state, as a slow disk would: nothing of the bot's is written until it is let go of.
struct Holder(Child);

impl Holder {
    fn of(state: &Path) -> Self {
        let held = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\nc.execute('BEGIN IMMEDIATE')\n\
                    print('held', flush=True)\nsys.stdin.read()\n";
        let mut python = Command::new("python3")
            .args(["-c", held])
            .arg(state.join("state.db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        BufReader::new(python.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
        assert_eq!(line, "held\n");
        Self(python)
    }
    fn let_go(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().expect("its end");
    }
}

/// The events of a session, by their types.
fn log(me: Asker<'_>, session: &str) -> Vec<String> {
    me.events(session).iter().filter_map(|event| event["type"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_caller_that_goes_away_while_the_beginning_is_written_leaves_no_half_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(ACCOUNTS, &["--state", &folder.path().display().to_string()]);
    let me = server.anyone();
    let session = me.open(&json!({}));
    let body = json!({ "input": { "what": "ink" }, "sessionId": session });
    let holder = Holder::of(folder.path());
    let mut caller = server.connect();
    let text = body.to_string();
    write!(
        caller,
        "POST {}/tools/book HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: {}\r\n\r\n{text}",
        server.prefix,
        server.addr,
        text.len()
    )
    .expect("sent");
    thread::sleep(Duration::from_millis(300));
    drop(caller);
    thread::sleep(Duration::from_millis(300));
    holder.let_go();

    // the call that was given up did not run, and is one call that did not
    let logged = eventually(|| Some(log(me, &session)).filter(|log| log.len() == 4));
    let expected = ["session.started", "session.waiting", "actions.requested", "action.result"];
    assert_eq!(logged.expect("its end"), expected);
    assert_eq!(booked(me), 0);
    let again = keyed(me, "k", "book", &body).json();
    assert_eq!((&again["isError"], booked(me)), (&json!(false), json!(1)), "{again}");
}

#[test]
fn an_end_that_cannot_be_written_is_known_and_is_written_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(ACCOUNTS, &["--state", &folder.path().display().to_string()]);
    let me = server.anyone();
    let session = me.open(&json!({}));
    let body = json!({ "input": { "what": "ink", "ms": 700 }, "sessionId": session });
    let (first, holder) = thread::scope(|scope| {
        let call = scope.spawn(|| keyed(me, "k", "book", &body));
        thread::sleep(Duration::from_millis(300));
        let holder = Holder::of(folder.path());
        (call.join().expect("an answer"), holder)
    });
    // it has run, and says so, though nothing could be written for as long as the bot waits
    assert_eq!(first.json()["isError"], false, "{first:?}");
    assert_eq!(log(me, &session).len(), 3);
    holder.let_go();
    assert_eq!(keyed(me, "k", "book", &body).body, first.body);
    assert_eq!(booked(me), 1);
    let logged = eventually(|| Some(log(me, &session)).filter(|log| log.len() == 4)).expect("its end");
    assert_eq!(logged[3], "action.result");
    assert_eq!(keyed(me, "k", "book", &body).body, first.body);
}

#[test]
fn what_is_no_key_is_refused_before_anything_runs() {
    let server = start();
    let me = server.anyone();
    let long = "k".repeat(256);
    for key in ["", "two words", "ä", &long] {
        let refused = keyed(me, key, "adjust", &json!({}));
        assert_eq!((refused.status, &refused.json()["error"]), (400, &json!("invalid_request")), "{key}");
    }
    for id in [json!(""), json!("two words"), json!(long), json!(1)] {
        assert_eq!(me.post("tools/adjust", &json!({ "callId": id })).0, 400, "{id}");
    }
    let twice = me.ask("POST", "tools/adjust", &["Idempotency-Key: a", "Idempotency-Key: a"], Some(&json!({})));
    assert_eq!(twice.status, 400);
    assert_eq!(keyed(me, "a", "adjust", &json!({ "callId": "b" })).status, 400);
    assert_eq!(booked(me), 0);
    assert_eq!(keyed(me, &"k".repeat(255), "adjust", &json!({})).json()["result"], 1);
}
