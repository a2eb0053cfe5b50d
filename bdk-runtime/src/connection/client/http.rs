//! Messages over streamable HTTP: rmcp says which and in which session, this sends them and reads the answers.

use super::{
    body::{Media, cut_bytes, first_answer, media, wait, whole},
    desk::{self, Answering, Desk, Heard},
    events::{self, Of},
};
use crate::{
    connection::{
        failed::{Failed, Kind},
        limits::Limits,
        wire::Wire,
    },
    cut,
};
use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri,
    header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION, RETRY_AFTER},
};
use http_body_util::Full;
use hyper::body::Incoming;
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use sse_stream::Sse;
use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
};
use tokio::time::timeout;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Of a page that says why there is no answer, so much is read.
const ERROR_PAGE: usize = 64 << 10;

/// The server of one client.
#[derive(Clone)]
pub(super) struct Http(Arc<Server>);

struct Server {
    wire: Wire,
    uri: Uri,
    /// The connection's own.
    headers: HeaderMap,
    desk: Arc<Desk>,
    limits: Arc<Limits>,
}

/// What a post came to, before rmcp is told.
#[expect(clippy::large_enum_variant, reason = "nearly all are answers")]
enum Posted {
    Answer(StreamableHttpPostResponse),
    SessionGone(Failed),
}

impl Http {
    pub(super) fn new(wire: Wire, uri: Uri, headers: HeaderMap, desk: Arc<Desk>, limits: Arc<Limits>) -> Self {
        Self(Arc::new(Server { wire, uri, headers, desk, limits }))
    }

