//! All that is known of a session, for whoever it belongs to.

use super::{Facts, Mode, Principal};
use crate::{
    Status, Timestamp, secrets,
    store::{SessionRow, StoreError},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A session as it is at one moment: what was said when it was opened, and how far it is. Its JSON is that of
/// `GET /session/{id}`.
///
/// ```
/// use bdk::{SessionOptions, prelude::*};
///
/// # bdk::__private::block_on(async {
/// let session = TestBot::new().open_session(SessionOptions::new().title("Audit").dry_run(true)).await;
/// let detail = session.detail().await?;
/// assert_eq!((detail.title.as_deref(), detail.dry_run), (Some("Audit"), true));
/// assert_eq!(detail.status.as_str(), "waiting");
/// assert_eq!(detail.events, 2); // `session.started`, `session.waiting`
/// # Ok::<(), bdk::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionDetail {
    /// `ses_…`.
    #[serde(rename = "sessionId")]
    pub id: String,
    /// The agent's slug.
    pub agent: String,
    /// How it goes on.
    pub mode: Mode,
    /// How it is.
    pub status: Status,
    /// Its title.
    pub title: Option<String>,
    /// What it is for, in its opener's words.
    pub purpose: Option<String>,
    /// What its opener left in it. A listing over HTTP leaves it out: read from one, it is null.
    #[serde(default)]
    pub state: Value,
    /// Whether writes are stubbed in it.
    pub dry_run: bool,
    /// The instant at which its time is frozen, if it is.
    pub as_of: Option<Timestamp>,
    /// Who opened it.
    pub auth: Arc<Principal>,
    /// When it was opened, to the millisecond.
    pub created_at: Timestamp,
    /// When something happened in it last, to the millisecond.
    pub updated_at: Timestamp,
    /// How many events its log has.
    pub events: u64,
    /// The token by which a call can mean it, as it is now.
    pub continuation_token: String,
}

impl SessionDetail {
    /// What is told of it: without secrets, also those that its opener left in it. Its tools see them.
    pub(crate) fn of(row: SessionRow) -> Result<Self, StoreError> {
        let facts = Facts::parse(&row.id, &secrets::blank_json(&row.facts))?;
        Ok(Self {
            id: row.id.as_ref().to_owned(),
            agent: facts.agent,
            mode: facts.mode,
            status: row.status,
            title: facts.title,
            purpose: facts.purpose,
            state: facts.state,
            dry_run: facts.dry_run,
            as_of: facts.as_of,
            auth: facts.auth,
            created_at: row.created_at,
            updated_at: row.updated_at,
            events: row.events,
            continuation_token: row.token,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_routes_answer_is_read_back() {
        let mut answer = json!({
            "ok": true, "sessionId": "ses_abcdefghij0123450123", "agent": "a", "mode": "chat", "status": "waiting",
            "title": null, "purpose": null, "state": [1], "dryRun": true, "asOf": "2026-01-01T00:00:00Z",
            "auth": { "kind": "local", "subject": "process" }, "createdAt": "2026-01-01T00:00:00Z",
            "updatedAt": "2026-01-01T00:00:00Z", "events": 2, "continuationToken": "http:x", "traceUrl": "http://h/",
        });
        let detail: SessionDetail = serde_json::from_value(answer.clone()).unwrap();
        assert_eq!((detail.dry_run, &detail.state, detail.mode), (true, &json!([1]), Mode::Chat));
        assert_eq!(serde_json::from_value::<SessionDetail>(json!(detail)).unwrap(), detail);
        answer.as_object_mut().unwrap().remove("state");
        assert_eq!(serde_json::from_value::<SessionDetail>(answer).unwrap().state, Value::Null);
    }
}
