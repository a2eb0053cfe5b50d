//! Messages over a process's stdin and stdout, one a line.

use super::desk::{self, Answering, Desk, Heard};
use crate::{
    connection::failed::{Failed, Kind},
    cut,
};
use bytes::{Bytes, BytesMut};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout},
    sync::{Mutex, oneshot},
    time::{Instant, sleep_until},
};

/// What an ended process wrote is read for so long: others that it started may hold its stdout, and write there on and on.
const LAST_WORDS: Duration = Duration::from_millis(100);

pub(super) struct Pipes {
    connection: String,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    stdout: Lines<ChildStdout>,
    process: Life,
    desk: Arc<Desk>,
    /// Until when the server has to take in an answer, once there are many.
    patience_ends: Option<Instant>,
    /// A line that is no message was told.
    told: bool,
}

/// Whether the process still runs.
enum Life {
    Running(oneshot::Receiver<()>),
    /// It does not, and its stdout is read until then.
    Over(Instant),
}

impl Life {
    /// May be left at any time and gone on with.
    async fn and_last_words(&mut self) {
        if let Self::Running(gone) = self {
            let _ = gone.await;
            *self = Self::Over(Instant::now() + LAST_WORDS);
        }
        if let Self::Over(read_until) = self {
            sleep_until(*read_until).await;
        }
    }
    fn is_past(&self) -> bool {
        matches!(self, Self::Over(read_until) if *read_until <= Instant::now())
    }
}

impl Pipes {
    pub(super) fn to(
        connection: &str,
        stdin: ChildStdin,
        stdout: ChildStdout,
        gone: oneshot::Receiver<()>,
        desk: Arc<Desk>,
        longest: usize,
    ) -> Self {
        Self {
            connection: connection.to_owned(),
            stdin: Arc::new(Mutex::new(Some(stdin))),
            stdout: Lines::new(stdout, longest),
            process: Life::Running(gone),
            desk,
            patience_ends: None,
            told: false,
        }
    }

    /// Reads on only when the server has taken in answers to what it asked before.
    async fn wait_for_room(&mut self) -> Result<(), Failed> {
        if self.desk.asked.are_many() {
            let deadline = *self.patience_ends.get_or_insert_with(|| self.desk.asked.patience_ends());
            self.desk.asked.are_fewer_by(deadline).await?;
        }
        self.patience_ends = None;
        Ok(())
    }

    async fn line(&mut self) -> Result<Option<Bytes>, Failed> {
        self.wait_for_room().await?;
        if self.process.is_past() {
            return Ok(None);
        }
        let line = tokio::select! {
            biased;
            line = self.stdout.next() => line,
            () = self.process.and_last_words() => return Ok(None),
        };
        line.map_err(|TooLong| {
            // whose answer it was to be is not known
            let words = format!("it wrote a line of more than {} MiB", self.stdout.longest >> 20);
            Failed::bare(Kind::Unreadable, words)
        })
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = Failed;

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = Result<(), Failed>> + Send + 'static {
        let (stdin, desk) = (self.stdin.clone(), self.desk.clone());
        let slot = desk::slot(&message).map(|(id, slot)| (id.clone(), slot.clone()));
        let answering = Answering::of(&message, &desk);
        let line = desk::written(&message).map(|mut line| {
            line.push(b'\n');
            line
        });
        async move {
            let _answering = answering;
            let mut stdin = stdin.lock().await;
            let closed = || Failed::bare(Kind::Unsent, "its process does not listen any more");
            let Some(stdin) = stdin.as_mut() else { return Err(closed()) };
            let line = line?;
            if slot.as_ref().is_some_and(|(id, slot)| !desk.begin(id, slot)) {
                // it stood in line until nobody waited for it
                return Ok(());
            }
            desk.writing.store(true, Ordering::Relaxed);
            let written = stdin.write_all(&line).await;
            desk.writing.store(false, Ordering::Relaxed);
            written.map_err(|_| {
                if let Some((_, slot)) = &slot {
                    // the end of a line is its last byte, so that the process has no whole one
                    slot.unsend();
                }
                closed()
            })
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = match self.line().await {
                Ok(line) => line?,
                Err(failed) => {
                    self.desk.trouble(failed);
                    return None;
                }
            };
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            match self.desk.read(line) {
                Heard::Instead(message) => return Some(message),
                Heard::Nothing => {
                    // what it writes without end is not read without end
                    tokio::task::consume_budget().await;
                    continue;
                }
                Heard::Itself => {}
            }
            match desk::parsed(line) {
                Ok(message) => return Some(message),
                Err(error) => {
                    let begins = cut::quoted(&String::from_utf8_lossy(&line[..line.len().min(200)]), 80);
                    if std::mem::replace(&mut self.told, true) {
                        tracing::debug!(
                            target: "bdk::connection", connection = self.connection, %error, "a line on stdout that is no message: {begins}"
                        );
                    } else {
                        tracing::warn!(
                            target: "bdk::connection", connection = self.connection, %error, "a line on stdout that is no message: {begins}"
                        );
                    }
                    tokio::task::consume_budget().await;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Failed> {
        // a process that does not read keeps whoever writes; it is killed then
        if let Ok(mut stdin) = self.stdin.try_lock() {
            *stdin = None;
        }
        Ok(())
    }
}

/// Lines of bytes, none of which is kept beyond its length. May be left at any time and gone on with.
struct Lines<R> {
    read: R,
    kept: BytesMut,
    /// No line ends before.
    looked_at: usize,
    longest: usize,
}

struct TooLong;

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(read: R, longest: usize) -> Self {
        Self { read, kept: BytesMut::with_capacity(8 << 10), looked_at: 0, longest }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, TooLong> {
        loop {
            if let Some(at) = self.kept[self.looked_at..].iter().position(|byte| *byte == b'\n') {
                let line = self.kept.split_to(self.looked_at + at + 1).freeze();
                self.looked_at = 0;
                return Ok(Some(line));
            }
            self.looked_at = self.kept.len();
            if self.kept.len() > self.longest {
                return Err(TooLong);
            }
            self.kept.reserve(8 << 10);
            match self.read.read_buf(&mut self.kept).await {
                // what does not end is no message
                Ok(0) | Err(_) => return Ok(None),
                Ok(_) => {}
            }
        }
    }
}
