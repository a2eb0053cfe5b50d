//! What of a session is at hand while something happens in it: its facts, what runs, and who listens.

use super::{Facts, Principal, SessionInfo, Workspaces};
use crate::{
    Timestamp, cut,
    lock::lock,
    store::{Batch, Did, NewEvent, Op, SessionRow, Status, Store, StoreError},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How many sessions are kept at hand in which nothing happens.
const AT_HAND: usize = 1024;

/// A session at hand.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) id: Arc<str>,
    pub(crate) info: SessionInfo,
    pub(crate) dry_run: bool,
    pub(crate) as_of: Option<Timestamp>,
    /// Cancelled when the session is deleted: what runs in it ends.
    pub(crate) stop: CancellationToken,
    /// The calls that run in it.
    pub(crate) running: TaskTracker,
    /// Told of every append: its value is how many there were since it came to hand.
    appended: watch::Sender<u64>,
}

impl Live {
    fn of(row: &SessionRow) -> Result<Self, StoreError> {
        let facts = Facts::of(row)?;
        Ok(Self {
            id: row.id.clone(),
            dry_run: facts.dry_run,
            as_of: facts.as_of,
            info: facts.info(&row.id, row.created_at),
            stop: CancellationToken::new(),
            running: TaskTracker::new(),
            appended: watch::Sender::new(0),
        })
    }
    /// Whether it belongs to whoever asks; the process itself, which asks without a name, sees every session.
    pub(crate) fn is_of(&self, asker: Option<&Principal>) -> bool {
        asker.is_none_or(|asker| self.info.auth.is_same(asker))
    }
    /// Waits until it is deleted; for ever where there is none. Whoever waits keeps it at hand.
    #[cfg(feature = "mcp")]
    pub(crate) async fn deleted(live: Option<&Arc<Self>>) {
        match live {
            Some(live) => live.stop.cancelled().await,
            None => std::future::pending().await,
        }
    }
    /// Tells of appends from now on.
    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.appended.subscribe()
    }
    /// Events were appended.
    pub(crate) fn told(&self) {
        self.appended.send_modify(|count| *count += 1);
    }
    /// The op that appends to it.
    pub(crate) fn append(&self, at: Timestamp, events: Vec<NewEvent>) -> Op {
        Op::Append { session: self.id.clone(), at, status: None::<Status>, events }
    }
}

/// Which session is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bind {
    Id(String),
    Token(String),
}

/// Why a session is not at hand.
#[derive(Debug, Clone)]
pub(crate) enum Unbound {
    /// There is none, or it is somebody else's.
    Unknown(Bind),
    /// The store cannot say.
    Unavailable(StoreError),
}

impl From<StoreError> for Unbound {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error)
    }
}

impl std::fmt::Display for Unbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(bind) => {
                let (what, text) = match bind {
                    Bind::Id(id) => ("session", id),
                    Bind::Token(token) => ("session with the continuation token", token),
                };
                write!(f, "there is no {what} \"{}\"", cut::repeated(text, 80))
            }
            Self::Unavailable(error) => error.fmt(f),
        }
    }
}

impl From<Unbound> for crate::Error {
    fn from(unbound: Unbound) -> Self {
        match unbound {
            Unbound::Unknown(_) => Self::new(unbound.to_string()),
            Unbound::Unavailable(error) => error.into(),
        }
    }
}

/// The sessions at hand, and the store that has them all.
pub(crate) struct Sessions {
    pub(crate) store: Arc<dyn Store>,
    at_hand: Mutex<HashMap<Arc<str>, Arc<Live>>>,
}

impl Sessions {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, at_hand: Mutex::default() }
    }

    /// Brings a session to hand, for whoever it belongs to.
    pub(crate) async fn bind(&self, bind: &Bind, asker: Option<&Principal>) -> Result<Arc<Live>, Unbound> {
        let unknown = || Unbound::Unknown(bind.clone());
        let live = match bind {
            Bind::Id(id) => match self.find(id) {
                // another process may have deleted it
                Some(live) if !self.store.is_shared() => Some(live),
                _ => self.store.session(id).await?.map(|row| self.bring(&row)).transpose()?,
            },
            // the store alone knows which one is good now
            Bind::Token(token) => self.store.session_of_token(token).await?.map(|row| self.bring(&row)).transpose()?,
        };
        live.filter(|live| live.is_of(asker) && !live.stop.is_cancelled()).ok_or_else(unknown)
    }

    /// A session that somebody has at hand, as it is now: also one whose deletion goes on.
    pub(crate) async fn again(&self, id: &str) -> Result<Arc<Live>, Unbound> {
        match self.store.session(id).await? {
            Some(row) => Ok(self.bring(&row)?),
            None => Err(Unbound::Unknown(Bind::Id(id.to_owned()))),
        }
    }

    /// A session that is at hand already.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Live>> {
        lock(&self.at_hand).get(id).cloned()
    }

    fn bring(&self, row: &SessionRow) -> Result<Arc<Live>, StoreError> {
        if let Some(live) = self.find(&row.id) {
            return Ok(live);
        }
        let live = Arc::new(Live::of(row)?);
        let mut at_hand = lock(&self.at_hand);
        if at_hand.len() >= AT_HAND {
            // whoever is in the middle of something holds one more
            at_hand.retain(|_, live| Arc::strong_count(live) > 1);
        }
        Ok(at_hand.entry(row.id.clone()).or_insert(live).clone())
    }

    /// Looks which of the sessions at hand another process has deleted: what runs in them here ends.
    pub(crate) async fn look(&self, workspaces: &Workspaces) -> Result<(), StoreError> {
        let at_hand: Vec<Arc<Live>> = lock(&self.at_hand).values().cloned().collect();
        for live in at_hand {
            if self.store.session(&live.id).await?.is_none() {
                live.stop.cancel();
                self.forget(&live.id);
                live.told();
                workspaces.remove_told(&live.id);
            }
        }
        Ok(())
    }

    /// Lets go of a session.
    pub(super) fn forget(&self, id: &str) {
        lock(&self.at_hand).remove(id);
    }

    /// Writes what happened, in a session where there is one, and tells whoever listens to it.
    pub(crate) async fn write(&self, live: Option<&Live>, batch: Batch) -> Result<Vec<Did>, StoreError> {
        let did = self.store.write(batch).await;
        if let Some(live) = live {
            match &did {
                Ok(_) => live.told(),
                // deleted by another process
                Err(StoreError::UnknownSession) => self.forget(&live.id),
                Err(_) => {}
            }
        }
        did
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SessionOptions, bot::Bot, registry::Registry};

    #[tokio::test]
    async fn what_runs_in_a_session_ends_when_another_process_deletes_it() {
        let bot = Bot::with(Registry::linked());
        let here = &bot.state().sessions;
        let there = Sessions::new(here.store.clone());
        let open = async || here.open(&bot, SessionOptions::new()).await.unwrap().id;
        let (kept, gone) = (open().await, open().await);
        let bound = async |id: &Arc<str>| here.bind(&Bind::Id(id.to_string()), None).await;
        let (kept, gone) = (bound(&kept).await.unwrap(), bound(&gone).await.unwrap());
        there.delete(&gone.id, None, &Workspaces::temporary()).await.unwrap();
        assert!(!gone.stop.is_cancelled());
        here.look(&Workspaces::temporary()).await.unwrap();
        assert!(gone.stop.is_cancelled() && !kept.stop.is_cancelled());
        assert!(matches!(bound(&gone.id).await, Err(Unbound::Unknown(_))));
    }
}
