//! A raw MCP client over HTTP, for the tests: it sends what it is told to, also what is wrong, and reads answers as they
//! come, event by event. Every wait has a deadline, so that a bot that hangs fails its test.

use crate::Server;
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// How long the next bytes are waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// What nearly all clients accept.
pub const BOTH: &str = "application/json, text/event-stream";

/// How a client speaks.
#[derive(Debug, Clone)]
pub enum Era {
    /// Up to 2025-11-25, with the id of a session.
    Session(String),
    /// Up to 2025-11-25, without a session.
    NoSession,
    /// 2026-07-28: each request says all there is to know, with these capabilities.
    Stateless(Value),
}

/// A client of one bot.
#[derive(Debug, Clone)]
pub struct Client {
    /// `127.0.0.1:PORT`.
    pub addr: String,
    /// Where the endpoint is.
    pub path: String,
    /// How it speaks.
    pub era: Era,
    /// Headers of every request, beside the ones that the era asks for.
    pub headers: Vec<(String, String)>,
    /// What it accepts.
    pub accept: String,
    /// The connection for all requests; none: one for each.
    pub kept: Option<Arc<TcpStream>>,
}

static IDS: AtomicU64 = AtomicU64::new(1);

/// An id that no other request of this process has.
pub fn id() -> u64 {
    IDS.fetch_add(1, Relaxed)
}

/// A request.
pub fn request(id: impl Into<Value>, method: &str, params: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params.into() })
}

/// A notification.
pub fn notification(method: &str, params: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params.into() })
}

impl Client {
    /// A client of the older era that has no session yet.
    pub fn new(server: &Server) -> Self {
        Self {
            addr: server.addr.clone(),
            path: format!("{}/mcp", server.prefix),
            era: Era::NoSession,
            headers: Vec::new(),
            accept: BOTH.to_owned(),
            kept: None,
        }
    }

    /// A client of the older era with a session, and these capabilities.
    #[track_caller]
    pub fn session(server: &Server, capabilities: Value) -> Self {
        Self::new(server).initialized("2025-11-25", capabilities)
    }

    /// A client of the newer era with these capabilities.
    pub fn stateless(server: &Server, capabilities: Value) -> Self {
        Self { era: Era::Stateless(capabilities), ..Self::new(server) }
    }

