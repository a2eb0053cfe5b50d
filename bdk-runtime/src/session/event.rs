//! One event of a session's log, as others read it.

use crate::{Timestamp, store::StoredEvent};
use serde::Serialize;
use serde_json::Value;

/// Something that happened in a session. Its JSON is a line of `GET /session/{id}/events`.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// Its place in the log: 0, 1, 2, … without a gap.
    pub index: u64,
    /// What happened: `action.result` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// When, to the millisecond.
    pub at: Timestamp,
    /// What there is to know of it. Inputs and results of more than 64 KiB are cut.
    pub data: Value,
}

impl From<StoredEvent> for Event {
    fn from(event: StoredEvent) -> Self {
        // what is kept is JSON; a text where it should not be is shown as one
        let data = serde_json::from_str(&event.data).unwrap_or(Value::String(event.data));
        Self { index: event.index, kind: event.kind, at: event.at, data }
    }
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
    out.extend_from_slice(event.data.as_bytes());
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
        assert_eq!(String::from_utf8(line).unwrap(), serde_json::to_string(&Event::from(event)).unwrap());
    }
}
