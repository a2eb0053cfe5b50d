//! One tool as the bot serves it, whether a function or data made it.

use crate::tool::{
    At, DataBody, Effect, Hints, Param, Timeout, ToolDef, ToolDefinition,
    schema::{self, Compiled},
};
use serde_json::{Value, json};
use std::{sync::OnceLock, time::Duration};

/// The deadline of a tool that names none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
/// How often a read is tried in all, unless it says otherwise.
pub const DEFAULT_ATTEMPTS: u32 = 3;

/// What a tool was made from.
pub(crate) enum Kind {
    /// A `#[tool]` function.
    Code(&'static ToolDef),
    /// Data: of a `#[tools]` function, or of another server.
    Data(Box<ToolDefinition>, Runner),
}

/// Where a tool of this binary runs that is an authored connection's.
pub(crate) struct RunsIn {
    pub(crate) connection: Box<str>,
    /// The name that the connection's process knows it by.
    #[cfg_attr(not(feature = "connections"), expect(dead_code, reason = "nothing runs in another process"))]
    pub(crate) own: Box<str>,
}

/// What runs a tool that data made.
pub(crate) enum Runner {
    /// The author's handler.
    Handler(DataBody),
    /// Another server.
    #[cfg(feature = "connections")]
    Remote(Remote),
}

/// Whose a tool is that another server runs.
#[cfg(feature = "connections")]
pub(crate) struct Remote {
    /// The connection's name.
    pub(crate) connection: Box<str>,
    /// The server's own name for it.
    pub(crate) own: Box<str>,
    /// MCP's hints, as the server gives them.
    pub(crate) said: Vec<(&'static str, bool)>,
}

/// One tool as the bot serves it. Schema and validator are made when first needed, and kept.
pub struct Tool {
    pub(crate) name: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) at: At,
    /// The authored connection whose process runs it; none where this process does.
    pub(crate) runs_in: Option<RunsIn>,
    /// Whether it came while the bot ran, and may go again.
    #[cfg_attr(not(any(feature = "http", feature = "connections")), expect(dead_code))] // none comes then
    pub(crate) added: bool,
    time_args: Box<[Box<str>]>,
    description: OnceLock<String>,
    compiled: OnceLock<Compiled>,
    #[cfg(feature = "mcp")]
    param_headers: OnceLock<schema::ParamHeaders>,
}

impl Tool {
    pub(crate) fn code(name: String, def: &'static ToolDef) -> Self {
        let time_args = def.time_args.iter().map(|n| Box::from(*n)).collect();
        Self::new(name, Kind::Code(def), def.at, time_args)
    }
    pub(crate) fn data(name: String, definition: ToolDefinition, body: DataBody, at: At) -> Self {
        let time_args = definition.time_args.iter().map(|n| n.as_str().into()).collect();
        Self::new(name, Kind::Data(Box::new(definition), Runner::Handler(body)), at, time_args)
    }
    #[cfg(feature = "connections")]
    pub(crate) fn remote(name: String, definition: ToolDefinition, remote: Remote, at: At) -> Self {
        Self::new(name, Kind::Data(Box::new(definition), Runner::Remote(remote)), at, Box::default())
    }
    #[cfg(feature = "connections")]
    fn of_server(&self) -> Option<&Remote> {
        match &self.kind {
            Kind::Data(_, Runner::Remote(remote)) => Some(remote),
            _ => None,
        }
    }
    /// The same tool under this name, run by the process of an authored connection.
    #[cfg(feature = "connections")]
    pub(super) fn in_connection(&self, name: String, connection: &str) -> Option<Self> {
        let tool = match &self.kind {
            Kind::Code(def) => Self::code(name, def),
            Kind::Data(data, Runner::Handler(body)) => Self::data(name, (**data).clone(), body.clone(), self.at),
            Kind::Data(_, Runner::Remote(_)) => return None,
        };
        Some(Self { runs_in: Some(RunsIn { connection: connection.into(), own: self.name.clone() }), ..tool })
    }
    /// The connection whose server or process runs it.
    pub fn connection(&self) -> Option<&str> {
        #[cfg(feature = "connections")]
        if let Some(remote) = self.of_server() {
            return Some(&remote.connection);
        }
        self.runs_in.as_ref().map(|home| &*home.connection)
    }
    /// Whether another server runs it, of which the binary knows nothing.
    pub(crate) fn is_remote(&self) -> bool {
        #[cfg(feature = "connections")]
        return self.of_server().is_some();
        #[cfg(not(feature = "connections"))]
        false
    }
    /// Whether it is there in a dry run: a server's tool of which nobody says what it does is neither run nor stubbed.
    pub(crate) fn is_in_dry_run(&self) -> bool {
        !self.is_remote() || self.effect() != "undeclared"
    }
    fn new(name: String, kind: Kind, at: At, time_args: Box<[Box<str>]>) -> Self {
        Self {
            name: name.into(),
            kind,
            at,
            runs_in: None,
            added: false,
            time_args,
            description: OnceLock::new(),
            compiled: OnceLock::new(),
            #[cfg(feature = "mcp")]
            param_headers: OnceLock::new(),
        }
    }

