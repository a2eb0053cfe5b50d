//! How a log goes over the wire: NDJSON, or server-sent events with the same lines.

use crate::{session::write_line, store::StoredEvent};
use bytes::Bytes;
use http::{HeaderMap, header::ACCEPT};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    Ndjson,
    Sse,
}

/// A comment, which clients pass over.
pub(super) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

impl Lines {
    /// Server-sent events for whoever names them, and NDJSON for everybody else.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let ranges = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
        let named = ranges.map(|range| range.split(';').map(str::trim)).any(|mut parts| {
            let sse = parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("text/event-stream"));
            let no = |p: &str| {
                p.strip_prefix(['q', 'Q']).and_then(|p| p.strip_prefix('=')?.parse::<f32>().ok()) == Some(0.0)
            };
            sse && !parts.any(no)
        });
        if named { Self::Sse } else { Self::Ndjson }
    }
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Sse => "text/event-stream",
        }
    }
    /// One event: its line, with what each of the two needs around it.
    pub(super) fn event(self, event: &StoredEvent) -> Bytes {
        let mut out = Vec::with_capacity(event.data.len() + 192);
        if self == Self::Sse {
            out.extend_from_slice(b"id: ");
            out.extend_from_slice(itoa::Buffer::new().format(event.index).as_bytes());
            out.extend_from_slice(b"\nevent: ");
            out.extend_from_slice(event.kind.as_bytes());
            out.extend_from_slice(b"\ndata: ");
        }
        write_line(event, &mut out);
        out.extend_from_slice(if self == Self::Sse { b"\n\n" } else { b"\n" });
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_for_whoever_names_them() {
        let of = |value: &str| Lines::of(&HeaderMap::from_iter([(ACCEPT, value.parse().unwrap())]));
        for sse in ["text/event-stream", "Text/Event-Stream; q=0.5", "application/json, text/event-stream"] {
            assert_eq!(of(sse), Lines::Sse, "{sse}");
        }
        for ndjson in ["", "*/*", "text/*", "application/x-ndjson", "text/event-stream;q=0", "text/event-stream; Q=0.0"]
        {
            assert_eq!(of(ndjson), Lines::Ndjson, "{ndjson}");
        }
        assert_eq!(Lines::of(&HeaderMap::new()), Lines::Ndjson);
    }

    #[test]
    fn both_have_the_same_line() {
        let event = StoredEvent {
            index: 3,
            kind: "turn.completed".into(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            data: "{}".into(),
        };
        let line = r#"{"index":3,"type":"turn.completed","at":"2026-01-01T00:00:00Z","data":{}}"#;
        assert_eq!(Lines::Ndjson.event(&event), format!("{line}\n"));
        assert_eq!(Lines::Sse.event(&event), format!("id: 3\nevent: turn.completed\ndata: {line}\n\n"));
    }
}
