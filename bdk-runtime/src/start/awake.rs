//! A thread that keeps the runtime awake while a tool blocks one of its threads, as no `async` tool should.
//!
//! A worker of Tokio's that finds something to do among the sockets and timers does it itself, and leaves them to nobody:
//! when that is a tool that blocks, nothing that comes is seen, no deadline passes and no signal is heard, though all other
//! workers have nothing to do. One of them needs but be woken to look after the rest, which only another thread can do.

use std::{
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    time::Duration,
};
use tokio::runtime::{Handle, RuntimeMetrics};

/// How often it is looked while a worker is at work.
const LOOK: Duration = Duration::from_millis(100);
/// And while none is.
const QUIET: Duration = Duration::from_millis(500);

/// Looks on until it is dropped.
pub(super) struct Awake(#[expect(dead_code, reason = "the thread ends with it")] Sender<()>);

impl Awake {
    /// Begins. `None`: the system gives no thread more, and the bot goes on without.
    pub(super) fn keep(runtime: Handle) -> Option<Self> {
        let (held, dropped) = channel();
        let look = move || {
            let metrics = runtime.metrics();
            let mut seen = vec![0; metrics.num_workers()];
            let mut pause = QUIET;
            while dropped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let workers = look(&metrics, &mut seen);
                if workers.held && workers.parked {
                    // any task wakes one
                    runtime.spawn(std::future::ready(()));
                }
                pause = if workers.active { LOOK } else { QUIET };
            }
        };
        std::thread::Builder::new().name("bdk-awake".to_owned()).spawn(look).ok().map(|_| Self(held))
    }
}

/// What the workers are at.
struct Workers {
    active: bool,
    /// One of them has been at it since the last look.
    held: bool,
    parked: bool,
}

fn look(metrics: &RuntimeMetrics, seen: &mut [u64]) -> Workers {
    let mut workers = Workers { active: false, held: false, parked: false };
    for (worker, seen) in seen.iter_mut().enumerate() {
        // even while it is at work
        let count = metrics.worker_park_unpark_count(worker);
        let active = count.is_multiple_of(2);
        workers.active |= active;
        workers.parked |= !active;
        workers.held |= active && count == *seen;
        *seen = count;
    }
    workers
}
