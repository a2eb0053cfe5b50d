//! The line back to the caller: what a tool says while it runs (progress, log messages), what it asks, and the answers.
//!
//! A front that can reach its caller during a call makes a [`Line`], gives it to the call in its options, and listens at
//! the other end. Most fronts have none: then progress goes nowhere, and whoever asks is told that nobody can be asked.

use crate::{lock::lock, secrets};
use serde_json::{Map, Value};
use std::{
    borrow::Cow,
    fmt::Display,
    sync::{Arc, Mutex},
};
use tokio::sync::{mpsc, oneshot};

/// How much may wait to be sent. What does not fit is dropped where it can be (progress, log messages) and waited for where
/// it cannot (questions).
const WAITING: usize = 64;

/// What a caller can be asked, as its client declared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// Forms: `elicitation/create`.
    pub(crate) form: bool,
    /// Links to open: `elicitation/create` with a URL.
    pub(crate) url: bool,
    /// `sampling/createMessage`.
    pub(crate) sampling: bool,
    /// `roots/list`.
    pub(crate) roots: bool,
}

/// One thing said to the caller.
#[derive(Debug)]
pub(crate) enum Speech {
    /// How far the call is.
    Progress { done: f64, total: Option<f64>, message: Option<String> },
    /// Something to know.
    Log { level: LogLevel, message: String },
    /// Something to answer.
    Ask(Ask),
}

/// Questions that are asked together.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) requests: Vec<Request>,
    /// Where the answers go, one a request and in their order, as the client sent them. Dropped when none will come.
    pub(crate) reply: oneshot::Sender<Result<Vec<Value>, String>>,
}

/// One question, as MCP has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    /// Its name among those asked together.
    pub(crate) key: String,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// How grave a log message is, from the least on: the levels of RFC 5424, as MCP has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogLevel {
    /// For whoever looks for a fault.
    Debug,
    /// Usual course of events.
    Info,
    /// Usual, and worth a look.
    Notice,
    /// May become an error.
    Warning,
    /// Something failed.
    Error,
    /// A part of the system failed.
    Critical,
    /// To be acted upon at once.
    Alert,
    /// Unusable.
    Emergency,
}

impl LogLevel {
    /// As it stands in JSON: `debug`, `info`, …
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
    /// Every level, from the least on.
    #[cfg(feature = "mcp")]
    pub(crate) const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];
    /// The level of this name.
    #[cfg(feature = "mcp")]
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

/// A text on its way to the caller, without what the bot knows as secret.
fn told(message: &dyn Display) -> String {
    let text = message.to_string();
    match secrets::blank(&text) {
        Cow::Owned(blanked) => blanked,
        Cow::Borrowed(_) => text,
    }
}

/// The call's end of the line.
#[derive(Debug)]
pub(crate) struct Line {
    speech: mpsc::Sender<Speech>,
    pub(crate) abilities: Abilities,
    /// Whether nobody answers at its other end: to whoever asks it is none.
    one_way: bool,
    /// Whether the caller wants to hear of progress.
    pub(crate) progress: bool,
    /// From which level on the caller wants log messages.
    pub(crate) log: Option<LogLevel>,
    /// How far the call said it was: progress that does not increase is not sent.
    furthest: Mutex<f64>,
    /// Answers that came with the call, by the questions' keys: such a question is not asked.
    prepared: Mutex<Map<String, Value>>,
    /// The ability that a question lacked.
    lacked: Mutex<Option<&'static str>>,
}

impl Line {
    /// A line, and the front's end of it.
    pub(crate) fn new(
        abilities: Abilities,
        progress: bool,
        log: Option<LogLevel>,
        prepared: Map<String, Value>,
    ) -> (Arc<Self>, mpsc::Receiver<Speech>) {
        let (line, heard) = Self::made(abilities, progress, log, prepared);
        (Arc::new(line), heard)
    }
    /// A line to somebody who hears everything and answers nothing.
    pub(crate) fn one_way() -> (Arc<Self>, mpsc::Receiver<Speech>) {
        let (line, heard) = Self::made(Abilities::default(), true, Some(LogLevel::Debug), Map::new());
        (Arc::new(Self { one_way: true, ..line }), heard)
    }
    fn made(
        abilities: Abilities,
        progress: bool,
        log: Option<LogLevel>,
        prepared: Map<String, Value>,
    ) -> (Self, mpsc::Receiver<Speech>) {
        let (speech, heard) = mpsc::channel(WAITING);
        let line = Self {
            speech,
            abilities,
            one_way: false,
            progress,
            log,
            furthest: Mutex::new(f64::NEG_INFINITY),
            prepared: Mutex::new(prepared),
            lacked: Mutex::new(None),
        };
        (line, heard)
    }
    /// The line over which this caller can be asked, if any.
    pub(super) fn to_ask(line: Option<&Arc<Self>>) -> Option<&Arc<Self>> {
        line.filter(|line| !line.one_way)
    }
    /// The capability that a question of this call needed and the client did not declare, as MCP names it.
    pub(crate) fn lacked(&self) -> Option<&'static str> {
        *lock(&self.lacked)
    }
    /// Remembers it; the first counts.
    pub(super) fn lacks(&self, capability: &'static str) {
        lock(&self.lacked).get_or_insert(capability);
    }
    /// Whether the caller wants to hear of this, and somebody still listens.
    pub(super) fn wants_log(&self, level: LogLevel) -> bool {
        self.log.is_some_and(|from| level >= from) && !self.speech.is_closed()
    }
    /// Says how far the call is. MCP wants every progress to be more than the one before, so what is not goes nowhere, and
    /// so does what finds the line full: the next one tells more.
    pub(super) fn say_progress(&self, done: f64, total: Option<f64>, message: &dyn Display) {
        if !self.progress || !done.is_finite() || self.speech.is_closed() {
            return;
        }
        let message = Some(told(message)).filter(|m| !m.is_empty());
        let total = total.filter(|t| t.is_finite());
        // held while it is sent, or a later one could overtake it
        let mut furthest = lock(&self.furthest);
        if done > *furthest && self.speech.try_send(Speech::Progress { done, total, message }).is_ok() {
            *furthest = done;
        }
    }
    /// Says something to know; dropped when the line is full.
    pub(super) fn say_log(&self, level: LogLevel, message: &dyn Display) {
        if self.wants_log(level) {
            let _ = self.speech.try_send(Speech::Log { level, message: told(message) });
        }
    }
    /// Asks, and waits for the answers. Without a limit of its own.
    ///
    /// # Errors
    /// Why none will come.
    pub(super) async fn ask(&self, mut requests: Vec<Request>) -> Result<Vec<Value>, String> {
        const GONE: &str = "the caller went away without an answer";
        let asked = requests.len();
        requests.iter_mut().for_each(|request| secrets::blank_value(&mut request.params));
        let (reply, replied) = oneshot::channel();
        self.speech.send(Speech::Ask(Ask { requests, reply })).await.map_err(|_| GONE)?;
        let answers = replied.await.map_err(|_| GONE)??;
        if answers.len() == asked {
            Ok(answers)
        } else {
            Err(format!("{} answers came to {asked} questions", answers.len()))
        }
    }
    /// Takes the answer that came with the call for this question, if it is one: each serves once.
    pub(super) fn prepared<T>(&self, key: &str, read: impl FnOnce(Value) -> Option<T>) -> Option<T> {
        let given = lock(&self.prepared).shift_remove(key)?;
        if given.is_object() { read(given) } else { None }
    }
}
