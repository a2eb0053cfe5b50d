//! What a bot keeps: its store, its sessions, their folders. Made when first needed, or at the start of what serves.

#[cfg(feature = "sqlite")]
use crate::store::{Access, Sqlite};
use crate::{
    Error,
    bot::Bot,
    call::recover,
    session::{Sessions, Workspaces},
    store::{Memory, Op, Store},
};
use futures_util::future::BoxFuture;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, Mutex},
};

/// Where a bot keeps its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StateAt {
    /// A folder: SQLite and plain files.
    Folder(PathBuf),
    /// A PostgreSQL database, by its URL.
    Postgres(String),
    /// Nowhere: it ends with the process.
    Memory,
}

impl Default for StateAt {
    fn default() -> Self {
        if cfg!(feature = "sqlite") { Self::Folder(".bdk".into()) } else { Self::Memory }
    }
}

impl FromStr for StateAt {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "" => Err(Error::new("the state's place is empty: give a folder, `postgres://…`, or `memory:`")),
            "memory:" => Ok(Self::Memory),
            _ if text.starts_with("postgres://") || text.starts_with("postgresql://") => {
                Ok(Self::Postgres(text.to_owned()))
            }
            _ if text.contains("://") => Err(Error::new(
                "the state is kept in a folder, in `postgres://…`, or with `memory:` nowhere: this is none of them",
            )),
            _ => Ok(Self::Folder(text.into())),
        }
    }
}

/// What a bot keeps.
pub(crate) struct State {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) sessions: Sessions,
    pub(crate) workspaces: Workspaces,
    /// Whoever holds the lock of an idempotency key is the one whose call runs.
    pub(crate) keys: KeyLocks,
}

/// A lock for each key that somebody holds or waits for.
pub(crate) type KeyLocks = Mutex<HashMap<(Arc<str>, Arc<str>), Arc<tokio::sync::Mutex<()>>>>;

impl State {
    /// One that ends with the process.
    pub(crate) fn in_memory() -> Self {
        Self::over(Arc::new(Memory::default()), Workspaces::temporary())
    }

    fn over(store: Arc<dyn Store>, workspaces: Workspaces) -> Self {
        Self { sessions: Sessions::new(store.clone()), store, workspaces, keys: Mutex::default() }
    }

    /// Opens what is kept there, and settles what a process that is gone left open.
    pub(crate) fn open<'a>(bot: &'a Bot, at: &'a StateAt) -> BoxFuture<'a, Result<Self, Error>> {
        Box::pin(async move {
            let state = match at {
                StateAt::Memory => Self::in_memory(),
                StateAt::Folder(folder) => Self::in_folder(folder, false).await?,
                StateAt::Postgres(url) => Self::in_postgres(url).await?,
            };
            recover::settle(&state, bot).await?;
            state.store.write(vec![Op::Purge { now: bot.now_in_ms() }]).await?;
            Ok(state)
        })
    }

    /// Opens what is kept there to be looked at, also beside the process that writes it. Nothing is made, settled or removed.
    #[cfg(feature = "commands")]
    pub(crate) fn open_to_read(at: &StateAt) -> BoxFuture<'_, Result<Self, Error>> {
        Box::pin(async move {
            match at {
                StateAt::Memory => Ok(Self::in_memory()),
                StateAt::Folder(folder) => Self::in_folder(folder, true).await,
                StateAt::Postgres(url) => Self::in_postgres(url).await,
            }
        })
    }

    #[cfg(feature = "sqlite")]
    async fn in_folder(folder: &Path, only_read: bool) -> Result<Self, Error> {
        let access = if only_read { Access::Read } else { Access::Write };
        // a tool may change the process's folder
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let at = folder.clone();
        // after a crash the whole database is looked through
        let opened = tokio::task::spawn_blocking(move || Sqlite::open(&at, access)).await;
        let store = opened.map_err(|e| Error::with_source("the state could not be opened", e))??;
        Ok(Self::over(Arc::new(store), Workspaces::In(folder.join("workspaces"))))
    }

    #[cfg(not(feature = "sqlite"))]
    #[expect(clippy::unused_async, reason = "the one with the feature waits")]
    async fn in_folder(folder: &Path, _only_read: bool) -> Result<Self, Error> {
        Err(Error::new(format!(
            "the state cannot be kept in `{}`: this bot is built without bdk's feature `sqlite`",
            folder.display()
        )))
    }

    #[expect(clippy::unused_async, reason = "the one with the feature waits")]
    async fn in_postgres(_url: &str) -> Result<Self, Error> {
        Err(Error::new("the state cannot be kept in PostgreSQL: this bot is built without bdk's feature `postgres`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_read_from_its_text() {
        let read = |text: &str| text.parse::<StateAt>().map_err(|e| e.to_string());
        assert_eq!(read(".bdk"), Ok(StateAt::Folder(".bdk".into())));
        assert_eq!(read("/var/lib/bot"), Ok(StateAt::Folder("/var/lib/bot".into())));
        assert_eq!(read("memory:"), Ok(StateAt::Memory));
        assert_eq!(read("postgresql://h/d"), Ok(StateAt::Postgres("postgresql://h/d".into())));
        assert!(read("").is_err());
        let told = read("mysql://user:secret@h/d").unwrap_err();
        assert!(told.contains("postgres://") && !told.contains("secret"), "{told}");
    }
}
