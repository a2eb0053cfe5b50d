//! As much HTTP/1.1 as the measurements need: ready-made request bytes, and where an answer ends.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
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

/// How many bytes the answer at the start of `bytes` takes, once its end is in sight, and its status. Fails when its head doesn't say where it
/// ends.
fn answer(bytes: &[u8]) -> Result<Option<(u16, usize)>> {
    let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(&bytes[..head])?;
    let (line, headers) = text.split_once("\r\n").unwrap_or((text, ""));
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).context("no answer of HTTP/1.1")?;
    let status: u16 = status.parse()?;
    let body = head + 4;
    if status == 204 {
        return Ok(Some((status, body)));
    }
    for line in headers.split("\r\n") {
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("content-length") {
            return Ok(Some((status, body + value.trim().parse::<usize>()?)));
        }
        if name.eq_ignore_ascii_case("transfer-encoding") {
            let all = chunks(&bytes[body..])?;
            return Ok(all.map(|(_, length)| (status, body + length)));
        }
    }
    bail!("an answer that does not say where it ends")
}

/// What stands in the chunks of a body, and how many bytes they take, once they are there to the last.
fn chunks(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        let Some(line) = bytes[at..].windows(2).position(|two| two == b"\r\n") else { return Ok(None) };
        let size = std::str::from_utf8(&bytes[at..at + line])?;
        let size = usize::from_str_radix(size.trim(), 16).with_context(|| format!("no chunk's size: {size}"))?;
        let (from, end) = (at + line + 2, at + line + 2 + size + 2);
        if bytes.len() < end {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some((out, end)));
        }
        out.extend_from_slice(&bytes[from..end - 2]);
        at = end;
    }
}

/// How many bytes the answer at the start of `bytes` takes, once that is known. Fails when it isn't one of success.
pub(crate) fn answer_length(bytes: &[u8]) -> Result<Option<usize>> {
    let Some((status, length)) = answer(bytes)? else { return Ok(None) };
    ensure!((200..300).contains(&status), "the server answered {}", String::from_utf8_lossy(bytes));
    Ok(Some(length))
}

/// The value of a header of an answer.
pub(crate) fn header<'a>(answer: &'a [u8], name: &str) -> Option<&'a str> {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let lines = std::str::from_utf8(&answer[..head]).ok()?.split("\r\n").skip(1);
    lines.filter_map(|line| line.split_once(':')).find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim())
}

/// The messages in an answer: the one of its body, or those of its stream's events.
pub(crate) fn messages(answer: &[u8]) -> Result<Vec<Value>> {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").context("an answer without a body")?;
    let body = &answer[head + 4..];
    let body = match header(answer, "transfer-encoding") {
        Some(_) => chunks(body)?.context("an answer without its end")?.0,
        None => body.to_vec(),
    };
    let text = String::from_utf8(body)?;
    let read = |json: &str| serde_json::from_str(json).with_context(|| format!("not JSON: {json}"));
    if header(answer, "content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
        // an event without data, which some servers begin with, says only how to come back
        let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).filter(|d| !d.is_empty());
        return data.map(read).collect();
    }
    Ok(vec![read(&text)?])
}

/// Fails unless `answer` is that of a request that went well.
pub(crate) fn ensure_success(answer: &[u8]) -> Result<()> {
    let messages = messages(answer)?;
    let last = messages.last().context("an answer without a message")?;
    ensure!(went_well(last), "the call failed: {last}");
    Ok(())
}

/// Whether an outcome or a response of MCP is that of a request that went well.
pub(crate) fn went_well(message: &Value) -> bool {
    let outcome = message["ok"] == true && message["isError"] == false;
    let response = message["jsonrpc"] == "2.0" && message["result"]["isError"] != true;
    (outcome || response) && message["result"].is_object()
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

    /// Sends the request and gives the whole answer, which has to be one of success.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<&[u8]> {
        let (_, length) = self.exchange(request)?;
        answer_length(&self.buffer[..length])?;
        Ok(&self.buffer[..length])
    }

    /// Sends the request and gives the status of the answer.
    pub(crate) fn status_of(&mut self, request: &[u8]) -> Result<u16> {
        Ok(self.exchange(request)?.0)
    }

    fn exchange(&mut self, request: &[u8]) -> Result<(u16, usize)> {
        self.socket.write_all(request)?;
        let mut filled = 0;
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(filled * 2, 0);
            }
            let read = self.socket.read(&mut self.buffer[filled..])?;
            ensure!(read > 0, "the server closed the connection within an answer");
            filled += read;
            if let Some((status, length)) = answer(&self.buffer[..filled])?.filter(|(_, length)| *length <= filled) {
                return Ok((status, length));
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
    fn a_stream_ends_with_its_last_chunk_and_its_last_message_is_the_answer() {
        let stream = |end: &str| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
            let said = "data: {\"method\":\"notifications/progress\"}\n\n";
            let ended = format!("data: {{\"jsonrpc\":\"2.0\",{end}}}\n\n");
            format!("{head}{:x}\r\n{said}\r\n{:x}\r\n{ended}\r\n0\r\n\r\n", said.len(), ended.len()).into_bytes()
        };
        let whole = stream("\"result\":{}");
        for cut in 0..whole.len() {
            assert_eq!(answer_length(&whole[..cut]).unwrap(), None, "{cut}");
        }
        assert_eq!(answer_length(&whole).unwrap(), Some(whole.len()));
        assert_eq!(messages(&whole).unwrap().len(), 2);
        ensure_success(&whole).unwrap();
        for wrong in ["\"error\":{}", "\"result\":{\"isError\":true}"] {
            assert!(ensure_success(&stream(wrong)).is_err(), "{wrong}");
        }
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
