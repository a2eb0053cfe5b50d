//! The bodies of responses: what they are, and all of them as far as they may be long.

use super::{desk, events::too_long};
use crate::{
    connection::failed::{Failed, Kind},
    cut,
};
use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use http::{Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use rmcp::{
    model::{JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::SseError,
};
use sse_stream::Sse;
use std::time::Duration;
use tokio::time::timeout;

/// The answer in a stream; the rest is read, so that the connection can be used again.
pub(super) async fn first_answer(
    mut events: BoxStream<'static, Result<Sse, SseError>>,
) -> Result<ServerJsonRpcMessage, Failed> {
    let none = |words: String| Failed::bare(Kind::Unreadable, words);
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| none(format!("its answer breaks off: {error}")))?;
        let Some(data) = event.data.filter(|data| !data.trim().is_empty()) else { continue };
        let message = desk::parsed(data.as_bytes());
        let message =
            message.map_err(|_| none(format!("its answer is no message of MCP: {}", cut::quoted(&data, 200))))?;
        if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
            let _ = timeout(Duration::from_millis(50), async { while events.next().await.is_some() {} }).await;
            return Ok(message);
        }
    }
    Err(none("its answer ends before it says anything".to_owned()))
}

pub(super) async fn whole(response: Response<Incoming>, most: usize) -> Result<Bytes, Failed> {
    let body = Limited::new(response.into_body(), most).collect().await;
    body.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<http_body_util::LengthLimitError>() {
            return too_long(most);
        }
        Failed::bare(Kind::Lost, format!("its answer was cut off: {error}"))
    })
}

pub(super) enum Media {
    Json,
    Stream,
    Other(String),
}

pub(super) fn media(response: &Response<Incoming>) -> Media {
    let Some(media) = response.headers().get(CONTENT_TYPE) else {
        return Media::Other("nothing said of what".to_owned());
    };
    let media = String::from_utf8_lossy(media.as_bytes());
    let essence = media.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        Media::Json
    } else if essence.eq_ignore_ascii_case("text/event-stream") {
        Media::Stream
    } else {
        Media::Other(cut::quoted(essence, 80))
    }
}

/// Nobody waits longer, whatever the server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A `Retry-After`: seconds, or a date that is not past.
pub(super) fn wait(after: &str) -> Option<Duration> {
    let after = after.trim();
    if !after.is_empty() && after.bytes().all(|byte| byte.is_ascii_digit()) {
        // more than a number of ours can hold is long as well
        return Some(after.parse().map_or(LONGEST_WAIT, Duration::from_secs).min(LONGEST_WAIT));
    }
    let at = jiff::fmt::rfc2822::parse(after).ok()?.timestamp();
    let wait = Duration::try_from(at.duration_since(jiff::Timestamp::now())).ok()?;
    Some(wait.min(LONGEST_WAIT))
}

/// Enough of a page to say what it is.
pub(super) fn cut_bytes(body: &[u8]) -> &[u8] {
    &body[..body.len().min(1_000)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_no_longer_than_a_day_and_none_that_is_over() {
        let day = Some(Duration::from_secs(86_400));
        assert_eq!(wait(" 7 "), Some(Duration::from_secs(7)));
        for long in ["99999999999999", "99999999999999999999999", "Thu, 31 Dec 9998 23:59:59 GMT"] {
            assert_eq!(wait(long), day, "{long}");
        }
        for none in ["-5", "", "soon", "Wed, 21 Oct 1998 07:28:00 GMT", "Fri, 31 Dec 99999 23:59:59 GMT"] {
            assert_eq!(wait(none), None, "{none}");
        }
    }
}
