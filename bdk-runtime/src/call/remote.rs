//! Step 6 of a tool that another server runs.

use super::{CallInput, CallState, Failure, run::Ended};
use crate::{
    connection::{CallInfo, Failed},
    registry::Remote,
    tool::{Output, ToolError},
};
use std::sync::Arc;

/// Calls it. The call's deadline and its caller's leaving drop the future, which tells the server.
pub(super) async fn call(tool: &Remote, state: &Arc<CallState>, input: &CallInput<'_>) -> Result<Output, Ended> {
    let traceparent = state.options.traceparent.as_deref().map(str::to_owned);
    let info = CallInfo { traceparent, ..CallInfo::default() };
    let input = input.to_json();
    let call = state.bot.connections().call(&tool.connection, &tool.own, &input, &info);
    // boxed, so that a call of another tool does not carry it
    match Box::pin(call).await {
        Ok(called) => Ok(Output::Envelope(Box::new(called.into_output()))),
        Err(failed) if failed.is_not_there() => Err(Ended::Refused(Failure::unavailable(&failed.words))),
        Err(failed) if failed.never_ran() => Err(Ended::Unlent(error(failed))),
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
