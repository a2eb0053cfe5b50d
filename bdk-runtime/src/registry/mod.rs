//! What the binary declares: the items that the attributes left at link time, sorted and checked.
//!
//! inventory gives them in an order that changes with the profile, so nothing here keeps it: tools are sorted by name.
//! A registry never changes: where a running bot gets or loses a tool, another one takes its place.

#[cfg(any(feature = "http", feature = "connections"))]
mod change;
mod check;
mod connections;
mod link;
#[cfg(feature = "http")]
mod made;
mod problem;
mod tool;

pub use link::{ExtensionDef, LinkDef, extension_name};
pub use problem::{Problem, Severity};
pub use tool::{DEFAULT_ATTEMPTS, DEFAULT_TIMEOUT, Tool};

pub(crate) use check::short;
pub(crate) use connections::Connections;
#[cfg(feature = "http")]
pub(crate) use made::Made;
pub(crate) use tool::{Kind, Runner};
#[cfg(feature = "connections")]
pub(crate) use tool::{Remote, RunsIn};

use crate::{
    connection::{ConnectionRef, Declared},
    near::near,
    tool::{At, ProviderDef, ProviderRef, ToolRef, ToolsDef},
};
use std::{
    any::TypeId,
    borrow::Borrow,
    collections::{BTreeMap, HashSet},
    hash::{Hash, Hasher},
    panic::catch_unwind,
    sync::Arc,
};

/// Everything a bot has at one moment: what its binary declares, and what was added since.
pub struct Registry {
    tools: Vec<Arc<Tool>>,
    by_name: HashSet<ByName>,
    connections: Arc<Connections>,
    /// Whether it has but the tools of one authored connection, and those in this process.
    alone: bool,
    providers: Vec<&'static ProviderDef>,
    problems: Vec<Problem>,
}

impl Registry {
    /// Gathers what is linked into this binary. `context` is the type that the call path itself lends to tools.
    pub(crate) fn gather(context: TypeId) -> Self {
        let mut problems = Vec::new();
        let extensions = extensions(&mut problems);
        let prefixed = |name: &str, at: &At| match extensions.iter().find(|e| within(at.module, e.root)) {
            Some(extension) => format!("{}__{name}", extension.name),
            None => name.to_owned(),
        };

        let defs = inventory::iter::<ConnectionRef>().map(|c| c.0);
        let mut connections = Connections::declare(defs, prefixed, &mut problems);

        let mut all: Vec<Tool> = Vec::new();
        for ToolRef(def) in inventory::iter::<ToolRef> {
            all.push(Tool::code(prefixed(def.name, &def.at), def));
        }
        for made in inventory::iter::<ToolsDef> {
            let Ok(definitions) = catch_unwind(made.make) else {
                problems.push(Problem::error(
                    "tools_panicked",
                    Some(made.at),
                    "this `#[tools]` function panicked: it runs at the start, and makes no tool then",
                ));
                continue;
            };
            for mut definition in definitions {
                let name = prefixed(&definition.name, &made.at);
                match definition.body.take() {
                    Some(body) => all.push(Tool::data(name, definition, body, made.at)),
                    None => problems.push(no_handler(&name, made.at)),
                }
            }
        }
        #[cfg_attr(not(feature = "connections"), expect(unused_mut, reason = "no connection's tools are added"))]
        let mut tools = connections.share(all, &mut problems);
        let every = || tools.iter().chain(connections.tools());
        every().for_each(|tool| check::tool(tool, &mut problems));

        let mut providers: Vec<&'static ProviderDef> = inventory::iter::<ProviderRef>().map(|p| p.0).collect();
        providers.sort_by_key(|p| p.at);
        check::providers(every().map(|tool| &**tool), &providers, context, &mut problems);

        if tools.is_empty() && connections.all().is_empty() && problems.is_empty() {
            problems.push(Problem::error(
                "empty_bot",
                None,
                "no tools are linked into this binary: write a `#[tool]` or a `#[connection]`, or, when they stand in a library crate, name it with \
                 `bdk::link!(crate_name);`",
            ));
        }
        problems.sort();
        problems.dedup();
        #[cfg(feature = "connections")]
        connections.advertise(&mut tools);
        Self { by_name: by_names(&tools), tools, connections: Arc::new(connections), alone: false, providers, problems }
    }

    /// The same bot with other connections.
    #[cfg(feature = "connections")]
    #[cfg(test)]
    pub(crate) fn with_connections(mut self, declared: Vec<Arc<Declared>>) -> Self {
        self.connections = Arc::new(Connections::of(declared));
        self
    }

