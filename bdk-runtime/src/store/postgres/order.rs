//! Batches of this process that touch the same thing take effect in the order in which they were handed over.
//!
//! They run in tasks and on connections of their own, which keep no order by themselves. Without this, too, the calls of one busy
//! session would each hold a connection while they wait for its row.

use crate::{
    lock::lock,
    store::{Batch, Op},
};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

/// The last batch in line for each thing that is touched.
#[derive(Default)]
pub(super) struct Order {
    /// Things by their hash: two that share one wait for each other, which harms nobody.
    hasher: RandomState,
    last: Arc<Mutex<HashMap<u64, watch::Receiver<()>>>>,
}

impl Order {
    /// A place in line behind those that touch the same things.
    pub(super) fn enter(&self, batch: &Batch) -> Turn {
        let mut touched: Vec<u64> = batch.iter().flat_map(|op| self.touched_by(op)).flatten().collect();
        touched.sort_unstable();
        touched.dedup();
        let (ends, ended) = watch::channel(());
        let mut last = lock(&self.last);
        let before = touched.iter().filter_map(|thing| last.insert(*thing, ended.clone())).collect();
        Turn { before, touched, ended, last: self.last.clone(), _ends: ends }
    }

    fn touched_by(&self, op: &Op) -> [Option<u64>; 2] {
        let thing = |kind: &str, of: &str, name: &str| Some(self.hasher.hash_one((kind, of, name)));
        match op {
            Op::OpenSession(row) => [thing("session", "", &row.id), None],
            Op::Append { session, .. } | Op::SetToken { session, .. } | Op::DeleteSession { session } => {
                [thing("session", "", session), None]
            }
            Op::BeginCall(call) => [thing("call", "", &call.call_id), None],
            Op::EndCall { call_id } => [thing("call", "", call_id), None],
            Op::ClaimKey { scope, key, .. } | Op::SettleKey { scope, key, .. } | Op::ReleaseKey { scope, key } => {
                [thing("key", scope, key), None]
            }
            Op::PutValue { space, key, .. } | Op::DeleteValue { space, key, .. } => [thing("value", space, key), None],
            // it goes with its session, whose deletion may be in line
            Op::PutFile { space, path, file } => {
                [thing("file", space, path), file.session.as_deref().and_then(|session| thing("session", "", session))]
            }
            Op::DeleteFile { space, path, .. } => [thing("file", space, path), None],
            Op::Purge { .. } => [None, None],
        }
    }
}

/// A place in line: it is left when this is dropped.
pub(super) struct Turn {
    before: Vec<watch::Receiver<()>>,
    touched: Vec<u64>,
    ended: watch::Receiver<()>,
    last: Arc<Mutex<HashMap<u64, watch::Receiver<()>>>>,
    /// Dropped last: those behind wait for that.
    _ends: watch::Sender<()>,
}

impl Turn {
    /// Waits until those before have left.
    pub(super) async fn come(&mut self) {
        while let Some(before) = self.before.last_mut() {
            // nothing is ever sent: this ends when the sender is gone
            let _ = before.changed().await;
            self.before.pop();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut last = lock(&self.last);
        for thing in &self.touched {
            if last.get(thing).is_some_and(|last| last.same_channel(&self.ended)) {
                last.remove(thing);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn touching(calls: &[&str]) -> Batch {
        calls.iter().map(|id| Op::EndCall { call_id: Arc::from(*id) }).collect()
    }

    #[test]
    fn those_that_touch_the_same_come_one_after_the_other_and_others_at_once() {
        let order = Order::default();
        let mut first = order.enter(&touching(&["a", "b"]));
        let mut second = order.enter(&touching(&["b", "c", "b"]));
        let mut third = order.enter(&touching(&["c", "a"]));
        let mut other = order.enter(&touching(&["d"]));
        assert!(first.come().now_or_never().is_some());
        assert!(other.come().now_or_never().is_some());
        assert!(second.come().now_or_never().is_none());
        assert!(third.come().now_or_never().is_none());
        drop(first);
        assert!(second.come().now_or_never().is_some());
        assert!(third.come().now_or_never().is_none());
        drop(second);
        assert!(third.come().now_or_never().is_some());
    }

    #[test]
    fn whoever_leaves_lets_the_next_one_in_and_an_empty_line_is_forgotten() {
        let order = Order::default();
        let first = order.enter(&touching(&["a"]));
        let mut second = order.enter(&touching(&["a"]));
        drop(first);
        assert!(second.come().now_or_never().is_some());
        assert_eq!(lock(&order.last).len(), 1);
        drop(second);
        assert!(lock(&order.last).is_empty());
    }

    #[test]
    fn one_that_gave_up_its_place_does_not_keep_the_others() {
        let order = Order::default();
        let first = order.enter(&touching(&["a"]));
        let second = order.enter(&touching(&["a"]));
        let mut third = order.enter(&touching(&["a"]));
        drop(second);
        drop(first);
        assert!(third.come().now_or_never().is_some());
    }
}
