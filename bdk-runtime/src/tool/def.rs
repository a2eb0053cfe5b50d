//! The table `#[tool]` emits: one `static` per tool, nothing generic, nothing that runs at load.

use super::{CallCx, Effect, JsonRef, Need, Rule, Slot, Slots, ToolArg, ToolDefinition, ToolResult};
use crate::tool::DecodeFault;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use std::{future::Future, pin::Pin, time::Duration};

/// Where an item stands in the author's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// From 1.
    pub line: u32,
    /// As `module_path!()` gives it.
    pub module: &'static str,
    /// The package's name.
    pub krate: &'static str,
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The future of one run of a tool.
pub type BoxFuture<'a, T = ToolResult> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a tool's effect is known.
pub enum EffectDef {
    /// Not said: treated as a write.
    Undeclared,
    /// `effect = "read"`.
    Read,
    /// `effect = "write"`.
    Write,
    /// A predicate over the decoded input.
    By(fn(&Slots) -> Effect),
}

impl EffectDef {
    /// As listings name it: `read`, `write`, `predicate` or `undeclared`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Undeclared => "undeclared",
            Self::Read => "read",
            Self::Write => "write",
            Self::By(_) => "predicate",
        }
    }
}

/// The shim that takes the decoded input apart and calls the author's function.
pub enum Body {
    /// An `async fn`, run where the call runs.
    Async(for<'a> fn(&'a CallCx, &mut Slots) -> BoxFuture<'a>),
    /// A plain `fn`, run on the blocking pool.
    Blocking(fn(&CallCx, &mut Slots) -> ToolResult),
}

/// A tool's own deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// 5 minutes.
    Default,
    /// `timeout = "none"`.
    Never,
    /// `timeout = "30s"`.
    After(Duration),
}

/// MCP annotations beyond what the effect says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hints {
    /// `idempotentHint`.
    pub idempotent: bool,
    /// `destructiveHint`.
    pub destructive: bool,
    /// `openWorldHint`.
    pub open_world: bool,
}

/// One parameter that comes from the caller.
pub struct Param {
    /// The property's name.
    pub name: &'static str,
    /// The property's description, as written: not yet dedented.
    pub doc: &'static str,
    /// Its schema before [`crate::tool::schema`] tidies it.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Reads it from JSON.
    pub decode: for<'a> fn(JsonRef<'a>) -> Result<Slot, DecodeFault>,
    /// An `Option`, by type.
    pub optional: bool,
    /// `Input<T>`: the whole input, by type.
    pub whole: bool,
    /// Makes the default.
    pub default: Option<fn() -> Slot>,
    /// The default as JSON, where its type is `Serialize`.
    pub default_json: Option<fn(&Slot) -> Option<Value>>,
    /// What `#[arg(…)]` adds to the schema.
    pub rules: &'static [Rule],
    /// Takes `"3"` for a number and `"true"` for a bool.
    pub coerce: bool,
    /// The author's own step before validation.
    pub preprocess: Option<fn(Value) -> Value>,
}

impl Param {
    /// A parameter of type `T`: the one place a parameter's type is bounded, so that a missing derive is reported once.
    pub const fn new<T>(name: &'static str, doc: &'static str, optional: bool, whole: bool) -> Self
    where
        T: ToolArg,
    {
        Self {
            name,
            doc,
            schema: T::schema,
            decode: T::decode,
            optional,
            whole,
            default: None,
            default_json: None,
            rules: &[],
            coerce: false,
            preprocess: None,
        }
    }
    /// `#[arg(default = …)]`.
    pub const fn default(mut self, make: fn() -> Slot, json: Option<fn(&Slot) -> Option<Value>>) -> Self {
        self.default = Some(make);
        self.default_json = json;
        self
    }
    /// `#[arg(range(…), length(…), …)]`.
    pub const fn rules(mut self, rules: &'static [Rule]) -> Self {
        self.rules = rules;
        self
    }
    /// `#[arg(coerce)]`.
    pub const fn coerce(mut self) -> Self {
        self.coerce = true;
        self
    }
    /// `#[arg(preprocess = …)]`.
    pub const fn preprocess(mut self, f: fn(Value) -> Value) -> Self {
        self.preprocess = Some(f);
        self
    }
    /// Whether a caller must give it.
    pub fn required(&self) -> bool {
        !self.optional && self.default.is_none()
    }
}

/// A rule across fields: the author's words when it does not hold.
pub type Check = fn(&Slots) -> Result<(), String>;

