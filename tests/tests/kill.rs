//! `kill -9` at random moments under load: what was acknowledged is there after the next start, nothing has run twice, and what was
//! cut off is recorded as unknown.

use bdk_tests::{Server, kept::Kept};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

const LEDGER: &str = env!("CARGO_BIN_EXE_ledger");
const ROUNDS: u64 = 200;
const WRITERS: u64 = 4;

/// What is known of one round from outside.
#[derive(Default)]
struct Round {
    /// The answers to marks, by their idempotency keys; none where the connection broke before.
    marks: BTreeMap<String, Option<String>>,
    /// The ids of the calls in the session that were answered.
    calls: Vec<String>,
    /// By key: the last number that was acknowledged, and the last that was sent.
    numbers: HashMap<String, (u64, u64)>,
    /// How many additions were acknowledged, and how many were sent.
    added: (u64, u64),
}

fn start(state: &Path) -> Server {
    Server::start_with(LEDGER, &["--state", &state.display().to_string()], |command| {
        command.env("RUST_LOG", "error");
    })
}

fn kill(server: &mut Server) {
    let sent = Command::new("kill").args(["-9", &server.pid().to_string()]).status().expect("kill");
    assert!(sent.success());
    server.wait();
}

/// A generator of moments and choices: the same in every run of the test.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn load(server: &Server, session: &str, marks: &Path, round: u64, known: &Mutex<Round>, stop: &AtomicBool) {
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let known = &known;
            scope.spawn(move || {
                let Some(mut kept) = Kept::to(&server.addr) else { return };
                let path = |tool: &str| format!("{}/tools/{tool}", server.prefix);
                for step in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let key = format!("r{round}-w{writer}-{step}");
                    known.lock().expect("known").marks.insert(key.clone(), None);
                    let body = json!({ "input": { "file": marks, "line": key }, "sessionId": session });
                    let Some((status, body)) = kept.post(&path("mark"), &[("Idempotency-Key", &key)], &body) else {
                        return;
                    };
                    assert_eq!(status, 200, "{body}");
                    let call: Value = serde_json::from_str(&body).expect("JSON");
                    {
                        let mut known = known.lock().expect("known");
                        known.calls.push(call["callId"].as_str().expect("an id").to_owned());
                        known.marks.insert(key, Some(body));
                    }

                    let name = format!("number-{writer}");
                    known.lock().expect("known").numbers.entry(name.clone()).or_default().1 =
                        round * 100_000 + step + 1;
                    let body = json!({ "input": { "key": name, "number": round * 100_000 + step + 1 } });
                    let Some((_, body)) = kept.post(&path("keep"), &[], &body) else { return };
                    assert!(body.contains("\"isError\":false"), "{body}");
                    known.lock().expect("known").numbers.entry(name.clone()).or_default().0 =
                        round * 100_000 + step + 1;

                    let body = json!({ "input": { "key": name }, "sessionId": session });
                    let Some((_, body)) = kept.post(&path("look"), &[], &body) else { return };
                    let call: Value = serde_json::from_str(&body).expect("JSON");
                    assert!(call["result"].as_u64() >= Some(round * 100_000 + step + 1), "{body}");
                    known.lock().expect("known").calls.push(call["callId"].as_str().expect("an id").to_owned());

                    known.lock().expect("known").added.1 += 1;
                    let Some((_, body)) = kept.post(&path("count"), &[], &json!({ "input": { "key": "added" } }))
                    else {
                        return;
                    };
                    assert!(body.contains("\"isError\":false"), "{body}");
                    known.lock().expect("known").added.0 += 1;
                }
            });
        }
    });
}

