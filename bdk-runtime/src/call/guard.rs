//! Around a call's steps: the deadline, the end of the bot, and panics.

use super::{CallState, Failure, record};
use crate::tool::Output;
use futures_util::FutureExt;
use std::{
    any::Any,
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    time::{Duration, Instant},
};
use tracing::Instrument;

/// Runs the steps. Every call ends: with its own end, at its deadline, or when the bot stops.
pub(super) async fn run(
    state: &CallState,
    steps: Pin<&mut impl Future<Output = Result<Output, Failure>>>,
) -> Result<Output, Failure> {
    let steps = AssertUnwindSafe(steps).catch_unwind();
    let guarded = async {
        let stopped = async {
            match &state.options.cancel {
                Some(cancel) => cancel.cancelled().await,
                None => state.bot.stop().cancelled().await,
            }
        };
        // biased, so that steps that end at once never touch the timer or the token
        tokio::select! {
            biased;
            ended = steps => ended.unwrap_or_else(|payload| Err(panicked(state, &*payload))),
            after = deadline(state) => Err(Failure::timed_out(after, state.effect())),
            () = stopped => Err(Failure::cancelled(state.effect())),
        }
    };
    let span = record::span(state);
    if span.is_disabled() { guarded.await } else { guarded.instrument(span).await }
}

/// Sleeps until the tool's own deadline or the calling tool's, and says how long that was.
async fn deadline(state: &CallState) -> Duration {
    let inherited = state.options.deadline.map(|at| at.saturating_duration_since(Instant::now()));
    match [state.tool().timeout(), inherited].into_iter().flatten().min() {
        Some(after) => {
            tokio::time::sleep(after).await;
            after
        }
        None => std::future::pending().await,
    }
}

/// A panic's message is for the operator: the caller gets the id under which it is logged.
pub(super) fn panicked(state: &CallState, payload: &(dyn Any + Send)) -> Failure {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is no text");
    tracing::error!(target: "bdk::call", call_id = state.call_id, tool = state.tool().name(), message, "a tool panicked");
    Failure::panicked(&state.call_id)
}
