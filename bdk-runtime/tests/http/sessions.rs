//! Sessions as the program holds them that serves.

use crate::{
    bot::{Run, WRITES},
    client::{HANG, get, serve, soon},
};
use bdk_runtime::{CallOptions, ErrorCode, Mode, Principal, ServeHandle, Server, SessionOptions, Status};
use serde_json::json;
use std::sync::atomic::Ordering;

async fn serving() -> ServeHandle {
    serve(Server::new().state("memory:")).await
}

#[tokio::test]
async fn a_program_opens_lists_and_deletes_sessions() {
    let handle = serving().await;
    let ann = Principal::new("test", "ann");
    let options = SessionOptions::new().title("Audit").mode(Mode::Task).state(json!({ "n": 1 })).principal(ann.clone());
    let session = handle.open_session(options).await.unwrap();
    let detail = session.detail().await.unwrap();
    assert_eq!((&*detail.id, detail.title.as_deref(), detail.mode), (session.id(), Some("Audit"), Mode::Task));
    assert_eq!((detail.status, detail.events, &detail.state), (Status::Waiting, 2, &json!({ "n": 1 })));
    assert_eq!(*detail.auth, ann);
    // its calls run as its owner
    assert_eq!(session.call_tool("who", json!({})).await.unwrap().result["subject"], "ann");
    let second = handle.open_session(SessionOptions::new()).await.unwrap();
    let mut listed: Vec<String> = handle.sessions().await.unwrap().into_iter().map(|detail| detail.id).collect();
    listed.sort();
    let mut opened = [session.id().to_owned(), second.id().to_owned()];
    opened.sort();
    assert_eq!(listed, opened);

    session.delete().await.unwrap();
    let told = session.delete().await.unwrap_err().to_string();
    assert_eq!(told, format!("there is no session \"{}\"", session.id()));
    assert!(session.call_tool("who", json!({})).await.is_err());
    assert!(session.events(0).await.is_err() && session.follow(0).await.is_err() && session.token().await.is_err());
    assert!(session.workspace_dir().await.is_err() && session.rotate_token().await.is_err());
    assert_eq!(handle.sessions().await.unwrap().len(), 1);
    assert!(handle.open_session(SessionOptions::new().title("x".repeat(201))).await.is_err());
    // the local caller over HTTP is somebody else
    let path = format!("{}/session/{}", handle.prefix(), second.id());
    assert_eq!(get(handle.addr(), &path).await.status, 404);
}

#[tokio::test]
async fn what_a_call_says_beside_a_session_must_fit_it() {
    let handle = serving().await;
    let session = handle.open_session(SessionOptions::new().dry_run(true)).await.unwrap();
    let before = WRITES.load(Ordering::SeqCst);
    let stubbed = session.call_tool("write", json!({})).await.unwrap();
    assert!(stubbed.stubbed && WRITES.load(Ordering::SeqCst) == before);
    for options in [
        CallOptions::new().dry_run(true),
        CallOptions::new().as_of("2026-01-01T00:00:00Z".parse().unwrap()),
        CallOptions::new().session(session.id()),
        CallOptions::new().continuation("http:x"),
        CallOptions::new().principal(Principal::new("test", "ben")),
        CallOptions::new().idempotency_key("two words"),
    ] {
        assert!(session.call_tool_with("write", json!({}), options.clone()).await.is_err(), "{options:?}");
    }
    assert_eq!(session.events(0).await.unwrap().len(), 4);
    let by_id = CallOptions::new().session(session.id());
    assert!(handle.call_tool_with("write", json!({}), by_id).await.unwrap().stubbed);
    let by_token = CallOptions::new().continuation(session.token().await.unwrap());
    assert!(handle.call_tool_with("write", json!({}), by_token).await.unwrap().stubbed);
}

