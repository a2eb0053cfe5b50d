//! Opening a session, and what else is done with one as a whole.

use super::{Bind, Facts, Principal, SessionOptions, Sessions, Unbound, Workspaces};
use crate::{
    Timestamp,
    bot::Bot,
    id, secrets,
    store::{Did, NewEvent, Op, SessionPage, SessionRow, Status, StoreError, StoredEvent},
};
use std::{sync::Arc, time::Duration};

/// The channel of tokens that bdk itself gives.
const CHANNEL: &str = "http";
/// How many are read at once.
const PAGE: usize = 1000;
/// How long a deletion waits for what runs in the session.
const ENDING: Duration = Duration::from_secs(5);

/// Why a session was not opened.
#[derive(Debug)]
pub(crate) enum Unopened {
    /// Something about it cannot be.
    Invalid(String),
    Unavailable(StoreError),
}

impl From<Unopened> for crate::Error {
    fn from(unopened: Unopened) -> Self {
        match unopened {
            Unopened::Invalid(why) => Self::new(why),
            Unopened::Unavailable(error) => error.into(),
        }
    }
}

/// `<channel>:<key>`, of a key that nobody can guess.
fn token() -> String {
    format!("{CHANNEL}:{}", id::secret())
}

impl Sessions {
    /// Opens a session, without a turn.
    pub(crate) async fn open(&self, bot: &Bot, options: SessionOptions) -> Result<SessionRow, Unopened> {
        if let Some(fault) = options.fault() {
            return Err(Unopened::Invalid(fault));
        }
        let auth = options.principal.unwrap_or_else(Principal::local);
        let owner = auth.owner();
        let facts = Facts {
            agent: bot.slug().to_owned(),
            mode: options.mode,
            auth,
            title: options.title,
            purpose: options.purpose,
            state: options.state,
            dry_run: options.dry_run.unwrap_or(false),
            as_of: options.as_of,
        };
        let now = bot.now_in_ms();
        // a struct of texts and values always serialises
        let facts = serde_json::to_string(&facts).unwrap_or_default();
        let row = SessionRow {
            id: id::session_id().into(),
            owner,
            status: Status::Waiting,
            token: token(),
            created_at: now,
            updated_at: now,
            events: 2,
            facts,
        };
        let started = NewEvent { kind: "session.started", data: secrets::blank_json(&row.facts).into_owned() };
        let waiting = NewEvent { kind: "session.waiting", data: "{}".to_owned() };
        let opened = SessionRow { events: 0, ..row.clone() };
        let append = Op::Append {
            session: row.id.clone(),
            at: now,
            status: Some(Status::Waiting),
            events: vec![started, waiting],
        };
        let did = self.store.write(vec![Op::OpenSession(Box::new(opened)), append]).await;
        did.map(|_| row).map_err(Unopened::Unavailable)
    }

    /// A session as it is now.
    pub(crate) async fn row(&self, id: &str, asker: Option<&Principal>) -> Result<SessionRow, Unbound> {
        let row = self.store.session(id).await?;
        row.filter(|row| asker.is_none_or(|asker| asker.owns(&row.owner)))
            .ok_or_else(|| Unbound::Unknown(Bind::Id(id.to_owned())))
    }

    /// The sessions of whoever asks, the youngest first; all of them for the process itself. `after` is when the last one of
    /// the page before was opened, and its id: it need not be there any more.
    pub(crate) async fn list(
        &self,
        asker: Option<&Principal>,
        after: Option<(Timestamp, &str)>,
        limit: usize,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let owner = asker.map(Principal::owner);
        self.store.sessions(SessionPage { owner: owner.as_ref(), after, limit }).await
    }

    /// All sessions of the bot, whoever's they are, the youngest first.
    pub(crate) async fn all(&self) -> Result<Vec<SessionRow>, StoreError> {
        let mut all = Vec::new();
        loop {
            let after = all.last().map(|row: &SessionRow| (row.created_at, row.id.clone()));
            let page = self.list(None, after.as_ref().map(|(at, id)| (*at, &**id)), PAGE).await?;
            let whole = page.len() == PAGE;
            all.extend(page);
            if !whole {
                return Ok(all);
            }
        }
    }

    /// Events of a session.
    pub(crate) async fn events(&self, id: &str, from: u64, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.events(id, from, limit).await
    }

    /// Gives a session another continuation token, in the place of this one.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when it is not the one it has.
    pub(crate) async fn rotate(&self, id: &Arc<str>, expected: &str) -> Result<String, StoreError> {
        let token = token();
        let op = Op::SetToken { session: id.clone(), expected: expected.to_owned(), token: token.clone() };
        self.store.write(vec![op]).await.map(|_| token)
    }

    /// Deletes a session: what runs in it is cancelled, its events, files and workspace go.
    pub(crate) async fn delete(
        &self,
        id: &str,
        asker: Option<&Principal>,
        workspaces: &Workspaces,
    ) -> Result<(), Unbound> {
        let unknown = || Unbound::Unknown(Bind::Id(id.to_owned()));
        let live = self.bind(&Bind::Id(id.to_owned()), asker).await?;
        live.stop.cancel();
        live.running.close();
        if tokio::time::timeout(ENDING, live.running.wait()).await.is_err() {
            tracing::warn!(target: "bdk::session", session = id, "a call goes on in a session that is deleted");
        }
        let did = self.store.write(vec![Op::DeleteSession { session: live.id.clone() }]).await;
        // on an error it is there still, and can be brought to hand again
        self.forget(id);
        live.told();
        let existed = did?.first() == Some(&Did::Existed(true));
        workspaces.remove_told(id);
        if existed { Ok(()) } else { Err(unknown()) }
    }
}
