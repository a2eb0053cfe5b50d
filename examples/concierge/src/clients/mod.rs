// Written by `mcp lock` (sha256:ea330ed3416307951b632fc52135577496cb5f225a5331f2131c1cbe37f3f34a): change the connection, and run it again.
//! Typed clients of this bot's connections.

#[rustfmt::skip]
pub mod checkout;
#[rustfmt::skip]
pub mod clock;
#[rustfmt::skip]
pub mod files;
