//! As much HTTP/1.1 as the measurements need: ready-made request bytes, and where an answer ends.

use anyhow::{Context, Result, bail, ensure};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// The tools that both servers have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Payload {
    /// Two strings in, four fields out.
    Small,
    /// Fifty fields in five groups in, four fields out.
    Nested50,
}

impl Payload {
    pub(crate) const ALL: [Payload; 2] = [Payload::Small, Payload::Nested50];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Payload::Small => "small",
            Payload::Nested50 => "nested50",
        }
    }

    pub(crate) fn by_name(name: &str) -> Result<Payload> {
        Payload::ALL
            .into_iter()
            .find(|payload| payload.name() == name)
            .with_context(|| format!("no payload \"{name}\""))
    }

    /// The tool's input.
    pub(crate) fn input(self) -> &'static str {
        match self {
            Payload::Small => r#"{"repository":"acme/checkout","branch":"main"}"#,
            Payload::Nested50 => include_str!("nested50.json").trim_ascii_end(),
        }
    }

    /// A whole keep-alive request that calls the tool.
    pub(crate) fn request(self, to: SocketAddr) -> Vec<u8> {
        let body = format!("{{\"input\":{}}}", self.input());
        format!(
            "POST /v1/tools/{} HTTP/1.1\r\nhost: {to}\r\ncontent-type: application/json\r\naccept: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.name(),
            body.len()
        )
        .into_bytes()
    }
}

/// How many bytes the answer at the start of `bytes` takes, once its head is there whole. Fails when it isn't a 200 with a content length.
pub(crate) fn answer_length(bytes: &[u8]) -> Result<Option<usize>> {
    let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(&bytes[..head])?;
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap_or_default();
    ensure!(
        status.starts_with("HTTP/1.1 200"),
        "the server answered {status}: {}",
        String::from_utf8_lossy(&bytes[head..])
    );
    for line in lines {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            return Ok(Some(head + 4 + value.trim().parse::<usize>()?));
        }
    }
    bail!("an answer without a content length");
}

/// Fails unless `answer` is that of a call that went well.
pub(crate) fn ensure_success(answer: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(answer);
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body).context("an answer without a body")?;
    let body: serde_json::Value = serde_json::from_str(body).with_context(|| format!("not JSON: {body}"))?;
    ensure!(body["ok"] == true && body["isError"] == false && body["result"].is_object(), "the call failed: {body}");
    Ok(())
}

/// One blocking keep-alive connection.
pub(crate) struct Client {
    socket: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(to: SocketAddr) -> Result<Client> {
        let socket = TcpStream::connect(to)?;
        socket.set_nodelay(true)?;
        Ok(Client { socket, buffer: vec![0; 64 << 10] })
    }

    /// Sends the request and gives the whole answer.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<&[u8]> {
        self.socket.write_all(request)?;
        let mut filled = 0;
        loop {
            let read = self.socket.read(&mut self.buffer[filled..])?;
            ensure!(read > 0, "the server closed the connection within an answer, or the answer is over 64 KiB");
            filled += read;
            if answer_length(&self.buffer[..filled])?.is_some_and(|length| length <= filled) {
                return Ok(&self.buffer[..filled]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_measured_only_when_its_head_is_whole() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(answer_length(&answer[..30]).unwrap(), None);
        assert_eq!(answer_length(answer).unwrap(), Some(answer.len()));
    }

    #[test]
    fn a_refused_request_is_no_answer() {
        let error = answer_length(b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno").unwrap_err().to_string();
        assert!(error.contains("404") && error.contains("no"), "{error}");
    }

    #[test]
    fn every_payload_is_one_json_object_and_nested50_has_fifty_fields_in_five_groups() {
        for payload in Payload::ALL {
            let input: serde_json::Value = serde_json::from_str(payload.input()).unwrap();
            let groups: Vec<usize> = input
                .as_object()
                .unwrap()
                .values()
                .filter_map(|group| group.as_object().map(serde_json::Map::len))
                .collect();
            if payload == Payload::Nested50 {
                assert_eq!(groups, [10; 5]);
            }
        }
    }
}
