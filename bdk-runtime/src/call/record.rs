//! Step 7: one record of the call, and one span.

use super::{CallState, Done, ErrorCode, Failure, bound};
use crate::{Effect, tool::Output};
use std::sync::Arc;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// Opened with the call and closed with its end. A caller that goes away drops it: that too is recorded.
pub(super) struct Record {
    state: Arc<CallState>,
    closed: bool,
    /// A shutdown waits for it.
    _running: TaskTrackerToken,
}

/// The call's span, named as OpenTelemetry's GenAI conventions have it.
pub(super) fn span(state: &CallState) -> tracing::Span {
    tracing::info_span!(
        target: "bdk::call",
        "execute_tool",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = state.tool().name(),
        gen_ai.tool.call.id = state.call_id,
        traceparent = state.options.traceparent.as_deref(),
    )
}

impl Record {
    pub(super) fn open(state: &Arc<CallState>) -> Self {
        Self { state: state.clone(), closed: false, _running: state.bot.running().token() }
    }

    pub(super) fn close(mut self, ended: Result<Output, Failure>) -> Done {
        self.closed = true;
        self.state.end();
        let done = Done::new(self.state.clone(), ended);
        write(&self.state, done.duration_ms, done.error.as_ref().map(|e| e.code));
        done
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if !self.closed {
            self.state.end();
            if self.state.bound().is_some()
                && let Ok(runtime) = tokio::runtime::Handle::try_current()
            {
                let done = Done::new(self.state.clone(), Err(Failure::cancelled(self.state.begun())));
                runtime.spawn(bound::end(done));
            }
            write(&self.state, self.state.elapsed_ms(), Some(ErrorCode::Cancelled));
        }
    }
}

fn write(state: &CallState, duration_ms: u64, code: Option<ErrorCode>) {
    if !tracing::enabled!(target: "bdk::call", tracing::Level::INFO) {
        return;
    }
    let principal = state.principal();
    tracing::info!(
        target: "bdk::call",
        tool = state.tool().name(),
        call_id = state.call_id,
        caller = %format_args!("{}:{}", principal.kind, principal.subject),
        effect = state.effect().map_or("undecided", Effect::as_str),
        dry_run = state.options.dry_run,
        as_of = state.options.as_of.map(|t| t.to_string()),
        traceparent = state.options.traceparent.as_deref(),
        stubbed = state.stubbed(),
        attempts = state.attempts(),
        duration_ms,
        outcome = code.map_or("ok", ErrorCode::as_str),
        "call"
    );
}
