//! What became of an opening, a listing or a call that gave nothing.

use crate::secrets;
use std::{fmt, time::Duration};

/// Why there is no answer, and what may be done about it.
#[derive(Debug, Clone)]
pub(crate) struct Failed {
    pub(crate) kind: Kind,
    /// For whoever reads it: which connection, what happened and what to do. Without secrets.
    pub(crate) words: String,
    /// Whether the same may go well a little later.
    pub(crate) transient: bool,
    /// How long the other side asks to wait.
    pub(crate) retry_after: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is no connection of this name.
    Unknown,
    /// The bot is going down.
    Closed,
    /// It could not be opened.
    Open,
    /// The request never reached the server.
    Unsent,
    /// The server does not know the session that the request was part of, and did nothing.
    SessionGone,
    /// The request went out and no answer came: whether it was carried out is not known.
    Lost,
    TimedOut {
        sent: bool,
    },
    Cancelled {
        sent: bool,
    },
    /// It failed so often that it is not tried for a while.
    Paused,
    /// As many are at work as may be.
    Full,
    /// Its pin refuses the tool as it is now.
    Pinned,
    /// An HTTP status instead of an answer.
    Refused {
        status: u16,
    },
    /// The answer is none, or too long.
    Unreadable,
    /// The server's own error.
    Server {
        code: i64,
        message: String,
    },
}

impl Failed {
    /// One whose words do not name the connection yet: [`on`](Self::on) does.
    pub(super) fn bare(kind: Kind, words: impl Into<String>) -> Self {
        let transient = matches!(
            kind,
            Kind::Unsent | Kind::SessionGone | Kind::Lost | Kind::Paused | Kind::Full | Kind::TimedOut { sent: false }
        );
        Self { kind, words: words.into(), transient, retry_after: None }
    }
    /// Whether it may go well a little later, where the kind does not say it.
    pub(super) fn transient(mut self, transient: bool) -> Self {
        self.transient = transient;
        self
    }
    /// The same, of an opening.
    pub(super) fn opening(mut self) -> Self {
        if !matches!(self.kind, Kind::Refused { .. } | Kind::Closed | Kind::Cancelled { .. }) {
            self.kind = Kind::Open;
        }
        self
    }
    /// The same, of what a call needs first: nothing was called.
    pub(super) fn before_the_call(mut self) -> Self {
        match &mut self.kind {
            Kind::TimedOut { sent } | Kind::Cancelled { sent } => *sent = false,
            Kind::Lost | Kind::Unreadable | Kind::Server { .. } | Kind::Refused { .. } => self.kind = Kind::Open,
            _ => {}
        }
        self
    }
    /// The same, of a call that the server had before: what it did is not known, unless it says so itself.
    pub(super) fn though_it_had_it(self) -> Self {
        let kind = match self.kind {
            Kind::TimedOut { .. } => Kind::TimedOut { sent: true },
            Kind::Cancelled { .. } => Kind::Cancelled { sent: true },
            Kind::Server { .. } | Kind::Unreadable | Kind::Lost => return self,
            _ => Kind::Lost,
        };
        let words = format!("it was asked before, and what it did is not known: {}", self.words);
        Self { retry_after: self.retry_after, ..Self::bare(kind, words) }
    }
    pub(super) fn on(mut self, connection: &str) -> Self {
        self.words = secrets::blank(&format!("connection `{connection}`: {}", self.words)).into_owned();
        if let Kind::Server { message, .. } = &mut self.kind {
            *message = secrets::blank(message).into_owned();
        }
        self
    }

    /// Whether the server provably did nothing, so that even a write may be tried again.
    pub(crate) fn never_ran(&self) -> bool {
        match &self.kind {
            Kind::Unknown
            | Kind::Closed
            | Kind::Open
            | Kind::Unsent
            | Kind::SessionGone
            | Kind::Paused
            | Kind::Full
            | Kind::Pinned => true,
            Kind::TimedOut { sent } | Kind::Cancelled { sent } => !sent,
            // what these say of themselves
            Kind::Refused { status } => matches!(status, 300..=399 | 401 | 403..=406 | 411 | 413 | 415 | 429),
            Kind::Lost | Kind::Unreadable | Kind::Server { .. } => false,
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for Failed {}
