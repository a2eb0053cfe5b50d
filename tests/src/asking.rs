//! Requests of any kind to a bot, by somebody who shows a token or nobody, and streams that are read line by line.

use crate::{Answer, Server};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

/// Somebody who asks a bot.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    server: &'a Server,
    token: Option<&'a str>,
    who: Option<&'a str>,
}

impl Server {
    /// Whoever asks without a token.
    pub fn anyone(&self) -> Asker<'_> {
        Asker { server: self, token: None, who: None }
    }
    /// The bearer of this token.
    pub fn bearer<'a>(&'a self, token: &'a str) -> Asker<'a> {
        Asker { server: self, token: Some(token), who: None }
    }
    /// Whoever calls themselves so, at a bot that believes it.
    pub fn named<'a>(&'a self, who: &'a str) -> Asker<'a> {
        Asker { server: self, token: None, who: Some(who) }
    }
}

impl Asker<'_> {
    /// One request, under the agent's prefix; `headers` are whole lines.
    #[track_caller]
    pub fn ask(&self, method: &str, route: &str, headers: &[&str], body: Option<&Value>) -> Answer {
        let body = body.map(Value::to_string);
        self.server.raw(self.request(method, route, headers, body.as_deref(), true).as_bytes())
    }
    /// A `GET`: status and JSON.
    #[track_caller]
    pub fn get(&self, route: &str) -> (u16, Value) {
        let answer = self.ask("GET", route, &[], None);
        (answer.status, answer.json())
    }
    /// A `POST`: status and JSON.
    #[track_caller]
    pub fn post(&self, route: &str, body: &Value) -> (u16, Value) {
        let answer = self.ask("POST", route, &[], Some(body));
        (answer.status, answer.json())
    }
    /// A `DELETE`: status and JSON.
    #[track_caller]
    pub fn delete(&self, route: &str) -> (u16, Value) {
        let answer = self.ask("DELETE", route, &[], None);
        (answer.status, answer.json())
    }
    /// Opens a session and gives its id.
    #[track_caller]
    pub fn open(&self, body: &Value) -> String {
        let (status, opened) = self.post("session", body);
        assert_eq!(status, 200, "{opened}");
        opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
    }
    /// Calls a tool in a session: its outcome.
    #[track_caller]
    pub fn call_in(&self, session: &str, tool: &str, input: &Value) -> Value {
        let body = serde_json::json!({ "sessionId": session, "input": input });
        let (status, outcome) = self.post(&format!("tools/{tool}"), &body);
        assert_eq!(status, 200, "{outcome}");
        outcome
    }
    /// A session's events, as many as there are.
    #[track_caller]
    pub fn events(&self, session: &str) -> Vec<Value> {
        let mut stream = self.stream(&format!("session/{session}/events?follow=false"), &[]);
        assert_eq!(stream.status(), 200, "{}", stream.head);
        let mut events = Vec::new();
        while let Some(line) = stream.line() {
            events.push(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}")));
        }
        events
    }
    /// An answer that is read as it comes.
    #[track_caller]
    pub fn stream(&self, route: &str, headers: &[&str]) -> Stream {
        let mut socket = self.server.connect();
        socket.write_all(self.request("GET", route, headers, None, false).as_bytes()).expect("the request is sent");
        Stream::read(socket)
    }
    fn request(&self, method: &str, route: &str, headers: &[&str], body: Option<&str>, close: bool) -> String {
        let mut out = format!("{method} {}/{route} HTTP/1.1\r\nHost: {}\r\n", self.server.prefix, self.server.addr);
        if let Some(token) = self.token {
            out.extend(["Authorization: Bearer ", token, "\r\n"]);
        }
        if let Some(who) = self.who {
            out.extend(["x-who: ", who, "\r\n"]);
        }
        for header in headers {
            out.extend([header, "\r\n"]);
        }
        if close {
            out.push_str("Connection: close\r\n");
        }
        if let Some(body) = body {
            out.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        }
        out.extend(["\r\n", body.unwrap_or_default()]);
        out
    }
}

/// An answer in chunks, read line by line.
pub struct Stream {
    /// Its status line and headers.
    pub head: String,
    socket: BufReader<TcpStream>,
    /// What of the body is read, and not yet taken.
    body: Vec<u8>,
    ended: bool,
}

impl Stream {
    #[track_caller]
    fn read(socket: TcpStream) -> Self {
        let mut socket = BufReader::new(socket);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(socket.read_line(&mut head).expect("a head"), 0, "no whole head: {head}");
        }
        Self { head, socket, body: Vec::new(), ended: false }
    }
    /// Its status.
    pub fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0)
    }
    /// The next line without its end; none at the end of the answer.
    ///
    /// # Panics
    /// When the answer is cut off.
    #[track_caller]
    pub fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.body.iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.body.drain(..=end).collect();
                return Some(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            if self.ended {
                assert!(self.body.is_empty(), "half a line");
                return None;
            }
            self.chunk();
        }
    }
    /// The next line as JSON.
    #[track_caller]
    pub fn json(&mut self) -> Value {
        let line = self.line().expect("one more line");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }
    /// The next server-sent event but comments: its `id`, `event` and `data`.
    #[track_caller]
    pub fn event(&mut self) -> Option<(String, String, Value)> {
        let (mut id, mut kind, mut data) = (String::new(), String::new(), None);
        loop {
            let line = self.line()?;
            match line.split_once(": ") {
                Some(("id", value)) => id = value.to_owned(),
                Some(("event", value)) => kind = value.to_owned(),
                Some(("data", value)) => data = Some(serde_json::from_str(value).expect("JSON")),
                _ if line.is_empty() => {
                    if let Some(data) = data.take() {
                        return Some((id, kind, data));
                    }
                }
                _ => assert_eq!(line, ":", "an event has no such line"),
            }
        }
    }
    #[track_caller]
    fn chunk(&mut self) {
        let mut size = String::new();
        self.socket.read_line(&mut size).expect("a chunk's size");
        let size = usize::from_str_radix(size.trim(), 16).expect("the answer goes on to its end");
        let mut chunk = vec![0; size + 2];
        self.socket.read_exact(&mut chunk).expect("a whole chunk");
        self.body.extend_from_slice(&chunk[..size]);
        self.ended = size == 0;
    }
}
