//! Reading a session's log as it grows: in pages, as fast as whoever reads takes them.

use super::{Live, Sessions, Unbound};
use crate::store::{StoreError, StoredEvent};
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::sync::watch;

/// How many events are read at once. One has 130 KiB at most, so that a reader holds a few megabytes.
const PAGE: usize = 32;
/// How often it is looked whether another process has appended.
const LOOK: Duration = Duration::from_secs(1);

/// A place in a session's log.
///
/// Nothing is handed to it: it is told that there is more, and takes it when it is asked. A reader that is slow, or has gone to
/// sleep, costs a page.
pub(crate) struct Follow {
    live: Arc<Live>,
    appended: watch::Receiver<u64>,
    /// Read, and not yet taken.
    page: VecDeque<StoredEvent>,
    /// The index of the next event to read.
    next: u64,
}

impl Follow {
    pub(crate) fn new(live: Arc<Live>, from: u64) -> Self {
        Self { appended: live.listen(), live, page: VecDeque::new(), next: from }
    }

    /// The next event that is there already; none at the end of the log.
    ///
    /// Whoever drops the future loses no event; this holds for [`next`](Self::next), too.
    pub(crate) async fn there(&mut self, sessions: &Sessions) -> Result<Option<StoredEvent>, StoreError> {
        self.look(sessions).await?;
        Ok(self.page.pop_front())
    }

    /// Reads a page, where none is at hand.
    pub(crate) async fn look(&mut self, sessions: &Sessions) -> Result<(), StoreError> {
        if self.page.is_empty() {
            // what is appended from here on is told
            self.appended.mark_unchanged();
            let page = sessions.events(&self.live.id, self.next, PAGE).await?;
            if let Some(last) = page.last() {
                self.next = last.index + 1;
            }
            self.page = page.into();
        }
        Ok(())
    }

    /// The next event, once there is one; none when the session is gone.
    pub(crate) async fn next(&mut self, sessions: &Sessions) -> Result<Option<StoredEvent>, StoreError> {
        loop {
            if let Some(event) = self.there(sessions).await? {
                return Ok(Some(event));
            }
            // deleted here or by another process; one whose deletion failed comes to hand anew
            match sessions.again(&self.live.id).await {
                Ok(live) if Arc::ptr_eq(&live, &self.live) => {}
                Ok(live) => {
                    self.appended = live.listen();
                    self.live = live;
                    continue;
                }
                Err(Unbound::Unknown(_)) => return Ok(None),
                Err(Unbound::Unavailable(error)) => return Err(error),
            }
            if sessions.store.is_shared() {
                let _ = tokio::time::timeout(LOOK, self.appended.changed()).await;
            } else {
                // its sender lives as long as `live`
                let _ = self.appended.changed().await;
            }
        }
    }
}
