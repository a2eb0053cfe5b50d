//! A client that sends what it is told, byte for byte.

use bdk_runtime::{ServeHandle, Server};
use serde_json::Value;
use std::{io::ErrorKind, net::SocketAddr, time::Duration};
use tokio::net::TcpStream;

/// Nothing here takes this long: a test that hangs ends.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// A server with the given options, on a free port.
pub(crate) async fn serve(server: Server) -> ServeHandle {
    bdk_runtime::__private::begin("test-bot", "1.2.3");
    // tests run side by side, in one folder
    server.port(0).state("memory:").start().await.unwrap()
}

/// Waits for what comes soon, or not at all.
pub(crate) async fn soon<F: Future>(what: F) -> F::Output {
    tokio::time::timeout(HANG, what).await.expect("it never comes")
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
    /// The code of a refused request.
    pub(crate) fn error(&self) -> String {
        let json = self.json();
        let names: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["ok", "error", "message"], "{self:?}");
        assert_eq!(json["ok"], false);
        json["error"].as_str().unwrap().to_owned()
    }
    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (n, value) = line.split_once(':')?;
            n.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(addr: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(addr).await.unwrap(), unread: Vec::new() }
    }
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        while !rest.is_empty() {
            self.stream.writable().await.unwrap();
            match self.stream.try_write(rest) {
                Ok(n) => rest = &rest[n..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    /// Reads one answer; `None` when the server closed the connection instead.
    pub(crate) async fn read(&mut self) -> Option<Answer> {
        self.answer(false).await
    }
    /// The same for a HEAD request.
    pub(crate) async fn read_head(&mut self) -> Option<Answer> {
        self.answer(true).await
    }
    async fn answer(&mut self, bodiless: bool) -> Option<Answer> {
        let end = loop {
            if let Some(end) = self.unread.windows(4).position(|w| w == b"\r\n\r\n") {
                break end + 4;
            }
            if !self.more().await {
                assert!(self.unread.is_empty(), "half an answer: {}", String::from_utf8_lossy(&self.unread));
                return None;
            }
        };
        let head = String::from_utf8(self.unread.drain(..end).collect()).unwrap();
        let status = head[9..12].parse().unwrap();
        let mut answer = Answer { status, head, body: String::new() };
        let length = match answer.header("content-length") {
            _ if bodiless || status == 204 => 0,
            Some(length) => length.parse().unwrap(),
            None => panic!("an answer without a length: {answer:?}"),
        };
        while self.unread.len() < length {
            assert!(self.more().await, "a body cut short");
        }
        answer.body = String::from_utf8(self.unread.drain(..length).collect()).unwrap();
        Some(answer)
    }
    /// Reads just these bytes.
    pub(crate) async fn expect(&mut self, bytes: &str) {
        while self.unread.len() < bytes.len() {
            assert!(self.more().await, "the server closed the connection");
        }
        let read: Vec<u8> = self.unread.drain(..bytes.len()).collect();
        assert_eq!(String::from_utf8_lossy(&read), bytes);
    }
    async fn more(&mut self) -> bool {
        let mut buffer = [0; 4096];
        loop {
            tokio::time::timeout(HANG, self.stream.readable()).await.expect("the server hangs").unwrap();
            match self.stream.try_read(&mut buffer) {
                Ok(0) => return false,
                Ok(n) => {
                    self.unread.extend_from_slice(&buffer[..n]);
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return false,
            }
        }
    }
}

/// One request on a connection of its own.
pub(crate) async fn raw(addr: SocketAddr, request: impl AsRef<[u8]>) -> Answer {
    let mut client = Client::connect(addr).await;
    client.send(request).await;
    client.read().await.expect("an answer")
}

/// A request without a body, with these lines beside `Host`.
pub(crate) async fn ask(addr: SocketAddr, method: &str, path: &str, lines: &str) -> Answer {
    raw(addr, format!("{method} {path} HTTP/1.1\r\nHost: {addr}\r\n{lines}\r\n")).await
}

pub(crate) async fn get(addr: SocketAddr, path: &str) -> Answer {
    ask(addr, "GET", path, "").await
}

/// The bytes of a call.
pub(crate) fn call(addr: SocketAddr, tool: &str, body: impl AsRef<[u8]>, lines: &str) -> Vec<u8> {
    let body = body.as_ref();
    let mut request = format!(
        "POST /test-bot/v1/tools/{tool} HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\n{lines}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// Calls a tool.
pub(crate) async fn post(addr: SocketAddr, tool: &str, body: impl AsRef<[u8]>) -> Answer {
    raw(addr, call(addr, tool, body, "")).await
}
