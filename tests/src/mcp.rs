//! A raw MCP client over HTTP, for the tests: it sends what it is told to, also what is wrong, and reads answers as they
//! come, event by event. Every wait has a deadline, so that a bot that hangs fails its test.

mod reading;

pub use reading::{Answer, Reading};

use crate::Server;
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    net::TcpStream,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

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

    /// A client that has agreed on nothing yet, of the endpoint's address with this query; it calls itself so.
    pub fn at(server: &Server, query: &str, who: Option<&str>) -> Self {
        let client = Self::new(server);
        let client = Self { path: format!("{}{query}", client.path), ..client };
        match who {
            Some(who) => client.with("x-who", who),
            None => client,
        }
    }

    /// One client of each kind that is bound to a session of the bot's, and can be asked where its kind can.
    #[track_caller]
    pub fn bound_of_every_kind(server: &Server, session: &str, who: Option<&str>) -> [Self; 3] {
        let client = || Self::at(server, &format!("?session={session}"), who);
        let capabilities = json!({ "elicitation": {} });
        let stateless = Self { era: Era::Stateless(capabilities.clone()), ..client() };
        [client().initialized("2025-11-25", capabilities), client(), stateless]
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
        Reading::new(stream)
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

    /// Opens the session's own stream.
    #[track_caller]
    pub fn listen(&self) -> Reading {
        let mut reading = self.bare("GET");
        let head = reading.head();
        assert_eq!((head.status, head.is_stream()), (200, true), "{head:?}");
        reading
    }

    /// Subscribes to these notifications, in 2026-07-28.
    #[track_caller]
    pub fn subscribe(&self, what: &Value) -> Reading {
        let mut reading = self.send(&request("sub", "subscriptions/listen", json!({ "notifications": what })));
        let first = reading.message();
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
        assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "sub");
        reading
    }

    /// The names of the tools that are on the first page.
    #[track_caller]
    pub fn names(&self) -> Vec<String> {
        let listing = self.send(&request(id(), "tools/list", json!({}))).whole().json();
        let tools = listing["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listing}"));
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Begins the call of a tool.
    #[track_caller]
    pub fn begin(&self, tool: &str, arguments: impl Into<Value>) -> Reading {
        self.send(&request(id(), "tools/call", json!({ "name": tool, "arguments": arguments.into() })))
    }

    /// Calls a tool, whatever it says before its end: its result.
    #[track_caller]
    pub fn call_to_its_end(&self, tool: &str, arguments: impl Into<Value>) -> Value {
        let mut response = self.begin(tool, arguments).said().1;
        assert!(response["result"].is_object(), "{response}");
        response["result"].take()
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

/// Whether it says that the tools are others now.
pub fn is_change(message: &Value) -> bool {
    message["method"] == "notifications/tools/list_changed"
}

/// The text of a result.
#[track_caller]
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("a text: {result}"))
}
