//! What is said when a session is opened.

use super::{Mode, Principal};
use crate::Timestamp;
use serde_json::{Map, Value};
use std::sync::Arc;

/// How many characters a title has at most.
const TITLE: usize = 200;
/// And a purpose.
const PURPOSE: usize = 2000;
/// How many bytes the JSON of a session's state has at most.
const STATE: usize = 64 * 1024;

/// What a session is opened with. None of it changes afterwards.
///
/// From then on its log tells what is asked in it: a write's request before it runs, a read's request and result together when
/// it ends ([`Event`](crate::Event) has the details).
///
/// ```
/// use bdk::SessionOptions;
/// use serde_json::json;
///
/// let audit = SessionOptions::new()
///     .title("Audit of 2025")
///     .as_of("2026-01-01T00:00:00Z".parse().unwrap())
///     .dry_run(true)
///     .state(json!({ "ticket": 4711 }));
/// # let _ = audit;
/// ```
#[derive(Debug, Clone)]
#[must_use = "options do nothing until a session is opened with them"]
pub struct SessionOptions {
    pub(crate) mode: Mode,
    pub(crate) title: Option<String>,
    pub(crate) purpose: Option<String>,
    /// None where nothing is said of it.
    pub(crate) dry_run: Option<bool>,
    pub(crate) as_of: Option<Timestamp>,
    pub(crate) state: Value,
    pub(crate) principal: Option<Arc<Principal>>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Chat,
            title: None,
            purpose: None,
            dry_run: None,
            as_of: None,
            state: Value::Object(Map::new()),
            principal: None,
        }
    }
}

impl SessionOptions {
    /// A chat without facts.
    pub fn new() -> Self {
        Self::default()
    }
    /// How it goes on: [`Mode::Chat`] (the default) or [`Mode::Task`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }
    /// Its title, at most 200 characters.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
    /// What it is for, at most 2,000 characters.
    pub fn purpose(mut self, purpose: impl Into<String>) -> Self {
        self.purpose = Some(purpose.into());
        self
    }
    /// Reads run, writes are stubbed, in all of its calls. Default: no, and in a test what the
    /// [`TestBot`](crate::TestBot) says.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = Some(dry_run);
        self
    }
    /// Freezes the time of all of its calls: `ctx.now()` is this instant, and `time_args` may not reach beyond it. What
    /// tools keep (`ctx.host.kv`, `ctx.host.files`) is not frozen: it is as it is now.
    pub fn as_of(mut self, as_of: Timestamp) -> Self {
        self.as_of = Some(as_of);
        self
    }
    /// Whatever tools should know of it (`ctx.session().state`): JSON of at most 64 KiB.
    pub fn state(mut self, state: impl Into<Value>) -> Self {
        self.state = state.into();
        self
    }
    /// Whose it is; to others it does not exist. Default: the process itself.
    pub fn principal(mut self, principal: impl Into<Arc<Principal>>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// What is wrong with it.
    pub(super) fn fault(&self) -> Option<String> {
        let long = |what: &str, text: &Option<String>, most: usize| {
            let length = text.as_ref().map_or(0, |text| text.chars().count());
            (length > most).then(|| format!("`{what}` has {length} characters; a session's has {most} at most"))
        };
        if self.mode == Mode::Direct {
            return Some("`mode` is `chat` or `task`: `direct` is that of a call without a session".to_owned());
        }
        let state = self.state.to_string().len();
        let large = (state > STATE).then(|| {
            format!("`state` has {state} bytes of JSON; a session's has {STATE} at most: keep large things elsewhere and their ids here")
        });
        long("title", &self.title, TITLE).or_else(|| long("purpose", &self.purpose, PURPOSE)).or(large)
    }
}