/// One `#[tool]`.
pub struct ToolDef {
    /// The name the model sees, without an extension's prefix.
    pub name: &'static str,
    /// A title for people.
    pub title: Option<&'static str>,
    /// What the model reads, as written: not yet dedented.
    pub description: &'static str,
    /// Whether it reads or writes.
    pub effect: EffectDef,
    /// The rule across fields.
    pub check: Option<Check>,
    /// What a stubbed write answers.
    pub dry_run_result: Option<fn(&Slots) -> ToolResult>,
    /// What comes from the caller, in order.
    pub params: &'static [Param],
    /// What the runtime lends.
    pub needs: &'static [Need],
    /// The shim.
    pub body: Body,
    /// `input_schema = EXPR`: advertised as given, the input untouched.
    pub input_schema: Option<fn() -> Value>,
    /// `output_schema`, as a flag: the result type's schema.
    pub output_schema: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// `output_schema = EXPR`.
    pub output_schema_value: Option<fn() -> Value>,
    /// `unknown_fields = "ignore"`.
    pub ignore_unknown: bool,
    /// Property names of the instants that asOf bounds.
    pub time_args: &'static [&'static str],
    /// The deadline.
    pub timeout: Timeout,
    /// `attempts = N`, for a read.
    pub attempts: Option<u32>,
    /// Further annotations.
    pub hints: Hints,
    /// Whether a person has to approve every call.
    pub needs_approval: bool,
    /// Where the author's function stands.
    pub at: At,
}

impl ToolDef {
    /// A tool with every option at its default.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        params: &'static [Param],
        body: Body,
        at: At,
    ) -> Self {
        Self {
            name,
            title: None,
            description,
            effect: EffectDef::Undeclared,
            check: None,
            dry_run_result: None,
            params,
            needs: &[],
            body,
            input_schema: None,
            output_schema: None,
            output_schema_value: None,
            ignore_unknown: false,
            time_args: &[],
            timeout: Timeout::Default,
            attempts: None,
            hints: Hints { idempotent: false, destructive: false, open_world: false },
            needs_approval: false,
            at,
        }
    }
    /// `title = "…"`.
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }
    /// `effect = …`.
    pub const fn effect(mut self, effect: EffectDef) -> Self {
        self.effect = effect;
        self
    }
    /// `check = …`.
    pub const fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }
    /// `dry_run_result = …`.
    pub const fn dry_run_result(mut self, stub: fn(&Slots) -> ToolResult) -> Self {
        self.dry_run_result = Some(stub);
        self
    }
    /// The references among the parameters.
    pub const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }
    /// `input_schema = EXPR`.
    pub const fn input_schema(mut self, schema: fn() -> Value) -> Self {
        self.input_schema = Some(schema);
        self
    }
    /// `output_schema`, the flag.
    pub const fn output_schema(mut self, schema: fn(&mut SchemaGenerator) -> Schema) -> Self {
        self.output_schema = Some(schema);
        self
    }
    /// `output_schema = EXPR`.
    pub const fn output_schema_value(mut self, schema: fn() -> Value) -> Self {
        self.output_schema_value = Some(schema);
        self
    }
    /// `unknown_fields = "ignore"`.
    pub const fn ignore_unknown(mut self) -> Self {
        self.ignore_unknown = true;
        self
    }
    /// `time_args = […]`, as property names.
    pub const fn time_args(mut self, names: &'static [&'static str]) -> Self {
        self.time_args = names;
        self
    }
    /// `timeout = "30s"`, in milliseconds; 0 is `"none"`.
    pub const fn timeout_ms(mut self, ms: u64) -> Self {
        self.timeout = if ms == 0 { Timeout::Never } else { Timeout::After(Duration::from_millis(ms)) };
        self
    }
    /// `attempts = N`.
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = Some(attempts);
        self
    }
    /// `idempotent`.
    pub const fn idempotent(mut self) -> Self {
        self.hints.idempotent = true;
        self
    }
    /// `destructive`.
    pub const fn destructive(mut self) -> Self {
        self.hints.destructive = true;
        self
    }
    /// `open_world`.
    pub const fn open_world(mut self) -> Self {
        self.hints.open_world = true;
        self
    }
    /// `needs_approval`.
    pub const fn needs_approval(mut self) -> Self {
        self.needs_approval = true;
        self
    }
}

/// What `#[tool]` submits to the registry: a reference, because submitting the table by value crashes rustc 1.95 when
/// a constant in it panics.
pub struct ToolRef(pub &'static ToolDef);
inventory::collect!(ToolRef);

/// One `#[tools]` function.
pub struct ToolsDef {
    /// The author's function.
    pub make: fn() -> Vec<ToolDefinition>,
    /// Where it stands.
    pub at: At,
}
inventory::collect!(ToolsDef);
