//! HTTP to one server: one pool of connections, no redirects, and no proxy for this very machine.
//!
//! Not by reqwest, which lends nobody its sockets: see [`Prompt`].

use super::failed::{Failed, Kind};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::{
    body::Incoming,
    rt::{Read, ReadBufCursor, Write},
};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::{
        legacy::{
            Client,
            connect::{Connected, Connection, HttpConnector, proxy::Tunnel},
        },
        proxy::matcher::Matcher,
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use std::{
    error::Error,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::net::TcpStream;
use tower::Service;

/// A connection that nobody used for so long is closed.
const IDLE: Duration = Duration::from_secs(90);
/// A machine that says nothing for so long while something is on its way to it is gone; while nothing is, it is asked after so long,
/// and is gone ten seconds later.
const GONE: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);

/// The way to one server.
#[derive(Clone)]
pub(super) enum Wire {
    Plain(Client<Connector, Full<Bytes>>),
    Secure(Client<HttpsConnector<Connector>, Full<Bytes>>),
}

impl Wire {
    /// # Errors
    /// When it is no URL of HTTP, or the system has no certificates to trust.
    pub(super) fn to(url: &str) -> Result<(Self, Uri), Failed> {
        Self::by(url, Matcher::from_env)
    }

    fn by(url: &str, proxies: impl FnOnce() -> Matcher) -> Result<(Self, Uri), Failed> {
        let wrong = |what: &str| Failed::bare(Kind::Open, format!("its URL {what}"));
        let uri: Uri = url.parse().map_err(|_| wrong("is none"))?;
        let host = uri.host().ok_or_else(|| wrong("names no host"))?.trim_matches(['[', ']']);
        let here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_keepalive(Some(GONE));
        tcp.set_keepalive_interval(Some(GONE / 3));
        tcp.set_keepalive_retries(Some(3));
        #[cfg(any(target_os = "android", target_os = "linux"))]
        tcp.set_tcp_user_timeout(Some(GONE));
        let connector = Connector { tcp, proxies: (!here).then(|| Arc::new(proxies())) };
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
        let wire = match uri.scheme_str() {
            Some("http") => Self::Plain(builder.build(connector)),
            Some("https") => {
                let tls = HttpsConnectorBuilder::new().try_with_platform_verifier().map_err(|error| {
                    Failed::bare(Kind::Open, format!("no certificates to trust are found on this system: {error}"))
                })?;
                Self::Secure(builder.build(tls.https_only().enable_http1().wrap_connector(connector)))
            }
            _ => return Err(wrong("is neither of http:// nor of https://")),
        };
        Ok((wire, uri))
    }

    /// # Errors
    /// [`Kind::Unsent`] where the request provably did not arrive, else [`Kind::Lost`].
    pub(super) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failed> {
        let answered = match self {
            Self::Plain(client) => client.request(request).await,
            Self::Secure(client) => client.request(request).await,
        };
        answered.map_err(|error| {
            let (words, transient) = cause(&error);
            if error.is_connect() {
                return Failed::bare(Kind::Unsent, format!("it cannot be reached: {words}")).transient(transient);
            }
            Failed::bare(Kind::Lost, format!("it was cut off before it answered: {words}"))
        })
    }
}

/// The innermost cause, and whether it may be gone a little later.
fn cause(error: &dyn Error) -> (String, bool) {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let words = innermost.to_string();
    let lower = words.to_lowercase();
    let lasting = ["certificate", "tls", "name or service not known", "nodename nor servname", "no address associated"];
    let transient = !lasting.iter().any(|lasting| lower.contains(lasting));
    (words, transient)
}

/// Connects as the environment's proxy variables say.
#[derive(Clone)]
pub(super) struct Connector {
    tcp: HttpConnector,
    proxies: Option<Arc<Matcher>>,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = Prompt;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Prompt, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let proxy = self.proxies.as_ref().and_then(|proxies| proxies.intercept(&to));
        let Some(proxy) = proxy else {
            let connecting = self.tcp.call(to);
            return Box::pin(async move { Ok(Prompt { io: connecting.await?, proxied: false }) });
        };
        let mut direct = Self { tcp: self.tcp.clone(), proxies: None };
        Box::pin(async move {
            if proxy.uri().scheme_str() != Some("http") {
                return Err("the environment names a proxy that is not of http://, and no other is known".into());
            }
            if to.scheme_str() == Some("http") {
                return Ok(Prompt { proxied: true, ..direct.call(proxy.uri().clone()).await? });
            }
            let mut tunnel = Tunnel::new(proxy.uri().clone(), direct);
            if let Some(credentials) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(credentials.clone());
            }
            Ok(tunnel.call(to).await?)
        })
    }
}

/// A socket that acknowledges at once what it read.
///
/// A server that streams an answer in several writes and leaves Nagle's algorithm on sends the second only when the first is
/// acknowledged, and a client whose connection is an old one takes 40 ms for that. Linux forgets the wish with the next
/// packet, so it is said after each read.
pub(super) struct Prompt {
    io: TokioIo<TcpStream>,
    proxied: bool,
}

impl Prompt {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn acknowledge(&self) {
        // it is a wish: without it the answer comes later
        let _ = rustix::net::sockopt::set_tcp_quickack(self.io.inner(), true);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn acknowledge(&self) {}
}

impl Connection for Prompt {
    fn connected(&self) -> Connected {
        self.io.inner().connected().proxy(self.proxied)
    }
}

impl Read for Prompt {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        if read.is_ready() {
            self.acknowledge();
        }
        read
    }
}

impl Write for Prompt {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    /// What a proxy is asked when this URL is, and what comes of it.
    async fn asked(url: &str) -> (String, Result<u16, Failed>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = format!("http://me:pw@{}", listener.local_addr().unwrap());
        let (wire, uri) = Wire::by(url, || Matcher::builder().all(proxy).no("no.example").build()).unwrap();
        let mut request = Request::new(Full::default());
        *request.uri_mut() = uri;
        let proxied = async {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut head = vec![0; 4096];
            let read = socket.read(&mut head).await.unwrap();
            socket.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await.unwrap();
            String::from_utf8_lossy(&head[..read]).into_owned()
        };
        let sent = async { wire.send(request).await.map(|response| response.status().as_u16()) };
        tokio::select! {
            biased;
            both = async { tokio::join!(proxied, sent) } => both,
            () = tokio::time::sleep(Duration::from_millis(300)) => (String::new(), Ok(0)),
        }
    }

    #[tokio::test]
    async fn a_proxy_of_the_environment_is_asked_but_not_for_this_machine() {
        let (head, status) = asked("http://far.invalid/mcp").await;
        assert!(head.starts_with("GET http://far.invalid/mcp HTTP/1.1") && status.unwrap() == 502, "{head}");
        let (head, failed) = asked("https://far.invalid/mcp").await;
        assert!(head.starts_with("CONNECT far.invalid:443"), "{head}");
        assert!(head.to_lowercase().contains("proxy-authorization: basic"), "{head}");
        let failed = failed.unwrap_err();
        assert!(failed.kind == Kind::Unsent && !failed.words.contains("pw"), "{failed}");
        for url in ["http://127.0.0.1:9/", "http://[::1]:9/", "http://localhost:9/", "http://no.example:9/"] {
            assert_eq!(asked(url).await.0, "", "{url}");
        }
    }
}
