//! Reading a body: whole, no more of it than allowed, and not for ever.

use super::refused::{Code, Refused};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use std::{fmt::Display, time::Duration};

/// How long a body may pause.
pub(super) const PAUSE: Duration = Duration::from_secs(30);

/// Reads a body of at most `limit` bytes. One that came in one piece, as small ones do, is not copied.
pub(super) async fn read<B>(body: &mut B, limit: usize, pause: Duration) -> Result<Bytes, Refused>
where
    B: Body<Data = Bytes, Error: Display> + Unpin,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let Some(first) = next(body, pause).await? else { return Ok(Bytes::new()) };
    if body.is_end_stream() && first.len() <= limit {
        return Ok(first);
    }
    let mut all = BytesMut::from(first);
    loop {
        if all.len() > limit {
            return Err(too_large(limit));
        }
        match next(body, pause).await? {
            Some(more) => all.extend_from_slice(&more),
            None => return Ok(all.freeze()),
        }
    }
}

/// The next piece of data; trailers are passed over.
async fn next<B>(body: &mut B, pause: Duration) -> Result<Option<Bytes>, Refused>
where
    B: Body<Data = Bytes, Error: Display> + Unpin,
{
    loop {
        let frame = tokio::time::timeout(pause, body.frame()).await;
        let frame = frame
            .map_err(|_| Refused::new(Code::Stalled, format!("the body stopped coming: nothing for {pause:?}")))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{StreamExt, stream};
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use std::io;

    const SOON: Duration = Duration::from_millis(1);

    fn pieces(pieces: &'static [&'static str]) -> impl Body<Data = Bytes, Error = io::Error> + Unpin {
        let frames = pieces.iter().map(|piece| match *piece {
            "trailers" => Ok(Frame::trailers(http::HeaderMap::new())),
            "broken" => Err(io::Error::other("the line is cut")),
            data => Ok(Frame::data(Bytes::from_static(data.as_bytes()))),
        });
        StreamBody::new(stream::iter(frames))
    }
    async fn code(mut body: impl Body<Data = Bytes, Error: Display> + Unpin, limit: usize) -> Code {
        read(&mut body, limit, SOON).await.unwrap_err().code
    }

    #[tokio::test]
    async fn a_body_is_read_whole_however_many_pieces_it_comes_in() {
        for of in [&["abcdef"][..], &["a", "bc", "def"], &["abc", "def", "trailers"]] {
            assert_eq!(read(&mut pieces(of), 6, PAUSE).await.unwrap(), "abcdef");
        }
        assert_eq!(read(&mut pieces(&[]), 6, PAUSE).await.unwrap(), "");
    }

    #[tokio::test]
    async fn no_more_than_the_limit_is_read() {
        assert_eq!(code(pieces(&["abcdefg"]), 6).await, Code::TooLarge);
        assert_eq!(code(pieces(&["abc", "def", "g", "broken"]), 6).await, Code::TooLarge);
    }

    #[tokio::test]
    async fn a_body_that_stops_coming_is_given_up() {
        let begun = stream::iter([Ok::<_, io::Error>(Frame::data(Bytes::from_static(b"{")))]);
        assert_eq!(code(StreamBody::new(begun.chain(stream::pending())), 6).await, Code::Stalled);
        assert_eq!(code(pieces(&["abc", "broken"]), 6).await, Code::InvalidRequest);
    }
}
