//! A session as it was, opened again for a replay of its calls.

use super::{Facts, Sessions};
use crate::{
    Timestamp,
    store::{Op, SessionRow, Status, StoreError},
};

impl Sessions {
    /// Opens a session with the id and the facts of one that was recorded elsewhere. Whatever it was then, it is a dry run.
    pub(crate) async fn open_again(&self, id: &str, opened: Timestamp, facts: &Facts) -> Result<(), StoreError> {
        let facts = Facts { dry_run: true, ..facts.clone() };
        let row = SessionRow {
            id: id.into(),
            owner: facts.auth.owner(),
            // texts and values always serialise
            facts: serde_json::to_string(&facts).unwrap_or_default(),
            status: Status::Waiting,
            token: format!("replay:{id}"),
            created_at: opened,
            updated_at: opened,
            events: 0,
        };
        self.store.write(vec![Op::OpenSession(Box::new(row))]).await.map(drop)
    }
}
