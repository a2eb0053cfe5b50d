//! An MCP client over stdin and stdout, for the tests: it starts the bot, sends what it is told to, also what is wrong, and
//! reads line by line. Every wait has a deadline, so that a bot that hangs fails its test.

use crate::eventually;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// How long the next line is waited for, and the bot's end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client, and the bot that it started; killed when dropped.
pub struct Client {
    child: Child,
    /// What is to be written; none once stdin is closed.
    input: Option<mpsc::Sender<Vec<u8>>>,
    written: Arc<AtomicUsize>,
    /// Stdout, while nobody reads it.
    unread: Option<ChildStdout>,
    lines: mpsc::Receiver<Vec<u8>>,
    reader: mpsc::Sender<Vec<u8>>,
    /// What came while something else was waited for.
    waiting: VecDeque<Value>,
    /// What each request says of itself: 2026-07-28.
    meta: Option<Value>,
    stderr: Arc<Mutex<String>>,
    deaf: Arc<AtomicBool>,
    ids: AtomicU64,
}

impl Client {
    /// Starts `exe mcp serve` with these further arguments; nothing is agreed on yet.
    #[track_caller]
    pub fn start(exe: &str, args: &[&str]) -> Self {
        let mut client = Self::deaf(exe, args);
        client.listen();
        client
    }

    /// The same, and nobody reads its stdout until [`listen`](Self::listen).
    #[track_caller]
    pub fn deaf(exe: &str, args: &[&str]) -> Self {
        let mut command = Command::new(exe);
        command.args(["mcp", "serve"]).args(args);
        Self::spawn(command)
    }