    /// The name the caller uses.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Where the author's function stands.
    pub fn at(&self) -> At {
        self.at
    }
    /// A title for people.
    pub fn title(&self) -> Option<&str> {
        match &self.kind {
            Kind::Code(def) => def.title,
            Kind::Data(data, _) => data.title.as_deref(),
        }
    }
    /// What the model reads, dedented.
    pub fn description(&self) -> &str {
        match &self.kind {
            Kind::Code(def) => self.description.get_or_init(|| schema::dedent(def.description)),
            Kind::Data(data, _) => &data.description,
        }
    }
    /// `read`, `write`, `predicate` or `undeclared`.
    pub fn effect(&self) -> &'static str {
        match &self.kind {
            Kind::Code(def) => def.effect.as_str(),
            Kind::Data(data, _) => data.effect.map_or("undeclared", Effect::as_str),
        }
    }
    /// The properties that asOf bounds.
    pub fn time_args(&self) -> &[Box<str>] {
        &self.time_args
    }
    /// How long a call may take; `None` is without end.
    pub fn timeout(&self) -> Option<Duration> {
        let timeout = match &self.kind {
            Kind::Code(def) => def.timeout,
            Kind::Data(data, _) => data.timeout,
        };
        match timeout {
            Timeout::Default => Some(DEFAULT_TIMEOUT),
            Timeout::Never => None,
            Timeout::After(d) => Some(d),
        }
    }
    /// How often a read is tried in all.
    pub fn attempts(&self) -> u32 {
        let attempts = match &self.kind {
            Kind::Code(def) => def.attempts,
            Kind::Data(data, _) => data.attempts,
        };
        attempts.unwrap_or(DEFAULT_ATTEMPTS)
    }
    /// Whether a person has to approve every call.
    pub fn needs_approval(&self) -> bool {
        match &self.kind {
            Kind::Code(def) => def.needs_approval,
            Kind::Data(data, _) => data.needs_approval,
        }
    }
    pub(crate) fn params(&self) -> &'static [Param] {
        match &self.kind {
            Kind::Code(def) => def.params,
            Kind::Data(..) => &[],
        }
    }
    /// Whether its schema is plain JSON Schema: the input is validated and handed over untouched.
    pub(crate) fn raw(&self) -> bool {
        match &self.kind {
            Kind::Code(def) => def.input_schema.is_some(),
            Kind::Data(..) => true,
        }
    }
    /// Whether the author's type is the whole input.
    pub(crate) fn whole(&self) -> bool {
        self.params().iter().any(|p| p.whole)
    }
    /// The schema and its validator.
    ///
    /// # Panics
    /// When a raw schema does not compile: the start check refuses such a bot.
    pub(crate) fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let compiled = Compiled::new(self.params(), self.make_input_schema(), self.raw());
            compiled.unwrap_or_else(|why| panic!("{}: the input schema of `{}` {why}", self.at, self.name))
        })
    }
    /// The schema, made anew: for checks before the validator may be built.
    pub(crate) fn make_input_schema(&self) -> Value {
        match &self.kind {
            Kind::Code(def) => schema::input_schema(def),
            Kind::Data(data, _) => data.input_schema.clone().unwrap_or_else(|| schema::no_arguments(false)),
        }
    }
    /// The advertised input schema.
    pub fn input_schema(&self) -> &Value {
        &self.compiled().schema
    }
    /// The parameters whose values a client repeats as HTTP headers.
    #[cfg(feature = "mcp")]
    pub(crate) fn param_headers(&self) -> &schema::ParamHeaders {
        self.param_headers.get_or_init(|| schema::ParamHeaders::of(self.input_schema()))
    }
    /// The advertised output schema.
    pub fn output_schema(&self) -> Option<Value> {
        match &self.kind {
            Kind::Code(def) => schema::output_schema(def),
            Kind::Data(data, _) => data.output_schema.clone(),
        }
    }
    /// Whether it advertises an output schema. Cheap, where [`Self::output_schema`] makes one.
    #[cfg(feature = "mcp")]
    pub(crate) fn has_output_schema(&self) -> bool {
        match &self.kind {
            Kind::Code(def) => def.output_schema.is_some() || def.output_schema_value.is_some(),
            Kind::Data(data, _) => data.output_schema.is_some(),
        }
    }
    /// Whether a dry run may answer in its place with an acknowledgement, which is a text whatever the output schema says.
    #[cfg(feature = "mcp")]
    pub(crate) fn may_be_acknowledged(&self) -> bool {
        let stub = matches!(&self.kind, Kind::Code(def) if def.dry_run_result.is_some());
        self.effect() != "read" && !stub
    }
    fn hints(&self) -> Hints {
        match &self.kind {
            Kind::Code(def) => def.hints,
            Kind::Data(data, _) => data.hints,
        }
    }
    /// MCP's annotations: `readOnlyHint` from a declared effect, the rest where the author gave it.
    pub fn annotations(&self) -> Value {
        let mut out = serde_json::Map::new();
        #[cfg(feature = "connections")]
        for (name, said) in self.of_server().iter().flat_map(|remote| &remote.said) {
            out.insert((*name).into(), (*said).into());
        }
        match self.effect() {
            "read" => drop(out.insert("readOnlyHint".into(), true.into())),
            "write" => drop(out.insert("readOnlyHint".into(), false.into())),
            _ => {}
        }
        let hints = self.hints();
        for (name, set) in [
            ("idempotentHint", hints.idempotent),
            ("destructiveHint", hints.destructive),
            ("openWorldHint", hints.open_world),
        ] {
            if set {
                out.insert(name.into(), true.into());
            }
        }
        Value::Object(out)
    }
    /// The tool as `GET /tools` and `tools --json` list it.
    pub fn listing(&self, agent: &str) -> Value {
        let mut out = json!({ "name": self.name });
        if let Some(title) = self.title() {
            out["title"] = title.into();
        }
        out["description"] = self.description().into();
        out["inputSchema"] = self.input_schema().clone();
        if let Some(schema) = self.output_schema() {
            out["outputSchema"] = schema;
        }
        out["annotations"] = self.annotations();
        out["effect"] = self.effect().into();
        if self.needs_approval() {
            out["needsApproval"] = true.into();
        }
        out["timeArgs"] = self.time_args.iter().map(|n| &**n).collect::<Vec<_>>().into();
        out["execution"] = "server".into();
        out["agent"] = agent.into();
        let mut source = json!({ "crate": self.at.krate });
        // a tool that was added while the bot ran does not know its module
        if !self.at.module.is_empty() {
            source["module"] = self.at.module.into();
        }
        source["file"] = self.at.file.into();
        source["line"] = self.at.line.into();
        #[cfg(feature = "connections")]
        if let Some(remote) = self.of_server() {
            source["name"] = (*remote.own).into();
        }
        if let Some(connection) = self.connection() {
            source["connection"] = connection.into();
        }
        out["source"] = source;
        out
    }
}
