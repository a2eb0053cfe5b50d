//! `ANY …/mcp`: MCP over streamable HTTP, both eras of the protocol on one endpoint.
//!
//! The gate (Host, Origin) and the auth chain stand before it, as before every route. Whether a request is one of the
//! tools' and of which era is found out here; see [`crate::mcp`] for the rest of its way. With `?session=ses_…`, whatever
//! is asked for is part of that session of the bot's.

use super::{
    answer::{self, Answer},
    body,
    door::Door,
    query,
    refused::Refused,
    sse::{self, Accepts},
    tools::is_json,
};
use crate::{
    Principal,
    call::line::{Abilities, LogLevel},
    mcp::{
        Mcp, Message,
        answering::{Event, Response},
        client::{self, Client, Era},
        error::RpcError,
        message::Capabilities,
        other::OtherOverHttp,
        session::Session,
        tools::{self, Answered},
    },
    secrets,
    session::{Bind, Live},
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode, Uri,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::{BodyExt, Either};
use hyper::body::Incoming;
use serde_json::Value;
use std::{borrow::Cow, sync::Arc};
use tokio_util::sync::CancellationToken;

mod headers;
mod judged;

use headers::{SESSION, VERSION, text};

/// The headers of requests that pages of listed origins may send, beside those that every route takes.
pub(super) const REQUEST_HEADERS: &str = "mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
/// The headers of answers that they may read.
pub(super) const ANSWER_HEADERS: &str = "mcp-session-id, mcp-protocol-version";

/// The endpoint.
pub(super) struct Endpoint {
    mcp: Arc<Mcp>,
    other: OtherOverHttp,
    closing: CancellationToken,
}

impl Endpoint {
    pub(super) fn new(mcp: Arc<Mcp>, closing: CancellationToken) -> Self {
        let other = OtherOverHttp::new(mcp.clone(), closing.child_token());
        Self { mcp, other, closing }
    }

    /// The shutdown begins: whoever waits for an answer that will not come is told.
    pub(super) fn close(&self) {
        self.mcp.close();
    }

    /// Answers a request whose sender is known.
    pub(super) async fn answer(
        &self,
        door: &Door,
        parts: &Parts,
        body: &mut Incoming,
        principal: Arc<Principal>,
    ) -> Result<Answer, Refused> {
        let bound = match named(&parts.uri)? {
            Some(id) => Some(self.bound(id, &principal).await?),
            None => None,
        };
        let sender = Sender { principal, bound };
        match parts.method {
            Method::POST => self.post(door, parts, body, sender).await,
            Method::GET => self.listen(&parts.headers, sender),
            Method::DELETE => self.end(&parts.headers, &sender),
            _ => Err(Refused::method(&parts.method, "POST, GET, DELETE")),
        }
    }

    /// The session that the address names. It is looked for with each request, because it may have been deleted since the
    /// last one.
    async fn bound(&self, id: String, principal: &Principal) -> Result<Arc<Live>, Refused> {
        let bind = Bind::Id(id);
        // on the heap, because the future of every request would have room for it
        let bound = Box::pin(self.mcp.bot.state().sessions.bind(&bind, Some(principal))).await;
        bound.map_err(|unbound| Refused::unbound(&unbound))
    }

    async fn post(&self, door: &Door, parts: &Parts, body: &mut Incoming, sender: Sender) -> Result<Answer, Refused> {
        is_json(&parts.headers)?;
        let accepts = Accepts::of(&parts.headers);
        if !accepts.json && !accepts.events {
            return Ok(rpc(StatusCode::NOT_ACCEPTABLE, &not_acceptable()));
        }
        let bytes = body::read(body, door.max_body, body::PAUSE).await?;
        let message = match Message::parse(&bytes) {
            Ok(message) => message,
            Err(error) => return Ok(rpc(StatusCode::BAD_REQUEST, &error)),
        };
        let version = text(&parts.headers, &VERSION);
        let era = client::era(&message, version);
        let session = match text(&parts.headers, &SESSION) {
            Some(id) if era == Era::Sessions && message.method() != Some("initialize") => {
                match self.mcp.sessions.find(id, &sender.principal, sender.bound_to()) {
                    Some(session) => Some(session),
                    None => return Ok(rpc(StatusCode::NOT_FOUND, &RpcError::session().of(message.id))),
                }
            }
            _ => None,
        };
        if let Err(error) = headers::check_version(era, version, &message) {
            return Ok(rpc(StatusCode::BAD_REQUEST, &error.of(message.id)));
        }
        match message.method() {
            None => Ok(self.replied(&message, session.as_deref())),
            Some(_) if message.id.is_none() => Ok(noticed(&message, session.as_deref())),
            Some(method) if tools::is_ours(method) && headers::are_plain(&self.mcp, era, &message, &parts.headers) => {
                let Sender { principal, bound } = sender;
                let client = match (era, session) {
                    (Era::Stateless, _) => Client::stateless(&message, principal),
                    // what else is known of its sender may have changed since the session was opened
                    (Era::Sessions, Some(session)) => Client { principal, ..Client::of(session) },
                    (Era::Sessions, None) => Client::without_session(principal),
                };
                let mut client = client.within(bound);
                if !accepts.events {
                    client.takes_whole_answers_only();
                }
                client.tell_spans("tcp", || {
                    let session = text(&parts.headers, &SESSION);
                    (version.map(Into::into), session.map(Into::into))
                });
                let answered = tools::answer(&self.mcp, client, message, &bytes).await;
                Ok(written(answered, accepts).await)
            }
            Some("initialize") if era == Era::Sessions => {
                Ok(self.initialize(parts, sender, &message, &bytes, accepts).await)
            }
            Some("logging/setLevel") if era == Era::Sessions => {
                let level = message.params.as_ref().and_then(|p| p.level.as_ref()).map(|level| &*level.0);
                let Some(level) = level.and_then(LogLevel::parse) else {
                    return Ok(rpc(StatusCode::OK, &RpcError::log_level().of(message.id)));
                };
                session.inspect(|session| session.set_log(level));
                Ok(self.other(parts, sender, &message, &bytes, accepts).await)
            }
            Some(_) => Ok(self.other(parts, sender, &message, &bytes, accepts).await),
        }
    }

    /// rmcp answers.
    async fn other(
        &self,
        parts: &Parts,
        Sender { principal, bound }: Sender,
        message: &Message<'_>,
        bytes: &Bytes,
        accepts: Accepts,
    ) -> Answer {
        let answer = self.other.answer(parts, principal, bound, bytes.clone(), !accepts.events).await;
        if answer.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream") {
            return answer.map(Either::Right);
        }
        let (mut head, body) = answer.into_parts();
        let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
            return Refused::internal().answer();
        };
        head.headers.remove(CONTENT_LENGTH);
        // rmcp repeats what it refuses
        let body = blanked(body);
        if let Some((status, error)) = judged::again(head.status, &body, message) {
            return rpc(status, &error.of(message.id));
        }
        if head.status == StatusCode::OK && !accepts.json {
            return sse::whole(&body);
        }
        Answer::from_parts(head, Either::Left(body.into()))
    }

    /// rmcp negotiates; the session is ours.
    async fn initialize(
        &self,
        parts: &Parts,
        sender: Sender,
        message: &Message<'_>,
        bytes: &Bytes,
        accepts: Accepts,
    ) -> Answer {
        if let Err(error) = message.check_initialize() {
            return rpc(StatusCode::BAD_REQUEST, &error);
        }
        let capabilities = message.params.as_ref().and_then(|p| p.capabilities.as_ref());
        let abilities = capabilities.map_or(Abilities::default(), Capabilities::abilities);
        let both = Accepts { json: true, events: true };
        let (principal, bound) = (sender.principal.clone(), sender.bound.as_ref().map(|live| live.id.clone()));
        let (head, body) = self.other(parts, sender, message, bytes, both).await.into_parts();
        let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
            return Refused::internal().answer();
        };
        let agreed = head.status == StatusCode::OK
            && serde_json::from_slice::<Value>(&body).is_ok_and(|v| v["result"]["protocolVersion"].is_string());
        let mut answer = match agreed && !accepts.json {
            true => sse::whole(&body),
            false => Answer::from_parts(head, Either::Left(body.into())),
        };
        if agreed && !self.closing.is_cancelled() {
            let id = self.mcp.sessions.open(Session::new(principal, abilities).within(bound));
            if let Ok(id) = HeaderValue::from_str(&id) {
                answer.headers_mut().insert(SESSION, id);
            }
        }
        answer
    }

    /// A response of the client to a request of ours.
    fn replied(&self, message: &Message<'_>, session: Option<&Session>) -> Answer {
        let Some(session) = session else {
            let error =
                RpcError::request("a response answers a request of this bot, and without a session there is none");
            return rpc(StatusCode::BAD_REQUEST, &error);
        };
        tools::replied(session, message);
        accepted()
    }

    /// The stream on which the bot speaks of its own accord: that its tools changed.
    fn listen(&self, headers: &HeaderMap, sender: Sender) -> Result<Answer, Refused> {
        let Some(id) = text(headers, &SESSION) else {
            // without a session there is nothing to listen to; so the specification has it
            return Err(Refused::method(&Method::GET, "POST"));
        };
        if !Accepts::of(headers).events {
            return Ok(rpc(StatusCode::NOT_ACCEPTABLE, &not_acceptable()));
        }
        match self.mcp.sessions.find(id, &sender.principal, sender.bound_to()) {
            Some(session) => {
                Ok(sse::listening(session, self.mcp.bot.tools_changed(), self.closing.clone(), sender.bound))
            }
            None => Ok(rpc(StatusCode::NOT_FOUND, &RpcError::session())),
        }
    }

    fn end(&self, headers: &HeaderMap, sender: &Sender) -> Result<Answer, Refused> {
        let Some(id) = text(headers, &SESSION) else {
            return Err(Refused::method(&Method::DELETE, "POST"));
        };
        if !self.mcp.sessions.close(id, &sender.principal, sender.bound_to()) {
            return Ok(rpc(StatusCode::NOT_FOUND, &RpcError::session()));
        }
        let mut answer = answer::json(StatusCode::NO_CONTENT, Bytes::new());
        answer.headers_mut().remove(CONTENT_TYPE);
        Ok(answer)
    }
}

