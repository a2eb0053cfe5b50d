//! `mcp`: the bot as a server for MCP clients on this machine, and how they are told of it.

pub(super) mod config;
#[cfg(feature = "connections")]
pub(super) mod connections;
#[cfg(feature = "connections")]
pub(super) mod lock;
pub(super) mod serve;
