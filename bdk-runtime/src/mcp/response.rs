//! Messages to the client, written by hand where they hold a result, so that it is serialised once.

use super::{answering::Response, client::Era, error::RpcError};
use crate::call::{Done, ErrorCode, UnknownTool, line::LogLevel};
use serde_json::{Map, Value, json};

/// The response to a call that ended.
pub(crate) fn of_call(
    id: &str,
    ended: Option<Result<Done, UnknownTool>>,
    era: Era,
    lacked: Option<&'static str>,
) -> Response {
    let done = match ended {
        Some(Ok(done)) => done,
        // the tool's name is a parameter: so says the specification
        Some(Err(unknown)) => return RpcError::params(unknown.to_string()).under(id).into(),
        None => return RpcError::internal().under(id).into(),
    };
    // 2026-07-28: a call that needed what the client did not declare is a wrong request. Not one that went on without it.
    if era == Era::Stateless
        && let (Some(capability), Some(error)) = (lacked, &done.error)
        && error.code == ErrorCode::Unavailable
    {
        return Response { bad_request: true, ..RpcError::lacking(capability, &done.words()).under(id).into() };
    }
    let mut out = Vec::with_capacity(512);
    open(&mut out, id);
    match done.write_mcp(&mut out, era == Era::Stateless) {
        Ok(()) => {
            out.push(b'}');
            Response::ok(out)
        }
        Err(error) => {
            tracing::error!(target: "bdk::mcp", %error, "a result could not be written as JSON");
            RpcError::internal().under(id).into()
        }
    }
}

/// A response around a result that is made already.
pub(crate) fn of_result(id: &str, result: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(result.len() + id.len() + 40);
    open(&mut out, id);
    out.extend_from_slice(result);
    out.push(b'}');
    out
}

/// A response up to its result.
fn open(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
}

/// 2026-07-28: the call waits for answers, which come with a request that repeats it.
pub(crate) fn input_required(id: &str, requests: &Map<String, Value>, state: &str) -> Vec<u8> {
    let result = json!({ "resultType": "input_required", "inputRequests": requests, "requestState": state });
    of_result(id, result.to_string().as_bytes())
}

/// Up to 2025-11-25: a request of ours.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    // ids of ours are texts, so that they never meet the client's own
    json!({ "jsonrpc": "2.0", "id": format!("bdk-{id}"), "method": method, "params": params }).to_string().into_bytes()
}

/// The number of an id of ours.
pub(crate) fn our_id(json: &str) -> Option<u64> {
    json.strip_prefix("\"bdk-")?.strip_suffix('"')?.parse().ok()
}

/// How far a call is; `token` is JSON.
pub(crate) fn progress(token: &str, done: f64, total: Option<f64>, message: Option<&str>) -> Vec<u8> {
    let mut rest = json!({ "progress": number(done) });
    if let Some(total) = total {
        rest["total"] = number(total);
    }
    if let Some(message) = message {
        rest["message"] = message.into();
    }
    let rest = rest.to_string();
    let rest = rest.trim_start_matches('{');
    let head = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"#;
    format!("{head}{token},{rest}}}").into_bytes()
}

/// A whole number as one, because that is how people read it.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and far below the limit")]
    if value.fract() == 0.0 && value.abs() < 1e15 { (value as i64).into() } else { value.into() }
}

/// What a tool has to say beside its result.
pub(crate) fn log(level: LogLevel, tool: &str, message: &str) -> Vec<u8> {
    let params = json!({ "level": level.as_str(), "logger": tool, "data": message });
    json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }).to_string().into_bytes()
}

/// The tools are not the same any more.
pub(crate) const LIST_CHANGED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_the_token_as_it_was_sent() {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        assert_eq!(
            text(progress(r#""t\"1""#, 3.0, Some(10.0), Some("a"))),
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t\"1","progress":3,"total":10,"message":"a"}}"#
        );
        assert!(text(progress("7", 0.5, None, None)).ends_with(r#""progressToken":7,"progress":0.5}}"#));
    }

    #[test]
    fn an_id_of_ours_is_known_again() {
        let request: Value = serde_json::from_slice(&request(12, "roots/list", &json!({}))).unwrap();
        assert_eq!(our_id(&request["id"].to_string()), Some(12));
        for other in ["12", "\"12\"", "\"bdk-\"", "\"bdk-x\"", "null"] {
            assert_eq!(our_id(other), None, "{other}");
        }
    }
}
