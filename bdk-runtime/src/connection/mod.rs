//! Connections: other servers' tools, in this bot.
//!
//! [`spec`] is what an author declares, [`template`] how a credential is named in it without being there, [`declared`] what the
//! binary has of it, [`check`] what is wrong with it. With the feature `connections` there is more: [`pool`] has them all, [`places`] the processes of authored ones, [`held`]
//! one of them with what happens to it ([`breaker`], [`flight`], [`given`], [`listing`], [`unread`]), [`client`] is an open server over
//! [`wire`] or a [`child`]; [`offered`] says which tools of it there are, [`lock`] whether they are
//! what they were, [`names`] and [`advertised`] put them among the bot's, [`mended`] where their schemas
//! are in another dialect.
#![cfg_attr(not(feature = "connections"), allow(dead_code, unused_imports, reason = "nothing opens them"))]

#[cfg(feature = "connections")]
mod advertised;
#[cfg(feature = "connections")]
mod breaker;
#[cfg(feature = "connections")]
mod called;
mod check;
#[cfg(feature = "connections")]
mod child;
#[cfg(feature = "connections")]
mod client;
mod declared;
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
pub(crate) mod lock;
#[cfg(feature = "connections")]
mod mended;
#[cfg(feature = "connections")]
mod names;
#[cfg(feature = "connections")]
pub(crate) mod offered;
#[cfg(feature = "connections")]
mod outcome;
#[cfg(feature = "connections")]
mod places;
#[cfg(feature = "connections")]
mod pool;
mod spec;
mod template;
#[cfg(feature = "connections")]
#[cfg(test)]
mod tests;
#[cfg(feature = "connections")]
mod unread;
#[cfg(feature = "connections")]
mod wire;

#[cfg(all(feature = "connections", feature = "commands"))]
pub(crate) use advertised::misgiving;
pub(crate) use declared::{Access, Declared};
pub use declared::{ConnectionDef, ConnectionRef};
pub(crate) use spec::Spec;
#[cfg_attr(not(feature = "commands"), allow(unused_imports, reason = "nobody shows them"))]
pub(crate) use spec::Transport;
pub use spec::{
    AnyConnection, AuthoredConnection, Connection, HttpConnection, IntoConnection, NotYet, Pin, StdioConnection,
};
pub use spec::{ConnectionKind, TakesHeaders, TakesProcess, TakesSignIn};
pub(crate) use template::Template;
#[cfg(feature = "connections")]
pub(crate) use {
    advertised::{Advertised, Until, follow},
    called::{CallInfo, Called, Hears},
    child::of_user,
    failed::{Failed, Kind},
    held::{STARTS_ITSELF, is_own_process},
    listing::{Annotations, Listing, RemoteTool},
    names::Names,
    places::Place,
    pool::Connections,
};