/// Who sent a request, and what it is part of.
struct Sender {
    principal: Arc<Principal>,
    bound: Option<Arc<Live>>,
}

impl Sender {
    /// The id of the session that it is part of.
    fn bound_to(&self) -> Option<&str> {
        self.bound.as_ref().map(|live| &*live.id)
    }
}

/// The session that an address names.
fn named(uri: &Uri) -> Result<Option<String>, Refused> {
    let [named] = query::read(uri, ["session"])?;
    match named {
        Some(id) if id.is_empty() => {
            Err(Refused::invalid("`?session=` names no session: write its id, or leave it out"))
        }
        named => Ok(named),
    }
}

/// A body of rmcp's without secrets.
fn blanked(body: Bytes) -> Bytes {
    match std::str::from_utf8(&body).map(secrets::blank_json) {
        Ok(Cow::Owned(blanked)) => blanked.into(),
        _ => body,
    }
}

/// A notification of the client.
fn noticed(message: &Message<'_>, session: Option<&Session>) -> Answer {
    if let Some(session) = session {
        tools::noticed(session, message);
    }
    accepted()
}

/// The answer to a tools' request: JSON, unless the call says something before it ends.
async fn written(answered: Answered, accepts: Accepts) -> Answer {
    let response = match answered {
        Answered::Whole(response) => response,
        Answered::Under(mut answering) => match answering.next().await {
            Event::Last(response) => response,
            Event::Message(first) => return sse::answering(first, answering),
        },
    };
    if accepts.json { whole(response) } else { sse::whole(&response.json) }
}

