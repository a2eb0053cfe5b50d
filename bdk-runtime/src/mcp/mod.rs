//! The MCP server: what a bot's tools look like to MCP clients, over whichever transport.
//!
//! The way of a request:
//! 1. its door (`serve::mcp` for HTTP, `stdio`) reads it into a [`Message`] and finds out who sent it ([`client`]);
//! 2. `tools/list` and `tools/call`, which is nearly all there ever is, are answered in [`tools`], through the call path, in
//!    both eras of the protocol and on every transport;
//! 3. whatever else there is (`initialize`, `server/discover`, `ping`, `subscriptions/listen`, what does not exist) is
//!    rmcp's ([`other`]), and so is a call that is unusual in its headers.
//!
//! A call that says something before it ends is an [`answering::Answering`]; one that waits for its caller between two
//! requests lies in [`parked`]. [`session`] has what was agreed with clients of the older era.

pub(crate) mod answering;
mod calling;
pub(crate) mod client;
pub(crate) mod error;
mod listing;
pub(crate) mod message;
pub(crate) mod other;
mod parked;
pub(crate) mod response;
pub(crate) mod session;
#[cfg(feature = "commands")]
pub(crate) mod stdio;
pub(crate) mod tools;

pub(crate) use message::Message;

use crate::{bot::Bot, lock::lock};
use listing::Listing;
use parked::ParkedCalls;
use session::Sessions;
use std::sync::Arc;

/// What all of a bot's MCP clients share.
pub(crate) struct Mcp {
    pub(crate) bot: Bot,
    listing: Listing,
    pub(crate) sessions: Sessions,
    parked: ParkedCalls,
}

impl Mcp {
    pub(crate) fn new(bot: Bot) -> Arc<Self> {
        Arc::new(Self { bot, listing: Listing::new(), sessions: Sessions::new(), parked: ParkedCalls::default() })
    }
    /// The bot goes down: no question will be answered.
    pub(crate) fn close(&self) {
        self.sessions.close_questions();
        self.parked.clear();
    }
}
