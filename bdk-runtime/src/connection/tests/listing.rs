//! Listings over the wire.

use super::{
    fault::{Fault, Reply},
    *,
};
use crate::connection::failed::Kind;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn three_pages_with_a_repeated_cursor_give_every_tool_once_and_what_is_wrong_costs_its_siblings_nothing() {
    let (url, server) = Fault::serve(|asked, _| {
        let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
        let huge = json!({ "name": "huge", "inputSchema": { "type": "object", "description": "x".repeat(2 << 20) } });
        let page = match asked.body["params"]["cursor"].as_str() {
            None => json!({ "tools": [tool("a"), { "name": "bad", "inputSchema": 7 }], "nextCursor": "1" }),
            Some("1") => json!({ "tools": [huge, tool("b")], "nextCursor": "2" }),
            Some(_) => json!({ "tools": [tool("c")], "nextCursor": "1" }),
        };
        (asked.method() == "tools/list").then(|| asked.result(page))
    })
    .await;
    let connections = at(&url);
    assert_eq!(names(&connections).await, ["a", "b", "c"]);
    assert_eq!(connections.list("it").await.unwrap().warnings.len(), 3);
    // kept
    assert_eq!(server.asked("tools/list").len(), 3);
    // and one without an end
    let (url, _) = Fault::serve(|asked, before| {
        let page = json!({ "tools": [{ "name": format!("tool_{before}"), "inputSchema": {} }], "nextCursor": format!("{before}") });
        (asked.method() == "tools/list").then(|| asked.result(page))
    })
    .await;
    let limits = Limits { pages: 50, ..Limits::default() };
    assert_eq!(names(&with(Connection::http(&url), limits)).await.len(), 50);
}

#[tokio::test]
async fn a_listing_that_fails_is_told_and_asked_for_again_the_next_time() {
    let (url, server) = Fault::serve(|asked, before| match (asked.method(), before) {
        ("tools/list", 0) => Some(asked.error(-32603, "not yet")),
        ("tools/list", 1) => Some(Reply::Never),
        ("tools/list", 2) => Some(asked.result(json!({ "tools": 7 }))),
        _ => None,
    })
    .await;
    let limits = Limits { list: Duration::from_millis(200), ..Limits::default() };
    let connections = with(Connection::http(&url), limits);
    let failed = connections.list("it").await.unwrap_err();
    assert!(
        failed.words.starts_with("connection `it`: its tools cannot be listed") && failed.words.contains("not yet"),
        "{failed}"
    );
    assert_eq!(connections.list("it").await.unwrap_err().kind, Kind::TimedOut { sent: true });
    assert_eq!(connections.list("it").await.unwrap_err().kind, Kind::Unreadable);
    // ten at once ask once
    let asked = server.asked("tools/list").len();
    let all = futures_util::future::join_all((0..10).map(|_| connections.list("it"))).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!(server.asked("tools/list").len(), asked + 1);
}

#[tokio::test]
async fn a_server_that_has_no_way_to_say_that_its_tools_changed_is_listed_again_before_long() {
    let capable = json!({ "tools": { "listChanged": true } });
    for (capabilities, streams, ages) in
        [(json!({ "tools": {} }), true, true), (capable.clone(), false, true), (capable, true, false)]
    {
        let (url, server) = Fault::serve(move |asked, _| match asked.method() {
            "initialize" => Some(asked.result(json!({
                "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": { "name": "fault", "version": "1" },
            }))),
            "" if streams && asked.http == "GET" => Some(Reply::Stream(": nothing new\n\n".to_owned())),
            _ => None,
        })
        .await;
        let connections =
            with(Connection::http(&url), Limits { listed: Duration::from_millis(300), ..Limits::default() });
        names(&connections).await;
        names(&connections).await;
        assert_eq!(server.asked("tools/list").len(), 1, "{streams} {ages}");
        tokio::time::sleep(Duration::from_millis(600)).await;
        names(&connections).await;
        assert_eq!(server.asked("tools/list").len(), 1 + usize::from(ages), "{streams} {ages}");
        connections.close().await;
    }
}

#[tokio::test]
async fn tools_that_changed_are_listed_anew_and_whoever_watches_is_told() {
    static MORE: AtomicBool = AtomicBool::new(false);
    let (url, _) = Fault::serve(|asked, _| {
        let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
        let more = MORE.load(Ordering::SeqCst);
        match asked.method() {
            "tools/call" => {
                MORE.store(true, Ordering::SeqCst);
                let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
                let result = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": text("done") });
                Some(Reply::Stream(format!("data: {changed}\n\ndata: {result}\n\n")))
            }
            "tools/list" if more => Some(asked.result(json!({ "tools": [tool("a"), tool("b")] }))),
            "tools/list" => Some(asked.result(json!({ "tools": [tool("a")] }))),
            _ => None,
        }
    })
    .await;
    let connections = at(&url);
    let mut changes = connections.changes();
    assert_eq!(names(&connections).await, ["a"]);
    assert!(!changes.has_changed().unwrap());
    call(&connections, "a", json!({})).await.unwrap();
    tokio::time::timeout(Duration::from_secs(10), changes.changed()).await.unwrap().unwrap();
    assert_eq!(names(&connections).await, ["a", "b"]);
}
