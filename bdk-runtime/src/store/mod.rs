//! Floor 1: what outlives a call and, but for [`memory`], the process.
//!
//! A [`Store`] is small: everything that changes goes through [`Store::write`] as a [`Batch`] of [`Op`]s, which holds whole
//! or not at all and is acknowledged only when it is durable; the rest reads. A store knows no clock and no rule of
//! bdk's: whoever writes says when it is, and what expires when. Every implementation passes the same suite,
//! `conformance.rs`.

#[cfg(test)]
mod conformance;
#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
mod elsewhere;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
pub(crate) use elsewhere::Elsewhere;
pub(crate) use memory::Memory;
#[cfg(feature = "postgres")]
pub(crate) use postgres::Postgres;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::{Access, Sqlite};

use crate::Timestamp;
use futures_util::future::BoxFuture;
use std::{fmt, sync::Arc};

/// What a store answers, later.
pub(crate) type Answer<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Where sessions, events, values, files and keys are kept.
pub(crate) trait Store: Send + Sync + 'static {
    /// Does all of it or nothing, and answers when it is durable: one [`Did`] for each [`Op`], in their order.
    ///
    /// Batches of one store take effect one after the other. A batch that was handed over takes effect also when the answer
    /// is not waited for any more, except where the store says otherwise.
    fn write(&self, batch: Batch) -> Answer<'static, Vec<Did>>;

    /// A session, by its id.
    fn session<'a>(&'a self, id: &'a str) -> Answer<'a, Option<SessionRow>>;
    /// A session, by the continuation token that it has now.
    fn session_of_token<'a>(&'a self, token: &'a str) -> Answer<'a, Option<SessionRow>>;
    /// Sessions, the youngest first (by `created_at`, then by id, both descending).
    fn sessions<'a>(&'a self, page: SessionPage<'a>) -> Answer<'a, Vec<SessionRow>>;
    /// Events of a session from this index on, in their order, at most so many. A session that is not there has none.
    fn events<'a>(&'a self, session: &'a str, from: u64, limit: usize) -> Answer<'a, Vec<StoredEvent>>;

    /// A value that has not expired.
    fn value<'a>(&'a self, space: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<Versioned>>;
    /// The keys of a space that begin so and have not expired, in the order of their bytes.
    fn keys<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>>;

    /// A file that has not expired, with its bytes.
    fn file<'a>(&'a self, space: &'a str, path: &'a str, now: Timestamp) -> Answer<'a, Option<StoredFile>>;
    /// The paths of a space that begin so and have not expired, in the order of their bytes.
    fn files<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>>;

    /// What is known of an idempotency key that has not expired.
    fn idempotency<'a>(&'a self, scope: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<KeyRow>>;

    /// The calls that were begun and not ended by processes that are gone: each is told once.
    fn cut_off(&self) -> Answer<'_, Vec<OpenCall>>;

    /// Whether other processes may write to it at the same time: then what is cached of it may be stale.
    fn is_shared(&self) -> bool;

    /// Says what this process is, its URL say, to another one that wants what only one can have.
    fn note(&self, _text: &str) {}

    /// Writes out what is to be written, and lets go of it. Whatever is asked afterwards is [`StoreError::Unavailable`].
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// Changes that belong together.
pub(crate) type Batch = Vec<Op>;

/// One change.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// A session that was not there before. → [`Did::Done`]
    OpenSession(Box<SessionRow>),
    /// Events behind those that a session has: their indexes follow each other, without a gap. `status`, where given, is the session's from then
    /// on; `updated_at` is `at`. → [`Did::Index`] of the first; [`StoreError::UnknownSession`].
    Append { session: Arc<str>, at: Timestamp, status: Option<Status>, events: Vec<NewEvent> },
    /// Another continuation token, if it has this one now. → [`Did::Done`]; [`StoreError::Conflict`] when it has another one,
    /// [`StoreError::UnknownSession`].
    SetToken { session: Arc<str>, expected: String, token: String },
    /// A session with its events and the files that belong to it. → [`Did::Existed`]
    DeleteSession { session: Arc<str> },

    /// A call begins that must not begin twice, and whose end somebody will want to know. → [`Did::Done`]
    BeginCall(Box<OpenCall>),
    /// It has ended. → [`Did::Existed`]
    EndCall { call_id: Arc<str> },

    /// An idempotency key begins, unless there is one that has not expired at `now`. → [`Did::Done`];
    /// [`StoreError::KeyTaken`].
    ClaimKey {
        scope: Arc<str>,
        key: Arc<str>,
        fingerprint: String,
        call_id: Arc<str>,
        now: Timestamp,
        expires: Timestamp,
    },
    /// What its call came to. → [`Did::Existed`]
    SettleKey { scope: Arc<str>, key: Arc<str>, outcome: String },
    /// Its call did not run: as if it had never been claimed. → [`Did::Existed`]
    ReleaseKey { scope: Arc<str>, key: Arc<str> },

    /// A value. → [`Did::Version`] that it has now; [`StoreError::Conflict`] when `expect` does not hold at `now`.
    PutValue { space: Arc<str>, key: String, value: String, now: Timestamp, expires: Option<Timestamp>, expect: Expect },
    /// → [`Did::Existed`], of one that had not expired at `now`.
    DeleteValue { space: Arc<str>, key: String, now: Timestamp },

    /// A file, in the place of one that may be there. It goes with its session, where it has one. → [`Did::Done`]
    PutFile { space: Arc<str>, path: String, file: StoredFile },
    /// → [`Did::Existed`], of one that had not expired at `now`.
    DeleteFile { space: Arc<str>, path: String, now: Timestamp },

    /// Removes what has expired. → [`Did::Done`]
    Purge { now: Timestamp },
}