#[tokio::test]
async fn a_token_that_was_exchanged_means_nothing_any_more() {
    let handle = serving().await;
    let session = handle.open_session(SessionOptions::new()).await.unwrap();
    let first = session.token().await.unwrap();
    let second = session.rotate_token().await.unwrap();
    assert_eq!(session.token().await.unwrap(), second);
    let call = |token: String| handle.call_tool_with("facts", json!({}), CallOptions::new().continuation(token));
    assert!(call(first).await.is_err());
    assert!(!call(second).await.unwrap().is_error);
}

#[tokio::test]
async fn a_log_is_followed_to_the_end_of_its_session() {
    let handle = serving().await;
    let session = handle.open_session(SessionOptions::new()).await.unwrap();
    let mut events = session.follow(1).await.unwrap();
    assert_eq!(soon(events.next()).await.unwrap().unwrap().kind, "session.waiting");
    // one that is given up loses nothing
    assert!(tokio::time::timeout(std::time::Duration::from_millis(5), events.next()).await.is_err());
    for n in 0..40 {
        session.call_tool("facts", json!({})).await.unwrap();
        assert_eq!(soon(events.next()).await.unwrap().unwrap().index, 2 + 2 * n);
        assert_eq!(soon(events.next()).await.unwrap().unwrap().index, 3 + 2 * n);
    }
    let all = session.events(0).await.unwrap();
    assert!(all.iter().map(|event| event.index).eq(0..82), "{all:?}");
    assert_eq!(session.events(80).await.unwrap(), all[80..]);
    let run = Run::of("followed");
    let call = tokio::spawn({
        let session = session.clone();
        async move { session.call_tool("hang", json!({ "id": "followed" })).await }
    });
    soon(run.started.notified()).await;
    session.delete().await.unwrap();
    soon(run.gone.notified()).await;
    let outcome = call.await.unwrap().unwrap();
    assert_eq!(outcome.error.unwrap().code, ErrorCode::Cancelled);
    // how that ended may be deleted before it is read
    while let Some(event) = soon(events.next()).await {
        assert!(event.unwrap().index < 84);
    }
    assert!(soon(events.next()).await.is_none());
}

#[tokio::test]
async fn a_deletion_goes_on_when_nobody_waits_for_it() {
    let handle = serving().await;
    let session = handle.open_session(SessionOptions::new()).await.unwrap();
    let run = Run::of("deleted alone");
    let call = tokio::spawn({
        let session = session.clone();
        async move { session.call_tool("hang", json!({ "id": "deleted alone" })).await }
    });
    soon(run.started.notified()).await;
    let mut events = session.follow(0).await.unwrap();
    // polled once, and dropped
    let mut deletion = Box::pin(session.delete());
    let polled = futures_util::future::poll_immediate(&mut deletion).await;
    assert!(polled.is_none());
    drop(deletion);
    soon(run.gone.notified()).await;
    assert!(call.await.unwrap().unwrap().is_error);
    while soon(events.next()).await.is_some() {}
    assert!(session.detail().await.is_err());
}

#[tokio::test]
async fn a_shutdown_ends_what_follows_and_calls_nothing_more() {
    let handle = serving().await;
    let session = handle.open_session(SessionOptions::new()).await.unwrap();
    let mut events = session.follow(2).await.unwrap();
    let ended = tokio::spawn(async move { events.next().await.is_none() });
    tokio::time::timeout(HANG, handle.shutdown()).await.unwrap();
    assert!(soon(ended).await.unwrap());
    let told = session.call_tool("facts", json!({})).await.unwrap_err().to_string();
    assert!(told.contains("shutting down"), "{told}");
    assert!(session.detail().await.is_err());
}

#[tokio::test]
async fn a_workspace_is_the_session_s() {
    let handle = serving().await;
    let session = handle.open_session(SessionOptions::new()).await.unwrap();
    let dir = session.workspace_dir().await.unwrap();
    assert_eq!(session.workspace_dir().await.unwrap(), dir);
    std::fs::write(dir.join("note"), "x").unwrap();
    session.delete().await.unwrap();
    assert!(!dir.exists());
}
