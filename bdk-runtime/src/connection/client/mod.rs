//! A client of one server. This is the one place of the connections that names rmcp.

mod asked;
mod body;
mod desk;
mod events;
mod failures;
mod greeting;
mod hearing;
mod http;
mod resumed;
mod slot;
mod stdio;
#[cfg(feature = "mcp")]
#[cfg(test)]
pub(super) mod test_server;

use super::{
    called::Hears,
    child::{Ended, Process, Started},
    failed::{Failed, Kind},
    limits::Limits,
    wire::Wire,
};
use crate::session::META;
use ::http::HeaderMap;
use desk::{Desk, WithSlot};
pub(super) use greeting::Greeting;
use hearing::{Handler, listen};
use rmcp::{
    Peer, RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, DiscoverRequest, DiscoverRequestParams, GetExtensions,
        GetMeta, ListToolsRequest, PaginatedRequestParams, PingRequest, ProtocolVersion, ServerResult,
    },
    service::{
        ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, ClientServiceExt, PeerRequestOptions,
        RequestHandle, RunningService, ServiceError,
    },
    transport::{
        common::client_side_sse::ExponentialBackoff,
        streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig},
    },
};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use slot::Slot;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// What is done when the server says that its tools are others now.
pub(super) type Changed = Arc<dyn Fn() + Send + Sync>;

/// Until when a request is waited for.
pub(super) struct When<'a> {
    pub(super) deadline: Instant,
    pub(super) cancelled: Option<&'a CancellationToken>,
    pub(super) traceparent: Option<&'a str>,
    pub(super) session: Option<&'a Value>,
    pub(super) hears: Option<&'a Arc<dyn Hears>>,
}

impl When<'_> {
    pub(super) fn until(deadline: Instant) -> Self {
        Self { deadline, cancelled: None, traceparent: None, session: None, hears: None }
    }
}

/// A client that there is not.
pub(super) struct Unopened {
    pub(super) failed: Failed,
    /// How the server wants to be greeted.
    pub(super) instead: Option<Greeting>,
}

impl From<Failed> for Unopened {
    fn from(failed: Failed) -> Self {
        Self { failed, instead: None }
    }
}

/// A server, open. Dropped, it is closed, and a process of its is killed.
pub(super) struct Client {
    peer: Peer<RoleClient>,
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
    desk: Arc<Desk>,
    process: Option<Process>,
    /// Hears of changed tools, where that is to be asked for.
    _listening: Option<AbortOnDropHandle<()>>,
    /// rmcp knows the tools, and so which arguments go into headers.
    listed: AtomicBool,
    /// Its version of MCP has neither sessions nor pings.
    modern: bool,
    /// It says that it tells when its tools changed.
    tells: bool,
    /// A request of its was not answered in time: whether the server is there still is not known.
    doubted: AtomicBool,
    /// Its process ended while something was asked of it: a crash, whatever its exit code.
    interrupted: AtomicBool,
}

/// Listings, and pings, while as many calls are under way as may be.
const BESIDE_CALLS: usize = 4;

