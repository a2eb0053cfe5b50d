//! Listening: binding the address, taking connections, and the shutdown that drains.

use super::{ServeHandle, Server, door::Door};
use crate::{Error, bot::Bot, state::StateAt};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream, lookup_host},
    task::JoinHandle,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a request's head may take, also the first one of a connection and the wait between two.
const HEAD: Duration = Duration::from_secs(60);
/// How large a request's head may be.
const HEAD_BYTES: usize = 32 * 1024;
/// How long answers may take to leave after the last call ended.
const FLUSH: Duration = Duration::from_secs(1);

/// A server that runs. Dropping it begins the shutdown.
pub(super) struct Running {
    door: Arc<Door>,
    addr: SocketAddr,
    now: CancellationToken,
    supervisor: Option<JoinHandle<()>>,
}

/// Binds and serves.
pub(super) async fn start(mut server: Server, bot: Bot) -> Result<ServeHandle, Error> {
    let state = server.state.take().unwrap_or_else(|| Ok(StateAt::default()))?;
    let wanted = resolve(&server.host, server.port).await?;
    let open = server.anonymous || !server.bearer.is_empty() || !server.authenticators.is_empty();
    if server.bearer.has_empty_token() {
        return Err(Error::new("the bearer token is empty: give it a value, or leave it out"));
    }
    if !open {
        let opened = if !wanted.iter().all(|addr| addr.ip().is_loopback()) {
            Some(format!("`{}` is no loopback address", server.host))
        } else if server.public_url.is_some() {
            Some("`--public-url` opens the bot beyond this machine".to_owned())
        } else {
            server.trust_proxy.then(|| "`--trust-proxy` opens the bot beyond this machine".to_owned())
        };
        if let Some(why) = opened {
            return Err(Error::new(format!(
                "{why}: say who may call with `--bearer-token-env NAME`, or `--allow-anonymous` when everybody may"
            )));
        }
    }
    let (drain, host, port) = (server.drain, server.host.clone(), server.port);
    let public_url = server.public_url.clone();
    let door = Arc::new(Door::new(server, bot.clone())?);
    let listener = TcpListener::bind(&*wanted).await.map_err(|e| no_listener(&host, port, &e))?;
    let addr = listener.local_addr().map_err(|e| no_listener(&host, port, &e))?;
    let base = public_url.map_or_else(|| url(addr), |url| url.trim_end_matches('/').to_owned());
    // last, so that a start that is refused leaves nothing behind
    bot.keep_state(&state).await?;
    bot.serves_at(format!("{base}{}", door.prefix));
    bot.state().store.note(&format!("http://{addr}"));
    tokio::spawn(tick(door.closing.clone()));
    let now = CancellationToken::new();
    let supervisor = tokio::spawn(supervise(listener, door.clone(), bot.clone(), drain, now.clone()));
    Ok(ServeHandle { bot, running: Running { door, addr, now, supervisor: Some(supervisor) } })
}

/// Where a socket is reached. One that listens on every address is reached by this machine under its loopback one.
fn url(mut addr: SocketAddr) -> String {
    match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => addr.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => addr.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{addr}")
}

/// Keeps one timer that is nearer than those of waiting connections, until the shutdown begins. Where there is none at all,
/// Tokio wakes its driver for each that is set: a system call for each request, when many are answered at once.
async fn tick(closing: CancellationToken) {
    while closing.run_until_cancelled(tokio::time::sleep(HEAD / 4)).await.is_some() {}
}

async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Error> {
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    let found = lookup_host((bare, port)).await.map(Iterator::collect).unwrap_or_else(|_| Vec::new());
    if found.is_empty() {
        return Err(Error::new(format!(
            "`{host}` is no address to listen on: give an IP address of this machine, such as `127.0.0.1`"
        )));
    }
    Ok(found)
}

fn no_listener(host: &str, port: u16, error: &io::Error) -> Error {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => {
            return Error::new(format!(
                "port {port} of {host} is in use: stop what listens there, or take another one with `--port` (0 takes a free one)"
            ));
        }
        io::ErrorKind::AddrNotAvailable => "it is no address of this machine".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "this user may not listen there; ports from 1024 on are free to all".to_owned()
        }
        _ => error.to_string(),
    };
    Error::new(format!("cannot listen on port {port} of {host}: {why}"))
}

