//! What rmcp refuses in words that would mislead: told again.

use crate::mcp::{Message, error::RpcError, other::serves};
use http::StatusCode;
use serde::Deserialize;

/// A refusal in the place of rmcp's own, where that is no JSON-RPC or says that a method does not exist that does.
pub(super) fn again(status: StatusCode, body: &[u8], message: &Message<'_>) -> Option<(StatusCode, RpcError)> {
    /// As much of a response as matters here.
    #[derive(Deserialize)]
    struct Response {
        error: Option<Failed>,
    }
    #[derive(Deserialize)]
    struct Failed {
        code: i64,
    }
    let response = match serde_json::from_slice::<Response>(body) {
        Ok(response) => response,
        Err(error) if error.is_data() => return None,
        Err(_) => {
            let refused = status.is_client_error() || status.is_server_error();
            return refused.then(|| (status, RpcError::request(String::from_utf8_lossy(body).into_owned())));
        }
    };
    response.error.filter(|error| error.code == -32601)?;
    let method = message.method()?;
    if !serves(method) || is_of_the_other_era(method, message) {
        return Some((status, RpcError::method(method)));
    }
    // rmcp tries a request for one method after the other, so that one whose parameters fit none of them is to it one of
    // no known method
    let error = RpcError::params(format!("the parameters of `{method}` are not what the protocol says they are"));
    Some((StatusCode::BAD_REQUEST, error))
}

fn is_of_the_other_era(method: &str, message: &Message<'_>) -> bool {
    let stateless = message.meta().is_some_and(|meta| meta.protocol_version.is_some());
    match method {
        "server/discover" | "subscriptions/listen" => !stateless,
        "initialize" | "ping" | "logging/setLevel" => stateless,
        _ => false,
    }
}
