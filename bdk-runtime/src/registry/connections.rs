//! The connections that a binary declares, and whose the tools are: an authored connection has those of its module and of
//! those below, the bot has the rest.

use super::{Problem, Tool, check, within};
#[cfg(feature = "connections")]
use crate::connection::{Access, Names};
use crate::{
    connection::{ConnectionDef, Declared},
    tool::At,
};
use std::{collections::BTreeMap, panic::catch_unwind, sync::Arc};

/// The connections, by name, and the tools that are theirs.
#[derive(Default)]
pub(crate) struct Connections {
    declared: Vec<Arc<Declared>>,
    /// By the connection's name; each sorted by name.
    tools: BTreeMap<Box<str>, Vec<Arc<Tool>>>,
    /// The same, as the process of the connection runs them.
    #[cfg(feature = "connections")]
    elsewhere: BTreeMap<Box<str>, Vec<Arc<Tool>>>,
}

impl Connections {
    /// Runs each function once. `prefixed` gives an item's name with that of its extension.
    pub(super) fn declare(
        defs: impl IntoIterator<Item = &'static ConnectionDef>,
        prefixed: impl Fn(&str, &At) -> String,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut declared: Vec<Declared> = Vec::new();
        for def in defs {
            let name = prefixed(def.name, &def.at);
            match catch_unwind(def.make) {
                Ok(made) => declared.push(Declared::new(name, def, made)),
                Err(_) => problems.push(Problem::error(
                    "connection_panicked",
                    Some(def.at),
                    format!("the `#[connection]` function of `{name}` panicked: it runs at the start, and declares nothing then"),
                )),
            }
        }
        declared.sort_by(|a, b| (&a.name, a.at).cmp(&(&b.name, b.at)));
        declared.dedup_by(|b, a| {
            let twins = a.name == b.name;
            if twins {
                problems.push(duplicate(a, b));
            }
            twins
        });
        for one in &declared {
            if !check::legal(&one.name) {
                let why = format!("`{}` is no name for a connection: 1 to 64 letters, digits, `_` and `-`", one.name);
                problems.push(Problem::error("illegal_name", Some(one.at), why));
            }
            problems.extend(one.faults().into_iter().map(|f| Problem::error(f.code, Some(one.at), f.message)));
        }
        Self { declared: declared.into_iter().map(Arc::new).collect(), ..Self::default() }
    }

    #[cfg(feature = "connections")]
    #[cfg(test)]
    pub(super) fn of(declared: Vec<Arc<Declared>>) -> Self {
        Self { declared, ..Self::default() }
    }

    /// The authored connection that has the items of this module: the innermost one.
    fn owner(&self, module: &str) -> Option<&str> {
        let around = self.authored().filter(|one| within(module, one.at.module));
        // of two in one module, which is told, the first
        around.rev().max_by_key(|one| one.at.module.len()).map(|one| &*one.name)
    }

    /// Gives each authored connection its tools, and back those that are the bot's, all by name. Told: two of one name that are
    /// one owner's, two authored connections in one module, and one that has no tools.
    pub(super) fn share(&mut self, all: impl IntoIterator<Item = Tool>, problems: &mut Vec<Problem>) -> Vec<Arc<Tool>> {
        let mut all: Vec<Tool> = all.into_iter().collect();
        all.sort_by(|a, b| (&a.name, a.at).cmp(&(&b.name, b.at)));
        let (mut bots, mut owned) = (Vec::new(), BTreeMap::<Box<str>, Vec<Arc<Tool>>>::new());
        for tool in all {
            let tools = match self.owner(tool.at.module) {
                Some(owner) => owned.entry(owner.into()).or_default(),
                None => &mut bots,
            };
            match tools.last() {
                Some(first) if first.name == tool.name => {
                    problems.push(check::duplicate(&tool.name, first.at, tool.at));
                }
                _ => tools.push(Arc::new(tool)),
            }
        }
        self.check_authored(&owned, problems);
        #[cfg(feature = "connections")]
        for (connection, tools) in &owned {
            let run = tools.iter().filter_map(|tool| tool.in_connection(tool.name().to_owned(), connection));
            self.elsewhere.insert(connection.clone(), run.map(Arc::new).collect());
        }
        self.tools = owned;
        bots
    }

