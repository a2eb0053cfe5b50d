//! The door: what every request passes, in order.

use super::{
    ServeMode, Server,
    answer::{self, Answer},
    asker::Asker,
    auth::AuthRequest,
    chain::Chain,
    gate::Gate,
    refused::{Code, Refused},
    routes::{self, Routes},
    session,
    surface::{Security, Surface},
    tools,
};
use crate::{Error, Principal, bot::Bot};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, EXPECT, VARY,
    },
    request::Parts,
};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    net::IpAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// What of a refused request's body is still read, so that its sender reads the answer rather than a reset connection.
const LEFTOVER: usize = 4 * 1024 * 1024;
/// And for how long.
const LEFTOVER_TIME: Duration = Duration::from_secs(2);

/// Where the MCP endpoint stands, and what is behind it.
#[cfg(feature = "mcp")]
struct McpDoor {
    path: String,
    endpoint: super::mcp::Endpoint,
}

/// Everything that a connection needs to answer.
pub(super) struct Door {
    pub(super) bot: Bot,
    /// `/<slug>/v1` or `/v1`.
    pub(super) prefix: String,
    /// The prefix with `/tools/`: what is behind it is a tool's name.
    tools: String,
    #[cfg(feature = "mcp")]
    mcp: McpDoor,
    gate: Gate,
    chain: Chain,
    trust_proxy: bool,
    pub(super) max_body: usize,
    routes: Routes,
    /// Cancelled when the shutdown begins.
    pub(super) closing: CancellationToken,
}

impl Door {
    pub(super) fn new(server: Server, bot: Bot) -> Result<Self, Error> {
        let prefix = match server.mode {
            ServeMode::Prefixed => format!("/{}/v1", bot.slug()),
            ServeMode::Single => "/v1".to_owned(),
        };
        let closing = CancellationToken::new();
        let security = Security { bearer: !server.bearer.is_empty(), anonymous: server.anonymous };
        let gate = Gate::new(&server.allowed_hosts, &server.allowed_origins, server.public_url.as_deref())?;
        let sessions = session::Knowing {
            bot: bot.clone(),
            prefix: prefix.clone(),
            public_url: server.public_url.clone(),
            max_body: server.max_body,
        };
        let surface = Surface::new(bot.clone(), prefix.clone(), server.public_url, security);
        Ok(Self {
            #[cfg(feature = "mcp")]
            mcp: McpDoor {
                path: format!("{prefix}/mcp"),
                endpoint: super::mcp::Endpoint::new(crate::mcp::Mcp::new(bot.clone()), closing.clone()),
            },
            gate,
            chain: Chain::new(server.authenticators, server.bearer, server.anonymous),
            trust_proxy: server.trust_proxy,
            max_body: server.max_body,
            routes: Routes::new(surface, sessions, closing.clone()),
            tools: format!("{prefix}/tools/"),
            prefix,
            bot,
            closing,
        })
    }

