//! What a server asks of the bot and has no answer to yet. It may ask faster than it takes answers in: so many are kept, and
//! until there are fewer nothing more is read of it.

use crate::connection::failed::{Failed, Kind};
use rmcp::model::RequestId;
use std::{
    collections::HashSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

const MOST: usize = 64;

pub(super) struct Asked {
    /// How long not one answer may be taken in.
    patience: Duration,
    ids: Mutex<HashSet<RequestId>>,
    /// As many as there are ids: what is looked at before each message.
    count: AtomicUsize,
    fewer: Notify,
}

impl Asked {
    pub(super) fn new(patience: Duration) -> Self {
        Self { patience, ids: Mutex::default(), count: AtomicUsize::new(0), fewer: Notify::new() }
    }

    /// Says whether it is one that is not there yet.
    pub(super) fn add(&self, id: RequestId) -> bool {
        self.change(|ids| ids.insert(id))
    }
    pub(super) fn remove(&self, id: &RequestId) {
        self.change(|ids| ids.remove(id));
        self.fewer.notify_waiters();
    }
    /// Those of an earlier session get no answer any more.
    pub(super) fn clear(&self) {
        self.change(HashSet::clear);
        self.fewer.notify_waiters();
    }
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.ids().contains(id)
    }

    pub(super) fn are_many(&self) -> bool {
        self.count.load(Ordering::Acquire) >= MOST
    }
    /// Until when they may be as many as now.
    pub(super) fn patience_ends(&self) -> Instant {
        Instant::now() + self.patience
    }
    /// Waits until there are fewer.
    ///
    /// # Errors
    /// When it does not come to that.
    pub(super) async fn are_fewer_by(&self, deadline: Instant) -> Result<(), Failed> {
        loop {
            let fewer = self.fewer.notified();
            if !self.are_many() {
                return Ok(());
            }
            if timeout_at(deadline, fewer).await.is_err() {
                let words = format!(
                    "it asked for {MOST} things at once, pings say, and took in none of the answers for {:?}",
                    self.patience
                );
                return Err(Failed::bare(Kind::Lost, words));
            }
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut HashSet<RequestId>) -> T) -> T {
        let mut ids = self.ids();
        let changed = change(&mut ids);
        self.count.store(ids.len(), Ordering::Release);
        changed
    }
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