impl Client {
    pub(super) async fn over_http(
        url: &str,
        headers: HeaderMap,
        limits: &Arc<Limits>,
        changed: Changed,
    ) -> Result<Self, Failed> {
        let (wire, uri) = Wire::to(url)?;
        let desk = Arc::new(Desk::new(limits.ping));
        let server = http::Http::new(wire, uri, headers, desk.clone(), limits.clone());
        let mut reconnecting = ExponentialBackoff::default();
        (reconnecting.max_times, reconnecting.max_delay) = (Some(20), Some(Duration::from_secs(30)));
        let mut config =
            StreamableHttpClientTransportConfig::with_uri(url).max_concurrent_requests(limits.in_flight + BESIDE_CALLS);
        config.channel_buffer_capacity = limits.in_flight;
        config.retry_config = Arc::new(reconnecting);
        let begin = |version, mode| {
            let transport = StreamableHttpClientTransport::with_client(server.clone(), config.clone());
            Handler { changed: changed.clone(), version }.serve_with_lifecycle(transport, mode)
        };
        let serving = async {
            let version = Greeting::default().version();
            let newest_first = ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::LATEST],
                legacy_version: Some(version.clone()),
            };
            let begun = begin(version, newest_first).await;
            match begun.as_ref().err().and_then(Greeting::instead) {
                Some(Greeting::Initialize(version)) => begin(version, ClientLifecycleMode::Initialize).await,
                // of the newest version it was asked
                Some(Greeting::Discover) | None => begun,
            }
        };
        match Self::opened(serving, desk, None, limits, changed.clone()).await.map_err(|unopened| unopened.failed) {
            Err(failed)
                if matches!(failed.kind, Kind::Refused { status: 400 | 404..=499 }) && server.is_of_old().await =>
            {
                let words = "it speaks MCP's first transport over HTTP (HTTP+SSE, of 2024), which bdk does not: \
                             such servers often have a newer one at another URL, such as …/mcp for …/sse";
                Err(Failed { words: words.to_owned(), ..failed })
            }
            opened => opened,
        }
    }

    pub(super) async fn over_stdio(
        connection: &str,
        started: Started,
        greeting: &Greeting,
        limits: &Arc<Limits>,
        changed: Changed,
    ) -> Result<Self, Unopened> {
        let desk = Arc::new(Desk::new(limits.ping));
        let Started { stdin, stdout, gone, process } = started;
        let pipes = stdio::Pipes::to(connection, stdin, stdout, gone, desk.clone(), limits.message);
        let handler = Handler { changed: changed.clone(), version: greeting.version() };
        let serving = handler.serve_with_lifecycle(pipes, greeting.mode());
        Self::opened(serving, desk, Some(process), limits, changed).await
    }

    /// A client, once the handshake is done.
    async fn opened(
        serving: impl Future<Output = Result<RunningService<RoleClient, Handler>, ClientInitializeError>>,
        desk: Arc<Desk>,
        process: Option<Process>,
        limits: &Limits,
        changed: Changed,
    ) -> Result<Self, Unopened> {
        let running = match timeout(limits.open, Box::pin(serving)).await {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => {
                let closed = matches!(
                    error,
                    ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
                );
                let failed = desk.take_trouble().unwrap_or_else(|| failures::of_handshake(&error));
                let ended = match &process {
                    Some(process) if closed => timeout(Duration::from_secs(2), process.ended()).await.ok().flatten(),
                    _ => None,
                };
                let failed = match ended {
                    Some(ended) => {
                        Failed::bare(Kind::Open, format!("it did not begin to talk: {}", ended.words)).transient(true)
                    }
                    None => failed,
                };
                return Err(Unopened { failed, instead: Greeting::instead(&error) });
            }
            Err(_) => {
                let said = process.as_ref().map(Process::said).unwrap_or_default();
                let words = format!("it did not answer within {:?}{said}", limits.open);
                return Err(Failed::bare(Kind::Open, words).transient(true).into());
            }
        };
        // of a first try that a second made good
        let _ = desk.take_trouble();
        // what a server asks before it is to, rmcp leaves unanswered
        desk.asked.clear();
        let peer = running.peer().clone();
        peer.set_response_cache_config(ClientCacheConfig::disabled()).await;
        let info = peer.peer_info();
        let modern = info.as_ref().is_some_and(|info| !info.protocol_version.has_initialize());
        let tells = info.as_ref().and_then(|info| info.capabilities.tools.as_ref()?.list_changed) == Some(true);
        if !modern {
            let _ = desk.changed.set(changed.clone());
        }
        let listening = (modern && tells).then(|| AbortOnDropHandle::new(tokio::spawn(listen(peer.clone(), changed))));
        Ok(Self {
            peer,
            running: Mutex::new(Some(running)),
            desk,
            process,
            _listening: listening,
            listed: AtomicBool::new(!modern),
            modern,
            tells,
            doubted: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.peer.is_transport_closed() || self.process.as_ref().is_some_and(|process| !process.is_running())
    }
    /// Whether a call may have arguments in headers without the tools being listed first.
    pub(super) fn knows_headers(&self) -> bool {
        self.listed.load(Ordering::Relaxed)
    }
    /// Whether it is to be asked for a sign of life before anything else.
    pub(super) fn is_doubted(&self) -> bool {
        self.doubted.load(Ordering::Relaxed)
    }
    /// Whether it tells when its tools changed, and can.
    pub(super) fn tells_of_changes(&self) -> bool {
        self.tells && (self.process.is_some() || self.modern || self.desk.has_stream.load(Ordering::Relaxed))
    }
    /// Whether there is something to be had anew by opening it again: a process, or a session.
    pub(super) fn has_state(&self) -> bool {
        self.process.is_some() || !self.modern
    }
    /// Asks for a sign of life: an answer of whatever kind, to whatever was asked.
    pub(super) async fn is_alive(&self, within: Duration) -> bool {
        let before = self.desk.signs();
        let slot = Arc::new(Slot::of_question());
        let mut question = if self.modern {
            ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}))
        } else {
            ClientRequest::PingRequest(PingRequest { method: Default::default(), extensions: Default::default() })
        };
        question.extensions_mut().insert(WithSlot(slot.clone()));
        let when = When::until(Instant::now() + within);
        let answered = match self.request(question, &slot, &when).await {
            Ok(_) => true,
            Err(failed) => {
                matches!(failed.kind, Kind::Server { .. } | Kind::Unreadable | Kind::Refused { .. } | Kind::SessionGone)
            }
        };
        let alive = !self.is_closed() && (answered || self.desk.signs() != before);
        self.doubted.store(!alive, Ordering::Relaxed);
        alive
    }
    /// Whether a message to it is stuck halfway.
    pub(super) fn is_stuck(&self) -> bool {
        self.desk.writing.load(Ordering::Relaxed)
    }
    /// How its process crashed, where it did.
    pub(super) async fn crashed(&self) -> Option<Ended> {
        let ended = self.ended().await?;
        (ended.crashed || self.interrupted.load(Ordering::Relaxed)).then_some(ended)
    }
    /// How its process ended, where it did.
    async fn ended(&self) -> Option<Ended> {
        timeout(Duration::from_secs(2), self.process.as_ref()?.ended()).await.ok().flatten()
    }
    #[cfg(test)]
    pub(super) fn pid(&self) -> Option<i32> {
        self.process.as_ref().map(Process::pid)
    }

    pub(super) async fn close(&self) {
        if let Some(mut running) = self.running.lock().await.take() {
            // a server that does not answer is not waited for
            let _ = running.close_with_timeout(Duration::from_secs(3)).await;
        }
        if let Some(process) = &self.process {
            process.stop().await;
        }
    }

    /// Calls a tool. `state`: as the server gave it to be asked again with; `in_headers`: some of the arguments are repeated
    /// there.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &Arc<str>,
        state: Option<Box<RawValue>>,
        in_headers: bool,
        when: &When<'_>,
    ) -> Result<Box<RawValue>, Failed> {
        let mut params = CallToolRequestParams::new(tool.to_owned());
        if in_headers {
            // those that are no object are for the server to refuse
            params.arguments = serde_json::from_str(arguments).ok();
        }
        let slot = Arc::new(Slot::of_call(arguments.clone(), state, when));
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(WithSlot(slot.clone()));
        let mut request = ClientRequest::CallToolRequest(request);
        if let Some(parent) = when.traceparent {
            request.get_meta_mut().set_traceparent(parent);
        }
        if let Some(session) = when.session {
            request.get_meta_mut().insert(META.to_owned(), session.clone());
        }
        self.request(request, &slot, when).await
    }

    /// A page of the server's tools.
    pub(super) async fn page(&self, cursor: Option<String>, when: &When<'_>) -> Result<Box<RawValue>, Failed> {
        let slot = Arc::new(Slot::of_question());
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let mut request = ListToolsRequest { method: Default::default(), params, extensions: Default::default() };
        request.extensions.insert(WithSlot(slot.clone()));
        let page = self.request(ClientRequest::ListToolsRequest(request), &slot, when).await?;
        self.listed.store(true, Ordering::Relaxed);
        Ok(page)
    }

    async fn request(&self, request: ClientRequest, slot: &Slot, when: &When<'_>) -> Result<Box<RawValue>, Failed> {
        let mut flight = InFlight { desk: &self.desk, slot, handle: None, landed: false };
        let answering = async {
            let handle = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
            let handle = flight.handle.insert(handle);
            (&mut handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed))
        };
        let cancelled = async {
            match when.cancelled {
                Some(token) => token.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let answer = tokio::select! {
            biased;
            answer = answering => answer,
            () = cancelled => {
                let sent = slot.leave();
                return Err(Failed::bare(Kind::Cancelled { sent }, "the call was cancelled"));
            }
            () = sleep_until(when.deadline) => return Err(self.late(slot)),
        };
        flight.landed();
        match answer {
            Ok(result) => match slot.take() {
                Some(outcome) => outcome,
                // its number was so unlike ours that only rmcp knew it
                None => written(&result),
            },
            Err(error) => Err(self.explained(error, slot).await),
        }
    }

    fn late(&self, slot: &Slot) -> Failed {
        let (sent, stuck) = (slot.leave(), self.is_stuck());
        if sent || stuck {
            self.doubted.store(true, Ordering::Relaxed);
        }
        let words = match sent {
            true if slot.is_of_call() => "it did not answer in time; what was asked may be done all the same",
            true => "it did not answer in time",
            false if stuck => "it takes nothing in: an earlier message to it is stuck halfway, and this was not sent",
            false => "the time was over before it was asked",
        };
        Failed::bare(Kind::TimedOut { sent }, words)
    }

    async fn explained(&self, error: ServiceError, slot: &Slot) -> Failed {
        if let Some(Err(failed)) = slot.take() {
            return failed;
        }
        let kind = if slot.is_sent() { Kind::Lost } else { Kind::Unsent };
        match error {
            ServiceError::McpError(error) => failures::of_server(&error),
            ServiceError::TransportClosed => {
                if let Some(trouble) = self.desk.last_trouble() {
                    // of the transport, not of this request
                    let unreadable = kind == Kind::Lost && trouble.kind == Kind::Unreadable;
                    return Failed::bare(if unreadable { Kind::Unreadable } else { kind }, trouble.words);
                }
                match self.ended().await {
                    Some(ended) => {
                        self.interrupted.fetch_or(kind == Kind::Lost, Ordering::Relaxed);
                        Failed::bare(kind, ended.words)
                    }
                    None => Failed::bare(kind, "it closed the connection"),
                }
            }
            ServiceError::TransportSend(error) => failures::of_transport(&*error.error, kind),
            error => Failed::bare(kind, error.to_string()),
        }
    }
}

fn written(result: &ServerResult) -> Result<Box<RawValue>, Failed> {
    to_raw_value(result).map_err(|error| Failed::bare(Kind::Unreadable, error.to_string()))
}

/// A request whose answer is not there: left, it is taken back.
struct InFlight<'a> {
    desk: &'a Desk,
    slot: &'a Slot,
    handle: Option<RequestHandle<RoleClient>>,
    landed: bool,
}

impl InFlight<'_> {
    fn landed(&mut self) {
        self.landed = true;
        if let Some(handle) = self.handle.take() {
            self.desk.forget(&handle.id);
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if self.landed {
            return;
        }
        self.slot.leave();
        let Some(handle) = self.handle.take() else { return };
        self.desk.forget(&handle.id);
        // nobody is left who could wait for it
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(handle.cancel(Some("nobody waits for it any more".to_owned())));
        }
    }
}
