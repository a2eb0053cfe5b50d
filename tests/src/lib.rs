//! How the whole-bot tests reach a bot: its command line as a process, and HTTP on a socket.

pub mod asking;
pub mod examples;
pub mod kept;
pub mod mcp;
pub mod peers;
pub mod proxy;
pub mod scout;
pub mod stdio;

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// A finished command.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; -1 when a signal ended it.
    pub code: i32,
    /// All of its standard output.
    pub stdout: String,
    /// All of its standard error.
    pub stderr: String,
}

impl Ran {
    /// Its standard output as JSON.
    ///
    /// # Panics
    /// When it holds anything else.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("stdout holds the JSON alone: {e}\n{self:?}"))
    }
}

/// Runs a bot's command in an empty folder, with this on its standard input.
#[track_caller]
pub fn run_with(exe: &str, args: &[&str], stdin: &[u8], prepare: impl FnOnce(&mut Command)) -> Ran {
    let mut command = Command::new(exe);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    prepare(&mut command);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{exe}: {e}"));
    // a command that reads no input closes the pipe early
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin));
    let out = child.wait_with_output().unwrap_or_else(|e| panic!("{exe}: {e}"));
    Ran {
        code: out.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}

/// Runs a bot's command.
#[track_caller]
pub fn run(exe: &str, args: &[&str]) -> Ran {
    run_with(exe, args, b"", |_| {})
}

/// A bot that serves; killed when dropped.
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    /// `127.0.0.1:PORT`.
    pub addr: String,
    /// Where the tools are: `/<slug>/v1`.
    pub prefix: String,
    stderr: Arc<Mutex<String>>,
}

impl Server {
    /// Starts `exe serve --port 0` with these further arguments.
    #[track_caller]
    pub fn start(exe: &str, args: &[&str]) -> Self {
        Self::start_with(exe, args, |_| {})
    }

    /// The same, with a say in its environment.
    #[track_caller]
    pub fn start_with(exe: &str, args: &[&str], prepare: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(exe);
        command.arg("serve").args(args);
        if !args.contains(&"--port") {
            command.args(["--port", "0"]);
        }
        if !args.contains(&"--state") {
            // tests run side by side, in one folder
            command.args(["--state", "memory:"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        prepare(&mut command);
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{exe}: {e}"));
        let stderr = Arc::new(Mutex::new(String::new()));
        let (mut pipe, log) = (child.stderr.take().expect("piped"), stderr.clone());
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = pipe.read(&mut buffer) {
                log.lock().expect("not poisoned").push_str(&String::from_utf8_lossy(&buffer[..n]));
            }
        });
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("the first line");
        let url = line.trim().to_owned();
        let Some(addr) = url.strip_prefix("http://").map(str::to_owned) else {
            let _ = child.wait();
            panic!(
                "the first line on stdout is the address, not {line:?}; stderr: {}",
                stderr.lock().expect("not poisoned")
            );
        };
        let addr = addr.split('/').next().unwrap_or_default().to_owned();
        let url = format!("http://{addr}");
        Self { child, url, addr, prefix: format!("/{}/v1", env!("CARGO_PKG_NAME")), stderr }
    }

    /// Where MCP clients find its tools.
    pub fn mcp(&self) -> String {
        format!("{}{}/mcp", self.url, self.prefix)
    }

    /// What it logged so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("not poisoned").clone()
    }

    /// Waits until the log says so.
    #[track_caller]
    pub fn logged(&self, what: &str) -> String {
        eventually(|| Some(self.stderr()).filter(|log| log.contains(what)))
            .unwrap_or_else(|| panic!("never logged {what:?}:\n{}", self.stderr()))
    }

    /// Calls a tool: status and body.
    #[track_caller]
    pub fn call(&self, tool: &str, body: &Value) -> (u16, Value) {
        let answer = self.post(&format!("{}/tools/{tool}", self.prefix), body.to_string().as_bytes());
        let json = serde_json::from_str(&answer.body).unwrap_or_else(|e| panic!("{e}: {answer:?}"));
        (answer.status, json)
    }

    /// Sends JSON.
    #[track_caller]
    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.addr,
            body.len()
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    /// Asks for a page.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.raw(format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.addr).as_bytes())
    }

    /// Sends these bytes and reads to the end of the connection.
    #[track_caller]
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).expect("the request is sent");
        read_answer(&mut stream)
    }

    /// A connection to it.
    #[track_caller]
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.addr).unwrap_or_else(|e| panic!("{}: {e}", self.addr));
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        stream
    }

    /// Asks it to stop, as a terminal does.
    pub fn interrupt(&self) {
        let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
    }

    /// Asks it to stop, as a supervisor does.
    pub fn terminate(&self) {
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
    }

    /// Waits for its end, up to 20 s.
    #[track_caller]
    pub fn ends(&mut self) -> Option<i32> {
        let ended = eventually(|| self.child.try_wait().ok().flatten());
        ended.unwrap_or_else(|| panic!("it still runs; its log: {}", self.stderr())).code()
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().ok().and_then(|s| s.code())
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An HTTP answer.
#[derive(Debug)]
pub struct Answer {
    /// The status code; 0 when the connection ended without an answer.
    pub status: u16,
    /// The header lines, as they came.
    pub head: String,
    /// The body, without transfer coding.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// Reads one answer, to the end of the connection.
pub fn read_answer(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    // a reset after a complete answer is what a server does that read only half of the request
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// Asks again for up to 20 s, until there is something.
pub fn eventually<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = ask() {
            return Some(found);
        }
        if start.elapsed() > Duration::from_secs(20) {
            return None;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
