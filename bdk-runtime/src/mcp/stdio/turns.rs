//! Whose turn it is to read: a reader that is held up by the message it carries is relieved by another one.
//!
//! Carrying a message as far as it goes takes microseconds, but a tool may block where it should not
//! (`std::thread::sleep` in an `async fn`). Nothing else would be read then, not even that the call is cancelled.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};
use tokio::{sync::Notify, time::sleep};

/// How often it is looked whether the reader is held up; a reader is relieved after one to two times this.
const LOOK: Duration = Duration::from_millis(50);

pub(super) struct Turns {
    made: Instant,
    /// The reader whose turn it is.
    turn: AtomicU64,
    /// Since when it carries its message, in milliseconds from `made` and one; 0 while it reads.
    since: AtomicU64,
    /// How many messages there were.
    messages: AtomicU64,
    /// Whether nobody looks, because nothing comes.
    quiet: AtomicBool,
    comes: Notify,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            made: Instant::now(),
            turn: AtomicU64::new(0),
            since: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            quiet: AtomicBool::new(true),
            comes: Notify::new(),
        }
    }
    fn now(&self) -> u64 {
        u64::try_from(self.made.elapsed().as_millis()).unwrap_or(u64::MAX - 1) + 1
    }

    /// Carries a message; whether the reader of this turn is still the one to read.
    pub(super) fn carry(&self, turn: u64, carry: impl FnOnce()) -> bool {
        self.since.store(self.now(), Ordering::SeqCst);
        self.messages.fetch_add(1, Ordering::Relaxed);
        if self.quiet.load(Ordering::SeqCst) && self.quiet.swap(false, Ordering::SeqCst) {
            self.comes.notify_one();
        }
        carry();
        // of the two, the one that comes first decides
        let mine = self.turn.load(Ordering::SeqCst) == turn;
        if mine {
            self.since.store(0, Ordering::SeqCst);
        }
        mine && self.turn.load(Ordering::SeqCst) == turn
    }

    /// Looks on, and relieves a reader that is held up: `next` begins another one with its turn.
    pub(super) async fn watch(&self, next: impl Fn(u64)) {
        loop {
            self.comes.notified().await;
            let mut seen = 0;
            loop {
                sleep(LOOK).await;
                let (since, now) = (self.since.load(Ordering::SeqCst), self.now());
                if since != 0 && now - since >= LOOK.as_millis() as u64 {
                    self.since.store(0, Ordering::SeqCst);
                    next(self.turn.fetch_add(1, Ordering::SeqCst) + 1);
                }
                let messages = self.messages.load(Ordering::Relaxed);
                if std::mem::replace(&mut seen, messages) == messages && self.since.load(Ordering::SeqCst) == 0 {
                    self.quiet.store(true, Ordering::SeqCst);
                    // one that came in between has not been told of
                    if self.since.load(Ordering::SeqCst) == 0 || !self.quiet.swap(false, Ordering::SeqCst) {
                        break;
                    }
                }
            }
        }
    }
}
