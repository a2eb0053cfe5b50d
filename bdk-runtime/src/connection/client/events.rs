//! An event stream, event by event: none longer than it may be, and results put where they are waited for.

use super::{
    desk::{self, Desk, Heard},
    slot::Slot,
};
use crate::connection::failed::{Failed, Kind};
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use rmcp::{
    model::{ErrorData, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::SseError,
};
use sse_stream::Sse;
use std::{collections::VecDeque, sync::Arc};

/// A stream that ended is asked for again no sooner, whatever the server says, in ms.
const LEAST_PAUSE: u64 = 250;

/// What a stream is the answer to.
pub(super) struct Of {
    pub(super) id: RequestId,
    pub(super) slot: Option<Arc<Slot>>,
    /// How many streams of the same ended before it and brought nothing.
    pub(super) tries: usize,
}

/// The events of a response's body.
pub(super) fn events(
    body: Incoming,
    desk: Arc<Desk>,
    longest: usize,
    of: Option<Of>,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let (parser, ready) = (Parser::new(longest), VecDeque::new());
    let reading = Reading { body, parser, ready, desk, of, last_event: None, ended: false };
    stream::unfold(reading, |mut reading| async move { Some((reading.next().await?, reading)) }).boxed()
}

struct Reading {
    body: Incoming,
    parser: Parser,
    ready: VecDeque<Sse>,
    desk: Arc<Desk>,
    of: Option<Of>,
    last_event: Option<String>,
    ended: bool,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if self.desk.asked.are_many()
                && let Err(failed) = self.desk.asked.are_fewer_by(self.desk.asked.patience_ends()).await
            {
                self.ready.clear();
                self.ended = true;
                return Some(self.fails(failed));
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(self.diverted(event)));
            }
            if self.ended {
                return None;
            }
            let bytes = match self.body.frame().await {
                None => {
                    self.ends();
                    return None;
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => bytes,
                    Err(_) => continue,
                },
                Some(Err(error)) => {
                    self.ends();
                    if let Some(slot) = self.of.as_ref().and_then(|of| of.slot.as_ref()) {
                        slot.fail(Failed::bare(Kind::Lost, format!("its answer was cut off: {error}")));
                    }
                    return Some(Err(SseError::Body(Box::new(error))));
                }
            };
            if self.parser.read(&bytes, &mut self.ready).is_err() {
                self.ended = true;
                return Some(self.fails(too_long(self.parser.longest)));
            }
        }
    }

    /// Its call may be told more by another stream.
    fn ends(&mut self) {
        self.ended = true;
        if let (Some(of), Some(last_event)) = (&self.of, &self.last_event) {
            self.desk.resumable.ended(last_event, of);
        }
    }

    fn diverted(&mut self, mut event: Sse) -> Sse {
        if event.id.is_some() {
            self.last_event.clone_from(&event.id);
        }
        event.retry = event.retry.map(|pause| pause.max(LEAST_PAUSE));
        if let Some(data) = event.data.as_ref().filter(|data| !data.trim_ascii().is_empty()) {
            if let Some(of) = &mut self.of {
                of.tries = 0;
            }
            match self.desk.read(data.as_bytes()) {
                Heard::Instead(message) => event.data = serde_json::to_string(&message).ok(),
                Heard::Itself => {}
                Heard::Nothing => event.data = None,
            }
        }
        event
    }

    /// It would be asked for again and again if rmcp took it for a stream that broke: so the request is answered.
    fn fails(&self, failed: Failed) -> Result<Sse, SseError> {
        let Some(of) = &self.of else { return Err(SseError::Body(Box::new(failed))) };
        let message = match &of.slot {
            Some(slot) => desk::failure(slot, of.id.clone(), failed),
            None => {
                let error = ErrorData::internal_error(failed.words.clone(), None);
                self.desk.trouble(failed);
                ServerJsonRpcMessage::error(error, Some(of.id.clone()))
            }
        };
        let data = serde_json::to_string(&message).map_err(|error| SseError::Body(Box::new(error)))?;
        Ok(Sse::default().data(data))
    }
}

pub(super) fn too_long(longest: usize) -> Failed {
    Failed::bare(Kind::Unreadable, format!("its answer is longer than {} MiB", longest >> 20))
}

/// Bytes become events.
struct Parser {
    longest: usize,
    line: Vec<u8>,
    /// The last byte was a line's end that another may belong to.
    after_cr: bool,
    event: Sse,
    size: usize,
}

struct TooLong;

impl Parser {
    fn new(longest: usize) -> Self {
        Self { longest, line: Vec::new(), after_cr: false, event: Sse::default(), size: 0 }
    }

    fn read(&mut self, bytes: &Bytes, ready: &mut VecDeque<Sse>) -> Result<(), TooLong> {
        let mut rest: &[u8] = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.keep(&rest[..at])?;
            let line = std::mem::take(&mut self.line);
            ready.extend(self.line(&line));
            self.line = line;
            self.line.clear();
            let by_cr = rest[at] == b'\r';
            rest = &rest[at + 1..];
            if by_cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.keep(rest)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.size + self.line.len() + bytes.len() > self.longest {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Option<Sse> {
        if line.is_empty() {
            self.size = 0;
            let event = std::mem::take(&mut self.event);
            return (event != Sse::default()).then_some(event);
        }
        let text = String::from_utf8_lossy(line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        if !field.is_empty() {
            self.size += line.len() + 1;
        }
        match field {
            "event" => self.event.event = Some(value.to_owned()),
            "id" => self.event.id = Some(value.to_owned()),
            "retry" => self.event.retry = value.parse().ok(),
            "data" => match &mut self.event.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.event.data = Some(value.to_owned()),
            },
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, at_once: usize, longest: usize) -> Result<Vec<Sse>, ()> {
        let (mut parser, mut ready) = (Parser::new(longest), VecDeque::new());
        for bytes in text.as_bytes().chunks(at_once) {
            parser.read(&Bytes::copy_from_slice(bytes), &mut ready).map_err(|_| ())?;
        }
        Ok(ready.into())
    }

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let text =
            ": hello\r\nid: 1\r\nretry: 300\r\ndata: \r\n\r\nevent:message\ndata: {\"a\":\ndata:1}\n\n\rdata: last\r\r";
        for at_once in [1, 2, 3, 7, 1_000] {
            let events = parsed(text, at_once, 100).unwrap();
            let expected = [
                Sse::default().id("1").retry(300).data(""),
                Sse::default().event("message").data("{\"a\":\n1}"),
                Sse::default().data("last"),
            ];
            assert_eq!(events, expected, "{at_once} at once");
        }
    }

    #[test]
    fn an_event_that_does_not_end_is_not_kept_for_ever() {
        assert!(parsed(&"data: x".repeat(100), 10, 100).is_err());
        assert!(parsed(&"data: x\n".repeat(100), 10, 100).is_err());
        assert_eq!(parsed(&"data: x\n\n".repeat(100), 10, 100).unwrap().len(), 100);
        assert!(parsed(&": a comment\n".repeat(100), 10, 100).unwrap().is_empty());
    }
}
