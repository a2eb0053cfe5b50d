//! A connection as the binary declares it: what `#[connection]` leaves at link time, and what the bot makes of it at load.

use super::{
    Connection, Template,
    spec::{Spec, Transport},
};
use crate::tool::{At, schema::dedent};
use std::collections::BTreeSet;

/// One `#[connection]` function.
pub struct ConnectionDef {
    /// The function's name.
    pub name: &'static str,
    /// Its doc comment, as written: not yet dedented, and empty where there is none.
    pub description: &'static str,
    /// `host`: only the bot's own code calls it.
    pub host: bool,
    /// The author's function.
    pub make: fn() -> Connection,
    /// Where it stands.
    pub at: At,
}

/// What `#[connection]` submits to the registry: a reference, as of a tool.
pub struct ConnectionRef(pub &'static ConnectionDef);
inventory::collect!(ConnectionRef);

/// A connection with its name and place, as the registry has it.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: Box<str>,
    /// Whether it is for the bot's own code alone.
    pub(crate) host: bool,
    pub(crate) at: At,
    pub(crate) spec: Spec,
}

/// Who gets at the tools of a connection, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// The model, each tool by its name beside the bot's own.
    Advertised,
    /// Nobody yet but the bot's own code: the model is to find them by searching.
    Attached,
    /// The bot's own code alone.
    Host,
}

impl Access {
    #[cfg_attr(not(feature = "commands"), expect(dead_code, reason = "only the command line tells it"))]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Advertised => "advertised",
            Self::Attached => "attached",
            Self::Host => "host",
        }
    }
}

impl Declared {
    /// What the function of `def` made, under the name that the bot knows it by.
    pub(crate) fn new(name: String, def: &ConnectionDef, made: Connection) -> Self {
        let mut spec = made.into_spec();
        let description = spec.description.take().unwrap_or_else(|| dedent(def.description));
        spec.description = Some(description).filter(|text| !text.trim().is_empty());
        Self { name: name.into(), host: def.host, at: def.at, spec }
    }
    pub(crate) fn access(&self) -> Access {
        match (self.host, self.spec.advertise) {
            (true, _) => Access::Host,
            (false, true) => Access::Advertised,
            (false, false) => Access::Attached,
        }
    }
    /// Whether its tools stand among the bot's once its server was asked: those of an authored one are known from the start.
    #[cfg(feature = "connections")]
    pub(crate) fn advertises_server(&self) -> bool {
        self.access() == Access::Advertised && !self.is_authored()
    }
    /// Whether its tools are this binary's own.
    pub(crate) fn is_authored(&self) -> bool {
        matches!(self.spec.transport, Transport::Authored)
    }
}

impl Spec {
    /// Whether the filters let a tool through, by the server's own name. Whether it reads is asked where that decides it.
    #[cfg(feature = "connections")]
    pub(crate) fn passes(&self, tool: &str, reads: impl FnOnce() -> bool) -> bool {
        self.allowed.as_ref().is_none_or(|names| names.iter().any(|name| name == tool))
            && self.denied.iter().all(|name| name != tool)
            && (!self.only_reads || reads())
    }
    /// The environment variables that its templates name.
    #[cfg_attr(not(feature = "commands"), expect(dead_code, reason = "only the command line tells them"))]
    pub(crate) fn variables(&self) -> BTreeSet<String> {
        let pairs = match &self.transport {
            Transport::Http { headers, .. } => &headers[..],
            Transport::Stdio { env, .. } => &env[..],
            Transport::Authored => &[],
        };
        // what is no template is told at load
        let templates = pairs.iter().filter_map(|(_, value)| Template::parse(value).ok());
        templates.flat_map(|template| template.names().map(str::to_owned).collect::<Vec<_>>()).collect()
    }
}
