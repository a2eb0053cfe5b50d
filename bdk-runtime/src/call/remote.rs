//! Step 6 of a tool that another server runs, or another process of this binary.

use super::{CallInput, CallState, Failure, ToolContext, guard, line::Line, run::Ended};
use crate::{
    Effect,
    connection::{CallInfo, Called, Failed, Hears, Kind, Place},
    registry::{Remote, RunsIn},
    session::Handed,
    tool::{Output, ToolError},
};
use std::{path::Path, sync::Arc};
use tokio::time::Instant;

/// Calls it. A caller that leaves drops the future, which tells the server.
pub(super) async fn call(tool: &Remote, state: &Arc<CallState>, input: &CallInput<'_>) -> Result<Output, Ended> {
    let (info, input) = (info(state), input.to_json());
    // boxed, so that a call of another tool does not carry it
    let called = Box::pin(state.bot.connections().call(&tool.connection, &tool.own, &input, &info)).await;
    ended(called, state, &tool.connection)
}

/// Calls a tool of this binary in the process of its authored connection, which works where the agent does: in the session's
/// folder, and stays as long as that; for an unbound call in the call's own, and goes with it.
pub(super) async fn call_authored(
    home: &RunsIn,
    state: &Arc<CallState>,
    input: &CallInput<'_>,
) -> Result<Output, Ended> {
    let context = ToolContext::of(state);
    let session = Handed::of(context.session(), state.options.dry_run, state.options.as_of);
    let folder: &Path = context.workspace_dir().map_err(|error| Ended::Unlent(error.into()))?;
    let info = CallInfo { session: serde_json::to_value(session).ok(), ..info(state) };
    let input = input.to_json();
    let place = Place { folder, session: state.options.session.as_ref() };
    let called = Box::pin(state.bot.connections().call_in(&place, &home.connection, &home.own, &input, &info)).await;
    ended(called, state, &home.connection)
}

fn info(state: &CallState) -> CallInfo {
    let options = &state.options;
    let traceparent = options.traceparent.as_deref().map(str::to_owned);
    let hears = options.hears_progress().map(|line| line.clone() as Arc<dyn Hears>);
    CallInfo { traceparent, deadline: guard::due(state), hears, ..CallInfo::default() }
}

impl Hears for Line {
    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        self.say_progress(done, total, &message);
    }
}

fn ended(called: Result<Called, Failed>, state: &CallState, connection: &str) -> Result<Output, Ended> {
    match called.and_then(|called| called.into_output(connection)) {
        Ok(output) => Ok(Output::Envelope(Box::new(output))),
        Err(Failed { kind: Kind::TimedOut { sent }, words, .. })
            if guard::due(state).is_some_and(|due| due <= Instant::now()) =>
        {
            let after = state.tool().timeout().unwrap_or_default();
            Err(Ended::Refused(match sent {
                true => Failure::timed_out(after, state.begun()),
                false => Failure::timed_out_unsent(after, &words),
            }))
        }
        Err(failed) if failed.is_not_there() => Err(Ended::Refused(Failure::unavailable(&failed.words))),
        Err(failed) if failed.never_ran() => Err(Ended::Unlent(error(failed))),
        // a write may have been carried out, whatever came instead of an answer, unless the server says what it did
        Err(failed) if state.effect() == Some(Effect::Write) && !matches!(failed.kind, Kind::Server { .. }) => {
            Err(Ended::Failed(ToolError::transient(failed)))
        }
        Err(failed) => Err(Ended::Failed(error(failed))),
    }
}

fn error(failed: Failed) -> ToolError {
    let (transient, after) = (failed.transient, failed.retry_after);
    match after.filter(|_| transient) {
        Some(after) => ToolError::transient(failed).retry_after(after),
        None if transient => ToolError::transient(failed),
        None => ToolError::permanent(failed),
    }
}
