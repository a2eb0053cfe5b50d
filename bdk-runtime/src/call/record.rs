//! Step 7: one record of the call, and one span.

use super::{CallState, Done, ErrorCode, Failure};
use crate::{registry::Tool, tool::Output};
use std::sync::Arc;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Opened with the call and closed with its end. A caller that goes away drops it: that too is recorded.
pub(super) struct Record<'a> {
    tool: &'a Tool,
    state: Arc<CallState>,
    closed: bool,
    /// A shutdown waits for it.
    _running: TaskTrackerToken,
}

impl<'a> Record<'a> {
    pub(super) fn open(tool: &'a Tool, state: &Arc<CallState>) -> Self {
        Self { tool, state: state.clone(), closed: false, _running: state.bot.running().token() }
    }

    /// The call's span, named as OpenTelemetry's GenAI conventions have it.
    pub(super) fn span(&self) -> tracing::Span {
        tracing::info_span!(
            target: "bdk::call",
            "execute_tool",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = self.tool.name(),
            gen_ai.tool.call.id = self.state.call_id,
        )
    }

    pub(super) fn close(&mut self, ended: Result<Output, Failure>) -> Done {
        self.closed = true;
        self.state.end();
        let (output, error) = Done::outputs(self.tool.name(), ended);
        let duration_ms = self.duration_ms();
        self.write(duration_ms, error.as_ref().map(|e| e.code));
        Done {
            tool_name: self.tool.name().into(),
            call_id: self.state.call_id.clone(),
            output,
            duration_ms,
            attempts: self.state.attempts(),
            stubbed: self.state.stubbed(),
            error,
        }
    }

    fn duration_ms(&self) -> u64 {
        u64::try_from(self.state.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn write(&self, duration_ms: u64, code: Option<ErrorCode>) {
        if !tracing::enabled!(target: "bdk::call", tracing::Level::INFO) {
            return;
        }
        let state = &self.state;
        let principal = state.principal();
        tracing::info!(
            target: "bdk::call",
            tool = self.tool.name(),
            call_id = state.call_id,
            caller = %format_args!("{}:{}", principal.kind, principal.subject),
            effect = state.effect().map_or("undecided", crate::Effect::as_str),
            dry_run = state.options.dry_run,
            as_of = state.options.as_of.map(|t| t.to_string()),
            stubbed = state.stubbed(),
            attempts = state.attempts(),
            duration_ms,
            outcome = code.map_or("ok", ErrorCode::as_str),
            "call"
        );
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        if !self.closed {
            self.state.end();
            self.write(self.duration_ms(), Some(ErrorCode::Cancelled));
        }
    }
}
