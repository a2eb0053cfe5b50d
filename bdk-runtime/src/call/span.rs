//! The call's span: what OpenTelemetry's conventions ask of it, and nothing where nobody listens.

use super::{CallInput, CallState, Done, ErrorCode, conventions as names};
use crate::{Effect, cut, secrets, tool::Output};
use serde_json::Value;
use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};
use tracing::{Span, field::Empty};

/// So much of an input or a result stands in a span, in bytes.
const CONTENT: usize = 64 * 1024;

/// Whether spans hold what goes in and comes out: what may hold anything is not there unasked.
static CAPTURES: LazyLock<bool> = LazyLock::new(|| {
    std::env::var("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").is_ok_and(|v| v.eq_ignore_ascii_case("true"))
});

/// What the span of a call says of the MCP request that made it.
#[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "no other front makes one"))]
#[derive(Debug)]
pub(crate) struct McpRequest {
    /// The request's id as JSON.
    pub(crate) id: Box<str>,
    pub(crate) from: Arc<McpClient>,
}

/// Whence an MCP request came.
#[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "no other front makes one"))]
#[derive(Debug)]
pub(crate) struct McpClient {
    /// The version of the protocol that it speaks, where that is known.
    pub(crate) version: Option<Box<str>>,
    /// The id of its session of MCP, where it has one.
    pub(crate) session: Option<Box<str>>,
    /// `tcp` or `pipe`.
    pub(crate) transport: &'static str,
}

/// Whether anybody listens to the spans of calls: else nothing is gathered for them.
#[cfg(feature = "mcp")]
pub(crate) fn is_wanted() -> bool {
    tracing::span_enabled!(target: "bdk::call", tracing::Level::INFO, "execute_tool")
}

/// Opens it.
pub(super) fn open(state: &CallState) -> Span {
    // one that a tool's own call made is no request
    let mcp = || state.options.mcp.as_ref().filter(|_| state.options.depth == 0);
    let of_client = |text: fn(&McpClient) -> Option<&str>| mcp().and_then(|mcp| text(&mcp.from));
    tracing::info_span!(
        target: "bdk::call",
        "execute_tool",
        { names::OTEL_NAME } = %format_args!("{} {}", names::EXECUTE_TOOL, state.tool().name()),
        { names::OTEL_KIND } = if mcp().is_some() { "server" } else { "internal" },
        { names::OTEL_STATUS } = Empty,
        { names::OPERATION } = names::EXECUTE_TOOL,
        { names::TOOL_NAME } = state.tool().name(),
        { names::TOOL_TYPE } = names::FUNCTION,
        { names::TOOL_CALL_ID } = state.call_id,
        { names::TOOL_DESCRIPTION } = Some(state.tool().description()).filter(|_| *CAPTURES),
        { names::TOOL_ARGUMENTS } = Empty,
        { names::TOOL_RESULT } = Empty,
        { names::CONVERSATION_ID } = state.options.session.as_ref().map(|session| &*session.id),
        { names::AGENT_NAME } = state.bot.slug(),
        { names::ERROR_TYPE } = Empty,
        { names::MCP_METHOD } = mcp().map(|_| "tools/call"),
        { names::MCP_VERSION } = of_client(|from| from.version.as_deref()),
        { names::MCP_SESSION } = of_client(|from| from.session.as_deref()),
        { names::RPC_ID } = mcp().map(|mcp| unquoted(&mcp.id)).as_deref(),
        { names::TRANSPORT } = of_client(|from| Some(from.transport)),
        { names::EFFECT } = Empty,
        { names::STUBBED } = Empty,
        { names::ATTEMPTS } = Empty,
        { names::AS_OF } = state.options.as_of.map(|as_of| as_of.to_string()),
        { names::TRACEPARENT } = state.options.traceparent.as_deref(),
    )
}

/// Says how the call ended; none when its caller went away.
pub(super) fn close(span: &Span, state: &CallState, code: Option<ErrorCode>) {
    let error = code.map(|code| match state.options.mcp {
        Some(_) if state.options.depth == 0 => names::TOOL_ERROR,
        _ => code.as_str(),
    });
    tracing::record_all!(
        span,
        { names::EFFECT } = state.effect().map_or("undecided", Effect::as_str),
        { names::STUBBED } = state.stubbed(),
        { names::ATTEMPTS } = state.attempts(),
    );
    if let Some(error) = error {
        tracing::record_all!(span, { names::ERROR_TYPE } = error, { names::OTEL_STATUS } = "ERROR");
    }
}

/// Notes the input in the span that the call's steps run in, where that was asked for.
pub(super) fn arguments(input: &CallInput<'_>) {
    if *CAPTURES {
        content(&Span::current(), names::TOOL_ARGUMENTS, &input.json().to_value().to_string());
    }
}

/// Notes the result, where that was asked for.
pub(super) fn result(span: &Span, done: &Done) {
    if *CAPTURES {
        let json = match &done.output {
            Output::Unit => Cow::Borrowed("null"),
            Output::Text(text) => Cow::Owned(Value::from(text.as_str()).to_string()),
            Output::Json(json) => Cow::Borrowed(&*json.text),
            Output::Envelope(envelope) => Cow::Owned(envelope.to_value().to_string()),
        };
        content(span, names::TOOL_RESULT, &json);
    }
}

/// A JSON text without secrets, cut.
pub(super) fn content(span: &Span, name: &'static str, json: &str) {
    if span.is_disabled() {
        return;
    }
    // before it is cut, which could leave half a secret
    let json = secrets::blank_json(json);
    span.record(name, cut::bytes(&json, CONTENT));
}

/// An id of JSON-RPC as its conventions have it: a text without its quotes.
fn unquoted(id: &str) -> Cow<'_, str> {
    match serde_json::from_str::<String>(id) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(id),
    }
}
