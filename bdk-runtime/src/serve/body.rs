//! Reading a body: whole, no more of it than allowed, and not for ever.

use super::refused::{Code, Refused};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use std::time::Duration;

/// How long a body may pause.
const PAUSE: Duration = Duration::from_secs(30);

/// Reads a body of at most `limit` bytes. One that came in one piece, as small ones do, is not copied.
pub(super) async fn read(body: &mut Incoming, limit: usize) -> Result<Bytes, Refused> {
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if body.is_end_stream() && first.len() <= limit {
        return Ok(first);
    }
    let mut all = BytesMut::from(first);
    loop {
        if all.len() > limit {
            return Err(too_large(limit));
        }
        match next(body).await? {
            Some(more) => all.extend_from_slice(&more),
            None => return Ok(all.freeze()),
        }
    }
}

/// The next piece of data; trailers are passed over.
async fn next(body: &mut Incoming) -> Result<Option<Bytes>, Refused> {
    loop {
        let frame = tokio::time::timeout(PAUSE, body.frame()).await;
        let frame = frame.map_err(|_| {
            Refused::new(Code::Stalled, format!("the body stopped coming: nothing for {} s", PAUSE.as_secs()))
        })?;
        match frame {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(error)) => return Err(Refused::invalid(format!("the body could not be read: {error}"))),
        }
    }
}

fn too_large(limit: usize) -> Refused {
    Refused::new(
        Code::TooLarge,
        format!("the body is larger than the {limit} bytes that this bot takes (`--max-body`)"),
    )
}
