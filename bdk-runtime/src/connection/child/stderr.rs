//! What a process says on stderr: in the log, and its last lines in errors.

use crate::{cut, secrets};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};
use tokio::io::{AsyncRead, AsyncReadExt};

/// So many lines are quoted.
const LINES: usize = 50;
/// Bytes of a line, beyond which it is cut.
const LINE: usize = 2_000;
/// Bytes of what is quoted.
const QUOTED: usize = 4_000;

/// The last lines.
#[derive(Default)]
pub(super) struct Tail(Mutex<VecDeque<String>>);

impl Tail {
    /// Reads until nobody is left who could write. Left earlier, it keeps what there is of a line.
    pub(super) async fn listen(&self, connection: &str, mut stderr: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 4 << 10];
        let mut line = Line { tail: self, connection, begun: Vec::new() };
        loop {
            let read = stderr.read(&mut chunk).await.unwrap_or(0);
            if read == 0 {
                break;
            }
            for part in chunk[..read].split_inclusive(|byte| *byte == b'\n') {
                let (text, ends) = match part.strip_suffix(b"\n") {
                    Some(text) => (text, true),
                    None => (part, false),
                };
                // more than is shown, so that no secret is cut before it is blanked
                let room = 2 * LINE - line.begun.len();
                line.begun.extend_from_slice(&text[..text.len().min(room)]);
                if ends {
                    self.line(connection, &line.begun);
                    line.begun.clear();
                }
            }
        }
    }

    fn line(&self, connection: &str, line: &[u8]) {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let whole = secrets::blank(&text);
        let mut text = cut::bytes(&whole, LINE).to_owned();
        if text.len() < whole.len() {
            text.push('…');
        }
        // a banner is framed by blank lines
        if !text.trim().is_empty() {
            tracing::info!(target: "bdk::connection", connection, "{text}");
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }

    /// The last lines, as they are put behind what happened.
    pub(super) fn quoted(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut from = lines.len();
        let mut size = 0;
        while from > 0 && size + lines[from - 1].len() < QUOTED {
            from -= 1;
            size += lines[from].len() + 1;
        }
        if from == lines.len() {
            return String::new();
        }
        let last: Vec<&str> = lines.range(from..).map(|line| &**line).collect();
        format!("; the last it said:\n{}", last.join("\n"))
    }
}

/// A line that has no end yet.
struct Line<'a> {
    tail: &'a Tail,
    connection: &'a str,
    begun: Vec<u8>,
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if !self.begun.is_empty() {
            self.tail.line(self.connection, &self.begun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_lines_are_kept_and_each_is_cut() {
        let tail = Tail::default();
        assert_eq!(tail.quoted(), "");
        let said: String = (0..60).map(|n| format!("line {n}\r\n")).collect();
        tail.listen("x", (said + &"y".repeat(10_000) + "\nlast").as_bytes()).await;
        let quoted = tail.quoted();
        assert!(quoted.contains("\nline 12\n") && !quoted.contains("line 11\n"), "{quoted}");
        assert!(quoted.contains(&format!("\n{}…\nlast", "y".repeat(2_000))), "{quoted}");
    }
}