/// What an [`Op`] came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Did {
    Done,
    /// The index of the first event that was appended.
    Index(u64),
    /// Whether there was something to remove or to settle.
    Existed(bool),
    Version(u64),
}

/// What must hold of a value for it to be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Anything,
    /// There is none, or it has expired.
    Absent,
    /// It has this version. A version is never given twice to values of one key, also not after a deletion.
    Version(u64),
}

/// A session as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionRow {
    pub(crate) id: Arc<str>,
    /// Whose it is: kind and subject of the principal.
    pub(crate) owner: Owner,
    /// What was said when it was opened, as JSON: [`crate::session::Facts`].
    pub(crate) facts: String,
    pub(crate) status: Status,
    pub(crate) token: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// How many events it has.
    pub(crate) events: u64,
}

/// Kind and subject of a principal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Owner {
    pub(crate) kind: String,
    pub(crate) subject: String,
}

/// How a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// Nothing runs; it waits for whoever opened it.
    Waiting,
    /// A turn runs.
    Running,
    /// It has ended well.
    Completed,
    /// It has ended badly.
    Failed,
}

impl Status {
    /// As it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
    /// The one of this name.
    #[cfg_attr(not(any(feature = "sqlite", feature = "postgres")), expect(dead_code, reason = "nothing is read back"))]
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Waiting, Self::Running, Self::Completed, Self::Failed].into_iter().find(|status| status.as_str() == name)
    }
}

/// Which sessions are listed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SessionPage<'a> {
    /// Whose; everybody's without.
    pub(crate) owner: Option<&'a Owner>,
    /// Only those behind this one, in the order of the listing: its `created_at` and id.
    pub(crate) after: Option<(Timestamp, &'a str)>,
    pub(crate) limit: usize,
}

/// An event that is to be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewEvent {
    /// `action.result` and so on.
    pub(crate) kind: &'static str,
    /// A JSON object, on one line.
    pub(crate) data: String,
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredEvent {
    pub(crate) index: u64,
    pub(crate) kind: String,
    pub(crate) at: Timestamp,
    /// A JSON object, on one line.
    pub(crate) data: String,
}

/// A value with what tells it from those before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Versioned {
    pub(crate) value: String,
    pub(crate) version: u64,
}

/// A file as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredFile {
    /// What is known of it, as JSON.
    pub(crate) meta: String,
    /// The session it goes with.
    pub(crate) session: Option<Arc<str>>,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) bytes: Arc<[u8]>,
}

/// An idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyRow {
    /// What tells its call from others.
    pub(crate) fingerprint: String,
    pub(crate) call_id: Arc<str>,
    /// What it came to; none while it runs.
    pub(crate) outcome: Option<String>,
}

/// A call that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenCall {
    pub(crate) call_id: Arc<str>,
    pub(crate) tool: String,
    /// The session it is part of.
    pub(crate) session: Option<Arc<str>>,
    /// Scope and key, where it has an idempotency key.
    pub(crate) key: Option<(Arc<str>, Arc<str>)>,
    pub(crate) began: Timestamp,
}

/// Why a store did not do what it was asked.
#[derive(Debug, Clone)]
pub(crate) enum StoreError {
    /// There is no such session (any more).
    UnknownSession,
    /// Something is not as the writer thought.
    Conflict,
    /// The idempotency key is taken.
    KeyTaken(Box<KeyRow>),
    /// It cannot: a full disk, a lost connection. Nothing of the batch holds.
    Unavailable(Arc<str>),
}

impl StoreError {
    pub(crate) fn unavailable(why: impl fmt::Display) -> Self {
        Self::Unavailable(why.to_string().into())
    }
    /// What a store says that was closed.
    pub(crate) fn shutting_down() -> Self {
        Self::unavailable("the bot is shutting down")
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSession => f.write_str("there is no such session"),
            Self::Conflict => f.write_str("it was changed meanwhile"),
            Self::KeyTaken(_) => f.write_str("the idempotency key is taken"),
            Self::Unavailable(why) => write!(f, "the bot's state cannot be read or written: {why}"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<StoreError> for crate::Error {
    fn from(error: StoreError) -> Self {
        Self::unavailable(error.to_string())
    }
}
