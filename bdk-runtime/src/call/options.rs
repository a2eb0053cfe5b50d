//! What a caller says about a call, beside its input.

use super::{CallState, line::Line, span::McpRequest};
use crate::{Timestamp, session::Principal};
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
    /// Freezes the call's time: `time_args` may not reach beyond it.
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
    /// The caller's place in a distributed trace, as W3C's `traceparent` has it: the call's span and its record carry it.
    #[must_use]
    pub fn traceparent(mut self, traceparent: impl Into<Box<str>>) -> Self {
        self.traceparent = Some(traceparent.into());
        self
    }
}