    fn check_authored(&self, tools: &BTreeMap<Box<str>, Vec<Arc<Tool>>>, problems: &mut Vec<Problem>) {
        let mut modules: BTreeMap<&str, &Declared> = BTreeMap::new();
        for one in self.authored() {
            if let Some(first) = modules.get(one.at.module) {
                let (a, b) = in_order(first, one);
                let why = format!(
                    "`{}` and `{}` (at {}) are both authored connections of the module `{}`, whose tools can be only one's: move one \
                     into a module of its own",
                    a.name, b.name, b.at, a.at.module
                );
                problems.push(Problem::error("authored_twice", Some(a.at), why));
                continue;
            }
            modules.insert(one.at.module, one);
            if !tools.contains_key(&one.name) {
                let why = format!(
                    "the connection `{}` has the tools of the module `{}` and of those below, and there is none: write a `#[tool]` there",
                    one.name, one.at.module
                );
                problems.push(Problem::error("authored_empty", Some(one.at), why));
            }
        }
    }

    /// Puts the tools of advertised authored connections among the bot's, as far as their filters let them.
    #[cfg(feature = "connections")]
    pub(super) fn advertise(&self, tools: &mut Vec<Arc<Tool>>) {
        let mut offered: Vec<(&str, &Arc<Tool>)> = Vec::new();
        for one in self.authored().filter(|one| one.access() == Access::Advertised) {
            offered.extend(self.offered(one).map(|tool| (&*one.name, tool)));
        }
        let keys: Vec<(&str, &str)> = offered.iter().map(|(connection, tool)| (*connection, tool.name())).collect();
        let names = Names::default().of(&keys, |name| tools.iter().any(|tool| tool.name() == name));
        let made = names
            .into_iter()
            .zip(offered)
            .filter_map(|(name, (connection, tool))| tool.in_connection(name, connection));
        tools.extend(made.map(Arc::new).collect::<Vec<_>>());
        tools.sort_by(|a, b| a.name.cmp(&b.name));
    }

    fn authored(&self) -> impl DoubleEndedIterator<Item = &Declared> {
        self.declared.iter().map(|one| &**one).filter(|one| one.is_authored())
    }

    /// All of them, by name.
    pub(crate) fn all(&self) -> &[Arc<Declared>] {
        &self.declared
    }
    /// One by its name.
    #[cfg(feature = "connections")]
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Declared>> {
        let at = self.declared.binary_search_by(|one| (*one.name).cmp(name)).ok()?;
        self.declared.get(at)
    }
    /// The tools of an authored connection under their own names, as its process runs them and as far as its filters let them
    /// through.
    #[cfg(feature = "connections")]
    pub(crate) fn offered<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a Arc<Tool>> {
        let passes = |tool: &&Arc<Tool>| declared.spec.passes(tool.name(), || tool.effect() == "read");
        self.elsewhere.get(&declared.name).into_iter().flatten().filter(passes)
    }
    /// The tools that an authored connection has, by name.
    pub(crate) fn tools_of(&self, name: &str) -> &[Arc<Tool>] {
        self.tools.get(name).map_or(&[], Vec::as_slice)
    }
    /// The tools that any of them has.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values().flatten()
    }
}

fn in_order<'a>(a: &'a Declared, b: &'a Declared) -> (&'a Declared, &'a Declared) {
    if a.at <= b.at { (a, b) } else { (b, a) }
}

/// Two connections of one name: both places.
fn duplicate(a: &Declared, b: &Declared) -> Problem {
    let (a, b) = in_order(a, b);
    Problem::error(
        "duplicate_connection",
        Some(a.at),
        format!(
            "two connections are named `{}`: here (crate `{}`) and at {} (crate `{}`); rename one of the functions",
            a.name, a.at.krate, b.at, b.at.krate
        ),
    )
}

#[cfg(test)]
mod tests;
