//! Answers: whole bodies, whose length is known, and whatever a route of axum's gives.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{Either, Full};

/// What the connection writes.
pub(super) type Answer = Response<Either<Full<Bytes>, axum::body::Body>>;

/// JSON that is made already.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Either::Left(Full::new(body.into())));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
