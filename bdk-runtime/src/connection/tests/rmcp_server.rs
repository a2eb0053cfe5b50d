//! Against rmcp's own server, in each of its ways.

use super::*;
use crate::connection::{
    client::test_server::{Shop, Speaks},
    failed::Kind,
};

#[tokio::test]
async fn a_server_is_listed_and_called_and_its_errors_are_told_with_sessions_and_without() {
    for speaks in [Speaks::Sessions, Speaks::Streams, Speaks::Json] {
        let connections = at(&Shop::default().open(speaks).await);
        assert_eq!(names(&connections).await, ["echo", "region"]);
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let info = CallInfo { traceparent: Some(parent.to_owned()), ..CallInfo::default() };
        let input = to_raw_value(&json!({ "z": 1, "a": "ä" })).unwrap();
        let called = connections.call("it", "echo", &input, &info).await.unwrap();
        let structured: Value = serde_json::from_str(called.structured.unwrap().get()).unwrap();
        assert_eq!(structured, json!({ "input": { "z": 1, "a": "ä" }, "traceparent": parent }));
        let called = call(&connections, "fail", json!({})).await.unwrap();
        assert!(called.is_error && called.content.get().contains("it is broken"), "{called:?}");
        let failed = call(&connections, "nothing", json!({})).await.unwrap_err();
        assert!(
            matches!(&failed.kind, Kind::Server { code: -32602, message } if message == "no tool nothing"),
            "{failed:?}"
        );
        connections.close().await;
    }
}

#[tokio::test]
async fn changed_tools_are_heard_of_and_an_abandoned_call_is_taken_back() {
    for speaks in [Speaks::Sessions, Speaks::Streams] {
        changes_are_heard_of(speaks).await;
    }
}

async fn changes_are_heard_of(speaks: Speaks) {
    let shop = Shop::default();
    let connections = at(&shop.open(speaks).await);
    let mut changes = connections.changes();
    assert_eq!(names(&connections).await.len(), 2);
    // whether it is subscribed already cannot be seen from here
    let told = async {
        loop {
            shop.add_tool();
            if tokio::time::timeout(Duration::from_millis(200), changes.changed()).await.is_ok() {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), told).await.unwrap();
    assert!(names(&connections).await.len() > 2);
    let before = names(&connections).await.len();
    let info = CallInfo { deadline: Some(Instant::now() + Duration::from_millis(300)), ..CallInfo::default() };
    let failed = connections.call("it", "wait", &to_raw_value(&json!({})).unwrap(), &info).await.unwrap_err();
    assert_eq!(failed.kind, Kind::TimedOut { sent: true });
    // it adds a tool when it is cancelled
    let told = async {
        while names(&connections).await.len() == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), told).await.unwrap();
}

#[tokio::test]
async fn arguments_that_are_in_headers_too_are_there_even_where_nothing_was_listed_yet() {
    let url = Shop::default().open(Speaks::Json).await;
    for listed in [true, false] {
        let connections = at(&url);
        if listed {
            names(&connections).await;
        }
        for region in ["north", "süd"] {
            let called = call(&connections, "region", json!({ "region": region })).await.unwrap();
            assert!(called.structured.unwrap().get().contains(region));
        }
    }
}