    /// Starts this command; nobody reads its stdout yet.
    #[track_caller]
    pub fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let stderr = Arc::new(Mutex::new(String::new()));
        let (mut pipe, log) = (child.stderr.take().expect("piped"), stderr.clone());
        let deaf = Arc::new(AtomicBool::new(false));
        let enough = deaf.clone();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = pipe.read(&mut buffer) {
                if enough.load(SeqCst) {
                    return;
                }
                log.lock().expect("not poisoned").push_str(&String::from_utf8_lossy(&buffer[..n]));
            }
        });
        let (input, pieces) = mpsc::channel::<Vec<u8>>();
        let written = Arc::new(AtomicUsize::new(0));
        let (mut pipe, count) = (child.stdin.take().expect("piped"), written.clone());
        // a bot that does not read holds up nobody here
        thread::spawn(move || {
            while let Ok(piece) = pieces.recv() {
                for piece in piece.chunks(4096) {
                    if pipe.write_all(piece).is_err() {
                        return;
                    }
                    count.fetch_add(piece.len(), SeqCst);
                }
            }
        });
        let (reader, lines) = mpsc::channel();
        Self {
            unread: child.stdout.take(),
            child,
            input: Some(input),
            written,
            lines,
            reader,
            waiting: VecDeque::new(),
            meta: None,
            stderr,
            deaf,
            ids: AtomicU64::new(1),
        }
    }

    /// A client that agreed on this version, with these capabilities.
    #[track_caller]
    pub fn session(exe: &str, version: &str, capabilities: &Value) -> Self {
        Self::start(exe, &[]).initialized(version, capabilities)
    }

    /// A client of 2026-07-28 with these capabilities.
    #[track_caller]
    pub fn stateless(exe: &str, capabilities: &Value) -> Self {
        Self::start(exe, &[]).saying_all(capabilities)
    }

    /// One client of each version, with these capabilities.
    #[track_caller]
    pub fn of_every_era(exe: &str, capabilities: &Value) -> [Self; 3] {
        [
            Self::session(exe, "2025-06-18", capabilities),
            Self::session(exe, "2025-11-25", capabilities),
            Self::stateless(exe, capabilities),
        ]
    }

    /// The same, saying in each request what 2026-07-28 asks for.
    #[must_use]
    pub fn saying_all(mut self, capabilities: &Value) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.meta = Some(meta);
        self
    }

    /// The same, once this version is agreed on.
    #[track_caller]
    #[must_use]
    pub fn initialized(mut self, version: &str, capabilities: &Value) -> Self {
        let who = json!({ "name": "tests", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": who });
        let id = self.request("initialize", params);
        let response = self.response(id);
        assert_eq!(response["result"]["protocolVersion"], version, "{response}");
        self.notify("notifications/initialized", json!({}));
        self
    }

    /// The same for one whose stdout is not read yet.
    #[must_use]
    pub fn initialized_unread(self, version: &str) -> Self {
        let who = json!({ "name": "tests", "version": "1" });
        self.request("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": who }));
        self.notify("notifications/initialized", json!({}));
        self
    }

    /// Whether it speaks as 2026-07-28 has it.
    pub fn is_stateless(&self) -> bool {
        self.meta.is_some()
    }

    /// Begins to read its stdout.
    pub fn listen(&mut self) {
        let Some(stdout) = self.unread.take() else { return };
        let lines = self.reader.clone();
        thread::spawn(move || {
            let mut out = BufReader::new(stdout);
            loop {
                let mut line = Vec::new();
                // an empty one is the end
                let read = out.read_until(b'\n', &mut line).unwrap_or(0);
                if lines.send(line).is_err() || read == 0 {
                    return;
                }
            }
        });
    }

    /// Nobody will ever read its stdout, which was not read before.
    pub fn shut_out(&mut self) {
        assert!(self.unread.take().is_some(), "it is read already");
    }

    /// Sends these bytes.
    pub fn raw(&self, bytes: impl Into<Vec<u8>>) {
        // a bot that has ended reads nothing
        let _ = self.input.as_ref().expect("stdin is open").send(bytes.into());
    }

    /// How many bytes of what was sent the bot and the pipe took.
    pub fn written(&self) -> usize {
        self.written.load(SeqCst)
    }

    /// Sends a message.
    pub fn send(&self, message: &Value) {
        self.raw(format!("{message}\n"));
    }

    /// A request as this client sends it, and its id.
    pub fn made(&self, method: &str, params: impl Into<Value>) -> (u64, Value) {
        let id = self.ids.fetch_add(1, SeqCst);
        let mut params = params.into();
        if let Some(meta) = &self.meta {
            let own = params["_meta"].take();
            params["_meta"] = meta.clone();
            for (name, value) in own.as_object().into_iter().flatten() {
                params["_meta"][name] = value.clone();
            }
        }
        (id, json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// Sends a request; its id.
    pub fn request(&self, method: &str, params: impl Into<Value>) -> u64 {
        let (id, message) = self.made(method, params);
        self.send(&message);
        id
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: impl Into<Value>) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params.into() }));
    }

    /// Cancels a request.
    pub fn cancel(&self, id: u64) {
        self.notify("notifications/cancelled", json!({ "requestId": id, "reason": "enough" }));
    }

    /// Begins the call of a tool; its id.
    pub fn begin(&self, tool: &str, arguments: impl Into<Value>) -> u64 {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments.into() }))
    }

    /// The next message, which is a line of its own; none at the end.
    #[track_caller]
    fn line(&self) -> Option<Value> {
        let line = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(_) => panic!("nothing came in time; stderr: {}", self.stderr()),
        };
        if line.is_empty() {
            return None;
        }
        let text = str::from_utf8(&line).unwrap_or_else(|e| panic!("{e}: {}", line.escape_ascii()));
        assert!(text.ends_with('\n'), "half a line: {text}");
        let message: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("no message: {e}: {text:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        Some(message)
    }

    /// The next message, or the end.
    #[track_caller]
    pub fn next_message(&mut self) -> Option<Value> {
        self.waiting.pop_front().or_else(|| self.line())
    }

    /// What came while a response was waited for.
    pub fn unasked(&mut self) -> Option<Value> {
        self.waiting.pop_front()
    }

    /// The next message, which must come.
    #[track_caller]
    pub fn message(&mut self) -> Value {
        self.next_message().unwrap_or_else(|| panic!("stdout ended; stderr: {}", self.stderr()))
    }

    /// The response to a request; whatever else comes before it is kept.
    #[track_caller]
    pub fn response(&mut self, id: u64) -> Value {
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(at) = self.waiting.iter().position(is_it) {
            return self.waiting.remove(at).expect("there");
        }
        loop {
            let Some(message) = self.line() else {
                panic!("stdout ended without the response {id}; stderr: {}", self.stderr())
            };
            if is_it(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// The result of a call.
    #[track_caller]
    pub fn result(&mut self, id: u64) -> Value {
        let mut response = self.response(id);
        assert!(response["result"].is_object(), "{response}");
        response["result"].take()
    }

    /// Calls a tool: its result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: impl Into<Value>) -> Value {
        let id = self.begin(tool, arguments);
        self.result(id)
    }

    /// Checks that the bot answers, and has said nothing else.
    #[track_caller]
    pub fn is_quiet(&mut self) {
        let id = self.request("no/such/method", json!({}));
        let message = self.message();
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(id), &json!(-32601)), "{message}");
    }

    /// Closes its stdin.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Closes its stderr at the next word that comes there.
    pub fn close_stderr(&self) {
        self.deaf.store(true, SeqCst);
    }

    /// Waits for its end: its exit code, or none when a signal ended it.
    #[track_caller]
    pub fn wait(&mut self) -> Option<i32> {
        self.ended().code()
    }

    #[track_caller]
    fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return status;
            }
            assert!(Instant::now() < until, "it never ends; stderr: {}", self.stderr());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether it has not ended.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().expect("a child of ours").is_none()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }

    /// How much memory it takes, in bytes.
    #[track_caller]
    pub fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
    }

    /// What stands on its stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("not poisoned").clone()
    }

    /// Waits until its stderr says so.
    #[track_caller]
    pub fn told(&self, what: &str) -> String {
        eventually(|| Some(self.stderr()).filter(|log| log.contains(what)))
            .unwrap_or_else(|| panic!("never told {what:?}:\n{}", self.stderr()))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file that no other test knows, and that is not there yet.
pub fn mark(name: &str) -> std::path::PathBuf {
    static MARKS: AtomicU64 = AtomicU64::new(0);
    let number = MARKS.fetch_add(1, SeqCst);
    let path = std::env::temp_dir().join(format!("bdk-tests-{}-{number}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Waits until a file says so.
#[track_caller]
pub fn says(mark: &std::path::Path, what: &str) {
    let read = || std::fs::read_to_string(mark).ok();
    eventually(|| read().filter(|text| text == what))
        .unwrap_or_else(|| panic!("{} never says {what:?}, but {:?}", mark.display(), read()));
}
