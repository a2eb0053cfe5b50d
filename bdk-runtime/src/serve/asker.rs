//! Who asks, for routes of the router: the door has found out, and what it knows travels with the request.

use super::{answer, body as bodies, door, refused::Refused, tools};
use crate::Principal;
use axum::{
    body::Body,
    extract::FromRequest,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{Request, StatusCode, header::HOST, request::Parts};
use hyper::body::Body as _;
use serde::Serialize;
use std::sync::Arc;

/// Who asks.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    pub(super) principal: Arc<Principal>,
    /// Whether a trusted proxy says that it came over TLS.
    pub(super) secure: bool,
}

/// A request of somebody who is known.
pub(super) struct Asked {
    pub(super) head: Head,
    body: Body,
}

/// All of it but its body.
pub(super) struct Head {
    pub(super) asker: Asker,
    pub(super) parts: Parts,
}

impl<S: Sync> FromRequest<S> for Asked {
    type Rejection = Response;
    async fn from_request(request: Request<Body>, _: &S) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        match parts.extensions.remove::<Asker>() {
            Some(asker) => Ok(Self { head: Head { asker, parts }, body }),
            // every route that is not open has somebody
            None => Err(Refused::internal().answer().into_response()),
        }
    }
}

impl Head {
    /// Under which address it was asked, without a slash at the end. The gate has seen to it that the name is one of ours.
    pub(super) fn origin(&self) -> String {
        let host = self.parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        format!("{}://{host}", if self.asker.secure { "https" } else { "http" })
    }
}

impl Asked {
    /// Its whole body, which is JSON or empty.
    pub(super) async fn body(&mut self, limit: usize) -> Result<Bytes, Refused> {
        if !self.body.is_end_stream() {
            tools::is_json(&self.head.parts.headers)?;
        }
        bodies::read(&mut self.body, limit, bodies::PAUSE).await
    }
    /// Answers it; of a refused one, some of what is left of the body is read.
    pub(super) fn answer(self, answer: Result<Response, Refused>) -> Response {
        answer.unwrap_or_else(|refused| door::refuse(&self.head.parts.headers, self.body, &refused).into_response())
    }
}

/// JSON as axum wants it.
pub(super) fn json(value: &impl Serialize) -> Result<Response, Refused> {
    match serde_json::to_vec(value) {
        Ok(json) => Ok(answer::json(StatusCode::OK, json).into_response()),
        Err(error) => {
            tracing::error!(target: "bdk::serve", %error, "an answer could not be written as JSON");
            Err(Refused::internal())
        }
    }
}
