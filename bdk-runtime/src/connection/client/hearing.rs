//! What the bot hears from a server, and how the server sees it.

use super::Changed;
use crate::bot::Identity;
use rmcp::{
    ClientHandler, ErrorData, Peer, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, Implementation,
        ProtocolVersion, SubscriptionFilter,
    },
    service::{NotificationContext, RequestContext},
};
use std::time::Duration;

/// Hears from servers without sessions that their tools changed.
pub(super) async fn listen(peer: Peer<RoleClient>, changed: Changed) {
    let mut pause = Duration::from_secs(1);
    loop {
        let wanted = SubscriptionFilter::builder().tools_list_changed().build();
        if let Ok(mut heard) = peer.listen(wanted).await {
            pause = Duration::from_secs(1);
            while let Ok(Some(_)) = heard.next().await {
                changed();
            }
        }
        if peer.is_transport_closed() {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(60));
        // whatever was said meanwhile, nobody heard
        changed();
    }
}

fn nobody(capability: &str) -> ErrorData {
    let words = format!("this client has not declared the capability `{capability}`");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}

/// The bot as servers see it: it has tools called, and nothing else.
#[derive(Clone)]
pub(super) struct Handler {
    pub(super) changed: Changed,
    /// What a handshake asks for.
    pub(super) version: ProtocolVersion,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let Identity { name, version } = Identity::get();
        ClientConfig::new(ClientCapabilities::default(), Implementation::new(name, version))
            .with_protocol_version(self.version.clone())
    }
    // a bot that says that it cannot be asked is asked all the same by some: nobody declined
    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(nobody("elicitation"))
    }
    #[expect(deprecated, reason = "servers of the versions that have it still ask")]
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        Err(nobody("roots"))
    }
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        (self.changed)();
    }
}
