//! When a connection is left alone for a while, because it failed and failed.

use super::{
    failed::{Failed, Kind},
    limits::Limits,
};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

pub(super) struct Breaker {
    limits: Arc<Limits>,
    /// Nothing is remembered: what every call of a sound connection finds.
    calm: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    crashes: VecDeque<Instant>,
    open: Option<Open>,
    /// When a pause ended well, and how long it was: what breaks again at once waits longer.
    ended: Option<(Instant, Duration)>,
}

struct Open {
    until: Instant,
    pause: Duration,
    cause: String,
    trying: bool,
}

/// Leave to try. Dropped without a word it has shown nothing.
pub(super) struct Entry<'a> {
    breaker: &'a Breaker,
    probe: bool,
}

impl Breaker {
    pub(super) fn new(limits: Arc<Limits>) -> Self {
        Self { limits, calm: AtomicBool::new(true), state: Mutex::default() }
    }

    /// # Errors
    /// While it is left alone: the last cause, and when it is tried next.
    pub(super) fn enter(&self) -> Result<Entry<'_>, Failed> {
        if self.calm.load(Ordering::Acquire) {
            return Ok(Entry { breaker: self, probe: false });
        }
        let mut state = self.state();
        let Some(open) = &mut state.open else { return Ok(Entry { breaker: self, probe: false }) };
        let left = open.until.saturating_duration_since(Instant::now());
        if left.is_zero() && !open.trying {
            open.trying = true;
            return Ok(Entry { breaker: self, probe: true });
        }
        let next = match left.as_secs() {
            _ if left.is_zero() => "it is being tried".to_owned(),
            0 => "it is tried again in a second".to_owned(),
            seconds => format!("it is tried again in {} s", seconds + 1),
        };
        let mut failed = Failed::bare(Kind::Paused, format!("it failed too often, and {next}; last: {}", open.cause));
        failed.retry_after = Some(left.max(Duration::from_millis(100)));
        Err(failed)
    }

    /// A process ended without being asked. Says whether that is one time too many.
    pub(super) fn crashed(&self, cause: &str) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        self.calm.store(false, Ordering::Release);
        let window = self.limits.crash_window;
        state.crashes.push_back(now);
        state.crashes.retain(|at| now.duration_since(*at) < window);
        if state.crashes.len() >= self.limits.crashes && state.open.is_none() {
            state.crashes.clear();
            self.pause(&mut state, cause.to_owned());
            return true;
        }
        false
    }

    /// It could not be opened, or was given up. Says whether that is one time too many.
    pub(super) fn failed(&self, cause: &str) -> bool {
        self.bad(cause, false)
    }

    fn bad(&self, cause: &str, probe: bool) -> bool {
        let mut state = self.state();
        self.calm.store(false, Ordering::Release);
        if state.open.is_some() {
            // of those that were under way already, none says anything new
            if probe {
                self.pause(&mut state, cause.to_owned());
            }
            return probe;
        }
        state.failures += 1;
        let too_many = state.failures >= self.limits.failures;
        if too_many {
            state.failures = 0;
            self.pause(&mut state, cause.to_owned());
        }
        too_many
    }

    fn pause(&self, state: &mut State, cause: String) {
        let now = Instant::now();
        let longer = |pause: Duration| (pause * 2).min(self.limits.longest_pause);
        let again = state.ended.filter(|(at, _)| now.duration_since(*at) < self.limits.crash_window);
        let pause = match &state.open {
            Some(open) => longer(open.pause),
            None => again.map_or(self.limits.pause, |(_, pause)| longer(pause)),
        };
        state.open = Some(Open { until: now + pause, pause, cause, trying: false });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry<'_> {
    /// The server was there.
    pub(super) fn good(&self) {
        if self.breaker.calm.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.breaker.state();
        state.failures = 0;
        if self.probe
            && let Some(open) = state.open.take()
        {
            state.ended = Some((Instant::now(), open.pause));
        }
        let window = self.breaker.limits.crash_window;
        let old = |at: &Instant| at.elapsed() >= window;
        state.crashes.retain(|at| !old(at));
        let calm =
            state.open.is_none() && state.crashes.is_empty() && state.ended.as_ref().is_none_or(|(at, _)| old(at));
        self.breaker.calm.store(calm, Ordering::Release);
    }

    /// The server was not reached.
    pub(super) fn bad(&self, cause: &str) {
        self.breaker.bad(cause, self.probe);
    }
    /// It went wrong: which says something only of the one try that there is.
    pub(super) fn bad_probe(&self, cause: &str) {
        if self.probe {
            self.bad(cause);
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if self.probe
            && let Some(open) = &mut self.breaker.state().open
        {
            open.trying = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker() -> Breaker {
        Breaker::new(Arc::new(Limits::default()))
    }

    #[tokio::test(start_paused = true)]
    async fn five_failures_in_a_row_pause_it_and_each_probe_that_fails_pauses_it_longer() {
        let breaker = breaker();
        for _ in 0..4 {
            breaker.enter().unwrap().bad("refused");
        }
        breaker.enter().unwrap().good();
        for _ in 0..5 {
            breaker.enter().unwrap().bad("refused");
        }
        for pause in [5, 10, 20, 40, 60, 60] {
            let failed = breaker.enter().err().unwrap();
            assert_eq!(failed.kind, Kind::Paused);
            assert!(failed.words.contains("last: refused"), "{failed}");
            assert_eq!(failed.retry_after, Some(Duration::from_secs(pause)));
            tokio::time::advance(Duration::from_secs(pause)).await;
            let probe = breaker.enter().unwrap();
            // one at a time
            assert!(breaker.enter().err().unwrap().words.contains("is being tried"));
            probe.bad("refused");
        }
        tokio::time::advance(Duration::from_secs(60)).await;
        // one that shows nothing leaves the next to the next
        drop(breaker.enter().unwrap());
        breaker.enter().unwrap().good();
        breaker.enter().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_that_crashes_five_times_in_a_minute_is_left_alone() {
        let breaker = breaker();
        for _ in 0..8 {
            tokio::time::advance(Duration::from_secs(16)).await;
            breaker.crashed("exit 1");
            breaker.enter().unwrap().good();
        }
        tokio::time::advance(Duration::from_secs(61)).await;
        for pause in [5, 10] {
            for _ in 0..5 {
                breaker.crashed("exit 1");
            }
            assert_eq!(breaker.enter().err().unwrap().retry_after, Some(Duration::from_secs(pause)));
            tokio::time::advance(Duration::from_secs(pause)).await;
            breaker.enter().unwrap().good();
        }
    }
}
