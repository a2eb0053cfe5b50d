//! One request for rmcp where there is no HTTP: its answer, and whatever it says before.

use super::Handler;
use crate::{
    mcp::{Mcp, Message, client::STATELESS, error::RpcError},
    session::Live,
};
use rmcp::{
    model::{ClientCapabilities, ClientJsonRpcMessage, Implementation, InitializeRequestParams, ProtocolVersion},
    service::{RoleServer, serve_directly_with_ct},
    transport::OneshotTransport,
};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What rmcp says to a request, message by message, its response last.
pub(crate) struct Said(mpsc::Receiver<rmcp::model::ServerJsonRpcMessage>);

impl Said {
    /// The next message as JSON.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        let message = self.0.recv().await?;
        // rmcp's own messages always serialise
        serde_json::to_vec(&message).ok()
    }
}

/// Has rmcp answer a request. `version` is the one that was agreed on, where one was.
pub(crate) fn ask(
    mcp: &Arc<Mcp>,
    bound: Option<Arc<Live>>,
    message: &Message<'_>,
    json: &[u8],
    version: Option<&str>,
    cancel: CancellationToken,
) -> Result<Said, RpcError> {
    let request: ClientJsonRpcMessage = serde_json::from_slice(json)
        .map_err(|error| RpcError::request(format!("the message is no MCP request: {error}")).of(message.id))?;
    let own = message.meta().and_then(|meta| meta.protocol_version.as_ref()).map(|version| &*version.0);
    let version = own.or(version).unwrap_or(if own.is_some() { STATELESS } else { "2025-03-26" });
    let version = serde_json::from_value::<ProtocolVersion>(Value::from(version));
    let peer = InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
        .with_protocol_version(version.unwrap_or(ProtocolVersion::V_2025_03_26));
    let (transport, said) = OneshotTransport::<RoleServer>::new(request);
    let service = serve_directly_with_ct(Handler { mcp: mcp.clone(), bound }, transport, Some(peer), cancel);
    tokio::spawn(async move {
        let _ = service.waiting().await;
    });
    Ok(Said(said))
}
