//! Around a call's steps: the deadline, the end of the bot, and panics.

use super::{CallState, Failure, panic, record};
use crate::tool::Output;
use std::{
    future::{Future, poll_fn},
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
                let polled = panic::catch(|| steps.poll(cx));
                polled.unwrap_or_else(|payload| Poll::Ready(Err(panic::told(state, payload))))
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
    if let Err(payload) = panic::catch(|| steps.set(None)) {
        let _ = panic::told(state, payload);
    }
    ended
}

const INHERITED_LATER: Duration = Duration::from_millis(100);

/// Sleeps until the tool's own deadline or the calling tool's, and says how long that was.
async fn deadline(state: &CallState) -> Duration {
    // the calling tool's own guard ends both at its deadline; this is for a blocking one, which goes on, and a moment later,
    // so that it is no race which of the two comes first
    let inherited = state.options.deadline.map(|at| at.saturating_duration_since(Instant::now()) + INHERITED_LATER);
    match [state.tool().timeout(), inherited].into_iter().flatten().min() {
        Some(after) => {
            tokio::time::sleep(after).await;
            after
        }
        None => std::future::pending().await,
    }
}