    fn request(
        &self,
        method: Method,
        accept: HeaderValue,
        session: Option<&str>,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::default());
        *request.method_mut() = method;
        *request.uri_mut() = self.0.uri.clone();
        let headers = request.headers_mut();
        headers.clone_from(&self.0.headers);
        headers.extend(more);
        headers.insert(ACCEPT, accept);
        if let Some(session) = session.and_then(|session| HeaderValue::from_str(session).ok()) {
            headers.insert(SESSION, session);
        }
        request
    }

    async fn post(
        &self,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        more: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Posted, Failed> {
        let kind = What::of(message);
        let slot = desk::slot(message);
        let mut request = self.request(Method::POST, BOTH, session, more);
        *request.body_mut() = Full::new(desk::written(message)?.into());
        request.headers_mut().insert(CONTENT_TYPE, JSON);
        if let Some((id, slot)) = slot {
            if let Some(parent) = slot.traceparent.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
                request.headers_mut().insert(TRACEPARENT, parent);
            }
            if !self.0.desk.begin(id, slot) {
                return Err(Failed::bare(Kind::Unsent, "nobody waits for it any more"));
            }
        }
        let response = match self.0.wire.send(request).await {
            Ok(response) => response,
            Err(failed) => {
                if let (Kind::Unsent, Some((_, slot))) = (&failed.kind, slot) {
                    slot.unsend();
                }
                return Err(failed);
            }
        };
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(Posted::Answer(match kind {
                What::Other => StreamableHttpPostResponse::Accepted,
                What::Discover(id) => older(id, None),
                What::Initialize(_) | What::Request(_) => {
                    let words = format!("it answers {status}, which has no result");
                    return Err(Failed::bare(Kind::Unreadable, words));
                }
            }));
        }
        if !status.is_success() {
            return self.refused(response, &kind, session.is_some()).await;
        }
        if let Some(coding) = response.headers().get(CONTENT_ENCODING).filter(|coding| *coding != "identity") {
            let coding = cut::quoted(&String::from_utf8_lossy(coding.as_bytes()), 40);
            let words = format!("its answer is compressed ({coding}), which nobody asked for");
            return Err(Failed::bare(Kind::Unreadable, words));
        }
        let new_session = response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let answer = match media(&response) {
            Media::Stream => {
                let of = kind.id().map(|id| Of { id: id.clone(), slot: slot.map(|(_, slot)| slot.clone()), tries: 0 });
                let events = events::events(response.into_body(), self.0.desk.clone(), self.0.limits.message, of);
                if kind.is_handshake() {
                    return Ok(Posted::Answer(StreamableHttpPostResponse::Json(
                        first_answer(events).await?,
                        new_session,
                    )));
                }
                StreamableHttpPostResponse::Sse(events, new_session)
            }
            _ if kind.id().is_none() => StreamableHttpPostResponse::Accepted,
            Media::Json => {
                let body = whole(response, self.0.limits.message).await?;
                StreamableHttpPostResponse::Json(self.answer(&body, &kind, slot.is_some())?, new_session)
            }
            Media::Other(media) => {
                let words = format!("it answers with {media}, which is not MCP: is its URL right?");
                return Err(Failed::bare(Kind::Unreadable, words));
            }
        };
        Ok(Posted::Answer(answer))
    }

    /// The message of a body, which can only be the answer to what was asked.
    fn answer(&self, body: &[u8], kind: &What<'_>, in_slot: bool) -> Result<ServerJsonRpcMessage, Failed> {
        if let Heard::Instead(message) = self.0.desk.read(body) {
            return Ok(message);
        }
        let none = |why: String| {
            let begins = cut::quoted(&String::from_utf8_lossy(cut_bytes(body)), 200);
            Failed::bare(Kind::Unreadable, format!("its answer is {why}: {begins}"))
        };
        match desk::parsed(body).map_err(|_| none("no message of MCP".to_owned()))? {
            JsonRpcMessage::Error(error) => {
                Ok(ServerJsonRpcMessage::error(error.error, kind.id().cloned().or(error.id)))
            }
            JsonRpcMessage::Response(answer) if in_slot && kind.id() != Some(&answer.id) => {
                Err(none("one to another request".to_owned()))
            }
            message => Ok(message),
        }
    }

    /// A status that is none of success.
    async fn refused(&self, response: Response<Incoming>, kind: &What<'_>, in_session: bool) -> Result<Posted, Failed> {
        let status = response.status();
        let refused = |words: String| {
            let transient = matches!(status.as_u16(), 408 | 425 | 429 | 502..=504 | 522..=524 | 529);
            Failed::bare(Kind::Refused { status: status.as_u16() }, words).transient(transient)
        };
        if status == StatusCode::NOT_FOUND && in_session {
            return Ok(Posted::SessionGone(gone()));
        }
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            return Err(refused(match to {
                Some(to) => {
                    let to = cut::quoted(to, 200);
                    format!("it answers {status} and points to {to}, which is not followed: write that URL")
                }
                None => format!("it answers {status} and does not say where it is now"),
            }));
        }
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|after| wait(after.to_str().ok()?));
        let is_json = matches!(media(&response), Media::Json);
        let most = if is_json { self.0.limits.message } else { ERROR_PAGE };
        // what cannot be read says nothing more
        let body = whole(response, most).await.unwrap_or_default();
        let own = serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok();
        let own = own.filter(|message| matches!(message, JsonRpcMessage::Error(_)));
        // what servers of the TypeScript SDK's examples say of a session that they do not know, and those of rmcp before 0.17
        let forgotten = match status {
            StatusCode::BAD_REQUEST => "no valid session id",
            StatusCode::UNAUTHORIZED => "session not found",
            _ => "",
        };
        let said = String::from_utf8_lossy(cut_bytes(&body));
        if in_session && !forgotten.is_empty() && said.to_lowercase().contains(forgotten) {
            return Ok(Posted::SessionGone(gone()));
        }
        let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS);
        // a server that knows no such request may fall over it
        if let What::Discover(id) = kind
            && (status.is_client_error() || matches!(status.as_u16(), 500 | 501))
            && !denied
        {
            return Ok(Posted::Answer(older(id, own)));
        }
        if let (Some(JsonRpcMessage::Error(own)), false, Some(id)) = (own, denied, kind.id()) {
            let own = ServerJsonRpcMessage::error(own.error, Some(id.clone()));
            return Ok(Posted::Answer(StreamableHttpPostResponse::Json(own, None)));
        }
        let said = if said.trim().is_empty() { String::new() } else { format!(": {}", cut::quoted(said.trim(), 200)) };
        let what = match status {
            StatusCode::UNAUTHORIZED => " (the credentials in its headers are missing or not valid)",
            StatusCode::FORBIDDEN => " (the credentials in its headers do not allow it)",
            _ => "",
        };
        let mut failed = refused(format!("it answers {status}{what}{said}"));
        failed.retry_after = retry_after;
        Err(failed)
    }

    /// Whether it is a server of MCP's first transport over HTTP, which nobody speaks here.
    pub(super) async fn is_of_old(&self) -> bool {
        let asked = async {
            let response = self.0.wire.send(self.request(Method::GET, STREAM, None, HashMap::new())).await.ok()?;
            if !response.status().is_success() || !matches!(media(&response), Media::Stream) {
                return None;
            }
            let mut events = events::events(response.into_body(), self.0.desk.clone(), ERROR_PAGE, None);
            let first = events.next().await?.ok()?;
            (first.event.as_deref() == Some("endpoint")).then_some(())
        };
        timeout(self.0.limits.probe, asked).await.is_ok_and(|old| old.is_some())
    }
}

