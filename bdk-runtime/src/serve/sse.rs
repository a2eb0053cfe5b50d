//! Answers that are streams of events (`text/event-stream`): one event a message, one write an event.

use super::answer::Answer;
use crate::{
    mcp::{
        answering::{Answering, Event},
        response::LIST_CHANGED,
        session::Session,
    },
    session::Live,
};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Either;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

/// How often a stream without events says that it is alive, so that nothing on the way closes it.
const ALIVE: Duration = Duration::from_secs(15);

/// What kinds of answers a client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepts {
    /// A client that says nothing takes whatever comes.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut accepts = Self { json: false, events: false };
        let mut said = false;
        for value in headers.get_all(ACCEPT) {
            said = true;
            // what nearly all clients send
            if matches!(
                value.as_bytes(),
                b"application/json, text/event-stream" | b"text/event-stream, application/json"
            ) {
                return Self { json: true, events: true };
            }
            for range in value.to_str().unwrap_or_default().split(',') {
                let mut parts = range.split(';').map(str::trim);
                let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
                let refused = parts.any(|p| {
                    p.strip_prefix("q=").or(p.strip_prefix("Q=")).is_some_and(|q| q.parse::<f32>() == Ok(0.0))
                });
                accepts.json |= !refused && matches!(&*essence, "application/json" | "application/*" | "*/*");
                accepts.events |= !refused && matches!(&*essence, "text/event-stream" | "text/*" | "*/*");
            }
        }
        if said { accepts } else { Self { json: true, events: true } }
    }
}

/// A message as an event. JSON on one line has no line break in it.
fn event(json: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(json.len() + 24);
    out.extend_from_slice(b"event: message\ndata: ");
    out.extend_from_slice(json);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// A comment, which clients pass over.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

fn answer(body: Body) -> Answer {
    let mut answer = Response::new(Either::Right(body));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // or nginx keeps events back
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    answer
}

/// One response, for a client that takes nothing but events.
pub(super) fn whole(json: &[u8]) -> Answer {
    answer(Body::from(event(json)))
}

/// A call that said something: that, then whatever it says, then its end. Whoever drops the stream ends the call.
pub(super) fn answering(first: Vec<u8>, mut answering: Box<Answering>) -> Answer {
    // a stream is asked for more only while its client reads
    answering.apart();
    let events = stream::unfold((Some(first), Some(answering)), async |(first, answering)| {
        let mut answering = answering?;
        if let Some(first) = first {
            return Some((Ok::<_, Infallible>(event(&first)), (None, Some(answering))));
        }
        Some(match timeout(ALIVE, answering.next()).await {
            Err(_) => (Ok(COMMENT), (None, Some(answering))),
            Ok(Event::Message(json)) => (Ok(event(&json)), (None, Some(answering))),
            Ok(Event::Last(response)) => (Ok(event(&response.json)), (None, None)),
        })
    });
    answer(Body::from_stream(events))
}

/// The stream of a session on which the bot speaks of its own accord, until one of the two ends, or the session of the
/// bot's that the client is bound to is deleted.
pub(super) fn listening(
    session: Arc<Session>,
    changes: watch::Receiver<u64>,
    closing: CancellationToken,
    bound: Option<Arc<Live>>,
) -> Answer {
    /// Closes the session's stream when the client goes away.
    struct Open {
        session: Arc<Session>,
        token: CancellationToken,
    }
    impl Drop for Open {
        fn drop(&mut self) {
            self.session.close_stream(&self.token);
        }
    }
    let token = session.open_stream();
    let open = Open { session, token };
    // the first comment makes the head leave at once
    let events = stream::unfold((true, open, changes, (closing, bound)), async |(first, open, mut changes, ends)| {
        if first {
            return Some((Ok::<_, Infallible>(COMMENT), (false, open, changes, ends)));
        }
        let next = tokio::select! {
            () = open.token.cancelled() => return None,
            () = ends.0.cancelled() => return None,
            () = Live::deleted(ends.1.as_ref()) => return None,
            changed = timeout(ALIVE, changes.changed()) => match changed {
                Err(_) => COMMENT,
                Ok(Ok(())) => event(LIST_CHANGED),
                Ok(Err(_)) => return None,
            },
        };
        Some((Ok(next), (false, open, changes, ends)))
    });
    answer(Body::from_stream(events))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_takes_is_read_from_its_header() {
        let accepts = |value: &str| {
            let a = Accepts::of(&HeaderMap::from_iter([(ACCEPT, value.parse().unwrap())]));
            (a.json, a.events)
        };
        assert_eq!(accepts("application/json, text/event-stream"), (true, true));
        assert_eq!(accepts("text/event-stream;q=0.5,application/json"), (true, true));
        assert_eq!(accepts("Application/JSON"), (true, false));
        assert_eq!(accepts("text/event-stream"), (false, true));
        assert_eq!(accepts("*/*"), (true, true));
        assert_eq!(accepts("application/json, text/event-stream;q=0"), (true, false));
        assert_eq!(accepts("application/json, text/event-stream; Q=0.0"), (true, false));
        assert_eq!(accepts("text/html"), (false, false));
        assert_eq!(accepts(""), (false, false));
        assert_eq!(Accepts::of(&HeaderMap::new()), Accepts { json: true, events: true });
    }
}
