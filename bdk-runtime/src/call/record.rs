//! Step 7: one record of the call, and one span.

use super::{CallState, Done, ErrorCode, Failure, bound, span};
use crate::{Effect, tool::Output};
use std::sync::Arc;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::Span;

/// Opened with the call and closed with its end. A caller that goes away drops it: that too is recorded.
pub(super) struct Record {
    state: Arc<CallState>,
    span: Span,
    closed: bool,
    /// A shutdown waits for it.
    _running: TaskTrackerToken,
}

impl Record {
    pub(super) fn open(state: &Arc<CallState>) -> Self {
        Self { state: state.clone(), span: span::open(state), closed: false, _running: state.bot.running().token() }
    }

    /// The call's span, for its steps to run in.
    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    pub(super) fn close(mut self, ended: Result<Output, Failure>) -> Done {
        self.closed = true;
        self.state.end();
        let done = Done::new(self.state.clone(), ended);
        if !self.span.is_disabled() {
            span::result(&self.span, &done);
        }
        self.write(done.duration_ms, done.error.as_ref().map(|e| e.code));
        done
    }

    fn write(&self, duration_ms: u64, code: Option<ErrorCode>) {
        if !self.span.is_disabled() {
            span::close(&self.span, &self.state, code);
        }
        write(&self.state, duration_ms, code);
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
            self.write(self.state.elapsed_ms(), Some(ErrorCode::Cancelled));
        }
    }
}

fn write(state: &CallState, duration_ms: u64, code: Option<ErrorCode>) {
    // of a call that another process made, that one has the record
    let is_told = state.options.elsewhere().is_some() && state.options.depth == 0;
    if is_told || !tracing::enabled!(target: "bdk::call", tracing::Level::INFO) {
        return;
    }
    let principal = state.principal();
    tracing::info!(
        target: "bdk::call",
        tool = state.tool().name(),
        call_id = state.call_id,
        session = state.options.session.as_ref().map(|live| &*live.id),
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
