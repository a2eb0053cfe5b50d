//! One event of a session's log, as others read it.

use crate::{Timestamp, secrets, store::StoredEvent};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// Something that happened in a session. Its JSON is a line of `GET /session/{id}/events`.
///
/// A call leaves two. `actions.requested` has `actions`, a list of one: `callId`, `toolName`, `input`, `effect`, `caller`, and
/// `parent` where another call's tool made it. `action.result` has the call's outcome: `toolName`, `callId`, `isError`,
/// `result`, `durationMs`, `attempts`, `stubbed`, and `error` where there is one. An `input` or a `result` of more than 64 KiB
/// of JSON is a text instead, the beginning of that JSON, and beside it `inputBytes` or `resultBytes` says how long all of it
/// was.
///
/// A write's `actions.requested` is on disk before it runs, its `action.result` before its caller hears of it. A read's two are
/// written together when it ends: one that is cut off leaves nothing, since it changed nothing, and what its tool called stands
/// before it. Secrets are blanked, also those that became known after the event was written.
///
/// ```
/// use bdk::{SessionOptions, prelude::*};
///
/// /// Add two numbers.
/// #[tool(effect = "read")]
/// async fn add(a: u32, b: u32) -> u32 {
///     a + b
/// }
///
/// # bdk::__private::block_on(async {
/// let session = TestBot::new().open_session(SessionOptions::new()).await;
/// session.call_tool("add", json!({ "a": 1, "b": 2 })).await?;
/// let events = session.events(0).await?;
/// let kinds: Vec<&str> = events.iter().map(|event| &*event.kind).collect();
/// assert_eq!(kinds, ["session.started", "session.waiting", "actions.requested", "action.result"]);
/// assert_eq!(events[3].data["result"], 3);
/// # Ok::<(), bdk::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Its place in the log: 0, 1, 2, … without a gap.
    pub index: u64,
    /// What happened: `action.result` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// When, to the millisecond.
    pub at: Timestamp,
    /// What there is to know of it, an object.
    pub data: Value,
}

impl From<StoredEvent> for Event {
    fn from(event: StoredEvent) -> Self {
        let told = told(&event);
        // what is kept is JSON; a text where it should not be is shown as one
        let data = serde_json::from_str(&told).unwrap_or_else(|_| Value::String(told.into_owned()));
        Self { index: event.index, kind: event.kind, at: event.at, data }
    }
}

/// What an event holds, as it is told: without the secrets that became known after it was written, too.
fn told(event: &StoredEvent) -> Cow<'_, str> {
    secrets::blank_json(&event.data)
}

/// Writes an event as its line is, without parsing what it holds.
#[cfg(feature = "http")]
pub(crate) fn write_line(event: &StoredEvent, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"index\":");
    out.extend_from_slice(itoa::Buffer::new().format(event.index).as_bytes());
    // names of events and times need no escaping
    out.extend_from_slice(b",\"type\":\"");
    out.extend_from_slice(event.kind.as_bytes());
    out.extend_from_slice(b"\",\"at\":\"");
    out.extend_from_slice(event.at.to_string().as_bytes());
    out.extend_from_slice(b"\",\"data\":");
    out.extend_from_slice(told(event).as_bytes());
    out.push(b'}');
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_event_s_json() {
        let event = StoredEvent {
            index: 12,
            kind: "action.result".into(),
            at: "2026-01-01T00:00:00.120Z".parse().unwrap(),
            data: r#"{"a":"b","c":[1,null]}"#.into(),
        };
        let mut line = Vec::new();
        write_line(&event, &mut line);
        let line = String::from_utf8(line).unwrap();
        let event = Event::from(event);
        assert_eq!(line, serde_json::to_string(&event).unwrap());
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
    }

    #[test]
    fn a_secret_that_became_known_later_is_not_told() {
        secrets::remember("late-secret-4711");
        let event = StoredEvent {
            index: 0,
            kind: "action.result".into(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            data: r#"{"result":"Bearer late-secret-4711"}"#.into(),
        };
        let mut line = Vec::new();
        write_line(&event, &mut line);
        assert!(String::from_utf8(line).unwrap().contains(r#""data":{"result":"Bearer [redacted]"}"#));
        assert_eq!(Event::from(event).data["result"], "Bearer [redacted]");
    }
}