    /// Answers a request, whatever happens.
    pub(super) async fn answer(
        self: Arc<Self>,
        peer: IpAddr,
        local: IpAddr,
        request: Request<Incoming>,
    ) -> Result<Answer, Infallible> {
        let (parts, body) = request.into_parts();
        // polled where it lies: its size is that of a whole call, and every move of it would copy that
        let mut pass = pin!(self.pass(peer, local, parts, body));
        let caught = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| pass.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Some),
            Err(_) => Poll::Ready(None),
        });
        Ok(caught.await.unwrap_or_else(|| {
            // the panic hook has told where; tools have their own guard, so that this is a fault of bdk or of an authenticator
            tracing::error!(target: "bdk::serve", "answering a request panicked");
            Refused::internal().answer()
        }))
    }

    async fn pass(&self, peer: IpAddr, local: IpAddr, parts: Parts, body: Incoming) -> Answer {
        let passed = match self.gate.check(&parts, local) {
            Ok(passed) => passed,
            Err(refused) => return refuse(&parts.headers, body, &refused),
        };
        let Some(origin) = passed.cross_origin else {
            return self.route(peer, parts, body).await;
        };
        if parts.method == Method::OPTIONS && parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
            return preflight(origin);
        }
        let mut answer = self.route(peer, parts, body).await;
        answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        answer.headers_mut().append(VARY, HeaderValue::from_static("origin"));
        answer
            .headers_mut()
            .insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(super::artifacts::ANSWER_HEADERS));
        #[cfg(feature = "mcp")]
        answer
            .headers_mut()
            .append(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(super::mcp::ANSWER_HEADERS));
        answer
    }

    async fn route(&self, peer: IpAddr, mut parts: Parts, mut body: Incoming) -> Answer {
        let path = parts.uri.path();
        #[cfg(feature = "mcp")]
        if path == self.mcp.path {
            // boxed: it is the largest, and hyper copies the future of every request from hand to hand
            return Box::pin(self.mcp(peer, parts, body)).await;
        }
        let answered = match path.strip_prefix(&*self.tools) {
            Some(name) if !name.is_empty() && !name.contains('/') => self.call(peer, name, &parts, &mut body).await,
            _ if routes::is_open(path) => Ok(None),
            _ => match self.admit(peer, &parts).await {
                Ok(principal) => {
                    let secure = self.place(peer, &parts).1;
                    parts.extensions.insert(Asker { principal, secure });
                    Ok(None)
                }
                Err(refused) => Err(refused),
            },
        };
        match answered {
            Ok(Some(done)) => answer::json(StatusCode::OK, done),
            Ok(None) => self.routes.answer(Request::from_parts(parts, axum::body::Body::new(body))).await,
            Err(refused) => refuse(&parts.headers, body, &refused),
        }
    }

    #[cfg(feature = "mcp")]
    async fn mcp(&self, peer: IpAddr, parts: Parts, mut body: Incoming) -> Answer {
        let answered = match self.admit(peer, &parts).await {
            Ok(principal) => self.mcp.endpoint.answer(self, &parts, &mut body, principal).await,
            Err(refused) => Err(refused),
        };
        answered.unwrap_or_else(|refused| refuse(&parts.headers, body, &refused))
    }

    /// The shutdown begins.
    pub(super) fn close(&self) {
        self.closing.cancel();
        #[cfg(feature = "mcp")]
        self.mcp.endpoint.close();
    }

    /// The hot route.
    async fn call(
        &self,
        peer: IpAddr,
        name: &str,
        parts: &Parts,
        body: &mut Incoming,
    ) -> Result<Option<Bytes>, Refused> {
        let principal = self.admit(peer, parts).await?;
        tools::call(self, name, parts, body, principal).await.map(Some)
    }

    async fn admit(&self, peer: IpAddr, parts: &Parts) -> Result<Arc<Principal>, Refused> {
        let (peer, secure) = self.place(peer, parts);
        self.chain.admit(AuthRequest { parts, peer, secure }).await
    }

    /// Whose request it is, and whether it came over TLS.
    fn place(&self, peer: IpAddr, parts: &Parts) -> (IpAddr, bool) {
        if self.trust_proxy { told(&parts.headers, peer) } else { (peer, false) }
    }
}

/// Whom a trusted proxy speaks for: the last address of the last `X-Forwarded-For`, which it added itself.
fn told(headers: &HeaderMap, peer: IpAddr) -> (IpAddr, bool) {
    const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
    const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
    let last = |name| {
        let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
        value.rsplit(',').next().map(str::trim)
    };
    let client = last(FOR).and_then(|text| text.trim_matches(['[', ']']).parse::<IpAddr>().ok());
    (client.map_or(peer, |ip| ip.to_canonical()), last(PROTO).is_some_and(|proto| proto.eq_ignore_ascii_case("https")))
}

/// Answers a refused request, and reads some of what is left of its body.
pub(super) fn refuse<B>(headers: &HeaderMap, mut body: B, refused: &Refused) -> Answer
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Send,
{
    // one that waits to be told to go on has sent nothing, and reading would tell it to; one that stalled will not go on
    if !body.is_end_stream() && !headers.contains_key(EXPECT) && refused.code != Code::Stalled {
        let rest = async move {
            let mut left = LEFTOVER;
            while let Some(Ok(frame)) = body.frame().await {
                left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
                if left == 0 {
                    break;
                }
            }
        };
        tokio::spawn(tokio::time::timeout(LEFTOVER_TIME, rest));
    }
    refused.answer()
}

/// What a browser asks before it lets a page of a listed origin call.
fn preflight(origin: HeaderValue) -> Answer {
    let mut answer = answer::json(StatusCode::NO_CONTENT, Bytes::new());
    let headers = answer.headers_mut();
    headers.clear();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST, DELETE"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type, idempotency-key, last-event-id, traceparent"),
    );
    #[cfg(feature = "mcp")]
    headers.append(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(super::mcp::REQUEST_HEADERS));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    headers.insert(VARY, HeaderValue::from_static("origin"));
    answer
}
