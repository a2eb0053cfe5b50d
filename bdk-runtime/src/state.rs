//! What a bot keeps: its store, its sessions, their folders. Made when first needed, or at the start of what serves.

#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
use crate::store::Elsewhere;
#[cfg(feature = "sqlite")]
use crate::store::{Access, Sqlite};
use crate::{
    Error, Timestamp,
    bot::Bot,
    call::{Unwritten, recover},
    host::Turns,
    session::{Sessions, Workspaces},
    store::{Memory, Op, Store},
};
use futures_util::future::BoxFuture;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
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

impl StateAt {
    /// The folder on this machine where a bot leaves notes for its next start, where there is one.
    #[cfg(feature = "connections")]
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Postgres(_) | Self::Memory => None,
        }
    }
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
            "memory" => Err(Error::new(
                "`memory` would be a folder: to keep the state nowhere write `memory:`, and `./memory` for that folder",
            )),
            // without what stands there, which may hold a password
            _ if has_scheme(text) => Err(Error::new(
                "the state is kept in a folder, in `postgres://…`, or with `memory:` nowhere: this is none of them (a folder with a \
                 colon in its name is written `./…`)",
            )),
            _ => Ok(Self::Folder(text.into())),
        }
    }
}

/// Whether it begins as a URL does. One letter is a drive's.
fn has_scheme(text: &str) -> bool {
    let of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(of_scheme)
    })
}

/// Where the folders of sessions are that are kept in PostgreSQL.
#[cfg(feature = "postgres")]
const WORKSPACES: &str = ".bdk/workspaces";

/// What a bot keeps.
pub(crate) struct State {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) sessions: Sessions,
    pub(crate) workspaces: Workspaces,
    /// Whoever holds the lock of an idempotency key is the one whose call runs.
    pub(crate) keys: KeyLocks,
    /// What is known of calls whose end could not be written yet.
    pub(crate) unwritten: Unwritten,
    /// Whoever has the turn of a value is the one who changes it.
    pub(crate) turns: Turns,
    /// When what has expired was last removed: milliseconds of the bot's clock.
    purged: AtomicI64,
}

/// How often what has expired is removed, where new things come that will expire.
const PURGE: i64 = 10 * 60 * 1000;

/// A lock for each key that somebody holds or waits for.
pub(crate) type KeyLocks = Mutex<HashMap<(Arc<str>, Arc<str>), Arc<tokio::sync::Mutex<()>>>>;

impl State {
    /// One that ends with the process.
    pub(crate) fn in_memory() -> Self {
        Self::over(Arc::new(Memory::default()), Workspaces::temporary())
    }

    /// That of the bot which started this process: it is not to be had here.
    #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
    pub(crate) fn elsewhere() -> Self {
        Self::over(Arc::new(Elsewhere), Workspaces::temporary())
    }

    fn over(store: Arc<dyn Store>, workspaces: Workspaces) -> Self {
        Self {
            sessions: Sessions::new(store.clone()),
            store,
            workspaces,
            keys: Mutex::default(),
            unwritten: Mutex::default(),
            turns: Turns::default(),
            purged: AtomicI64::new(0),
        }
    }

    /// Removes what has expired, when that was not done lately: to go along with what will expire.
    pub(crate) fn purge_when_due(&self, now: Timestamp) -> Option<Op> {
        let (last, ms) = (self.purged.load(Ordering::Relaxed), now.as_millisecond());
        // also where a clock was set back
        let due = (ms - last).abs() >= PURGE;
        let mine = due && self.purged.compare_exchange(last, ms, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        mine.then_some(Op::Purge { now })
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
            Ok(state)
        })
    }

    /// Whether something is kept there already: a command about a session makes no place to look for it in.
    ///
    /// # Errors
    /// When nothing is.
    #[cfg(feature = "commands")]
    pub(crate) fn check_there(at: &StateAt) -> Result<(), Error> {
        match at {
            #[cfg(feature = "sqlite")]
            StateAt::Folder(folder) => Ok(Sqlite::check_there(folder)?),
            _ => Ok(()),
        }
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

    #[cfg(feature = "postgres")]
    async fn in_postgres(url: &str) -> Result<Self, Error> {
        let store = crate::store::Postgres::connect(url).await?;
        // a workspace is this machine's: the agent that works in it runs here
        let folder = std::path::absolute(WORKSPACES).unwrap_or_else(|_| WORKSPACES.into());
        Ok(Self::over(Arc::new(store), Workspaces::In(folder)))
    }

    #[cfg(not(feature = "postgres"))]
    #[expect(clippy::unused_async, reason = "the one with the feature waits")]
    async fn in_postgres(_url: &str) -> Result<Self, Error> {
        Err(Error::new("the state cannot be kept in PostgreSQL: this bot is built without bdk's feature `postgres`"))
    }
}

/// Where several processes share a store: how often it is looked for sessions that another one deleted.
const LOOK: Duration = Duration::from_secs(2);
/// And every so many looks, for calls of one that is gone.
const LOOKS: u32 = 15;

/// What has to be done beside all calls, from the start to the end.
pub(crate) async fn tend(bot: Bot) {
    let state = bot.state();
    let mut done = state.workspaces.sweep(&*state.store).await;
    for look in 1_u32.. {
        if let Err(error) = done {
            tracing::debug!(target: "bdk::state", %error, "the state was not looked through");
        }
        if !state.store.is_shared() || bot.stop().run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
            return;
        }
        done = state.sessions.look(&state.workspaces).await;
        if done.is_ok() && look % LOOKS == 0 {
            done = recover::settle(state, &bot).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_expired_is_removed_now_and_then() {
        let state = State::in_memory();
        let at = |ms| jiff::Timestamp::from_millisecond(1_767_268_800_000 + ms).unwrap().into();
        assert!(state.purge_when_due(at(0)).is_some());
        assert!(state.purge_when_due(at(PURGE - 1)).is_none());
        assert!(state.purge_when_due(at(PURGE)).is_some());
        assert!(state.purge_when_due(at(0)).is_some(), "the clock was set back");
    }

    #[test]
    fn the_place_is_read_from_its_text() {
        let read = |text: &str| text.parse::<StateAt>().map_err(|e| e.to_string());
        assert_eq!(read(".bdk"), Ok(StateAt::Folder(".bdk".into())));
        assert_eq!(read("/var/lib/bot"), Ok(StateAt::Folder("/var/lib/bot".into())));
        assert_eq!(read("memory:"), Ok(StateAt::Memory));
        assert_eq!(read("postgresql://h/d"), Ok(StateAt::Postgres("postgresql://h/d".into())));
        for folder in ["C:\\bot", "c:state", "./a:b", "memory.d", "./memory", "1:2"] {
            assert_eq!(read(folder), Ok(StateAt::Folder(folder.into())));
        }
        assert!(read("").is_err());
        assert!(read("memory").unwrap_err().contains("`memory:`"));
        for none in ["sqlite:foo.db", "memory:x", "Memory:", "file:/tmp", "postgres:h"] {
            let told = read(none).unwrap_err();
            assert!(
                told.contains("postgres://") && told.contains("memory:") && told.contains("a folder"),
                "{none}: {told}"
            );
        }
        let told = read("mysql://user:secret@h/d").unwrap_err();
        assert!(told.contains("postgres://") && !told.contains("secret"), "{told}");
    }
}
