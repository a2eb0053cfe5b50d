//! Tools made from data, by a `#[tools]` function.

use super::{BoxFuture, CallCx, Effect, Hints, Timeout};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// What runs a tool made from data.
pub type DataBody = Arc<dyn Fn(Value, &CallCx) -> BoxFuture<'static> + Send + Sync>;

/// A tool made from data: name, schema and handler are values, not code.
///
/// Its input is validated against the schema and handed over unchanged.
#[derive(Clone)]
pub struct ToolDefinition {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Option<Value>,
    pub(crate) output_schema: Option<Value>,
    pub(crate) effect: Option<Effect>,
    pub(crate) time_args: Vec<String>,
    pub(crate) timeout: Timeout,
    pub(crate) attempts: Option<u32>,
    pub(crate) hints: Hints,
    pub(crate) needs_approval: bool,
    pub(crate) body: Option<DataBody>,
}

impl ToolDefinition {
    /// A tool of this name, without a handler yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: String::new(),
            input_schema: None,
            output_schema: None,
            effect: None,
            time_args: Vec::new(),
            timeout: Timeout::Default,
            attempts: None,
            hints: Hints::default(),
            needs_approval: false,
            body: None,
        }
    }
    /// A title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
    /// What the model reads. Without one the bot does not start.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }
    /// The input's JSON Schema, advertised as given; its root must be an object. Default: no arguments, so that every property is
    /// refused.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = Some(schema);
        self
    }
    /// The result's JSON Schema.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }
    /// Whether it reads or writes. Default: undeclared, treated as a write.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }
    /// The properties that hold instants, bounded under asOf.
    #[must_use]
    pub fn time_args<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.time_args = names.into_iter().map(Into::into).collect();
        self
    }
    /// The deadline of a call. Default: 5 minutes.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Timeout::After(timeout);
        self
    }
    /// No deadline.
    #[must_use]
    pub fn no_timeout(mut self) -> Self {
        self.timeout = Timeout::Never;
        self
    }
    /// How often a read is tried in all. Default: 3.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = Some(attempts);
        self
    }
    /// MCP's `idempotentHint`.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.hints.idempotent = true;
        self
    }
    /// MCP's `destructiveHint`.
    #[must_use]
    pub fn destructive(mut self) -> Self {
        self.hints.destructive = true;
        self
    }
    /// MCP's `openWorldHint`.
    #[must_use]
    pub fn open_world(mut self) -> Self {
        self.hints.open_world = true;
        self
    }
    /// A person has to approve every call, with its exact input; where nobody can be asked it is refused
    /// (see [`ToolContext::ask`](crate::ToolContext::ask) for who can be).
    #[must_use]
    pub fn needs_approval(mut self) -> Self {
        self.needs_approval = true;
        self
    }
}

impl std::fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolDefinition").field("name", &self.name).finish_non_exhaustive()
    }
}