impl StreamableHttpClient for Http {
    type Error = Failed;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<Failed>> {
        let _answering = Answering::of(&message, &self.0.desk);
        if matches!(What::of(&message), What::Initialize(_)) {
            self.0.desk.asked.clear();
        }
        let posting = self.post(&message, session.as_deref(), headers);
        let posted = match What::of(&message) {
            What::Discover(id) => match timeout(self.0.limits.probe, posting).await {
                Ok(posted) => posted,
                Err(_) => return Ok(older(id, None)),
            },
            _ => posting.await,
        };
        let (failed, error) = match posted {
            Ok(Posted::Answer(answer)) => return Ok(answer),
            // rmcp would begin a session behind our back: who comes back may have other tools, and other credentials to ask for
            Ok(Posted::SessionGone(failed)) if desk::slot(&message).is_some() => {
                (failed.clone(), StreamableHttpError::Client(failed))
            }
            Ok(Posted::SessionGone(failed)) => (failed, StreamableHttpError::SessionExpired),
            Err(failed) => (failed.clone(), StreamableHttpError::Client(failed)),
        };
        match desk::slot(&message) {
            Some((_, slot)) => slot.fail(failed),
            None if What::of(&message).is_handshake() => self.0.desk.trouble(failed),
            None => {}
        }
        Err(error)
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<Failed>> {
        let request = self.request(Method::DELETE, BOTH, Some(&session), headers);
        self.0.wire.send(request).await.map_err(StreamableHttpError::Client)?;
        Ok(())
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<Failed>> {
        let mut request = self.request(Method::GET, STREAM, session.as_deref(), headers);
        // or one that goes on with the answer to a request
        let is_its_own = last_event.is_none();
        let again = last_event.as_deref().map(|id| self.0.desk.resumable.again(id, self.0.limits.resumptions));
        let Ok(of) = again.transpose().map(Option::flatten) else {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        };
        if let Some(id) = last_event.and_then(|id| HeaderValue::try_from(id).ok()) {
            request.headers_mut().insert(LAST_EVENT, id);
        }
        let response = self.0.wire.send(request).await.map_err(StreamableHttpError::Client)?;
        match (response.status(), media(&response)) {
            (StatusCode::OK, Media::Stream) => {
                self.0.desk.has_stream.fetch_or(is_its_own, Ordering::Relaxed);
                Ok(events::events(response.into_body(), self.0.desk.clone(), self.0.limits.message, of))
            }
            // asking again gives nothing else
            (status, _) if status.is_success() || status.is_client_error() => {
                Err(StreamableHttpError::ServerDoesNotSupportSse)
            }
            (status, _) => {
                let kind = Kind::Refused { status: status.as_u16() };
                Err(StreamableHttpError::Client(Failed::bare(kind, format!("it answers {status}"))))
            }
        }
    }
}

/// Said of a session that the server does not know: it did nothing.
fn gone() -> Failed {
    Failed::bare(Kind::SessionGone, "its session is gone, and a new one could not be had")
}

/// What of a message decides how it is sent.
enum What<'a> {
    Discover(&'a rmcp::model::RequestId),
    Initialize(&'a rmcp::model::RequestId),
    Request(&'a rmcp::model::RequestId),
    /// Nobody waits for an answer.
    Other,
}

impl<'a> What<'a> {
    fn of(message: &'a ClientJsonRpcMessage) -> Self {
        let JsonRpcMessage::Request(request) = message else { return Self::Other };
        match &request.request {
            // with a slot it is asked of a server that is open already, for a sign of life
            ClientRequest::DiscoverRequest(_) if desk::slot(message).is_none() => Self::Discover(&request.id),
            ClientRequest::InitializeRequest(_) => Self::Initialize(&request.id),
            _ => Self::Request(&request.id),
        }
    }
    fn id(&self) -> Option<&'a rmcp::model::RequestId> {
        match self {
            Self::Discover(id) | Self::Initialize(id) | Self::Request(id) => Some(id),
            Self::Other => None,
        }
    }
    fn is_handshake(&self) -> bool {
        matches!(self, Self::Discover(_) | Self::Initialize(_))
    }
}

/// Tells rmcp that the server has sessions: it is asked the older way then.
fn older(id: &rmcp::model::RequestId, own: Option<ServerJsonRpcMessage>) -> StreamableHttpPostResponse {
    let error = match own {
        Some(JsonRpcMessage::Error(error)) => error.error,
        _ => ErrorData::invalid_request("server/discover is not known", None),
    };
    // some servers answer with another's number
    StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id.clone())), None)
}
