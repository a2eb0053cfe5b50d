//! Around a call's steps: the deadline, the end of the bot, and panics.

use super::{CallState, Failure, record};
use crate::tool::Output;
use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};
use tracing::Instrument;

/// Runs the steps. Every call ends: with its own end, at its deadline, or when the bot stops. The steps are dropped before
/// this returns, so that nothing of a call outlives its record but a blocking thread.
pub(super) async fn run<F: Future<Output = Result<Output, Failure>>>(
    state: &CallState,
    mut steps: Pin<&mut Option<F>>,
) -> Result<Output, Failure> {
    let guarded = async {
        let stopped = async {
            match &state.options.cancel {
                Some(cancel) => cancel.cancelled().await,
                None => state.bot.stop().cancelled().await,
            }
        };
        let running = poll_fn(|cx| match steps.as_mut().as_pin_mut() {
            Some(steps) => {
                let polled = catch_unwind(AssertUnwindSafe(|| steps.poll(cx)));
                polled.unwrap_or_else(|payload| Poll::Ready(Err(panicked(state, payload))))
            }
            None => Poll::Pending,
        });
        // biased, so that steps that end at once never touch the timer or the token
        tokio::select! {
            biased;
            ended = running => ended,
            after = deadline(state) => Err(Failure::timed_out(after, state.effect())),
            () = stopped => Err(Failure::cancelled(state.effect())),
        }
    };
    let span = record::span(state);
    let ended = if span.is_disabled() { guarded.await } else { guarded.instrument(span).await };
    // a future that panics when it is dropped changes nothing of how the call ended
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| steps.set(None))) {
        let _ = panicked(state, payload);
    }
    ended
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
pub(super) fn panicked(state: &CallState, payload: Box<dyn Any + Send>) -> Failure {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is no text");
    tracing::error!(target: "bdk::call", call_id = state.call_id, tool = state.tool().name(), message, "a tool panicked");
    discard(payload);
    Failure::panicked(&state.call_id)
}

/// Drops a panic's payload, which may panic itself; what that leaves is leaked, or it would go on for ever.
pub(super) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(again);
    }
}
