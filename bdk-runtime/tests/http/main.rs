//! A whole bot over real sockets, spoken to in raw HTTP, so that nothing between test and server repairs a request.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test ends where something is not as it should be"
)]

mod artifacts;
mod auth;
mod bot;
mod calls;
mod changes;
mod client;
mod gate;
mod limits;
mod listings;
mod refused;
mod sessions;
mod shutdown;
