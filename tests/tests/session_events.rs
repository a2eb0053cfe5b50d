//! A session's log over HTTP, as it grows: NDJSON and server-sent events.

use bdk_tests::{Server, eventually};
use serde_json::{Value, json};
use std::thread;

const ACCOUNTS: &str = env!("CARGO_BIN_EXE_accounts");

fn start() -> Server {
    Server::start(ACCOUNTS, &[])
}

#[test]
fn ndjson_has_what_was_and_then_what_comes() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let mut stream = me.stream(&format!("session/{id}/events"), &[]);
    assert_eq!(stream.status(), 200);
    assert!(stream.head.to_ascii_lowercase().contains("content-type: application/x-ndjson"), "{}", stream.head);
    let first = stream.json();
    assert_eq!((&first["index"], &first["type"]), (&json!(0), &json!("session.started")));
    let names: Vec<&String> = first.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["index", "type", "at", "data"]);
    assert_eq!(stream.json()["type"], "session.waiting");
    for n in 0..3 {
        me.call_in(&id, "look", &json!({}));
        assert_eq!(stream.json()["index"], 2 + 2 * n);
        assert_eq!(stream.json()["data"]["result"], n + 1);
    }
    let mut late = me.stream(&format!("session/{id}/events?from=7&follow=true"), &[]);
    assert_eq!(late.json()["index"], 7);
    me.call_in(&id, "look", &json!({}));
    assert_eq!([stream.json()["index"].clone(), late.json()["index"].clone()], [8, 8]);
}

#[test]
fn follow_false_ends_with_what_there_is() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    for _ in 0..40 {
        me.call_in(&id, "look", &json!({}));
    }
    for (query, from) in [("follow=false", 0), ("follow=false&from=0", 0), ("from=81&follow=false", 81)] {
        let mut stream = me.stream(&format!("session/{id}/events?{query}"), &[]);
        let indexes: Vec<Value> =
            std::iter::from_fn(|| Some(serde_json::from_str::<Value>(&stream.line()?).expect("JSON")["index"].clone()))
                .collect();
        assert_eq!(indexes, (from..82).collect::<Vec<u64>>(), "{query}");
    }
    for query in ["from=82&follow=false", "from=18446744073709551615&follow=false"] {
        assert_eq!(me.stream(&format!("session/{id}/events?{query}"), &[]).line(), None, "{query}");
    }
}

#[test]
fn server_sent_events_have_the_same_lines_and_go_on_behind_the_last_id() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    me.call_in(&id, "look", &json!({}));
    let lines = me.events(&id);
    let route = format!("session/{id}/events");
    let mut stream = me.stream(&route, &["Accept: text/event-stream"]);
    assert!(stream.head.to_ascii_lowercase().contains("content-type: text/event-stream"), "{}", stream.head);
    for line in &lines {
        let (id, kind, data) = stream.event().expect("an event");
        assert_eq!(
            (&*id, &*kind, &data),
            (&*line["index"].to_string(), line["type"].as_str().unwrap_or_default(), line)
        );
    }
    me.call_in(&id, "look", &json!({}));
    assert_eq!(stream.event().expect("an event").0, "4");

    // a browser that lost its connection asks for the URL that it asked for before
    let again = ["Accept: text/event-stream", "Last-Event-ID: 3"];
    let mut resumed = me.stream(&format!("{route}?from=1"), &again);
    assert_eq!(resumed.event().expect("an event").0, "4");
    let mut fresh = me.stream(&format!("{route}?from=2"), &["Accept: text/event-stream", "Last-Event-ID: "]);
    assert_eq!(fresh.event().expect("an event").0, "2");
    let mut whole = me.stream(&format!("{route}?from=4&follow=false"), &["Accept: text/event-stream"]);
    let ids: Vec<String> = std::iter::from_fn(|| whole.event().map(|event| event.0)).collect();
    assert_eq!(ids, ["4", "5"]);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    for (query, headers) in [
        ("?from=x", &[][..]),
        ("?from=", &[]),
        ("?from=-1", &[]),
        ("?from=1&from=2", &[]),
        ("?follow=yes", &[]),
        ("?follow=", &[]),
        ("?follow=FALSE", &[]),
        ("", &["Last-Event-ID: x"]),
        ("", &["Last-Event-ID: 1", "Last-Event-ID: 2"]),
    ] {
        let answer = me.ask("GET", &format!("session/{id}/events{query}"), headers, None);
        assert_eq!((answer.status, &answer.json()["error"]), (400, &json!("invalid_request")), "{query} {headers:?}");
    }
}

