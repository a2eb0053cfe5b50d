//! The requests that are measured: a tool's own route, and MCP in both eras of the protocol.

use crate::http::{self, Client, Payload};
use anyhow::{Context, Result, ensure};
use std::net::SocketAddr;

/// One request, sent again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exchange {
    /// `POST /v1/tools/…`.
    Direct(Payload),
    /// The same with `small`, in this session.
    Bound(&'static str),
    /// `POST /v1/mcp`.
    Mcp(Era, Asks),
}

/// Which protocol an MCP request speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Era {
    /// 2025-11-25, in no session.
    Sessionless,
    /// 2025-11-25, each connection in a session of its own.
    Session,
    /// 2026-07-28: each request tells all there is to know.
    Stateless,
}

/// What an MCP request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asks {
    /// `tools/call` of `small`.
    Small,
    /// The same, with the tool's name in the header's encoded form. 2026-07-28 alone has that header.
    SmallEncoded,
    /// `tools/call` of `routed`, one of whose parameters stands in a header, too (2026-07-28 alone), where both must agree.
    Routed,
    /// `tools/call` of `walk`, without interest in its progress: the answer is one piece.
    Walk,
    /// The same with a progress token: the answer is a stream.
    WalkHeard,
    /// `tools/list`.
    List,
}

impl Era {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Era::Sessionless => "2025-11-25 without a session",
            Era::Session => "2025-11-25 in a session",
            Era::Stateless => "2026-07-28",
        }
    }

    fn version(self) -> &'static str {
        if self == Era::Stateless { "2026-07-28" } else { "2025-11-25" }
    }
}

impl Asks {
    fn method(self) -> &'static str {
        if self == Asks::List { "tools/list" } else { "tools/call" }
    }

    /// The tool, and its name in a header.
    fn tool(self) -> Option<(&'static str, &'static str)> {
        match self {
            Asks::Small => Some(("small", "small")),
            Asks::SmallEncoded => Some(("small", "=?base64?c21hbGw=?=")),
            Asks::Routed => Some(("routed", "routed")),
            Asks::Walk | Asks::WalkHeard => Some(("walk", "walk")),
            Asks::List => None,
        }
    }

    /// The message, in one line.
    pub(crate) fn message(self, era: Era) -> String {
        let mut meta = Vec::new();
        if era == Era::Stateless {
            meta.push(
                r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bdk-bench","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}"#,
            );
        }
        if self == Asks::WalkHeard {
            meta.push(r#""progressToken":"p""#);
        }
        let mut params = Vec::new();
        if let Some((tool, _)) = self.tool() {
            params.push(format!(r#""name":"{tool}","arguments":{}"#, Payload::Small.input()));
        }
        if !meta.is_empty() {
            params.push(format!(r#""_meta":{{{}}}"#, meta.join(",")));
        }
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}}}}}"#, self.method(), params.join(","))
    }
}

impl Exchange {
    /// What it is called in the names of files and in what is printed.
    pub(crate) fn name(self) -> String {
        match self {
            Exchange::Direct(payload) => payload.name().into(),
            Exchange::Bound(_) => "bound".into(),
            Exchange::Mcp(era, asks) => format!("mcp-{era:?}-{asks:?}").to_lowercase(),
        }
    }

    /// A whole keep-alive request for each of so many connections. Opens the sessions that they need.
    pub(crate) fn requests(self, to: SocketAddr, connections: usize) -> Result<Vec<Vec<u8>>> {
        match self {
            Exchange::Direct(payload) => Ok(vec![payload.request(to); connections]),
            Exchange::Bound(session) => {
                let body = format!(r#"{{"input":{},"sessionId":"{session}"}}"#, Payload::Small.input());
                let head = format!("POST /v1/tools/small HTTP/1.1\r\nhost: {to}\r\ncontent-type: application/json\r\n");
                let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
                Ok(vec![request.into_bytes(); connections])
            }
            Exchange::Mcp(Era::Session, asks) => {
                let mut client = Client::connect(to)?;
                (0..connections)
                    .map(|_| Ok(mcp_request(to, Era::Session, asks, Some(&open_session(&mut client, to)?))))
                    .collect()
            }
            Exchange::Mcp(era, asks) => Ok(vec![mcp_request(to, era, asks, None); connections]),
        }
    }
}

fn mcp_request(to: SocketAddr, era: Era, asks: Asks, session: Option<&str>) -> Vec<u8> {
    let mut headers = vec![("mcp-protocol-version", era.version())];
    if era == Era::Stateless {
        headers.push(("mcp-method", asks.method()));
        headers.extend(asks.tool().map(|(_, header)| ("mcp-name", header)));
        headers.extend((asks == Asks::Routed).then_some(("mcp-param-branch", "main")));
    }
    headers.extend(session.map(|id| ("mcp-session-id", id)));
    post(to, &headers, &asks.message(era))
}

fn post(to: SocketAddr, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST /v1/mcp HTTP/1.1\r\nhost: {to}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n{more}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The first message of the era of sessions.
pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bdk-bench","version":"0.1.0"}}}"#;
/// And the second.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Opens a session as a client does, and gives its id.
pub(crate) fn open_session(client: &mut Client, to: SocketAddr) -> Result<String> {
    let answer = client.send(&post(to, &[], INITIALIZE))?;
    let id = http::header(answer, "mcp-session-id").context("the server opened no session")?.to_owned();
    let headers = [("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", &*id)];
    client.send(&post(to, &headers, INITIALIZED))?;
    Ok(id)
}

/// Ends a session, and says whether there was one.
pub(crate) fn close_session(client: &mut Client, to: SocketAddr, id: &str) -> Result<bool> {
    let request = format!("DELETE /v1/mcp HTTP/1.1\r\nhost: {to}\r\nmcp-session-id: {id}\r\n\r\n");
    let status = client.status_of(request.as_bytes())?;
    ensure!(status < 300 || status == 404, "the server answered {status} to the end of a session");
    Ok(status < 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_json_and_says_what_its_era_asks_for() {
        for era in [Era::Sessionless, Era::Session, Era::Stateless] {
            for asks in [Asks::Small, Asks::SmallEncoded, Asks::Routed, Asks::Walk, Asks::WalkHeard, Asks::List] {
                let message: serde_json::Value = serde_json::from_str(&asks.message(era)).unwrap();
                let meta = &message["params"]["_meta"];
                assert_eq!(meta["io.modelcontextprotocol/protocolVersion"].is_string(), era == Era::Stateless);
                assert_eq!(meta["progressToken"].is_string(), asks == Asks::WalkHeard);
                assert_eq!(message["params"]["arguments"].is_object(), asks != Asks::List);
            }
        }
    }
}
