//! The names of a call's span and of its fields, as OpenTelemetry's conventions have them.
//!
//! The GenAI and MCP ones are those of `open-telemetry/semantic-conventions-genai` v0.1.0 (all of them in development), the others
//! those of the semantic conventions 1.42. `otel.…` are fields that `tracing-opentelemetry` takes for the span itself.

/// The one operation of a call's span, and its name in the log.
pub(super) const EXECUTE_TOOL: &str = "execute_tool";
/// `gen_ai.tool.type` of a tool that runs here.
pub(super) const FUNCTION: &str = "function";
/// `error.type` of a tool that failed and was called over MCP, whose answer is a success to the protocol.
pub(super) const TOOL_ERROR: &str = "tool_error";

/// `const`s, and all of them in one list.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)+) => {
        $($(#[$doc])* pub(crate) const $name: &str = $value;)+
        /// Every field of a call's span.
        #[cfg_attr(not(feature = "commands"), allow(dead_code, reason = "the command line's log alone asks"))]
        pub(crate) const ALL: &[&str] = &[$($name),+];
    };
}

names! {
    /// `execute_tool NAME`.
    OTEL_NAME = "otel.name";
    /// `server` over MCP, else `internal`.
    OTEL_KIND = "otel.kind";
    /// `ERROR` when the call failed.
    OTEL_STATUS = "otel.status_code";
    OPERATION = "gen_ai.operation.name";
    TOOL_NAME = "gen_ai.tool.name";
    TOOL_TYPE = "gen_ai.tool.type";
    TOOL_CALL_ID = "gen_ai.tool.call.id";
    /// With the content switched on.
    TOOL_DESCRIPTION = "gen_ai.tool.description";
    /// With the content switched on.
    TOOL_ARGUMENTS = "gen_ai.tool.call.arguments";
    /// With the content switched on.
    TOOL_RESULT = "gen_ai.tool.call.result";
    /// The session of a call that is bound to one.
    CONVERSATION_ID = "gen_ai.conversation.id";
    AGENT_NAME = "gen_ai.agent.name";
    /// The error's code, or [`TOOL_ERROR`].
    ERROR_TYPE = "error.type";
    MCP_METHOD = "mcp.method.name";
    MCP_VERSION = "mcp.protocol.version";
    MCP_SESSION = "mcp.session.id";
    RPC_ID = "jsonrpc.request.id";
    /// `tcp` or `pipe`.
    TRANSPORT = "network.transport";
    /// Ours: `read`, `write` or `undecided`.
    EFFECT = "bdk.effect";
    /// Ours: whether a dry run answered.
    STUBBED = "bdk.stubbed";
    /// Ours: how often the tool ran.
    ATTEMPTS = "bdk.attempts";
    /// Ours: the frozen instant.
    AS_OF = "bdk.as_of";
    /// The caller's place in a distributed trace (W3C).
    TRACEPARENT = "traceparent";
}
