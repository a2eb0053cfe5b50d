//! Connections: other servers' tools, in this bot.
//!
//! [`spec`] is what an author declares, [`template`] how a credential is named in it without being there. With the feature
//! `connections` there is more: [`pool`] has them all, [`held`] one of them with what happens to it ([`breaker`], [`flight`],
//! [`given`], [`listing`]), [`client`] is an open server over [`wire`] or a [`child`].
#![cfg_attr(not(test), allow(dead_code, reason = "the call path and the command line come to it"))]

#[cfg(feature = "connections")]
mod breaker;
#[cfg(feature = "connections")]
mod called;
#[cfg(feature = "connections")]
mod child;
#[cfg(feature = "connections")]
mod client;
#[cfg(feature = "connections")]
mod failed;
#[cfg(feature = "connections")]
mod flight;
#[cfg(feature = "connections")]
mod given;
#[cfg(feature = "connections")]
mod held;
#[cfg(feature = "connections")]
mod limits;
#[cfg(feature = "connections")]
mod listing;
#[cfg(feature = "connections")]
mod pool;
mod spec;
mod template;
#[cfg(feature = "connections")]
#[cfg(test)]
mod tests;
#[cfg(feature = "connections")]
mod wire;

pub use spec::{
    AnyConnection, AuthoredConnection, Connection, HttpConnection, IntoConnection, NotYet, Pin, StdioConnection,
};
#[expect(unused_imports, reason = "the registry makes them")]
pub(crate) use spec::{Declared, Spec, Transport};
pub use spec::{TakesHeaders, TakesProcess, TakesSignIn};
#[expect(unused_imports, reason = "the checks of the registry read it")]
pub(crate) use template::Template;
#[cfg(feature = "connections")]
#[expect(unused_imports, reason = "the call path opens by it")]
pub(crate) use {
    called::{CallInfo, Called},
    failed::{Failed, Kind},
    listing::{Annotations, Listing, RemoteTool},
    pool::Connections,
};
