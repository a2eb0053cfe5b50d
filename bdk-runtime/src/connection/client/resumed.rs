//! Calls whose answer is a stream that ended before it came. The protocol has it asked for again from the last event on, which a
//! server may have done on and on: so it is counted how often that brought nothing.

use super::{events::Of, slot::Slot};
use crate::connection::failed::{Failed, Kind};
use rmcp::model::RequestId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

/// By the last event's id.
#[derive(Default)]
pub(super) struct Resumable(Mutex<HashMap<String, Ended>>);

struct Ended {
    id: RequestId,
    slot: Weak<Slot>,
    tries: usize,
}

/// It was tried too often: the call was told.
#[derive(Debug)]
pub(super) struct TooOften;

impl Resumable {
    pub(super) fn ended(&self, last_event: &str, of: &Of) {
        let Some(slot) = &of.slot else { return };
        let ended = Ended { id: of.id.clone(), slot: Arc::downgrade(slot), tries: of.tries };
        let mut all = self.all();
        all.retain(|_, ended| ended.slot.strong_count() > 0);
        all.insert(last_event.to_owned(), ended);
    }

    /// What a stream from this event on is the answer to, where that is a call.
    pub(super) fn again(&self, last_event: &str, most: usize) -> Result<Option<Of>, TooOften> {
        let mut all = self.all();
        let Some(ended) = all.get_mut(last_event) else { return Ok(None) };
        let Some(slot) = ended.slot.upgrade() else { return Ok(None) };
        if ended.tries >= most {
            let words =
                format!("its answer's stream ended without it, and {most} streams that went on from there did too");
            slot.fail(Failed::bare(Kind::Lost, words));
            all.remove(last_event);
            return Err(TooOften);
        }
        ended.tries += 1;
        Ok(Some(Of { id: ended.id.clone(), slot: Some(slot), tries: ended.tries }))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Ended>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
