//! What a call is part of: who asks, and the session with its facts.

use crate::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};

/// Who asks, as an authenticator found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Principal {
    /// What kind of caller: `local`, `bearer`, `anonymous`, or an author's own word.
    pub kind: String,
    /// Which one.
    pub subject: String,
    /// Whatever else is known of it.
    #[serde(skip_serializing_if = "Map::is_empty")]
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
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "what outlives a request is MCP's"))]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.subject == other.subject
    }
    /// The process itself: calls from the command line, from code and from tests.
    pub fn local() -> Arc<Self> {
        static LOCAL: LazyLock<Arc<Principal>> = LazyLock::new(|| Arc::new(Principal::new("local", "process")));
        LOCAL.clone()
    }
}

/// How a session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
