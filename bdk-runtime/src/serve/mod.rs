//! The HTTP front: a thin door to the call path.
//!
//! A request passes, in this order: the gate (Host and Origin, in front of every route), the auth chain (before a
//! body is read; host routes are open), then its route. The call of a tool, the hot route, is matched by hand; whatever else
//! there is goes through an axum router.

mod answer;
mod artifacts;
mod asker;
mod auth;
mod bearer;
mod body;
mod call_body;
mod chain;
mod door;
mod gate;
mod handle;
mod listen;
#[cfg(feature = "mcp")]
mod mcp;
mod members;
mod openapi;
mod query;
mod refused;
mod routes;
mod server;
mod session;
#[cfg(feature = "mcp")]
mod sse;
pub(crate) mod surface;
mod tools;

pub use auth::{AuthFuture, AuthRequest, Authenticator, Verdict};
pub use handle::ServeHandle;
pub use server::{ServeMode, Server};
