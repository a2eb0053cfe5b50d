//! What rmcp's errors say, in words: its own name the types of its transports.

use crate::{
    connection::failed::{Failed, Kind},
    cut,
};
use rmcp::{
    model::{ErrorData, ProtocolVersion},
    service::ClientInitializeError,
};
use std::error::Error;

/// What rmcp says to a call whose stream went with its session.
const REOPENED: &str = "streamable HTTP session was re-initialized before the response arrived";

pub(super) fn of_server(error: &ErrorData) -> Failed {
    if error.message == REOPENED {
        return Failed::bare(Kind::Lost, "its session was gone before it answered");
    }
    let code = i64::from(error.code.0);
    let message = cut::repeated(&error.message, 2_000);
    let words = format!("it answers with an error: {message} ({code})");
    Failed::bare(Kind::Server { code, message }, words)
}

pub(super) fn of_transport(error: &(dyn Error + 'static), kind: Kind) -> Failed {
    let mut source = Some(error);
    while let Some(current) = source {
        if let Some(failed) = current.downcast_ref::<Failed>() {
            return failed.clone();
        }
        source = current.source();
    }
    Failed::bare(kind, cut::repeated(&error.to_string(), 300))
}

pub(super) fn of_handshake(error: &ClientInitializeError) -> Failed {
    let words = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return of_handshake(fallback),
        ClientInitializeError::TransportError { error, .. } => return of_transport(&*error.error, Kind::Open),
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refuses the handshake: {} ({})", cut::repeated(&error.message, 500), error.code.0)
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let known: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).collect();
            format!("it speaks no version of MCP that bdk speaks, but {}", cut::repeated(&known.join(", "), 200))
        }
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection during the handshake".to_owned(),
        other => format!("its answer to the handshake is another: {}", cut::repeated(&other.to_string(), 300)),
    };
    Failed::bare(Kind::Open, words)
}
