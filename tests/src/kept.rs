//! A connection that stays open from request to request, and says when it broke.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

/// A connection to a bot.
#[derive(Debug)]
pub struct Kept {
    addr: String,
    stream: BufReader<TcpStream>,
}

impl Kept {
    /// Connects; `None` where nobody listens.
    pub fn to(addr: &str) -> Option<Self> {
        let stream = TcpStream::connect(addr).ok()?;
        stream.set_nodelay(true).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        Some(Self { addr: addr.to_owned(), stream: BufReader::new(stream) })
    }

    /// Sends JSON with these further headers, and reads the answer's status and body. `None` where the connection broke first.
    pub fn post(&mut self, path: &str, headers: &[(&str, &str)], body: &Value) -> Option<(u16, String)> {
        let body = body.to_string();
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n",
            self.addr,
            body.len()
        );
        self.stream.get_mut().write_all([head, body].concat().as_bytes()).ok()?;
        self.answer()
    }

    /// Reads one answer whose length is known.
    fn answer(&mut self) -> Option<(u16, String)> {
        let mut line = String::new();
        self.stream.read_line(&mut line).ok()?;
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut length = 0;
        loop {
            line.clear();
            if self.stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            let (name, value) = line.split_once(':')?;
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        String::from_utf8(body).ok().map(|body| (status, body))
    }
}
