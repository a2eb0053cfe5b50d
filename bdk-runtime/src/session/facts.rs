//! What was said of a session when it was opened: it never changes.

use super::{Mode, Principal, SessionInfo};
use crate::{
    Timestamp,
    store::{SessionRow, StoreError},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// As the store keeps it, and `session.started` tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facts {
    pub(crate) agent: String,
    pub(crate) mode: Mode,
    pub(crate) auth: Arc<Principal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) purpose: Option<String>,
    pub(crate) state: Value,
    pub(crate) dry_run: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) as_of: Option<Timestamp>,
}

impl Facts {
    /// The facts of a session that was kept.
    pub(crate) fn of(row: &SessionRow) -> Result<Self, StoreError> {
        Self::parse(&row.id, &row.facts)
    }
    pub(super) fn parse(id: &str, facts: &str) -> Result<Self, StoreError> {
        serde_json::from_str(facts)
            .map_err(|e| StoreError::unavailable(format_args!("the facts of {id} cannot be read: {e}")))
    }
    /// What its tools see of it.
    pub(crate) fn info(self, id: &str, created_at: Timestamp) -> SessionInfo {
        SessionInfo {
            id: id.to_owned(),
            agent: self.agent,
            mode: self.mode,
            purpose: self.purpose,
            auth: self.auth,
            title: self.title,
            state: self.state,
            created_at,
        }
    }
}
