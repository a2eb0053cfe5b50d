//! The time that a call waits for a person: it counts against no deadline, neither the call's own nor that of a call above it.

use super::CallState;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, futures::Notified},
    time::Instant,
};

/// How long one call has waited, and whether it does now. Made by the first question, so that other calls pay nothing.
#[derive(Default)]
pub(super) struct Waits {
    now: Mutex<Now>,
    /// Told when the last of the waits that run at once is over.
    over: Notify,
}

#[derive(Default)]
struct Now {
    /// How many run at once: a call may ask several things, itself and in the calls below it.
    running: u32,
    since: Option<Instant>,
    /// All that are over.
    total: Duration,
}

impl Waits {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn begin(&self) {
        let mut now = self.now();
        now.running += 1;
        now.since.get_or_insert_with(Instant::now);
    }
    fn end(&self) {
        let mut now = self.now();
        now.running = now.running.saturating_sub(1);
        if now.running == 0 {
            let waited = now.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            now.total += waited;
            drop(now);
            self.over.notify_waiters();
        }
    }
    /// How long it has waited so far; or, while it waits, what tells its end.
    pub(super) fn total(&self) -> Result<Duration, Notified<'_>> {
        // made before it is looked, so that no end is missed
        let over = self.over.notified();
        let now = self.now();
        if now.running == 0 { Ok(now.total) } else { Err(over) }
    }
}

/// Stops the clocks of a call and of those above it until it is dropped.
pub(super) struct Pause(Arc<CallState>);

impl Pause {
    pub(super) fn begin(state: &Arc<CallState>) -> Self {
        state.with_callers().for_each(|call| call.waits.get_or_init(Box::default).begin());
        Self(state.clone())
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.with_callers().filter_map(|call| call.waits.get()).for_each(|waits| waits.end());
    }
}
