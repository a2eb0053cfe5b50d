//! A proxy in front of an MCP server over HTTP: what it is told to do to requests of one method, it does; all else goes through.

use crate::eventually;
use serde_json::{Value, json};
use std::{
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// What becomes of a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Nothing comes back until it is mended; the server does not hear of it.
    Silence,
    /// The server does what it was asked; the first bytes of its answer come back, less than an event, and then a reset.
    CutOff,
    /// A reset at once; the server does not hear of it.
    Reset,
    /// This status with these header lines, and the text; the server does not hear of it.
    Status(u16, &'static str, &'static str),
    /// A stream with one event that never ends; the server does not hear of it.
    Endless,
    /// This result; the server does not hear of it.
    Result(Value),
}

/// The proxy; its threads end with the test.
pub struct Proxy {
    /// Where the server seems to be.
    pub url: String,
    shared: Arc<Shared>,
}

struct Shared {
    /// `127.0.0.1:PORT` of the server.
    server: String,
    state: Mutex<State>,
    mended: Condvar,
}

#[derive(Default)]
struct State {
    fault: Option<(&'static str, Fault)>,
    /// How many requests it still meets.
    left: usize,
    struck: usize,
    asked: Vec<String>,
}

impl Proxy {
    /// One in front of the server at this URL.
    #[track_caller]
    pub fn of(url: &str) -> Self {
        let (server, path) =
            url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("http://HOST/PATH");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/{path}", listener.local_addr().expect("an address"));
        let state = Mutex::default();
        let shared = Arc::new(Shared { server: server.to_owned(), state, mended: Condvar::new() });
        let serving = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = serving.clone();
                // whoever is gone before the answer is there needs none
                thread::spawn(move || drop(shared.answer(stream)));
            }
        });
        Self { url, shared }
    }

    /// From now on this becomes of so many requests of this method.
    pub fn breaks(&self, method: &'static str, fault: Fault, times: usize) {
        let mut state = self.shared.state();
        (state.fault, state.left, state.struck) = (Some((method, fault)), times, 0);
    }
    /// Everything goes through again.
    pub fn mends(&self) {
        self.shared.state().fault = None;
        self.shared.mended.notify_all();
    }
    /// Waits until the fault has met a request.
    #[track_caller]
    pub fn has_struck(&self) {
        let struck = eventually(|| (self.shared.state().struck > 0).then_some(()));
        assert!(struck.is_some(), "it met no request; there were {:?}", self.shared.state().asked);
    }
    /// How many requests of this method came.
    pub fn asked(&self, method: &str) -> usize {
        self.shared.state().asked.iter().filter(|asked| *asked == method).count()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One request a connection.
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let (head, body) = peek(&stream)?;
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let fault = {
            let mut state = self.state();
            let fault = state.fault.clone().filter(|(of, _)| *of == method && state.left > 0).map(|(_, fault)| fault);
            state.struck += usize::from(fault.is_some());
            state.left -= usize::from(fault.is_some());
            state.asked.push(method);
            fault
        };
        if let Some(Fault::Reset) = fault {
            // closed with something unread in it, a connection is reset
            return Ok(());
        }
        if let Some(Fault::CutOff) = fault {
            let mut answer = Vec::new();
            self.forward(&head, &body)?.read_to_end(&mut answer)?;
            let begins = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap_or_default() + 4;
            stream.write_all(&answer[..answer.len().min(begins + 10)])?;
            // what was not read when the reset comes is lost
            thread::sleep(Duration::from_millis(50));
            return Ok(());
        }
        stream.read_exact(&mut vec![0; head.len() + body.len()])?;
        match fault {
            None | Some(Fault::Reset | Fault::CutOff) => {
                io::copy(&mut self.forward(&head, &body)?, &mut stream)?;
            }
            Some(Fault::Silence) => {
                let mended = |state: &mut State| state.fault.is_some();
                drop(self.mended.wait_while(self.state(), mended));
            }
            Some(Fault::Status(status, headers, text)) => {
                let length = text.len();
                let head =
                    format!("HTTP/1.1 {status} So\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
                stream.write_all(format!("{head}{text}").as_bytes())?;
            }
            Some(Fault::Endless) => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {\"jsonrpc\":\"";
                stream.write_all(head.as_bytes())?;
                loop {
                    stream.write_all(&[b'x'; 64 << 10])?;
                }
            }
            Some(Fault::Result(result)) => {
                let text = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
                let length = text.len();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
                stream.write_all(format!("{head}Connection: close\r\n\r\n{text}").as_bytes())?;
            }
        }
        Ok(())
    }

    /// Sends it to the server, which closes after its answer.
    fn forward(&self, head: &[u8], body: &[u8]) -> io::Result<TcpStream> {
        let mut server = TcpStream::connect(&self.server)?;
        let head = String::from_utf8_lossy(head);
        let of_hop = |line: &&str| {
            let name = line.split(':').next().unwrap_or_default();
            !line.is_empty() && !name.eq_ignore_ascii_case("host") && !name.eq_ignore_ascii_case("connection")
        };
        let lines: Vec<&str> = head.split("\r\n").filter(of_hop).collect();
        let head = format!("{}\r\nHost: {}\r\nConnection: close\r\n\r\n", lines.join("\r\n"), self.server);
        server.write_all(&[head.as_bytes(), body].concat())?;
        Ok(server)
    }
}

/// A request's head and body, which stay where they are.
fn peek(stream: &TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = vec![0; 1 << 20];
    loop {
        let there = stream.peek(&mut bytes)?;
        if there == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let head = bytes[..there].windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
            let length = text.split("\r\n").find_map(|line| line.strip_prefix("content-length:"));
            let end = head + length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            if there >= end {
                return Ok((bytes[..head].to_vec(), bytes[head..end].to_vec()));
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
}
