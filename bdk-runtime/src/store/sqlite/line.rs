//! The line before the writer: who has something to be written stands in it, and it is taken as a group.
//!
//! Nobody is waited for. Those who come while a group is written out make the next one, so that the slower the disk, the
//! larger the groups; and what they need of the processor they get while the writer waits for the disk.

use super::write::Job;
use crate::lock::lock;
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, PoisonError},
};

/// At most so many batches share a commit: those behind them wait for the next.
const GROUP: usize = 512;

/// What the writer is asked to do.
pub(super) enum Order {
    Do(Job),
    #[cfg(test)]
    Run(Box<dyn FnOnce(&rusqlite::Connection) + Send>),
}

#[derive(Default)]
pub(super) struct Line {
    standing: Mutex<Standing>,
    come: Condvar,
}

#[derive(Default)]
struct Standing {
    orders: VecDeque<Order>,
    /// Whether the writer has to be woken.
    sleeps: bool,
    /// Nobody may join any more.
    closed: bool,
}

impl Line {
    /// Joins it. Behind the end the order is dropped, and with it whoever waits for its answer hears of that.
    pub(super) fn join(&self, order: Order) {
        let mut standing = lock(&self.standing);
        if standing.closed {
            return;
        }
        standing.orders.push_back(order);
        if std::mem::take(&mut standing.sleeps) {
            self.come.notify_one();
        }
    }

    /// Lets nobody join any more. Those who stand in it are still served.
    pub(super) fn close(&self) {
        lock(&self.standing).closed = true;
        self.come.notify_one();
    }

    /// The writer is gone: so is the answer of everybody who stands here.
    pub(super) fn end(&self) {
        let mut standing = lock(&self.standing);
        standing.closed = true;
        standing.orders.clear();
    }

    /// The next group, as soon as there is one; none when the line is closed and empty.
    pub(super) fn next(&self) -> Option<Vec<Order>> {
        let mut standing = lock(&self.standing);
        if standing.orders.is_empty() && !standing.closed {
            standing.sleeps = true;
            standing = self
                .come
                .wait_while(standing, |standing| standing.orders.is_empty() && !standing.closed)
                .unwrap_or_else(PoisonError::into_inner);
            standing.sleeps = false;
            // those who come together: where one processor has them all, the first of them would be alone
            drop(standing);
            std::thread::yield_now();
            standing = lock(&self.standing);
        }
        let group = standing.orders.len().min(GROUP);
        (group > 0).then(|| standing.orders.drain(..group).collect())
    }
}
