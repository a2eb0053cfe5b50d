//! `GET …/session/{id}/events`: a session's log from some event on, and then, unless told otherwise, as it grows.
//!
//! Nothing is kept for whoever reads: a page is taken from the store when the connection has room for it, so that a slow
//! reader costs a page, and misses nothing.

use super::{
    super::{
        asker::{Asked, Head},
        query,
        refused::Refused,
    },
    Known,
    lines::{COMMENT, Lines},
};
use crate::{
    session::{Bind, Follow},
    store::StoreError,
};
use axum::{body::Body, extract::State, response::Response};
use bytes::Bytes;
use futures_util::stream;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, VARY},
};
use std::time::Duration;
use tokio::time::sleep;

/// How often server-sent events without an event say that they are alive, so that nothing on the way closes them. NDJSON has
/// nothing that every reader passes over.
const ALIVE: Duration = Duration::from_secs(15);

pub(super) async fn events(State(known): State<Known>, asked: Asked) -> Response {
    let told = told(known, &asked.head).await;
    asked.answer(told)
}

async fn told(known: Known, head: &Head) -> Result<Response, Refused> {
    let row = known.row(head).await?;
    let [from, follow] = query::read(&head.parts.uri, ["from", "follow"])?;
    let from = begin(from.as_deref(), &head.parts.headers)?;
    let follow = match follow.as_deref() {
        None | Some("true") => true,
        Some("false") => false,
        Some(other) => {
            let other = super::super::members::cut(other);
            return Err(Refused::invalid(format!("`follow` is `true` or `false`, and was \"{other}\"")));
        }
    };
    let lines = Lines::of(&head.parts.headers);
    let sessions = &known.0.bot.state().sessions;
    let bind = Bind::Id(row.id.as_ref().to_owned());
    let live = sessions.bind(&bind, Some(&head.asker.principal)).await.map_err(|unbound| Refused::unbound(&unbound))?;
    let mut log = Follow::new(live, from);
    // what cannot be read is told as long as there is no head
    log.look(sessions).await.map_err(|error| Refused::unavailable(&error))?;
    let reader = Reader { known, log, lines, until: (!follow).then_some(row.events), begun: false };
    let mut answer = Response::new(Body::from_stream(stream::unfold(reader, Reader::step)));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(lines.media_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    // or nginx keeps events back
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(answer)
}

/// Where to begin. A browser that connects again asks for the same URL, and says in a header how far it had come.
fn begin(from: Option<&str>, headers: &HeaderMap) -> Result<u64, Refused> {
    let from = from.map_or(Ok(0), |from| query::number("from", from))?;
    Ok(last_event(headers)?.map_or(from, |last| last.saturating_add(1)))
}

fn last_event(headers: &HeaderMap) -> Result<Option<u64>, Refused> {
    let mut values = headers.get_all("last-event-id").iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) if value.is_empty() => Ok(None),
        (Some(value), None) => query::number("Last-Event-ID", &String::from_utf8_lossy(value.as_bytes())).map(Some),
        (Some(_), Some(_)) => Err(Refused::invalid("a request has one `Last-Event-ID` header at most")),
    }
}

/// Somebody who reads a log.
struct Reader {
    known: Known,
    log: Follow,
    lines: Lines,
    /// How many events the log had, for those who want no more.
    until: Option<u64>,
    begun: bool,
}

impl Reader {
    /// The next piece of the answer's body. One that fails cuts the answer off, so that it does not look whole.
    async fn step(mut self) -> Option<(Result<Bytes, StoreError>, Self)> {
        // a client may wait for the first byte to know that it is connected
        if !std::mem::replace(&mut self.begun, true) && self.lines == Lines::Sse {
            return Some((Ok(COMMENT), self));
        }
        let sessions = &self.known.0.bot.state().sessions;
        let next = if let Some(until) = self.until {
            self.log.there(sessions).await.map(|event| event.filter(|event| event.index < until))
        } else {
            let quiet = async {
                match self.lines {
                    Lines::Sse => sleep(ALIVE).await,
                    Lines::Ndjson => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                // the shutdown waits for calls, whose last events are there by now, and not for those who only listen
                () = self.known.0.bot.drained().cancelled() => self.log.there(sessions).await,
                next = self.log.next(sessions) => next,
                () = quiet => return Some((Ok(COMMENT), self)),
            }
        };
        match next {
            Ok(event) => event.map(|event| (Ok(self.lines.event(&event)), self)),
            Err(error) => {
                tracing::error!(target: "bdk::serve", %error, "a session's log could not be read on");
                Some((Err(error), self))
            }
        }
    }
}
