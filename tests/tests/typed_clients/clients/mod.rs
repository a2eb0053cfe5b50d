// Written by `mcp lock` (sha256:8ca7499a0a5a2b88d3b43b51db381ad03b9e352d59a87fba610bcb38c2d01da1): change the connection, and run it again.
//! Typed clients of this bot's connections.

#[rustfmt::skip]
pub mod nasty;
