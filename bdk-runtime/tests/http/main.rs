//! A whole bot over real sockets, spoken to in raw HTTP, so that nothing between test and server repairs a request.

mod auth;
mod bot;
mod calls;
mod client;
mod gate;
mod limits;
mod listings;
mod refused;
mod shutdown;
