//! Stdout, for messages alone: each is one line, written whole, and nobody waits for a client that does not read.
//!
//! A small message is written where it is made, when there is room for it; else it waits its turn, and a thread of the
//! blocking pool writes. Whatever else the process prints goes to stderr ([`Out::stdout`]).

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};
use tokio::{sync::Notify, time::timeout};

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
    /// There is room again, or nobody reads any more.
    room: Condvar,
    /// Everything is written, or nobody reads any more.
    idle: Notify,
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
        Self(Arc::new(Inner { state: Mutex::new(state), room: Condvar::new(), idle: Notify::new() }))
    }

    /// Over the process's stdout; what else is printed goes to stderr from now on, a dependency's `println!` and a child's
    /// output too.
    pub(crate) fn stdout() -> io::Result<Self> {
        match taken() {
            Ok(file) => Ok(Self::new(file.try_clone()?)),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
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
            if file.write_all(&json).is_err() {
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
                self.0.idle.notify_waiters();
                return;
            };
            state.bytes -= next.len();
            self.0.room.notify_all();
            drop(state);
            if file.write_all(&next).is_err() {
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
        self.0.idle.notify_waiters();
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.state().broken
    }
    /// Waits until nobody reads any more.
    pub(crate) async fn broken(&self) {
        loop {
            let changed = self.0.idle.notified();
            if self.is_broken() {
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
    fn is_flushed(&self) -> bool {
        let state = self.state();
        state.broken || (state.file.is_some() && state.waiting.is_empty())
    }
    /// Waits until all is written, but no longer than this.
    pub(crate) async fn flushed(&self, longest: Duration) {
        let all = async {
            loop {
                let changed = self.0.idle.notified();
                if self.is_flushed() {
                    return;
                }
                changed.await;
            }
        };
        let _ = timeout(longest, all).await;
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

/// Takes stdout away from whatever prints to it; the first call does, and all get the same. To be called as early as may
/// be: what was printed before has gone to the client.
pub(crate) fn taken() -> &'static io::Result<File> {
    static TAKEN: OnceLock<io::Result<File>> = OnceLock::new();
    TAKEN.get_or_init(take)
}

#[cfg(unix)]
fn take() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().flush()?;
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(own.into())
}

/// Where descriptors cannot be put in each other's place, what is printed stays where it is.
#[cfg(windows)]
fn take() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

#[cfg(not(any(unix, windows)))]
fn take() -> io::Result<File> {
    Err(io::Error::other("this system has no stdout that can be kept for messages"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{io::Read, os::fd::OwnedFd};

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
        out.flushed(Duration::from_secs(30)).await;
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
        out.flushed(Duration::from_secs(30)).await;
        out.wait_for_room();
        assert!(out.is_broken());
    }
}
