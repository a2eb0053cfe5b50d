//! The MCP server.

#[allow(dead_code)] // until its callers are merged
pub(crate) mod listing;
