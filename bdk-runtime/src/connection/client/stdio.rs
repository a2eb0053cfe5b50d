//! Messages over a process's stdin and stdout, one a line.

use super::desk::{self, Desk};
use crate::connection::failed::{Failed, Kind};
use bytes::{Bytes, BytesMut};
use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use std::sync::Arc;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout},
    sync::Mutex,
};

pub(super) struct Pipes {
    connection: String,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    stdout: Lines<ChildStdout>,
    desk: Arc<Desk>,
}

impl Pipes {
    pub(super) fn to(
        connection: &str,
        stdin: ChildStdin,
        stdout: ChildStdout,
        desk: Arc<Desk>,
        longest: usize,
    ) -> Self {
        let stdout = Lines::new(stdout, longest);
        Self { connection: connection.to_owned(), stdin: Arc::new(Mutex::new(Some(stdin))), stdout, desk }
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = Failed;

    fn send(&mut self, message: ClientJsonRpcMessage) -> impl Future<Output = Result<(), Failed>> + Send + 'static {
        let stdin = self.stdin.clone();
        let slot = desk::slot(&message).map(|(id, slot)| {
            self.desk.expect(id, slot);
            slot.clone()
        });
        let line = desk::written(&message).map(|mut line| {
            line.push(b'\n');
            line
        });
        async move {
            let mut stdin = stdin.lock().await;
            let closed = || Failed::bare(Kind::Unsent, "its process does not listen any more");
            let Some(stdin) = stdin.as_mut() else { return Err(closed()) };
            let line = line?;
            if let Some(slot) = &slot {
                slot.begin();
            }
            let written = stdin.write_all(&line).await;
            written.map_err(|_| {
                if let Some(slot) = &slot {
                    // the end of a line is its last byte, so that the process has no whole one
                    slot.unsend();
                }
                closed()
            })
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = match self.stdout.next().await {
                Ok(Some(line)) => line,
                Ok(None) => return None,
                Err(TooLong) => {
                    // whose answer it was to be is not known
                    let words = format!("it wrote a line of more than {} MiB", self.stdout.longest >> 20);
                    self.desk.trouble(Failed::bare(Kind::Unreadable, words));
                    return None;
                }
            };
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            if let Some(diverted) = self.desk.divert(line) {
                return Some(diverted);
            }
            match serde_json::from_slice(line) {
                Ok(message) => return Some(message),
                Err(error) => tracing::debug!(
                    target: "bdk::connection", connection = self.connection, %error, "a line on stdout that is no message"
                ),
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