/// Takes connections until the shutdown begins, then sees it through.
async fn supervise(listener: TcpListener, door: Arc<Door>, bot: Bot, drain: Duration, now: CancellationToken) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = door.closing.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                connections.spawn(connection(stream, peer.ip().to_canonical(), door.clone(), now.clone()));
            }
            Err(error) if gone(&error) => {}
            Err(error) => {
                // mostly: no file descriptors left. Those that are open go on, and one may close.
                tracing::warn!(target: "bdk::serve", %error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    connections.close();
    let drained = async {
        // the connections end with their calls; calls in process are the bot's to wait for
        let _ = tokio::join!(tokio::time::timeout(drain, connections.wait()), bot.drain(drain));
        let _ = tokio::time::timeout(FLUSH, connections.wait()).await;
    };
    tokio::select! {
        biased;
        () = now.cancelled() => bot.drain(Duration::ZERO).await,
        () = drained => {}
    }
    now.cancel();
    bot.close_state().await;
    // whoever blocks its thread cannot be stopped; what it holds up does not hold up the end
    if tokio::time::timeout(FLUSH, connections.wait()).await.is_err() {
        tracing::warn!(target: "bdk::serve", "a call blocks its thread, and is not waited for: a tool that waits without `.await` is a plain `fn`");
    }
}

/// The peer went away before it was accepted.
fn gone(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Serves one connection to its end.
async fn connection(stream: TcpStream, peer: IpAddr, door: Arc<Door>, now: CancellationToken) {
    // without it an answer in two writes waits for the peer's delayed acknowledgement: 44 ms
    let _ = stream.set_nodelay(true);
    let Ok(local) = stream.local_addr().map(|addr| addr.ip().to_canonical()) else { return };
    let closing = door.closing.clone();
    let service = service_fn(move |request| door.clone().answer(peer, local, request));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_header_size(HEAD_BYTES);
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    // biased, so that a connection that has something to do does not look at the tokens
    let ended = tokio::select! {
        biased;
        ended = &mut served => Some(ended),
        () = closing.cancelled() => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            served.as_mut().graceful_shutdown();
            tokio::select! {
                biased;
                ended = served => ended,
                () = now.cancelled() => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(target: "bdk::serve", %error, "a connection ended early");
    }
}

impl Running {
    pub(super) fn addr(&self) -> SocketAddr {
        self.addr
    }
    pub(super) fn url(&self) -> String {
        url(self.addr)
    }
    pub(super) fn prefix(&self) -> &str {
        &self.door.prefix
    }
    /// Cancelled when the shutdown begins.
    pub(super) fn closing_token(&self) -> CancellationToken {
        self.door.closing.clone()
    }
    pub(super) async fn shut_down(mut self) {
        self.door.close();
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.await;
        }
    }
    /// Listens from the call on, not from the first poll.
    pub(super) fn until_signal(self) -> impl Future<Output = ()> {
        let signals = Signals::new();
        self.until(signals)
    }
    async fn until(mut self, mut signals: Signals) {
        let Some(mut supervisor) = self.supervisor.take() else { return };
        tokio::select! {
            () = signals.next() => self.door.close(),
            _ = &mut supervisor => return,
        }
        tokio::select! {
            () = signals.next() => {
                self.now.cancel();
                let _ = supervisor.await;
            }
            _ = &mut supervisor => {}
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.door.close();
    }
}

/// What asks the process to end. Where the system gives no such signals, none comes.
struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self { terminate: signal(SignalKind::terminate()).ok(), interrupt: signal(SignalKind::interrupt()).ok() }
    }
    async fn next(&mut self) {
        async fn one(signal: &mut Option<tokio::signal::unix::Signal>) {
            let came = match signal {
                Some(signal) => signal.recv().await,
                None => None,
            };
            if came.is_none() {
                std::future::pending::<()>().await;
            }
        }
        tokio::select! {
            () = one(&mut self.terminate) => {}
            () = one(&mut self.interrupt) => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self {}
    }
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
