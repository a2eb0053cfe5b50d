//! Step 6: running the tool, and running a read again after a transient failure.

use super::{CallInput, CallState, Failure, input, run, transient};
use crate::{
    Effect,
    registry::Tool,
    tool::{Output, Slots, Transience},
};
use backon::BackoffBuilder;
use std::{sync::Arc, time::Duration};

/// The first wait; it doubles, with jitter.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// A longer `Retry-After` is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Runs the tool: a read up to its attempts, a write once. The waits end with the deadline and with cancellation, because
/// the whole call does.
pub(super) async fn run(
    tool: &Tool,
    state: &Arc<CallState>,
    effect: Effect,
    input: CallInput<'_>,
    slots: Slots,
) -> Result<Output, Failure> {
    let attempts = if effect == Effect::Read { tool.attempts() } else { 1 };
    let mut waits = None;
    let mut first = Some(slots);
    loop {
        let attempt = state.next_attempt();
        let slots = match first.take() {
            Some(slots) => slots,
            None => input::slots_again(tool.params(), tool.compiled(), &input)
                .map_err(|issues| Failure::input(issues, false))?,
        };
        let (error, ran) = match run::once(tool, state, slots, &input).await {
            Ok(output) => return Ok(output),
            Err(run::Ended::Refused(failure)) => return Err(failure),
            Err(run::Ended::Failed(error)) => (error, true),
            Err(run::Ended::Unlent(error)) => (error, false),
        };
        let Transience::Transient(after) = transient::classify(&error) else {
            return Err(Failure::failed(&error));
        };
        if effect == Effect::Write {
            // what has not run has changed nothing
            return Err(if ran { Failure::unknown_outcome(&error) } else { Failure::not_run(&error) });
        }
        if attempt >= attempts || after.is_some_and(|wait| wait > LONGEST_WAIT) {
            return Err(Failure::gave_up(&error, attempt));
        }
        let waits = waits.get_or_insert_with(|| {
            backon::ExponentialBuilder::default()
                .with_min_delay(FIRST_WAIT)
                .with_factor(2.0)
                .with_jitter()
                .without_max_times()
                .build()
        });
        let wait = after.or_else(|| waits.next()).unwrap_or(FIRST_WAIT);
        tracing::debug!(target: "bdk::call", call_id = state.call_id, attempt, ?wait, %error, "a read failed and is tried again");
        tokio::time::sleep(wait).await;
    }
}
