//! What a layer of `tracing` sees of a call's span: the conventions' fields, once each, and no secret.

use super::super::{
    conventions as names,
    span::{McpClient, McpRequest, content},
};
use super::*;
use crate::{Timestamp, secrets};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Mutex, PoisonError},
};
use tracing::{
    Subscriber,
    field::{Empty, Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::LookupSpan};

/// Every span's fields, in the order of opening; what was recorded twice is there twice.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(u64, Fields)>>>);

type Fields = BTreeMap<&'static str, String>;

struct Noting<'a>(&'a mut Fields);

impl Visit for Noting<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let noted = self.0.entry(field.name()).or_default();
        noted.push_str(value);
    }
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields::from([("", attributes.metadata().name().to_owned())]);
        attributes.record(&mut Noting(&mut fields));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((id.into_u64(), fields));
    }
    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let span = spans.iter_mut().rev().find(|(of, _)| *of == id.into_u64());
        values.record(&mut Noting(&mut span.expect("a span that was opened").1));
    }
}

/// Runs it, and gives the fields of the spans that it opened.
async fn spans(run: impl Future<Output = ()>) -> Vec<Fields> {
    let spans = Spans::default();
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    run.await;
    drop(guard);
    let all = std::mem::take(&mut *spans.0.lock().unwrap_or_else(PoisonError::into_inner));
    all.into_iter().map(|(_, fields)| fields).collect()
}

async fn run(tool: &str, input: Value, options: CallOptions) {
    let bot = Bot::with(Registry::linked());
    bot.call_with(tool, input.into(), options).await.expect("a tool");
}

fn mcp() -> Option<Arc<McpRequest>> {
    let from = McpClient { version: Some("2025-11-25".into()), session: Some("s1".into()), transport: "tcp" };
    Some(Arc::new(McpRequest { id: "\"a\"".into(), from: Arc::new(from) }))
}

#[tokio::test]
async fn a_calls_span_says_what_the_conventions_ask() {
    let as_of: Timestamp = "2026-01-01T00:00:00Z".parse().expect("an instant");
    let all = spans(run("says", json!({}), CallOptions::new().as_of(as_of).traceparent("00-t"))).await;
    let [span] = &all[..] else { panic!("one span: {all:?}") };
    let mut span = span.clone();
    assert!(span.remove(names::TOOL_CALL_ID).is_some_and(|id| id.starts_with("tool_says_")));
    assert!(span.remove(names::AGENT_NAME).is_some_and(|name| !name.is_empty()));
    let expected = [
        ("", "execute_tool"),
        ("otel.name", "execute_tool says"),
        ("otel.kind", "internal"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "says"),
        ("gen_ai.tool.type", "function"),
        ("bdk.effect", "read"),
        ("bdk.stubbed", "false"),
        ("bdk.attempts", "1"),
        ("bdk.as_of", "2026-01-01T00:00:00Z"),
        ("traceparent", "00-t"),
    ];
    assert_eq!(span, expected.map(|(name, value)| (name, value.to_owned())).into());
}

#[tokio::test]
async fn an_error_has_its_type_and_over_mcp_it_is_a_tools_error() {
    let all = spans(run("panics", json!({}), CallOptions::new())).await;
    assert_eq!((&*all[0][names::ERROR_TYPE], &*all[0][names::OTEL_STATUS]), ("unavailable", "ERROR"));
    let all = spans(run("panics", json!({}), CallOptions { mcp: mcp(), ..CallOptions::new() })).await;
    let [span] = &all[..] else { panic!("one span: {all:?}") };
    for (name, value) in [
        (names::ERROR_TYPE, "tool_error"),
        (names::OTEL_KIND, "server"),
        (names::MCP_METHOD, "tools/call"),
        (names::MCP_VERSION, "2025-11-25"),
        (names::MCP_SESSION, "s1"),
        (names::RPC_ID, "a"),
        (names::TRANSPORT, "tcp"),
    ] {
        assert_eq!(span.get(name).map(String::as_str), Some(value), "{name} of {span:?}");
    }
}

#[tokio::test]
async fn what_a_tool_calls_is_no_request_of_mcp() {
    let options = CallOptions { mcp: mcp(), ..CallOptions::new() };
    let all = spans(run("hands_on", json!({}), options)).await;
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].contains_key(names::MCP_METHOD) && !all[1].contains_key(names::MCP_METHOD));
    assert_eq!((&*all[1][names::OTEL_KIND], &*all[1][names::TOOL_NAME]), ("internal", "says"));
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_any_more_ends_as_cancelled() {
    let all = spans(async {
        let mut call = Box::pin(run("sleeps", json!({ "ms": 60_000 }), CallOptions::new()));
        assert!(futures_util::poll!(&mut call).is_pending());
    })
    .await;
    assert_eq!(all[0][names::ERROR_TYPE], "cancelled");
}

#[tokio::test]
async fn content_is_blanked_before_it_is_cut() {
    secrets::remember("content-secret-b5b2c6");
    let all = spans(async {
        let span = tracing::info_span!("one", { names::TOOL_RESULT } = Empty);
        let json = json!([" ".repeat(64 * 1024 - 10), "content-secret-b5b2c6"]).to_string();
        content(&span, names::TOOL_RESULT, &json);
        let span = tracing::info_span!("two", { names::TOOL_RESULT } = Empty);
        content(&span, names::TOOL_RESULT, "[\"content-secret-b5b2c6\"]");
    })
    .await;
    assert_eq!(all[0][names::TOOL_RESULT].len(), 64 * 1024);
    assert!(!all[0][names::TOOL_RESULT].contains("cont"));
    assert_eq!(all[1][names::TOOL_RESULT], "[\"[redacted]\"]");
}

#[test]
fn the_names_are_those_of_the_conventions() {
    // `model/gen-ai/registry.yaml`, `model/mcp/registry.yaml` and the shared attributes they refer to; `otel.…` and
    // `bdk.…` are not theirs
    let known = [
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "gen_ai.tool.type",
        "gen_ai.tool.call.id",
        "gen_ai.tool.description",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.conversation.id",
        "gen_ai.agent.name",
        "error.type",
        "mcp.method.name",
        "mcp.protocol.version",
        "mcp.session.id",
        "jsonrpc.request.id",
        "network.transport",
    ];
    let theirs = |name: &&&str| !name.starts_with("otel.") && !name.starts_with("bdk.") && **name != "traceparent";
    assert_eq!(names::ALL.iter().filter(theirs).count(), known.len());
    assert!(names::ALL.iter().filter(theirs).all(|name| known.contains(name)));
}
