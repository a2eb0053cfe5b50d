//! An answer as it comes: its head, then its body whole, or message by message.

use serde_json::Value;
use std::{
    io::Read,
    net::TcpStream,
    time::{Duration, Instant},
};

/// How long the next bytes are waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// The head of an answer, and its body where it was read whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header lines, in lower case.
    head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(n, _)| *n == name).map(|(_, value)| value).next()
    }
    /// The names in all headers of this name, in lower case.
    pub fn headers(&self, name: &str) -> Vec<String> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": ")).filter(|(n, _)| *n == name);
        lines.flat_map(|(_, value)| value.split(',').map(|v| v.trim().to_ascii_lowercase())).collect()
    }
    /// Whether it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }
    /// The body as JSON, which its head must say that it is.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
    /// The status, and the code and id of the JSON-RPC error.
    #[track_caller]
    pub fn refusal(&self) -> (u16, i64, Value) {
        let json = self.json();
        assert!(json["error"]["message"].as_str().is_some_and(|m| !m.is_empty()), "{json}");
        assert_eq!(json["jsonrpc"], "2.0", "{json}");
        (self.status, json["error"]["code"].as_i64().unwrap_or_default(), json["id"].clone())
    }
}

/// An answer that is being read. Dropping it closes the connection.
#[derive(Debug)]
pub struct Reading {
    stream: TcpStream,
    /// What was received and not yet looked at.
    buffer: Vec<u8>,
    /// What of the body was taken out of its transfer coding and not yet looked at.
    body: String,
    head: Option<Answer>,
    /// Whether the body has ended: as it should, or torn off.
    ended: Option<bool>,
}

impl Reading {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::new(), body: String::new(), head: None, ended: None }
    }

    /// More bytes; none at the connection's end.
    #[track_caller]
    fn fill(&mut self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "nothing came in time; so far: {self:?}");
        self.stream.set_read_timeout(Some(left)).expect("a time-out");
        let mut bytes = [0; 64 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(n) => {
                self.buffer.extend_from_slice(&bytes[..n]);
                n > 0
            }
            Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                panic!("nothing came in time; so far: {self:?}")
            }
            // a reset is an end
            Err(_) => false,
        }
    }

    /// Up to a mark, without it.
    #[track_caller]
    fn up_to(&mut self, mark: &[u8], until: Instant) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(mark.len()).position(|w| w == mark) {
                let found = self.buffer[..at].to_vec();
                self.buffer.drain(..at + mark.len());
                return Some(found);
            }
            if !self.fill(until) {
                return None;
            }
        }
    }

    /// The head, once it came; its status is 0 when none did.
    #[track_caller]
    pub fn head(&mut self) -> Answer {
        if let Some(head) = &self.head {
            return head.clone();
        }
        let head = match self.up_to(b"\r\n\r\n", Instant::now() + PATIENCE) {
            Some(head) => String::from_utf8(head).expect("a head is text"),
            None => String::new(),
        };
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        // values keep their case
        let lines = head.lines().map(|line| match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}\n", name.to_ascii_lowercase()),
            None => format!("{line}\n"),
        });
        let head = Answer { status, head: lines.collect(), body: String::new() };
        if status == 0 {
            self.ended = Some(false);
        } else if status == 204 || head.header("content-length") == Some("0") {
            self.ended = Some(true);
        }
        self.head = Some(head.clone());
        head
    }

    /// Takes the next piece out of its transfer coding; false at the end of the body.
    #[track_caller]
    fn piece(&mut self, until: Instant) -> bool {
        let head = self.head();
        if self.ended.is_some() {
            return false;
        }
        let length = match head.header("content-length").map(|n| n.parse::<usize>().expect("a number")) {
            Some(length) => length,
            None => {
                assert_eq!(head.header("transfer-encoding"), Some("chunked"), "{head:?}");
                let Some(line) = self.up_to(b"\r\n", until) else {
                    self.ended = Some(false);
                    return false;
                };
                let line = String::from_utf8(line).expect("a size is text");
                usize::from_str_radix(line.trim(), 16).expect("a size")
            }
        };
        while self.buffer.len() < length {
            if !self.fill(until) {
                self.ended = Some(false);
                return false;
            }
        }
        let piece: Vec<u8> = self.buffer.drain(..length).collect();
        self.body.push_str(&String::from_utf8(piece).expect("JSON is text"));
        if head.header("content-length").is_some() {
            self.ended = Some(true);
        } else {
            let end = self.up_to(b"\r\n", until);
            if length == 0 || end.is_none() {
                self.ended = Some(end.is_some());
            }
        }
        length > 0
    }

    /// The whole answer, which is no stream.
    #[track_caller]
    pub fn whole(mut self) -> Answer {
        let head = self.head();
        assert!(!head.is_stream(), "a stream: {:?}", self.messages());
        let until = Instant::now() + PATIENCE;
        while self.piece(until) {}
        assert_eq!(self.ended, Some(true), "the answer is torn off: {self:?}");
        Answer { body: std::mem::take(&mut self.body), ..head }
    }

    /// The next message of a stream; none at its end. Comments are passed over.
    #[track_caller]
    pub fn more(&mut self) -> Option<Value> {
        let until = Instant::now() + PATIENCE;
        let head = self.head();
        assert!(head.status == 0 || head.is_stream(), "no stream: {self:?}");
        loop {
            while let Some((event, rest)) = self.body.split_once("\n\n") {
                let data: Vec<&str> = event.lines().filter_map(|l| l.strip_prefix("data:")).map(str::trim).collect();
                let message = (!data.join("").is_empty()).then(|| {
                    let text = data.join("\n");
                    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
                });
                self.body = rest.to_owned();
                if message.is_some() {
                    return message;
                }
            }
            if !self.piece(until) {
                assert!(self.body.is_empty(), "half an event: {self:?}");
                return None;
            }
        }
    }

    /// Whether no message comes for so long.
    #[track_caller]
    pub fn is_quiet_for(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            self.stream.set_read_timeout(Some(left)).expect("a time-out");
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(n) => self.buffer.extend_from_slice(&bytes[..n]),
                Err(_) => {}
            }
        }
        !String::from_utf8_lossy(&self.buffer).contains("data:") && !self.body.contains("data:")
    }

    /// The message that must come next.
    #[track_caller]
    pub fn message(&mut self) -> Value {
        self.more().unwrap_or_else(|| panic!("one more message: {self:?}"))
    }

    /// All messages to the end of the stream, which must be one.
    #[track_caller]
    pub fn messages(&mut self) -> Vec<Value> {
        let messages = std::iter::from_fn(|| self.more()).collect();
        assert!(self.ended_well(), "the stream is torn off after {messages:?}");
        messages
    }

    /// What came before the response, and the response: from a stream or from an answer in one piece.
    #[track_caller]
    pub fn said(mut self) -> (Vec<Value>, Value) {
        if !self.head().is_stream() {
            return (Vec::new(), self.whole().json());
        }
        let mut messages = self.messages();
        let last = messages.pop().unwrap_or_else(|| panic!("a stream without a message: {self:?}"));
        (messages, last)
    }

    /// Whether the body ended as it should.
    pub fn ended_well(&self) -> bool {
        self.ended == Some(true)
    }
}
