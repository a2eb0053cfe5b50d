//! The little HTTP client of `--url`: one request on a connection of its own, over plain `http`.

use super::output::Stop;
use bytes::Bytes;
use http::{HeaderName, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use std::{future::Future, time::Duration};
use tokio::{net::TcpStream, time::timeout};
use url::Url;

/// How long connecting may take, and answering where no tool runs.
const PATIENCE: Duration = Duration::from_secs(10);

/// A bot's address, and what is sent to it every time.
pub(super) struct Client {
    base: Url,
    authorization: Option<header::HeaderValue>,
}

/// An answer's status and whole body.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

impl Client {
    pub(super) fn new(url: &str, token: Option<&str>) -> Result<Self, Stop> {
        let base = Url::parse(url).map_err(|e| Stop::usage(format!("--url `{url}` is no URL: {e}")))?;
        match base.scheme() {
            "http" if base.host_str().is_some() => {}
            "https" => {
                return Err(Stop::usage(
                    "--url takes `http://` only: a bot speaks TLS through the proxy in front of it; give its own address",
                ));
            }
            _ => return Err(Stop::usage(format!("--url `{url}` must begin with `http://`"))),
        }
        Ok(Self { base, authorization: token.map(bearer).transpose()? })
    }

    /// The address' path, without a slash at its end.
    pub(super) fn path(&self) -> &str {
        self.base.path().trim_end_matches('/')
    }
    /// The address as its user knows it.
    pub(super) fn shown(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Asks for what is known at once.
    pub(super) async fn get(&self, path: &str) -> Result<Answer, Stop> {
        let answer = self.send(Method::GET, path, &[], Bytes::new());
        within(answer, || format!("{} did not answer within {} s", self.shown(), PATIENCE.as_secs())).await
    }
    /// Sends JSON, where there is some, and waits for the answer as long as the bot is at it.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> Result<Answer, Stop> {
        let broken = |e: &dyn std::fmt::Display| Stop::failed(format!("talking to {} failed: {e}", self.shown()));
        let stream = self.connect().await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|e| broken(&e))?;
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.authority())
            .header(header::CONNECTION, "close")
            .header(header::USER_AGENT, concat!("bdk/", env!("CARGO_PKG_VERSION")))
            .header(header::ACCEPT, "application/json");
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let request = request.body(Full::new(body)).map_err(|e| broken(&e))?;
        let answer = sender.send_request(request).await.map_err(|e| broken(&e))?;
        let status = answer.status();
        let body = answer.into_body().collect().await.map_err(|e| broken(&e))?.to_bytes();
        Ok(Answer { status, body })
    }

    async fn connect(&self) -> Result<TcpStream, Stop> {
        let host = self.base.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let port = self.base.port_or_known_default().unwrap_or(80);
        let refused = |e: std::io::Error| Stop::failed(format!("no bot answers at {}: {e}", self.shown()));
        let connect = async { TcpStream::connect((host, port)).await.map_err(refused) };
        let stream =
            within(connect, || format!("no bot answers at {} within {} s", self.shown(), PATIENCE.as_secs())).await?;
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    fn authority(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

fn bearer(token: &str) -> Result<header::HeaderValue, Stop> {
    let mut value = header::HeaderValue::try_from(format!("Bearer {token}"))
        .map_err(|_| Stop::usage("the bearer token holds characters that no header may have"))?;
    value.set_sensitive(true);
    Ok(value)
}

async fn within<T>(step: impl Future<Output = Result<T, Stop>>, late: impl FnOnce() -> String) -> Result<T, Stop> {
    timeout(PATIENCE, step).await.unwrap_or_else(|_| Err(Stop::failed(late())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_is_spoken_and_said_so() {
        let told = |url: &str| Client::new(url, None).err().map(|stop| (stop.code, stop.message)).expect("refused");
        assert_eq!(told("https://bot.example.com").0, 2);
        assert!(told("https://bot.example.com").1.contains("http://"));
        assert_eq!(told("localhost:3000").0, 2);
        assert_eq!(told("").0, 2);
        assert!(Client::new("http://127.0.0.1:3000/", Some("bad\ntoken")).is_err());
    }

    #[test]
    fn the_host_header_names_the_port_where_it_is_not_the_usual_one() {
        let authority = |url: &str| Client::new(url, None).map(|c| c.authority()).unwrap_or_default();
        assert_eq!(authority("http://[::1]:3000/x"), "[::1]:3000");
        assert_eq!(authority("http://example.com"), "example.com");
    }
}
