//! What goes with one request: what rmcp does not look into.

use super::When;
use crate::connection::{called::Hears, failed::Failed};
use serde_json::value::RawValue;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU8, Ordering},
};

const NEW: u8 = 0;
const SENT: u8 = 1;
/// Nobody waits for it: what was not sent yet never is.
const LEFT: u8 = 2;

pub(super) struct Slot {
    /// The arguments of a call, as they are sent.
    pub(super) arguments: Option<Arc<str>>,
    /// What the server gave to be asked again with.
    pub(super) request_state: Option<Box<RawValue>>,
    pub(super) traceparent: Option<Box<str>>,
    /// Told how far the call is.
    pub(super) hears: Option<Arc<dyn Hears>>,
    state: AtomicU8,
    outcome: Mutex<Option<Result<Box<RawValue>, Failed>>>,
}

impl Slot {
    pub(super) fn of_call(arguments: Arc<str>, request_state: Option<Box<RawValue>>, when: &When<'_>) -> Self {
        let (traceparent, hears) = (when.traceparent.map(Into::into), when.hears.cloned());
        Self { arguments: Some(arguments), request_state, traceparent, hears, ..Self::of_question() }
    }
    /// Of a request that does nothing to the server: a listing, a ping.
    pub(super) fn of_question() -> Self {
        Self {
            arguments: None,
            request_state: None,
            traceparent: None,
            hears: None,
            state: AtomicU8::new(NEW),
            outcome: Mutex::default(),
        }
    }
    pub(super) fn is_of_call(&self) -> bool {
        self.arguments.is_some()
    }

    /// It is sent from now on, and whatever an earlier try came to is of the past. False where nobody waits for it any more: it is
    /// not sent then.
    pub(super) fn begin(&self) -> bool {
        self.outcome().take();
        self.moves(|state| (state != LEFT).then_some(SENT)).is_ok()
    }
    /// The server provably has not got it.
    pub(super) fn unsend(&self) {
        let _ = self.moves(|state| (state == SENT).then_some(NEW));
    }
    /// Whether the server may have it.
    pub(super) fn is_sent(&self) -> bool {
        self.state.load(Ordering::Acquire) == SENT
    }
    /// Nobody waits for it any more. Says whether the server may have it.
    pub(super) fn leave(&self) -> bool {
        self.state.swap(LEFT, Ordering::AcqRel) == SENT
    }
    fn moves(&self, to: impl FnMut(u8) -> Option<u8>) -> Result<u8, u8> {
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, to)
    }

    pub(super) fn answer(&self, result: &RawValue) {
        *self.outcome() = Some(Ok(result.to_owned()));
    }
    pub(super) fn fail(&self, failed: Failed) {
        *self.outcome() = Some(Err(failed));
    }
    pub(super) fn take(&self) -> Option<Result<Box<RawValue>, Failed>> {
        self.outcome().take()
    }
    fn outcome(&self) -> MutexGuard<'_, Option<Result<Box<RawValue>, Failed>>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
