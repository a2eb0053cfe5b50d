//! rmcp's streamable HTTP service, without sessions: those are ours.

use super::{Handler, Sent, Whole};
use crate::{Principal, mcp::Mcp, session::Live};
use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header::ACCEPT, request::Parts};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// rmcp over HTTP.
pub(crate) struct OtherOverHttp(StreamableHttpService<Handler, NeverSessionManager>);

impl OtherOverHttp {
    /// `closing` ends its streams.
    pub(crate) fn new(mcp: Arc<Mcp>, closing: CancellationToken) -> Self {
        let handler = Handler { mcp, bound: None };
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // Host and Origin have passed the gate in front of every route
            .disable_allowed_hosts()
            .disable_allowed_origins()
            // the body is read already, up to our own limit
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(closing);
        Self(StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config))
    }

    /// Answers a request whose body is read. `whole`: its sender takes no stream.
    pub(crate) async fn answer(
        &self,
        parts: &Parts,
        principal: Arc<Principal>,
        bound: Option<Arc<Live>>,
        body: Bytes,
        whole: bool,
    ) -> Response<Body> {
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = parts.uri.clone();
        *request.headers_mut() = parts.headers.clone();
        // what the client takes is judged at the door, less strictly
        let both = HeaderValue::from_static("application/json, text/event-stream");
        request.headers_mut().insert(ACCEPT, both);
        request.extensions_mut().insert(principal);
        request.extensions_mut().insert(Sent(body));
        if let Some(live) = bound {
            request.extensions_mut().insert(live);
        }
        if whole {
            request.extensions_mut().insert(Whole);
        }
        // on the heap, because the future of every request of the server would have room for rmcp's, and be copied with it
        Box::pin(self.0.handle(request)).await.map(Body::new)
    }
}