fn events(server: &Server, session: &str) -> Vec<Value> {
    // of a client of HTTP/1.0 the answer is not cut into chunks
    let head = format!(
        "GET {}/session/{session}/events?follow=false HTTP/1.0\r\nHost: {}\r\n\r\n",
        server.prefix, server.addr
    );
    let answer = server.raw(head.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.lines().map(|line| serde_json::from_str(line).expect("an event a line")).collect()
}

fn lines(marks: &Path) -> HashMap<String, usize> {
    let mut counted = HashMap::new();
    for line in std::fs::read_to_string(marks).unwrap_or_default().lines() {
        *counted.entry(line.to_owned()).or_default() += 1;
    }
    counted
}

/// Holds what the bot has after a start against what is known of the round before it.
fn check(server: &Server, session: &str, marks: &Path, round: &Round, added: &mut (u64, u64), unknown: &mut usize) {
    let events = events(server, session);
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["index"], index as u64, "a gap before {event}");
    }
    let mut requested: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ended: BTreeMap<&str, &Value> = BTreeMap::new();
    for event in &events {
        match event["type"].as_str() {
            Some("actions.requested") => {
                *requested.entry(event["data"]["actions"][0]["callId"].as_str().expect("an id")).or_default() += 1;
            }
            Some("action.result") => {
                let id = event["data"]["callId"].as_str().expect("an id");
                assert!(requested.contains_key(id), "{id} ended before it was asked for");
                assert!(ended.insert(id, &event["data"]).is_none(), "{id} ended twice");
            }
            _ => {}
        }
    }
    assert!(requested.values().all(|times| *times == 1), "{requested:?}");
    assert!(requested.keys().all(|id| ended.contains_key(id)), "a call without an end: {events:?}");
    for id in &round.calls {
        let data = ended.get(&**id).unwrap_or_else(|| panic!("{id} was answered, and is not in the log"));
        assert_eq!(data["isError"], false, "{data}");
    }
    *unknown += ended.values().filter(|data| data["result"].to_string().contains("outcome is unknown")).count();

    let mut kept = Kept::to(&server.addr).expect("it listens");
    let mut call = |tool: &str, headers: &[(&str, &str)], body: Value| {
        kept.post(&format!("{}/tools/{tool}", server.prefix), headers, &body).expect("an answer").1
    };
    for (key, (acknowledged, sent)) in &round.numbers {
        let found: Value = serde_json::from_str(&call("look", &[], json!({ "input": { "key": key } }))).expect("JSON");
        let found = found["result"].as_u64().unwrap_or_default();
        assert!((*acknowledged..=*sent).contains(&found), "{key}: {found}, of {acknowledged} to {sent}");
    }
    added.0 += round.added.0;
    added.1 += round.added.1;
    let found: Value = serde_json::from_str(&call("look", &[], json!({ "input": { "key": "added" } }))).expect("JSON");
    let found = found["result"].as_u64().unwrap_or_default();
    assert!((added.0..=added.1).contains(&found), "{found} additions, of {added:?}");

    // whoever does not know repeats, with the same key: nothing runs twice, also across the kill
    let before = lines(marks);
    for (key, answer) in &round.marks {
        let ran = before.get(key).copied().unwrap_or_default();
        assert!(ran <= 1, "{key} ran {ran} times");
        let body = json!({ "input": { "file": marks, "line": key }, "sessionId": session });
        let again = call("mark", &[("Idempotency-Key", key)], body);
        match answer {
            Some(answer) => assert_eq!(&again, answer, "the first one's outcome"),
            None if again.contains("\"isError\":true") => assert!(again.contains("outcome is unknown"), "{again}"),
            None => {}
        }
    }
    let after = lines(marks);
    for (key, answer) in &round.marks {
        let ran = after.get(key).copied().unwrap_or_default();
        assert!(ran <= 1, "{key} ran {ran} times after a repetition");
        assert!(answer.is_none() || ran == 1, "{key} was answered and has not run");
    }
}

fn open(server: &Server) -> String {
    let answer = server.post(&format!("{}/session", server.prefix), b"{}").json();
    answer["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_acknowledged_and_run_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let (state, marks) = (folder.path().join("state"), folder.path().join("marks"));
    let (mut seed, mut added, mut unknown, mut answered) = (20_261_201, (0, 0), 0, 0);
    let mut before: Option<(String, Round)> = None;
    for round in 0..ROUNDS {
        let mut server = start(&state);
        if let Some((session, round)) = before.take() {
            check(&server, &session, &marks, &round, &mut added, &mut unknown);
        }
        let session = open(&server);
        let (known, stop) = (Mutex::new(Round::default()), AtomicBool::new(false));
        let moment = Duration::from_millis(10 + random(&mut seed) % 190);
        let pid = server.pid();
        thread::scope(|scope| {
            scope.spawn(|| load(&server, &session, &marks, round, &known, &stop));
            thread::sleep(moment);
            let sent = Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill");
            assert!(sent.success());
            stop.store(true, Ordering::Relaxed);
        });
        server.wait();
        let known = known.into_inner().expect("known");
        answered += known.calls.len();
        before = Some((session, known));
    }
    let server = start(&state);
    let (session, round) = before.expect("a round");
    check(&server, &session, &marks, &round, &mut added, &mut unknown);
    // a load that never got anywhere, or kills that never hit anything, would prove nothing
    assert!(answered > 1000, "only {answered} calls were answered");
    assert!(unknown > 0, "no call was ever cut off");
}

#[test]
fn a_call_that_was_cut_off_is_recorded_as_unknown_and_is_not_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (state, marks) = (folder.path().join("state"), folder.path().join("marks"));
    let mut server = start(&state);
    let session = open(&server);
    let body = json!({ "input": { "file": marks, "line": "once" }, "sessionId": session });
    let mut kept = Kept::to(&server.addr).expect("it listens");
    let path = format!("{}/tools/dawdle", server.prefix);
    thread::scope(|scope| {
        let call = scope.spawn(|| kept.post(&path, &[("Idempotency-Key", "k")], &body));
        bdk_tests::eventually(|| (lines(&marks).len() == 1).then_some(())).expect("the tool runs");
        kill(&mut server);
        assert_eq!(call.join().expect("an end"), None);
    });

    let server = start(&state);
    let last = events(&server, &session).pop().expect("events");
    assert_eq!((&last["type"], &last["data"]["isError"]), (&json!("action.result"), &json!(true)));
    assert_eq!(last["data"]["error"]["code"], "cancelled");
    assert!(last["data"]["result"].to_string().contains("outcome is unknown"), "{last}");
    let mut kept = Kept::to(&server.addr).expect("it listens");
    let path = format!("{}/tools/dawdle", server.prefix);
    let (_, again) = kept.post(&path, &[("Idempotency-Key", "k")], &body).expect("an answer");
    assert!(again.contains("outcome is unknown"), "{again}");
    assert_eq!(lines(&marks), HashMap::from([("once".to_owned(), 1)]));
}
