//! A server of MCP whose every answer the test decides.

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, Response},
};
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::{
    io,
    sync::{Arc, Mutex},
};

/// A request that came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) http: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Asked {
    pub(super) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
    /// The result that it asked for.
    #[expect(clippy::needless_pass_by_value, reason = "it is made for it")]
    pub(super) fn result(&self, result: Value) -> Reply {
        Reply::Json(json!({ "jsonrpc": "2.0", "id": self.body["id"], "result": result }))
    }
    pub(super) fn error(&self, code: i64, message: &str) -> Reply {
        Reply::Json(json!({ "jsonrpc": "2.0", "id": self.body["id"], "error": { "code": code, "message": message } }))
    }
}

pub(super) enum Reply {
    Json(Value),
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// A stream, of this text, which then ends, or breaks off.
    Stream(String),
    /// A body that never ends.
    Endless(&'static str, &'static str),
    /// The text as JSON, and then the connection is cut.
    Half(&'static str),
    Never,
}

type Script = Arc<dyn Fn(&Asked, usize) -> Option<Reply> + Send + Sync>;

#[derive(Clone)]
pub(super) struct Fault {
    script: Script,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Fault {
    /// The script is told how often this method was asked for before; what it does not answer is answered as a sound server
    /// with sessions would.
    pub(super) async fn serve(
        script: impl Fn(&Asked, usize) -> Option<Reply> + Send + Sync + 'static,
    ) -> (String, Self) {
        let fault = Self { script: Arc::new(script), asked: Arc::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let router = axum::Router::new().fallback(answer).with_state(fault.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (url, fault)
    }

    pub(super) fn asked(&self, method: &str) -> Vec<Asked> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|asked| asked.method() == method).cloned().collect()
    }
    pub(super) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

async fn answer(State(fault): State<Fault>, http: Method, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked = Asked { http, headers, body: serde_json::from_slice(&body).unwrap_or_default() };
    let before = fault.asked(asked.method()).len();
    fault.asked.lock().unwrap().push(asked.clone());
    let reply = (fault.script)(&asked, before).unwrap_or_else(|| sound(&asked));
    let response = Response::builder();
    let session = asked.method() == "initialize";
    let response = if session { response.header("mcp-session-id", format!("session-{before}")) } else { response };
    let of = |kind: &str, body: Body| response.header("content-type", kind).body(body).unwrap();
    match reply {
        Reply::Json(value) => of("application/json", value.to_string().into()),
        Reply::Status(status, headers, body) => {
            let mut response = Response::new(body.into());
            *response.status_mut() = status.try_into().unwrap();
            for (name, value) in headers {
                response.headers_mut().insert(*name, value.parse().unwrap());
            }
            response
        }
        Reply::Stream(text) => of("text/event-stream", text.into()),
        Reply::Endless(kind, begins) => {
            let more = stream::repeat_with(|| Ok::<_, io::Error>(Bytes::from(vec![b'x'; 64 << 10])));
            let first = stream::iter([Ok(Bytes::from_static(begins.as_bytes()))]);
            of(kind, Body::from_stream(first.chain(more)))
        }
        Reply::Half(text) => {
            let parts = [Ok(Bytes::from_static(text.as_bytes())), Err(io::Error::other("cut"))];
            of("application/json", Body::from_stream(stream::iter(parts)))
        }
        Reply::Never => std::future::pending().await,
    }
}

/// What a server of 2026 says that speaks these versions.
pub(super) fn discovery(versions: &Value) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": versions, "capabilities": { "tools": {} },
        "serverInfo": { "name": "fault", "version": "1" }, "ttlMs": 0, "cacheScope": "private",
    })
}

/// As a server of 2025 that does what it should.
pub(super) fn sound(asked: &Asked) -> Reply {
    match asked.method() {
        "initialize" => asked.result(json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": "fault", "version": "1" },
        })),
        "tools/call" => asked.result(super::text("done")),
        "tools/list" => asked.result(json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })),
        "server/discover" => asked.error(-32601, "no such method"),
        _ if asked.http == Method::GET => Reply::Status(405, &[], String::new()),
        _ => Reply::Status(202, &[], String::new()),
    }
}