#[test]
fn a_slow_reader_gets_everything_and_holds_up_nobody() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let mut slow = me.stream(&format!("session/{id}/events"), &[]);
    assert_eq!(slow.json()["index"], 0);
    // more than any buffer on the way holds
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..55 {
                    me.call_in(&id, "recite", &json!({ "bytes": 60_000 }));
                }
            });
        }
    });
    for index in 1..442 {
        assert_eq!(slow.json()["index"], index);
    }
}

#[test]
fn a_stream_ends_when_its_session_is_deleted() {
    let server = start();
    let me = server.anyone();
    let (id, other) = (me.open(&json!({})), me.open(&json!({})));
    let mut streams = [
        me.stream(&format!("session/{id}/events?from=1"), &[]),
        me.stream(&format!("session/{id}/events"), &["Accept: text/event-stream"]),
    ];
    let mut of_other = me.stream(&format!("session/{other}/events?from=2"), &[]);
    assert_eq!(streams[0].json()["index"], 1);
    assert_eq!(streams[1].event().expect("an event").0, "0");
    assert_eq!(me.delete(&format!("session/{id}")).0, 200);
    assert_eq!(streams[0].line(), None);
    while streams[1].line().is_some() {}
    me.call_in(&other, "look", &json!({}));
    assert_eq!(of_other.json()["index"], 2);
}

#[test]
fn a_shutdown_ends_streams_and_does_not_wait_for_them() {
    let mut server = start();
    let id = server.anyone().open(&json!({}));
    let mut streams = [
        server.anyone().stream(&format!("session/{id}/events?from=1"), &[]),
        server.anyone().stream(&format!("session/{id}/events?from=1"), &["Accept: text/event-stream"]),
    ];
    assert_eq!(streams[0].json()["index"], 1);
    assert_eq!(streams[1].event().expect("an event").0, "1");
    server.interrupt();
    for stream in &mut streams {
        while stream.line().is_some() {}
    }
    // within less than the grace time of running calls
    assert_eq!(server.ends(), Some(0));
}

#[test]
fn streams_go_on_in_a_shutdown_until_the_last_call_has_ended() {
    let mut server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let mut streams = [
        me.stream(&format!("session/{id}/events?from=2"), &[]),
        me.stream(&format!("session/{id}/events?from=2"), &["Accept: text/event-stream"]),
    ];
    let booked = thread::scope(|scope| {
        let call = scope.spawn(|| me.call_in(&id, "book", &json!({ "what": "ink", "ms": 1000 })));
        // the write has begun
        assert_eq!(streams[0].json()["type"], "actions.requested");
        server.terminate();
        call.join().expect("an answer")
    });
    assert_eq!(streams[0].json()["data"]["callId"], booked["callId"]);
    assert_eq!(streams[0].line(), None);
    assert_eq!(streams[1].event().expect("the request").0, "2");
    assert_eq!(streams[1].event().expect("the result").0, "3");
    while streams[1].line().is_some() {}
    assert_eq!(server.ends(), Some(0));
}

#[test]
fn whoever_goes_away_leaves_nothing_behind() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let open = || std::fs::read_dir(format!("/proc/{}/fd", server.pid())).map_or(0, Iterator::count);
    if open() == 0 {
        return; // no such folder on this system
    }
    let before = open();
    let streams: Vec<_> = (0..50).map(|_| me.stream(&format!("session/{id}/events"), &[])).collect();
    // a connection or two of before may just be closing
    assert!(open() >= before + 45);
    drop(streams);
    eventually(|| (open() <= before + 2).then_some(())).expect("their connections are closed");
}
