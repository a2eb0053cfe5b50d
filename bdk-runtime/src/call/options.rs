//! What a caller says about a call, beside its input.

use super::{CallState, line::Line, span::McpRequest};
#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
use crate::session::Given;
use crate::{
    Error, Timestamp,
    session::{Bind, Live, Principal, SessionInfo},
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a caller says about one call, beside the tool's name and its input.
///
/// ```
/// use bdk::CallOptions;
/// let options = CallOptions::new().dry_run(true).as_of("2026-01-01T00:00:00Z".parse().unwrap());
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    pub(crate) dry_run: bool,
    pub(crate) as_of: Option<Timestamp>,
    pub(crate) principal: Option<Arc<Principal>>,
    /// Inherited from the calling tool.
    pub(crate) depth: u32,
    pub(crate) caller: Option<Caller>,
    pub(crate) cancel: Option<CancellationToken>,
    /// The way back to the caller, where there is one.
    pub(crate) line: Option<Arc<Line>>,
    /// The caller's place in a distributed trace, as W3C's `traceparent` has it.
    pub(crate) traceparent: Option<Box<str>>,
    /// The MCP request that made the call, for its span; none where nobody listens to that.
    pub(crate) mcp: Option<Arc<McpRequest>>,
    /// The session that is meant; [`Bot::bind`](crate::Bot::bind) makes `session` of it.
    pub(crate) bind: Option<Bind>,
    /// The session that the call is part of.
    pub(crate) session: Option<Arc<Live>>,
    /// In the process of an authored connection: the session, which is another process's.
    #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
    pub(crate) given: Option<Arc<Given>>,
    /// The idempotency key.
    pub(crate) key: Option<Arc<str>>,
}

/// Whether it is a `traceparent` (W3C Trace Context, version 00).
#[cfg(feature = "http")]
pub(crate) fn is_traceparent(text: &str) -> bool {
    let shape = |(i, b): (usize, u8)| if matches!(i, 2 | 35 | 52) { b == b'-' } else { b.is_ascii_hexdigit() };
    text.len() == 55 && text.bytes().enumerate().all(shape)
}

/// Whether it can be an idempotency key.
pub(crate) fn check_key(key: &str) -> Result<(), &'static str> {
    let fits = (1..=255).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    if fits { Ok(()) } else { Err("an idempotency key has 1 to 255 visible ASCII characters, such as a UUID") }
}

/// The call whose tool made this one: both end at its deadline, and its clock stands while this one waits for a person.
#[derive(Clone)]
pub(crate) struct Caller(pub(super) Arc<CallState>);

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.call_id)
    }
}

impl CallOptions {
    /// Whom progress is told: nobody that of a tool that another one calls, whose caller's progress is the other tool's.
    pub(crate) fn hears_progress(&self) -> Option<&Arc<Line>> {
        self.line.as_ref().filter(|line| line.progress && self.depth == 0)
    }
    /// A plain call.
    pub fn new() -> Self {
        Self::default()
    }
    /// Reads run, writes are stubbed.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }
    /// Freezes the call's time: `ctx.now()` is this instant, and `time_args` may not reach beyond it. What tools keep
    /// (`ctx.host.kv`, `ctx.host.files`) is as it is now.
    #[must_use]
    pub fn as_of(mut self, as_of: Timestamp) -> Self {
        self.as_of = Some(as_of);
        self
    }
    /// Who asks. Default: the process itself.
    #[must_use]
    pub fn principal(mut self, principal: impl Into<Arc<Principal>>) -> Self {
        self.principal = Some(principal.into());
        self
    }
    /// Calls as part of this session: with its facts, its workspace and its log. `dry_run` and `as_of` cannot stand beside
    /// it, since a session has its own.
    #[must_use]
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.bind = Some(Bind::Id(id.into()));
        self
    }
    /// Calls as part of the session that has this continuation token now. The call does not change the token.
    #[must_use]
    pub fn continuation(mut self, token: impl Into<String>) -> Self {
        self.bind = Some(Bind::Token(token.into()));
        self
    }
    /// A key of the caller's own, 1 to 255 visible characters: a write that is repeated with it within a day, by the same
    /// principal, does not run again and answers what the first one came to. A read runs, and so does a write that a dry run
    /// stubs: neither uses up the key.
    ///
    /// The same call is the same tool, input and session (or none). With another one of these the key is refused; `dry_run` and
    /// `as_of` do not count.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<Arc<str>>) -> Self {
        self.key = Some(key.into());
        self
    }
    /// As part of a session at hand, with its facts.
    pub(crate) fn within(mut self, live: Arc<Live>) -> Self {
        // who asks without a name does it for the session's owner
        self.principal.get_or_insert_with(|| live.info.auth.clone());
        (self.dry_run, self.as_of) = (live.dry_run, live.as_of);
        self.session = Some(live);
        self
    }
    /// As part of a session that another process has.
    #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
    pub(crate) fn given(mut self, given: Arc<Given>) -> Self {
        (self.dry_run, self.as_of) = (given.dry_run, given.as_of);
        self.given = Some(given);
        self
    }
    /// The session that it is part of, where that is another process's.
    pub(super) fn elsewhere(&self) -> Option<&SessionInfo> {
        #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
        return self.given.as_ref().map(|given| &given.info);
        #[cfg(not(all(feature = "connections", feature = "commands", feature = "mcp")))]
        None
    }
    /// Whether what is said fits together.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.bind.is_some() && (self.dry_run || self.as_of.is_some()) {
            return Err(Error::new(
                "`dry_run` and `as_of` cannot stand beside a session: it has its own since it was opened",
            ));
        }
        match self.key.as_deref().map(check_key) {
            Some(Err(why)) => Err(Error::new(why)),
            _ => Ok(()),
        }
    }
    /// The caller's place in a distributed trace, as W3C's `traceparent` has it: the call's span and its record carry it.
    #[must_use]
    pub fn traceparent(mut self, traceparent: impl Into<Box<str>>) -> Self {
        self.traceparent = Some(traceparent.into());
        self
    }
}
