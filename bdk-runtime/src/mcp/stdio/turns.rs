//! Whose turn it is to read: a reader that is held up by the message it carries is relieved by another one.
//!
//! Carrying a message as far as it goes takes microseconds, but a tool may block where it should not
//! (`std::thread::sleep` in an `async fn`). Nothing else would be read then, not even that the call is cancelled.
//!
//! There is one reader at any time: whose turn it is and since when it carries its message stand in one number, so that
//! either the reader comes back to its turn or another one has taken it, and never both.

use std::{
    io,
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    time::Duration,
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

/// How often it is looked whether the reader is held up; a reader is relieved after one to two times this.
const LOOK: Duration = Duration::from_millis(50);
/// The lower bits say since when, in milliseconds: 34 years.
const SINCE: u64 = (1 << 40) - 1;

/// A turn, and since when its message is carried; 0 while it reads.
fn state(turn: u64, since: u64) -> u64 {
    turn << 40 | since & SINCE
}
fn turn_of(state: u64) -> u64 {
    state >> 40
}

pub(super) struct Turns {
    made: Instant,
    /// Only the reader of the turn writes it, but for [`relieve`](Self::relieve).
    state: AtomicU64,
    /// How many readers were relieved and still carry their message.
    held: AtomicUsize,
    /// How many messages there were.
    messages: AtomicU64,
    /// Whether nobody looks, because nothing comes.
    quiet: AtomicBool,
    comes: Notify,
}

/// A reader that is held up, as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldUp(u64);

impl Turns {
    /// Reading begins with turn 0.
    pub(super) fn new() -> Self {
        Self {
            made: Instant::now(),
            state: AtomicU64::new(state(0, 0)),
            held: AtomicUsize::new(0),
            messages: AtomicU64::new(0),
            quiet: AtomicBool::new(true),
            comes: Notify::new(),
        }
    }
    fn now(&self) -> u64 {
        u64::try_from(self.made.elapsed().as_millis()).unwrap_or(SINCE - 1) + 1
    }

    /// The reader of this turn begins to carry a message.
    pub(super) fn begin(&self, turn: u64) {
        // nobody else writes while nothing is carried
        self.state.store(state(turn, self.now()), Ordering::SeqCst);
        self.messages.fetch_add(1, Ordering::Relaxed);
        if self.quiet.load(Ordering::SeqCst) && self.quiet.swap(false, Ordering::SeqCst) {
            self.comes.notify_one();
        }
    }

    /// The reader of this turn is done with a message, carried or not; whether it is still the one to read.
    pub(super) fn end(&self, turn: u64) -> bool {
        let now = self.state.load(Ordering::SeqCst);
        let mine = turn_of(now) == turn
            && self.state.compare_exchange(now, state(turn, 0), Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if !mine {
            self.held.fetch_sub(1, Ordering::SeqCst);
        }
        mine
    }

    /// The turn of whoever takes the place of this reader; none when the reader came back.
    pub(super) fn relieve(&self, seen: HeldUp) -> Option<u64> {
        let next = turn_of(seen.0).wrapping_add(1) & (u64::MAX >> 40);
        // counted first, or it could come back uncounted
        self.held.fetch_add(1, Ordering::SeqCst);
        if self.state.compare_exchange(seen.0, state(next, 0), Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            return Some(next);
        }
        self.held.fetch_sub(1, Ordering::SeqCst);
        None
    }

    /// Whether no message is being carried.
    pub(super) fn is_idle(&self) -> bool {
        self.held.load(Ordering::SeqCst) == 0 && self.state.load(Ordering::SeqCst) & SINCE == 0
    }

    /// The reader, where it is held up.
    fn held_up(&self) -> Option<HeldUp> {
        let seen = self.state.load(Ordering::SeqCst);
        let since = seen & SINCE;
        (since != 0 && self.now().saturating_sub(since) >= LOOK.as_millis() as u64).then_some(HeldUp(seen))
    }

    /// Looks on; `next` begins a thread that [relieves](Self::relieve) a reader that is held up.
    pub(super) async fn watch(&self, next: impl Fn(HeldUp) -> io::Result<()>) {
        let mut told = false;
        loop {
            self.comes.notified().await;
            let mut seen = 0;
            loop {
                sleep(LOOK).await;
                if let Some(held) = self.held_up()
                    && let Err(error) = next(held)
                    && !std::mem::replace(&mut told, true)
                {
                    tracing::error!(target: "bdk::mcp", %error, "a tool holds up all others, and no thread is left to go on reading");
                }
                let messages = self.messages.load(Ordering::Relaxed);
                let carries = || self.state.load(Ordering::SeqCst) & SINCE != 0;
                if std::mem::replace(&mut seen, messages) == messages && !carries() {
                    self.quiet.store(true, Ordering::SeqCst);
                    // one that came in between has not been told of
                    if !carries() || !self.quiet.swap(false, Ordering::SeqCst) {
                        break;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier};
    use tokio::sync::mpsc;

    /// Turns that are looked on, and what came of each reader that was found held up.
    fn watched() -> (Arc<Turns>, mpsc::UnboundedReceiver<Option<u64>>) {
        let turns = Arc::new(Turns::new());
        let (sender, relieved) = mpsc::unbounded_channel();
        tokio::spawn({
            let turns = turns.clone();
            async move {
                turns
                    .watch(|seen| {
                        let _ = sender.send(turns.relieve(seen));
                        Ok(())
                    })
                    .await;
            }
        });
        (turns, relieved)
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_is_held_up_is_relieved_once_and_learns_of_it_when_it_comes_back() {
        let (turns, mut relieved) = watched();
        turns.begin(0);
        assert_eq!(relieved.recv().await, Some(Some(1)));
        sleep(LOOK * 10).await; // the new one reads
        assert!(relieved.try_recv().is_err());
        assert!(!turns.is_idle());
        assert!(!turns.end(0));
        assert!(turns.is_idle());
        turns.begin(1);
        assert!(turns.end(1));
    }

    #[tokio::test(start_paused = true)]
    async fn one_after_the_other_may_be_held_up_and_come_back_in_any_order() {
        let (turns, mut relieved) = watched();
        for turn in 0..3 {
            turns.begin(turn);
            assert_eq!(relieved.recv().await, Some(Some(turn + 1)));
        }
        assert!(!turns.end(1) && !turns.end(0));
        turns.begin(3);
        assert!(turns.end(3));
        assert!(!turns.is_idle());
        assert!(!turns.end(2));
        assert!(turns.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_keeps_up_keeps_its_turn_and_nobody_looks_on_while_nothing_comes() {
        let (turns, mut relieved) = watched();
        for _ in 0..100 {
            turns.begin(0);
            sleep(LOOK / 4).await;
            assert!(turns.end(0));
        }
        sleep(LOOK * 3).await;
        assert!(turns.quiet.load(Ordering::SeqCst) && turns.is_idle());
        assert!(relieved.try_recv().is_err());
        // and again when something comes
        turns.begin(0);
        assert_eq!(relieved.recv().await, Some(Some(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_came_back_in_time_is_not_relieved_though_it_was_seen_held_up() {
        let turns = Turns::new();
        turns.begin(0);
        sleep(LOOK).await;
        let seen = turns.held_up().expect("held up");
        assert!(turns.end(0));
        assert_eq!(turns.relieve(seen), None);
        turns.begin(0);
        assert_eq!(turns.relieve(seen), None);
        assert!(turns.end(0) && turns.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn of_two_that_would_relieve_it_one_does() {
        let turns = Turns::new();
        turns.begin(0);
        sleep(LOOK).await;
        let seen = turns.held_up().expect("held up");
        assert_eq!((turns.relieve(seen), turns.relieve(seen)), (Some(1), None));
        assert!(turns.held_up().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_thread_that_could_not_be_started_leaves_the_turn_where_it_is() {
        let turns = Arc::new(Turns::new());
        let (sender, mut tried) = mpsc::unbounded_channel();
        tokio::spawn({
            let turns = turns.clone();
            async move {
                turns
                    .watch(|seen| {
                        let _ = sender.send(seen);
                        Err(io::ErrorKind::OutOfMemory.into())
                    })
                    .await;
            }
        });
        turns.begin(0);
        let first = tried.recv().await;
        assert_eq!(first, tried.recv().await, "it is tried again");
        assert!(turns.end(0));
    }

    #[test]
    fn there_is_one_reader_at_any_time_however_relief_and_return_meet() {
        const MESSAGES: u64 = 20_000;
        struct Race {
            turns: Turns,
            reading: AtomicUsize,
            taken: AtomicU64,
        }
        fn read(race: &Arc<Race>, turn: u64) {
            loop {
                assert_eq!(race.reading.fetch_add(1, Ordering::SeqCst), 0, "two read at once");
                let message = race.taken.fetch_add(1, Ordering::SeqCst);
                race.reading.fetch_sub(1, Ordering::SeqCst);
                if message >= MESSAGES {
                    return;
                }
                race.turns.begin(turn);
                if message.is_multiple_of(16) {
                    std::thread::yield_now();
                }
                if !race.turns.end(turn) {
                    return;
                }
            }
        }
        let turns = Turns::new();
        let race = Arc::new(Race { turns, reading: AtomicUsize::new(0), taken: AtomicU64::new(0) });
        let begin = Arc::new(Barrier::new(2));
        let first = {
            let (race, begin) = (race.clone(), begin.clone());
            std::thread::spawn(move || {
                begin.wait();
                read(&race, 0);
            })
        };
        begin.wait();
        let mut readers = vec![first];
        while race.taken.load(Ordering::SeqCst) <= MESSAGES {
            let seen = race.turns.state.load(Ordering::SeqCst);
            if seen & SINCE != 0
                && let Some(turn) = race.turns.relieve(HeldUp(seen))
            {
                let race = race.clone();
                readers.push(std::thread::spawn(move || read(&race, turn)));
            }
        }
        for reader in readers {
            reader.join().expect("no reader met another one");
        }
        assert!(race.turns.is_idle());
    }
}
