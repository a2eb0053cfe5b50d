//! Refused requests: `{"ok":false,"error":"<code>","message":"…"}` with the code's status.

use super::answer::{self, Answer};
use crate::{secrets, session::Unbound, store::StoreError};
use http::{
    HeaderValue, StatusCode,
    header::{ALLOW, CONNECTION, WWW_AUTHENTICATE},
};
use serde::Serialize;
use std::borrow::Cow;

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    InvalidRequest,
    /// 405, with what the route takes.
    Method(&'static str),
    /// 408: a body that stopped coming.
    Stalled,
    Unauthorized,
    Forbidden,
    UnknownTool,
    UnknownSession,
    UnknownRoute,
    Conflict,
    TooLarge,
    UnsupportedMediaType,
    /// 503: the state cannot be read or written now.
    Unavailable,
    Internal,
}

impl Code {
    fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest | Self::Method(_) | Self::Stalled => "invalid_request",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::UnknownTool => "unknown_tool",
            Self::UnknownSession => "unknown_session",
            Self::UnknownRoute => "unknown_route",
            Self::Conflict => "conflict",
            Self::TooLarge => "too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::Unavailable | Self::Internal => "internal",
        }
    }
    fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Stalled => StatusCode::REQUEST_TIMEOUT,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::UnknownTool | Self::UnknownSession | Self::UnknownRoute => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// A refused request.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) code: Code,
    pub(super) message: Cow<'static, str>,
}

impl Refused {
    pub(super) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into() }
    }
    pub(super) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::InvalidRequest, message)
    }
    pub(super) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::Forbidden, message)
    }
    pub(super) fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::Unauthorized, message)
    }
    pub(super) fn method(method: &http::Method, allow: &'static str) -> Self {
        Self::new(Code::Method(allow), format!("this route takes {allow}, not {method}"))
    }
    pub(super) fn internal() -> Self {
        Self::new(Code::Internal, "something went wrong in the bot; its log tells more")
    }

    /// Why a session is not at hand.
    pub(super) fn unbound(unbound: &Unbound) -> Self {
        match unbound {
            Unbound::Unknown(_) => Self::new(Code::UnknownSession, unbound.to_string()),
            Unbound::Unavailable(error) => Self::unavailable(error),
        }
    }
    /// The state cannot be read or written: why, is for the operator.
    pub(super) fn unavailable(error: &StoreError) -> Self {
        tracing::error!(target: "bdk::serve", %error, "a request could not be answered");
        Self::new(Code::Unavailable, "the bot's state cannot be read or written now; its log tells more")
    }

    pub(super) fn answer(&self) -> Answer {
        #[derive(Serialize)]
        struct Body<'a> {
            ok: bool,
            error: &'static str,
            message: &'a str,
        }
        let body =
            serde_json::to_vec(&Body { ok: false, error: self.code.as_str(), message: &secrets::blank(&self.message) });
        // a struct of two strings and a bool always serialises
        let mut answer = answer::json(self.code.status(), body.unwrap_or_default());
        let headers = answer.headers_mut();
        match self.code {
            Code::Unauthorized => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            Code::Method(allow) => drop(headers.insert(ALLOW, HeaderValue::from_static(allow))),
            Code::Stalled => drop(headers.insert(CONNECTION, HeaderValue::from_static("close"))),
            _ => {}
        }
        answer
    }
}
