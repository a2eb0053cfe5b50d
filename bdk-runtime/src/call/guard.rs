//! Around a call's steps: the deadline, the end of the bot, and panics.

use super::{CallState, Failure, panic};
use crate::tool::Output;
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::Duration,
};
use tokio::{task::coop::unconstrained, time::Instant};
use tracing::{Instrument, Span};

/// Runs the steps. Every call ends: with its own end, at its deadline, or when the bot stops. The steps are dropped before
/// this returns, so that nothing of a call outlives its record but a blocking thread.
pub(super) async fn run<F: Future<Output = Result<Output, Failure>>>(
    state: &CallState,
    span: &Span,
    mut steps: Pin<&mut Option<F>>,
) -> Result<Output, Failure> {
    let guarded = async {
        let stopped = async {
            let own = state.options.cancel.as_ref().unwrap_or_else(|| state.bot.stop());
            match &state.options.session {
                // one that is deleted
                Some(live) => tokio::select! { () = own.cancelled() => {}, () = live.stop.cancelled() => {} },
                None => own.cancelled().await,
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
            // without Tokio's budget, which a tool that always finds something ready uses up each time before it comes here
            after = unconstrained(deadline(state)) => Err(Failure::timed_out(after, state.begun())),
            () = unconstrained(stopped) => Err(Failure::cancelled(state.begun())),
        }
    };
    let ended = if span.is_disabled() { guarded.await } else { guarded.instrument(span.clone()).await };
    // a future that panics when it is dropped changes nothing of how the call ended
    if let Err(payload) = panic::catch(|| steps.set(None)) {
        let _ = panic::told(state, payload);
    }
    ended
}

/// The calling tool's own guard ends both at its deadline; an inherited one is for a blocking tool, which goes on, and comes
/// a moment later, so that it is no race which of the two is first. Nor is it one with a connection, which knows at the deadline
/// whether the server was asked at all.
const LATER: Duration = Duration::from_millis(100);

/// When the time of the tool itself is over, unless it waits for a person now.
#[cfg(feature = "connections")]
pub(super) fn due(state: &CallState) -> Option<Instant> {
    let waited = state.waits.get().map_or(Ok(Duration::ZERO), |waits| waits.total()).ok()?;
    state.started.checked_add(state.tool().timeout()?.checked_add(waited)?)
}

/// Waits until the tool's own deadline or that of a tool above it, and says how long that was. The clock of a call that
/// waits for a person stands still.
async fn deadline(state: &CallState) -> Duration {
    loop {
        let mut due: Option<Instant> = None;
        let mut resumed = None;
        for call in state.with_callers() {
            match call.waits.get().map_or(Ok(Duration::ZERO), |waits| waits.total()) {
                Ok(waited) => {
                    let is_first = std::ptr::eq(call, state) && call.tool().connection().is_none();
                    let later = if is_first { Duration::ZERO } else { LATER };
                    // what is too far away to be told is no deadline
                    let at =
                        call.tool().timeout().and_then(|t| call.started.checked_add(t.checked_add(waited + later)?));
                    due = [due, at].into_iter().flatten().min();
                }
                // as long as this one waits, those above it do too
                Err(over) => {
                    resumed = Some(over);
                    break;
                }
            }
        }
        let now = Instant::now();
        if due.is_some_and(|at| at <= now) {
            let ran = || now - state.started;
            return state.tool().timeout().map_or_else(ran, |own| own.min(ran()));
        }
        let came = async {
            match due {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        match resumed {
            Some(over) => tokio::select! { () = came => {}, () = over => {} },
            None => came.await,
        }
    }
}
