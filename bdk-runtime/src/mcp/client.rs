//! What is known of the client that sent a request, in either era of the protocol.

use super::{
    listing::{Shape, View},
    message::{Capabilities, Message},
    session::Session,
};
#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
use crate::session::Given;
use crate::{
    Principal,
    call::{
        CallOptions,
        line::{Abilities, LogLevel},
        span::{self, McpClient, McpRequest},
    },
    session::Live,
};
use std::sync::Arc;

/// Which protocol a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Up to 2025-11-25: `initialize`, then a session, or none.
    Sessions,
    /// From 2026-07-28 on: each request says all there is to know.
    Stateless,
}

/// The first version of the stateless era. Versions are dates, so that their order is that of their texts.
pub(crate) const STATELESS: &str = "2026-07-28";

/// A request's sender.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) era: Era,
    pub(crate) principal: Arc<Principal>,
    pub(crate) abilities: Abilities,
    /// From which level on it wants log messages.
    pub(crate) log: Option<LogLevel>,
    /// In the era of sessions, where there is one: what the client sends later reaches the call through it.
    pub(crate) session: Option<Arc<Session>>,
    /// Whether an answer must come in one piece.
    pub(crate) whole: bool,
    /// What its calls are part of: the session of the bot's that its address names. Of MCP's own sessions it knows nothing.
    pub(crate) bound: Option<Arc<Live>>,
    /// In the process of an authored connection: what the calls are part of, which is another process's.
    #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
    pub(crate) given: Option<Arc<Given>>,
    /// What the spans of its calls say of it; none where nobody listens.
    pub(crate) told: Option<Arc<McpClient>>,
}

impl Client {
    /// Of a request of the stateless era.
    pub(crate) fn stateless(message: &Message<'_>, principal: Arc<Principal>) -> Self {
        let meta = message.meta();
        let abilities = meta.and_then(|m| m.capabilities.as_ref()).map(Capabilities::abilities).unwrap_or_default();
        let log = meta.and_then(|m| m.log_level.as_ref()).and_then(|level| LogLevel::parse(&level.0));
        Self { era: Era::Stateless, abilities, log, ..Self::without_session(principal) }
    }
    /// Of a request of a session.
    pub(crate) fn of(session: Arc<Session>) -> Self {
        let (abilities, log) = (session.abilities, session.log());
        let principal = session.principal.clone();
        Self { abilities, log, session: Some(session), ..Self::without_session(principal) }
    }
    /// Says to the spans of its calls over what it came, which version it speaks and what its session is called.
    pub(crate) fn tell_spans(
        &mut self,
        transport: &'static str,
        of_it: impl FnOnce() -> (Option<Box<str>>, Option<Box<str>>),
    ) {
        if span::is_wanted() {
            let (version, session) = match self.era {
                Era::Sessions => of_it(),
                Era::Stateless => (Some(STATELESS.into()), None),
            };
            self.told = Some(Arc::new(McpClient { version, session, transport }));
        }
    }
    /// What the span of this request's call says.
    fn request(&self, id: &str) -> Option<Arc<McpRequest>> {
        self.told.clone().map(|from| Arc::new(McpRequest { id: id.into(), from }))
    }
    /// It takes no stream: what a call says before its end cannot reach it.
    pub(crate) fn takes_whole_answers_only(&mut self) {
        self.log = None;
        self.whole = true;
        // the stateless era asks by its answer, for which no stream is needed
        if self.era == Era::Sessions {
            self.abilities = Abilities::default();
        }
    }
    /// Of a request of the older era that names no session: nothing can be asked of it.
    pub(crate) fn without_session(principal: Arc<Principal>) -> Self {
        Self {
            era: Era::Sessions,
            principal,
            abilities: Abilities::default(),
            log: None,
            session: None,
            whole: false,
            bound: None,
            #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
            given: None,
            told: None,
        }
    }
    /// The same with its calls in this session.
    pub(crate) fn within(self, bound: Option<Arc<Live>>) -> Self {
        Self { bound, ..self }
    }
    /// What is said of the call that its request of this id makes.
    pub(super) fn options(&self, id: &str) -> CallOptions {
        let (mcp, principal) = (self.request(id), Some(self.principal.clone()));
        let options = CallOptions { mcp, principal, ..CallOptions::new() };
        #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
        if let Some(given) = &self.given {
            return options.given(given.clone());
        }
        match &self.bound {
            Some(live) => options.within(live.clone()),
            None => options,
        }
    }
    /// The id of the session that its calls are part of.
    pub(super) fn bound_to(&self) -> Option<&Arc<str>> {
        self.bound.as_ref().map(|live| &live.id)
    }
    /// How tools are listed for it.
    pub(super) fn view(&self) -> View {
        let shape = if self.era == Era::Stateless { Shape::Modern } else { Shape::Legacy };
        View { shape, dry_run: self.bound.as_ref().is_some_and(|live| live.dry_run) }
    }
}

/// The era of a request, by what it says of itself and what its transport's header says.
pub(crate) fn era(message: &Message<'_>, header: Option<&str>) -> Era {
    let named = message.meta().is_some_and(|meta| meta.protocol_version.is_some());
    if message.method() == Some("initialize") && !named {
        return Era::Sessions; // whatever version its header names: the handshake is of that era
    }
    if named || header.is_some_and(|version| version >= STATELESS) { Era::Stateless } else { Era::Sessions }
}