fn whole(response: Response) -> Answer {
    let status = if response.bad_request { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    answer::json(status, response.json)
}

fn rpc(status: StatusCode, error: &RpcError) -> Answer {
    answer::json(status, error.to_json())
}

fn accepted() -> Answer {
    let mut answer = answer::json(StatusCode::ACCEPTED, Bytes::new());
    answer.headers_mut().remove(CONTENT_TYPE);
    answer
}

fn not_acceptable() -> RpcError {
    RpcError::request("the answer is JSON or a stream of events: send `Accept: application/json, text/event-stream`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_session_or_none() {
        let read = |query: &str| named(&format!("/mcp?{query}").parse().unwrap()).map_err(|refused| refused.message);
        assert_eq!(read(""), Ok(None));
        assert_eq!(read("session=ses_%61"), Ok(Some("ses_a".to_owned())));
        for (bad, words) in [("session", "no session"), ("session=", "no session"), ("session=a&session=a", "once")] {
            let told = read(bad).unwrap_err();
            assert!(told.contains(words) && told.contains("`?session=`"), "{told}");
        }
        for misspelt in ["sesion=ses_a", "Session=ses_a", "session=ses_a&theme=dark"] {
            let told = read(misspelt).unwrap_err();
            assert!(told.contains("this route has `session`"), "{told}");
        }
    }
}