    /// One client of each kind, with these capabilities where they can be said.
    #[track_caller]
    pub fn of_every_kind(server: &Server, capabilities: &Value) -> [Self; 3] {
        [Self::session(server, capabilities.clone()), Self::new(server), Self::stateless(server, capabilities.clone())]
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same, accepting this.
    #[must_use]
    pub fn accepting(mut self, accept: &str) -> Self {
        accept.clone_into(&mut self.accept);
        self
    }

    /// The same with a session of its own.
    #[track_caller]
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
    pub fn initialized(self, version: &str, capabilities: Value) -> Self {
        let who = json!({ "name": "tests", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": who });
        let answer = self.send(&request(id(), "initialize", params)).whole();
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").unwrap_or_else(|| panic!("a session: {answer:?}")).to_owned();
        let client = Self { era: Era::Session(session), ..self };
        let noted = client.send(&notification("notifications/initialized", json!({}))).whole();
        assert_eq!((noted.status, noted.body.as_str()), (202, ""), "{noted:?}");
        client
    }

    /// The id of its session.
    #[track_caller]
    pub fn session_id(&self) -> &str {
        match &self.era {
            Era::Session(id) => id,
            other => panic!("no session: {other:?}"),
        }
    }

    /// Whether it speaks as 2026-07-28 has it.
    pub fn is_stateless(&self) -> bool {
        matches!(self.era, Era::Stateless(_))
    }

    /// Sends a message with whatever its era asks for in `_meta` and in headers.
    #[track_caller]
    pub fn send(&self, message: &Value) -> Reading {
        let mut message = message.clone();
        let mut headers = vec![("Accept".to_owned(), self.accept.clone())];
        match &self.era {
            Era::NoSession => {}
            Era::Session(session) => {
                headers.push(("Mcp-Session-Id".into(), session.clone()));
                headers.push(("MCP-Protocol-Version".into(), "2025-11-25".into()));
            }
            Era::Stateless(capabilities) => {
                let meta = &mut message["params"]["_meta"];
                meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
                meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "tests", "version": "1" });
                meta["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
                headers.push(("MCP-Protocol-Version".into(), "2026-07-28".into()));
                headers.extend(message["method"].as_str().map(|m| ("Mcp-Method".into(), m.to_owned())));
                headers.extend(message["params"]["name"].as_str().map(|n| ("Mcp-Name".into(), n.to_owned())));
            }
        }
        self.post(&headers, message.to_string().as_bytes())
    }

    /// Sends these bytes with these headers and its own; nothing else is added to them.
    #[track_caller]
    pub fn post(&self, headers: &[(String, String)], body: &[u8]) -> Reading {
        self.exchange("POST", headers, Some(body))
    }

    /// `GET` or `DELETE`, in its session where it has one.
    #[track_caller]
    pub fn bare(&self, method: &str) -> Reading {
        let mut headers = vec![("Accept".to_owned(), self.accept.clone())];
        if let Era::Session(session) = &self.era {
            headers.push(("Mcp-Session-Id".into(), session.clone()));
        }
        self.exchange(method, &headers, None)
    }

    #[track_caller]
    fn exchange(&self, method: &str, headers: &[(String, String)], body: Option<&[u8]>) -> Reading {
        use std::fmt::Write as _;
        let mut head = format!("{method} {} HTTP/1.1\r\nHost: {}\r\n", self.path, self.addr);
        if let Some(body) = body {
            let _ = write!(head, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        for (name, value) in headers.iter().chain(&self.headers) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        let mut stream = self.kept.as_ref().and_then(|kept| kept.try_clone().ok()).unwrap_or_else(|| self.connect());
        stream.write_all(&[head.as_bytes(), body.unwrap_or_default()].concat()).expect("the request is sent");
        Reading { stream, buffer: Vec::new(), body: String::new(), head: None, ended: None }
    }

    #[track_caller]
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.addr).unwrap_or_else(|e| panic!("{}: {e}", self.addr));
        stream.set_nodelay(true).expect("an option");
        stream
    }

    /// The same, sending all requests over one connection: each answer must be read to its end before the next request.
    #[track_caller]
    #[must_use]
    pub fn on_one_connection(&self) -> Self {
        Self { kept: Some(Arc::new(self.connect())), ..self.clone() }
    }

    /// Begins the call of a tool.
    #[track_caller]
    pub fn begin(&self, tool: &str, arguments: impl Into<Value>) -> Reading {
        self.send(&request(id(), "tools/call", json!({ "name": tool, "arguments": arguments.into() })))
    }

    /// Calls a tool that says nothing before its end: its result.
    #[track_caller]
    pub fn call(&self, tool: &str, arguments: impl Into<Value>) -> Value {
        let answer = self.begin(tool, arguments).whole();
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut response = answer.json();
        assert!(response["result"].is_object(), "{response}");
        response["result"].take()
    }
}

/// A file that a tool writes to: there is none yet.
pub fn mark(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bdk-tests-mcp-{}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// Waits until a file says so.
#[track_caller]
pub fn marked(path: &Path, what: &str) {
    crate::eventually(|| fs::read_to_string(path).ok().filter(|said| said == what))
        .unwrap_or_else(|| panic!("never {what:?}, but {:?}", fs::read_to_string(path)));
}

/// The text of a result.
#[track_caller]
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("a text: {result}"))
}

/// The head of an answer, and its body where it was read whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header lines, in lower case.
    head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(n, _)| *n == name).map(|(_, value)| value).next()
    }
    /// The names in all headers of this name, in lower case.
    pub fn headers(&self, name: &str) -> Vec<String> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": ")).filter(|(n, _)| *n == name);
        lines.flat_map(|(_, value)| value.split(',').map(|v| v.trim().to_ascii_lowercase())).collect()
    }
    /// Whether it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }
    /// The body as JSON, which its head must say that it is.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
    /// The status, and the code and id of the JSON-RPC error.
    #[track_caller]
    pub fn refusal(&self) -> (u16, i64, Value) {
        let json = self.json();
        assert!(json["error"]["message"].as_str().is_some_and(|m| !m.is_empty()), "{json}");
        assert_eq!(json["jsonrpc"], "2.0", "{json}");
        (self.status, json["error"]["code"].as_i64().unwrap_or_default(), json["id"].clone())
    }
}

/// An answer that is being read. Dropping it closes the connection.
#[derive(Debug)]
pub struct Reading {
    stream: TcpStream,
    /// What was received and not yet looked at.
    buffer: Vec<u8>,
    /// What of the body was taken out of its transfer coding and not yet looked at.
    body: String,
    head: Option<Answer>,
    /// Whether the body has ended: as it should, or torn off.
    ended: Option<bool>,
}

