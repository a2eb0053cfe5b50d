//! What a call is part of: who asks, and the session with its facts.
//!
//! [`open`] opens, lists and deletes sessions, [`live`] is what of one is at hand while something happens in it, [`follow`] reads
//! its log, [`workspace`] is its folder. All of it is kept in the [`Store`](crate::store::Store).

#[cfg(feature = "commands")]
mod again;
mod detail;
mod event;
mod facts;
mod follow;
#[cfg(feature = "connections")]
mod handed;
mod live;
mod open;
mod options;
mod workspace;

pub use detail::SessionDetail;
pub use event::Event;
#[cfg(feature = "http")]
pub(crate) use event::write_line;
pub(crate) use facts::Facts;
pub(crate) use follow::Follow;
#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
pub(crate) use handed::Given;
#[cfg(feature = "connections")]
pub(crate) use handed::{Handed, META};
pub(crate) use live::{Bind, Live, Sessions, Unbound};
pub(crate) use open::Unopened;
pub use options::SessionOptions;
pub(crate) use workspace::Workspaces;

use crate::{Timestamp, store::Owner};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};

/// Who asks, as an authenticator found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Principal {
    /// What kind of caller: `local`, `bearer`, `anonymous`, or an author's own word.
    pub kind: String,
    /// Which one. Of a bearer: the beginning of its token's SHA-256 digest. Of an anonymous caller nothing is known, so that all are
    /// one.
    pub subject: String,
    /// Whatever else is known of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
}

impl Principal {
    /// A caller of this kind and name.
    pub fn new(kind: impl Into<String>, subject: impl Into<String>) -> Self {
        Self { kind: kind.into(), subject: subject.into(), attributes: Map::new() }
    }
    /// Something more that is known of it.
    #[must_use]
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.attributes.insert(name.into(), value.into());
        self
    }
    /// Whether it is the same caller: what else is known of one may change from request to request.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.subject == other.subject
    }
    /// Whether something of this owner is its own.
    pub(crate) fn owns(&self, owner: &Owner) -> bool {
        self.kind == owner.kind && self.subject == owner.subject
    }
    /// As the store keeps it.
    pub(crate) fn owner(&self) -> Owner {
        Owner { kind: self.kind.clone(), subject: self.subject.clone() }
    }
    /// The process itself: calls from the command line, from code and from tests.
    pub fn local() -> Arc<Self> {
        static LOCAL: LazyLock<Arc<Principal>> = LazyLock::new(|| Arc::new(Principal::new("local", "process")));
        LOCAL.clone()
    }
}

/// How a session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// No conversation: the one of a call that belongs to no session.
    Direct,
    /// Waits after a turn.
    Chat,
    /// Ends completed or failed.
    Task,
}

/// The session a call is part of. A call that belongs to none has one of its own, with mode [`Mode::Direct`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionInfo {
    /// `ses_…`.
    pub id: String,
    /// The agent's slug.
    pub agent: String,
    /// How it goes on.
    pub mode: Mode,
    /// What it is for, in its opener's words.
    pub purpose: Option<String>,
    /// Who opened it.
    pub auth: Arc<Principal>,
    /// Its title.
    pub title: Option<String>,
    /// What its opener left in it.
    pub state: Value,
    /// When it was opened.
    pub created_at: Timestamp,
}
