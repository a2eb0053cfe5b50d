//! Connections: other servers' tools, in this bot.
//!
//! [`spec`] is what an author declares, [`template`] how a credential is named in it without being there.

mod spec;
mod template;

pub use spec::{
    AnyConnection, AuthoredConnection, Connection, HttpConnection, IntoConnection, NotYet, Pin, StdioConnection,
};
#[expect(unused_imports, reason = "the pool opens by it")]
pub(crate) use spec::{Declared, Spec, Transport};
pub use spec::{TakesHeaders, TakesProcess, TakesSignIn};
#[expect(unused_imports, reason = "the pool opens by it")]
pub(crate) use template::Template;
