//! What the process of an authored connection is told of the session that a call is part of: it has none of its own.

use super::{Facts, SessionInfo};
use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// As it stands in `_meta` of a call, where it is called this.
pub(crate) const META: &str = "bdk/session";

/// A session, and the facts that hold for the call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Handed {
    id: String,
    created_at: Timestamp,
    facts: Facts,
}

/// What a call sees of it.
#[cfg(all(feature = "commands", feature = "mcp"))]
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) info: SessionInfo,
    pub(crate) dry_run: bool,
    pub(crate) as_of: Option<Timestamp>,
}

impl Handed {
    pub(crate) fn of(info: &SessionInfo, dry_run: bool, as_of: Option<Timestamp>) -> Self {
        let SessionInfo { id, agent, mode, purpose, auth, title, state, created_at } = info.clone();
        Self { id, created_at, facts: Facts { agent, mode, auth, title, purpose, state, dry_run, as_of } }
    }
}

#[cfg(all(feature = "commands", feature = "mcp"))]
impl From<Handed> for Given {
    fn from(handed: Handed) -> Self {
        let Handed { id, created_at, facts } = handed;
        let (dry_run, as_of) = (facts.dry_run, facts.as_of);
        Self { info: facts.info(&id, created_at), dry_run, as_of }
    }
}
