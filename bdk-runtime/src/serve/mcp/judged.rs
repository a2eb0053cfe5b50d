//! What rmcp refuses in words that would mislead: told again.

use crate::mcp::{Message, error::RpcError};
use http::StatusCode;
use serde::Deserialize;

/// The methods that rmcp knows. It tries a request for one after the other, so that one whose parameters fit none of them
/// is to it one of no known method.
const KNOWN: [&str; 7] =
    ["initialize", "ping", "logging/setLevel", "server/discover", "subscriptions/listen", "tools/list", "tools/call"];

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
    let method = message.method().filter(|method| KNOWN.contains(method))?;
    // of a method of the other era it is true
    let unknown = response.error.is_some_and(|error| error.code == -32601) && !is_of_the_other_era(method, message);
    unknown.then(|| {
        let error = RpcError::params(format!("the parameters of `{method}` are not what the protocol says they are"));
        (StatusCode::BAD_REQUEST, error)
    })
}

fn is_of_the_other_era(method: &str, message: &Message<'_>) -> bool {
    let stateless = message.meta().is_some_and(|meta| meta.protocol_version.is_some());
    match method {
        "server/discover" | "subscriptions/listen" => !stateless,
        "ping" | "logging/setLevel" => stateless,
        _ => false,
    }
}
