//! Stdout, for messages alone: each is one line, written whole, and nobody waits for a client that does not read.
//!
//! A small message is written where it is made, when there is room for it; else it waits its turn, and a thread of the
//! blocking pool writes. Whatever else the process prints goes to stderr ([`streams`]).

use super::streams;
use std::{
    collections::VecDeque,
    fs::File,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// What is written whole or not at all by every system, and fits where there is room at all (POSIX's PIPE_BUF is at least
/// 512, Linux's 4096).
const SMALL: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };
/// From how many waiting bytes on nothing more is read.
const FULL: usize = 16 * 1024 * 1024;

/// The line out.
#[derive(Clone)]
pub(crate) struct Out(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    /// There is room again, or nobody reads any more: for threads.
    room: Condvar,
    /// Something was written, or nobody reads any more: for tasks.
    changed: Notify,
}

struct State {
    /// `None` while the writing thread has it.
    file: Option<File>,
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    broken: bool,
}

impl Out {
    /// Over a file that is written to by nobody else.
    pub(crate) fn new(file: File) -> Self {
        let state = State { file: Some(file), waiting: VecDeque::new(), bytes: 0, broken: false };
        Self(Arc::new(Inner { state: Mutex::new(state), room: Condvar::new(), changed: Notify::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message.
    pub(crate) fn send(&self, mut json: Vec<u8>) {
        json.push(b'\n');
        let mut state = self.state();
        if state.broken {
            return;
        }
        if state.waiting.is_empty()
            && let Some(file) = &mut state.file
            && json.len() <= SMALL
            && has_room(file)
        {
            if streams::write_all(file, &json).is_err() {
                self.broke(&mut state);
            }
            return;
        }
        state.bytes += json.len();
        state.waiting.push_back(json);
        if let Some(file) = state.file.take() {
            drop(state);
            let out = self.clone();
            tokio::task::spawn_blocking(move || out.write_all(file));
        }
    }

    /// Writes what waits, and whatever comes meanwhile.
    fn write_all(&self, mut file: File) {
        loop {
            let mut state = self.state();
            let Some(next) = state.waiting.pop_front() else {
                state.file = Some(file);
                self.0.changed.notify_waiters();
                return;
            };
            state.bytes -= next.len();
            self.0.room.notify_all();
            self.0.changed.notify_waiters();
            drop(state);
            if streams::write_all(&mut file, &next).is_err() {
                self.broke(&mut self.state());
                return;
            }
        }
    }

    fn broke(&self, state: &mut State) {
        state.broken = true;
        state.waiting.clear();
        state.bytes = 0;
        self.0.room.notify_all();
        self.0.changed.notify_waiters();
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.state().broken
    }
    /// Waits until nobody reads any more.
    pub(crate) async fn broken(&self) {
        self.until(|state| state.broken).await;
    }
    /// Whether more waits to be written than may be.
    pub(crate) fn is_full(&self) -> bool {
        self.state().bytes > FULL
    }
    /// Waits until what waits to be written is no more than it may be.
    pub(crate) async fn room(&self) {
        self.until(|state| state.bytes <= FULL).await;
    }
    /// Waits until all is written, or nobody reads any more.
    pub(crate) async fn flushed(&self) {
        self.until(|state| state.broken || (state.file.is_some() && state.waiting.is_empty())).await;
    }
    async fn until(&self, is: impl Fn(&State) -> bool) {
        loop {
            let changed = self.0.changed.notified();
            if is(&self.state()) {
                return;
            }
            changed.await;
        }
    }
    /// Waits until what waits to be written is no more than it may be. Blocks.
    pub(crate) fn wait_for_room(&self) {
        let mut state = self.state();
        while state.bytes > FULL && !state.broken {
            state = self.0.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Whether a small message can be written without waiting.
#[cfg(unix)]
fn has_room(file: &File) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::new(file, PollFlags::OUT)];
    // an error or a closed end is for the write to find
    !matches!(poll(&mut fds, Some(&Timespec::default())), Ok(0))
}

#[cfg(not(unix))]
fn has_room(_: &File) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{
        io::{self, Read},
        os::fd::OwnedFd,
    };

    fn pipe() -> (io::PipeReader, Out) {
        let (reader, writer) = io::pipe().expect("a pipe");
        (reader, Out::new(File::from(OwnedFd::from(writer))))
    }

    #[tokio::test]
    async fn messages_of_every_size_arrive_whole_and_in_order_while_nobody_reads() {
        let (mut reader, out) = pipe();
        let sent: Vec<Vec<u8>> = (0..200).map(|i| vec![b'a' + (i % 26) as u8; i * 97 % 9000]).collect();
        for message in &sent {
            out.send(message.clone()); // far more than a pipe takes
        }
        let read = tokio::task::spawn_blocking(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all)
        });
        out.flushed().await;
        drop(out);
        let read = read.await.unwrap().unwrap();
        let expected: Vec<u8> = sent
            .into_iter()
            .flat_map(|mut m| {
                m.push(b'\n');
                m
            })
            .collect();
        assert!(read == expected);
    }

    #[tokio::test]
    async fn a_reader_that_went_away_is_noticed_and_what_comes_later_is_dropped() {
        let (reader, out) = pipe();
        drop(reader);
        out.send(b"{}".to_vec());
        out.broken().await;
        out.send(b"{}".to_vec());
        out.flushed().await;
        out.wait_for_room();
        assert!(out.is_broken());
    }
}
