//! Connections: other servers' tools, in this bot.
//!
//! [`spec`] is what an author declares, [`template`] how a credential is named in it without being there, [`declared`] what the
//! binary has of it, [`check`] what is wrong with it.

mod check;
mod declared;
mod spec;
mod template;

pub(crate) use declared::{Access, Declared};
pub use declared::{ConnectionDef, ConnectionRef};
#[expect(unused_imports, reason = "the pool opens by it")]
pub(crate) use spec::Spec;
#[cfg_attr(not(feature = "commands"), expect(unused_imports, reason = "the pool opens by it"))]
pub(crate) use spec::Transport;
pub use spec::{
    AnyConnection, AuthoredConnection, Connection, HttpConnection, IntoConnection, NotYet, Pin, StdioConnection,
};
pub use spec::{ConnectionKind, TakesHeaders, TakesProcess, TakesSignIn};
pub(crate) use template::Template;
