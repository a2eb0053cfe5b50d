//! The connections against servers that are real, and against some that do everything wrong.

mod advertised;
mod deadlines;
mod fault;
mod floods;
mod http;
mod http_faults;
mod listing;
mod peers;
mod pinned;
mod places;
mod process;
#[cfg(feature = "mcp")]
mod rmcp_server;
mod silence;
mod stdio;
mod unreadable;

use super::{
    called::{CallInfo, Called},
    declared::Declared,
    failed::Failed,
    limits::Limits,
    pool::Connections,
    spec::{Connection, IntoConnection},
};
use serde_json::{Value, json, value::to_raw_value};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

fn declared(name: &'static str, connection: impl IntoConnection) -> Arc<Declared> {
    let spec = connection.into_connection().into_spec();
    Arc::new(Declared { name: name.into(), host: false, at: crate::__private::at!(), spec })
}

/// One connection, `it`.
fn only(connection: impl IntoConnection) -> Connections {
    with(connection, Limits::default())
}
fn with(connection: impl IntoConnection, limits: Limits) -> Connections {
    Connections::with_limits(&[declared("it", connection)], Arc::default(), None, limits)
}
fn at(url: &str) -> Connections {
    only(Connection::http(url))
}

async fn call(connections: &Connections, tool: &str, input: Value) -> Result<Called, Failed> {
    connections.call("it", tool, &to_raw_value(&input).unwrap(), &CallInfo::default()).await
}
/// What a tool says.
async fn said(connections: &Connections, tool: &str, input: Value) -> Result<Value, Failed> {
    let called = call(connections, tool, input).await?;
    assert!(!called.is_error, "{called:?}");
    let content: Value = serde_json::from_str(called.content.get()).unwrap();
    Ok(content[0]["text"].clone())
}
async fn names(connections: &Connections) -> Vec<String> {
    let listing = connections.list("it").await.unwrap();
    listing.tools.iter().map(|tool| tool.name.clone()).collect()
}

fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// Waits for what comes soon.
async fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