    /// The bot that the process of an authored connection is: the connection's tools, run here.
    #[cfg(all(feature = "connections", feature = "mcp", feature = "commands"))]
    pub(crate) fn of_connection(&self, name: &str) -> Option<Self> {
        let tools =
            self.connections.find(name).filter(|one| one.is_authored()).map(|_| self.tools_of(name).to_vec())?;
        let (connections, providers) = (self.connections.clone(), self.providers.clone());
        Some(Self {
            by_name: by_names(&tools),
            tools,
            connections,
            alone: true,
            providers,
            problems: self.problems.clone(),
        })
    }

    /// Whether it has but the tools of one authored connection, in that connection's process.
    #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }
    /// The tools of an authored connection, as its process runs them, as far as its filters let them through.
    #[cfg(feature = "connections")]
    pub(crate) fn authored<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a Arc<Tool>> {
        self.connections.offered(declared)
    }
    /// The bot's tools, by name: its own, and those of connections that are advertised.
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }
    /// A tool by its name.
    pub fn find(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name).map(|tool| &tool.0)
    }
    /// Up to three names near this one.
    pub fn near(&self, name: &str) -> Vec<String> {
        near(name, self.tools.iter().map(|tool| tool.name()), 3).into_iter().map(str::to_owned).collect()
    }
    /// The connections, by name.
    #[cfg_attr(not(feature = "commands"), allow(dead_code, reason = "without commands nobody shows them"))]
    pub(crate) fn connections(&self) -> &[Arc<Declared>] {
        self.connections.all()
    }
    /// Whether a connection's tools stand among the bot's.
    #[cfg(feature = "connections")]
    pub(crate) fn advertises(&self) -> bool {
        !self.alone && self.connections.all().iter().any(|one| one.advertises_server())
    }
    /// A connection by its name.
    #[cfg(feature = "connections")]
    pub(crate) fn connection(&self, name: &str) -> Option<&Arc<Declared>> {
        self.connections.find(name)
    }
    /// The tools of this binary that are an authored connection's, by name.
    #[cfg_attr(not(feature = "commands"), allow(dead_code, reason = "without commands nobody shows them"))]
    pub(crate) fn tools_of(&self, connection: &str) -> &[Arc<Tool>] {
        self.connections.tools_of(connection)
    }
    /// The tools of the bot and those of its authored connections.
    #[cfg(feature = "commands")]
    pub(crate) fn every_tool(&self) -> impl Iterator<Item = &Arc<Tool>> {
        // those of an advertised authored connection stand in both
        self.tools.iter().filter(|tool| tool.runs_in.is_none()).chain(self.connections.tools())
    }
    /// What is wrong, errors first.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
    /// What stops the start.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|p| p.severity == Severity::Error)
    }
    pub(crate) fn providers(&self) -> &[&'static ProviderDef] {
        &self.providers
    }
    /// How many tools each crate brought, by crate.
    pub fn crates(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for tool in self.tools.iter().filter(|tool| !tool.is_remote()) {
            *counts.entry(tool.at.krate).or_default() += 1;
        }
        counts
    }
}

/// A tool in the set that finds it by its name, so that the name is kept once.
#[derive(Clone)]
struct ByName(Arc<Tool>);

impl Borrow<str> for ByName {
    fn borrow(&self) -> &str {
        &self.0.name
    }
}
impl Hash for ByName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}
impl PartialEq for ByName {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
impl Eq for ByName {}

#[expect(clippy::mutable_key_type, reason = "a tool's name never changes")]
fn by_names(tools: &[Arc<Tool>]) -> HashSet<ByName> {
    tools.iter().cloned().map(ByName).collect()
}

/// The installed extensions; two of one name are told.
fn extensions(problems: &mut Vec<Problem>) -> Vec<&'static ExtensionDef> {
    let mut found: Vec<&'static ExtensionDef> = inventory::iter::<LinkDef>().filter_map(|l| l.extension).collect();
    found.sort_by_key(|e| (e.name, e.root));
    found.dedup_by_key(|e| (e.name, e.root));
    for pair in found.windows(2) {
        if pair[0].name == pair[1].name {
            problems.push(Problem::error(
                "duplicate_extension",
                Some(pair[0].at),
                format!("two extensions are named `{}`: here and at {}", pair[0].name, pair[1].at),
            ));
        }
    }
    found
}

fn no_handler(name: &str, at: At) -> Problem {
    Problem::error("no_handler", Some(at), format!("`{name}` has no handler: end its definition with `.handler(…)`"))
}

/// Whether a module is `root` or stands below it: `a::b` is within `a`, `ab` is not.
fn within(module: &str, root: &str) -> bool {
    module.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}