impl Reading {
    /// More bytes; none at the connection's end.
    #[track_caller]
    fn fill(&mut self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "nothing came in time; so far: {self:?}");
        self.stream.set_read_timeout(Some(left)).expect("a time-out");
        let mut bytes = [0; 64 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(n) => {
                self.buffer.extend_from_slice(&bytes[..n]);
                n > 0
            }
            Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                panic!("nothing came in time; so far: {self:?}")
            }
            // a reset is an end
            Err(_) => false,
        }
    }

    /// Up to a mark, without it.
    #[track_caller]
    fn up_to(&mut self, mark: &[u8], until: Instant) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(mark.len()).position(|w| w == mark) {
                let found = self.buffer[..at].to_vec();
                self.buffer.drain(..at + mark.len());
                return Some(found);
            }
            if !self.fill(until) {
                return None;
            }
        }
    }

    /// The head, once it came; its status is 0 when none did.
    #[track_caller]
    pub fn head(&mut self) -> Answer {
        if let Some(head) = &self.head {
            return head.clone();
        }
        let head = match self.up_to(b"\r\n\r\n", Instant::now() + PATIENCE) {
            Some(head) => String::from_utf8(head).expect("a head is text"),
            None => String::new(),
        };
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        // values keep their case
        let lines = head.lines().map(|line| match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}\n", name.to_ascii_lowercase()),
            None => format!("{line}\n"),
        });
        let head = Answer { status, head: lines.collect(), body: String::new() };
        if status == 0 {
            self.ended = Some(false);
        } else if status == 204 || head.header("content-length") == Some("0") {
            self.ended = Some(true);
        }
        self.head = Some(head.clone());
        head
    }

    /// Takes the next piece out of its transfer coding; false at the end of the body.
    #[track_caller]
    fn piece(&mut self, until: Instant) -> bool {
        let head = self.head();
        if self.ended.is_some() {
            return false;
        }
        let length = match head.header("content-length").map(|n| n.parse::<usize>().expect("a number")) {
            Some(length) => length,
            None => {
                assert_eq!(head.header("transfer-encoding"), Some("chunked"), "{head:?}");
                let Some(line) = self.up_to(b"\r\n", until) else {
                    self.ended = Some(false);
                    return false;
                };
                let line = String::from_utf8(line).expect("a size is text");
                usize::from_str_radix(line.trim(), 16).expect("a size")
            }
        };
        while self.buffer.len() < length {
            if !self.fill(until) {
                self.ended = Some(false);
                return false;
            }
        }
        let piece: Vec<u8> = self.buffer.drain(..length).collect();
        self.body.push_str(&String::from_utf8(piece).expect("JSON is text"));
        if head.header("content-length").is_some() {
            self.ended = Some(true);
        } else {
            let end = self.up_to(b"\r\n", until);
            if length == 0 || end.is_none() {
                self.ended = Some(end.is_some());
            }
        }
        length > 0
    }

    /// The whole answer, which is no stream.
    #[track_caller]
    pub fn whole(mut self) -> Answer {
        let head = self.head();
        assert!(!head.is_stream(), "a stream: {:?}", self.messages());
        let until = Instant::now() + PATIENCE;
        while self.piece(until) {}
        assert_eq!(self.ended, Some(true), "the answer is torn off: {self:?}");
        Answer { body: std::mem::take(&mut self.body), ..head }
    }

    /// The next message of a stream; none at its end. Comments are passed over.
    #[track_caller]
    pub fn more(&mut self) -> Option<Value> {
        let until = Instant::now() + PATIENCE;
        let head = self.head();
        assert!(head.status == 0 || head.is_stream(), "no stream: {self:?}");
        loop {
            while let Some((event, rest)) = self.body.split_once("\n\n") {
                let data: Vec<&str> = event.lines().filter_map(|l| l.strip_prefix("data:")).map(str::trim).collect();
                let message = (!data.join("").is_empty()).then(|| {
                    let text = data.join("\n");
                    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
                });
                self.body = rest.to_owned();
                if message.is_some() {
                    return message;
                }
            }
            if !self.piece(until) {
                assert!(self.body.is_empty(), "half an event: {self:?}");
                return None;
            }
        }
    }

    /// Whether no message comes for so long.
    #[track_caller]
    pub fn is_quiet_for(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            self.stream.set_read_timeout(Some(left)).expect("a time-out");
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(n) => self.buffer.extend_from_slice(&bytes[..n]),
                Err(_) => {}
            }
        }
        !String::from_utf8_lossy(&self.buffer).contains("data:") && !self.body.contains("data:")
    }

    /// The message that must come next.
    #[track_caller]
    pub fn message(&mut self) -> Value {
        self.more().unwrap_or_else(|| panic!("one more message: {self:?}"))
    }

    /// All messages to the end of the stream, which must be one.
    #[track_caller]
    pub fn messages(&mut self) -> Vec<Value> {
        let messages = std::iter::from_fn(|| self.more()).collect();
        assert!(self.ended_well(), "the stream is torn off after {messages:?}");
        messages
    }

    /// What came before the response, and the response: from a stream or from an answer in one piece.
    #[track_caller]
    pub fn said(mut self) -> (Vec<Value>, Value) {
        if !self.head().is_stream() {
            return (Vec::new(), self.whole().json());
        }
        let mut messages = self.messages();
        let last = messages.pop().unwrap_or_else(|| panic!("a stream without a message: {self:?}"));
        (messages, last)
    }

    /// Whether the body ended as it should.
    pub fn ended_well(&self) -> bool {
        self.ended == Some(true)
    }
}
