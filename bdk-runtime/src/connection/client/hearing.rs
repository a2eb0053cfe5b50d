//! What the bot hears from a server, and how the server sees it.

use super::Changed;
use crate::bot::Identity;
use rmcp::{
    ClientHandler, Peer, RoleClient,
    model::{ClientCapabilities, ClientConfig, Implementation, SubscriptionFilter},
    service::NotificationContext,
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

/// The bot as servers see it: it has tools called, and nothing else.
#[derive(Clone)]
pub(super) struct Handler {
    pub(super) changed: Changed,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let Identity { name, version } = Identity::get();
        ClientConfig::new(ClientCapabilities::default(), Implementation::new(name, version))
    }
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        (self.changed)();
    }
}
