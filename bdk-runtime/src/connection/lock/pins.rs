//! The servers of a running bot, held to `mcp.lock` as their connections say.
//!
//! No server is opened for it: what changed is told when its tools are heard of anyway, and a tool that is refused is not offered then.

use super::{Difference, FILE, Found, Locked, LockedTool, What, difference::differences};
use crate::{
    connection::{Declared, Listing, Pin, RemoteTool, offered},
    lock::lock,
    registry::{Problem, Registry, Severity},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, Weak},
};

/// The lock as it was when the bot was loaded, and what was said of each server since.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    lock: super::Lock,
    heard: Mutex<HashMap<Box<str>, Heard>>,
}

/// The last listing of a server, and what of it is not as the lock has it.
#[derive(Debug)]
struct Heard {
    listing: Weak<Listing>,
    differences: Arc<[Difference]>,
}

impl Pins {
    /// Reads the lock, where a connection is pinned.
    pub(crate) fn read(registry: &Registry) -> (Self, Vec<Problem>) {
        if registry.connections().iter().all(|one| one.spec.pin.is_none()) {
            return (Self::default(), Vec::new());
        }
        let found = super::found();
        let problems = problems(registry, found.as_ref());
        let lock = found.and_then(|found| found.lock.ok()).unwrap_or_default();
        (Self { lock, heard: Mutex::default() }, problems)
    }

    #[cfg(test)]
    pub(in crate::connection) fn of(lock: super::Lock) -> Self {
        Self { lock, heard: Mutex::default() }
    }

    /// The tools of a server that pass the connection's filters and its pin, in the server's order. What changed is told when a
    /// listing is first heard.
    ///
    /// # Errors
    /// When nothing passes: why, in words.
    pub(crate) fn offered<'a>(
        &self,
        declared: &Declared,
        listing: &'a Arc<Listing>,
    ) -> Result<Vec<&'a RemoteTool>, String> {
        let mut tools = offered::offered(&declared.spec, &listing.tools)?;
        let differences = self.hear(declared, listing);
        if declared.spec.pin == Some(Pin::Refuse) && !tools.is_empty() {
            tools.retain(|tool| differences.iter().all(|one| one.tool != tool.name));
            if tools.is_empty() {
                return Err(format!("none of its tools is as {FILE} has it"));
            }
        }
        Ok(tools)
    }

    /// The names of a server's tools as the lock has them, as far as they pass the connection's filters.
    pub(crate) fn locked<'a>(&'a self, declared: &'a Declared) -> impl Iterator<Item = &'a str> {
        let locked = self.lock.connections.get(&*declared.name).into_iter().flat_map(|locked| locked.tools.keys());
        locked.map(String::as_str).filter(|name| declared.spec.passes(name, || true))
    }

    /// Why a tool's pin forbids it, where it does: what changed, and what to do.
    pub(in crate::connection) fn refuses(
        &self,
        declared: &Declared,
        listing: &Arc<Listing>,
        tool: &str,
    ) -> Option<String> {
        let differences = self.hear(declared, listing);
        let refused = |one: &&Difference| declared.spec.pin == Some(Pin::Refuse) && one.tool == tool;
        let words = |what: &Difference| {
            format!(
                "{what} since {FILE} was written, and its pin refuses it: look at it, and where it is right run `mcp lock`"
            )
        };
        differences.iter().find(refused).map(words)
    }

    /// What is not as the lock has it. Told, where it was not told yet.
    fn hear(&self, declared: &Declared, listing: &Arc<Listing>) -> Arc<[Difference]> {
        let Some(pin) = declared.spec.pin.filter(|_| !declared.is_authored()) else { return Arc::default() };
        let mut heard = lock(&self.heard);
        let last = heard.get(&declared.name);
        if let Some(last) = last.filter(|last| std::ptr::eq(last.listing.as_ptr(), Arc::as_ptr(listing))) {
            return last.differences.clone();
        }
        let now: Arc<[Difference]> = match (self.lock.connections.get(&*declared.name), pin) {
            (Some(locked), _) => against(locked, declared, listing).into(),
            (None, Pin::Refuse) => against(&Locked::default(), declared, listing).into(),
            // the start told that there is nothing to compare with
            (None, Pin::Warn) => Arc::default(),
        };
        if last.is_none_or(|last| last.differences != now) {
            now.iter().for_each(|difference| tell(declared, pin, difference));
        }
        heard.insert(declared.name.clone(), Heard { listing: Arc::downgrade(listing), differences: now.clone() });
        now
    }
}

/// What of a server is not as its entry has it. A locked tool that only the filters leave out now is none of it.
pub(crate) fn against(locked: &Locked, declared: &Declared, listing: &Listing) -> Vec<Difference> {
    let passing = offered::offered(&declared.spec, &listing.tools).unwrap_or_default();
    let known = listing.tools.iter().filter(|tool| locked.tools.contains_key(&tool.name));
    let now: BTreeMap<String, LockedTool> =
        passing.into_iter().chain(known).map(|tool| (tool.name.clone(), LockedTool::of(tool))).collect();
    differences(&locked.tools, &now)
}

fn tell(declared: &Declared, pin: Pin, difference: &Difference) {
    let connection = &*declared.name;
    if pin == Pin::Refuse && difference.what != What::Removed {
        tracing::warn!(target: "bdk::connection", connection, "{difference} since {FILE} was written: it is not offered");
    } else {
        tracing::warn!(target: "bdk::connection", connection, "{difference} since {FILE} was written");
    }
}

/// What of the lock and of the connections that are pinned does not go together: an error where the bot cannot start with it.
pub(crate) fn problems(registry: &Registry, found: Option<&Found>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lock = match found.map(|found| (found, &found.lock)) {
        Some((found, Err(broken))) => {
            let why = format!("{}. Run `mcp lock`, which writes it anew", broken.words);
            let mut problem = Problem::error("lock_broken", None, why);
            problem.place = Some(format!("{}:{}", found.path.display(), broken.line));
            return vec![problem];
        }
        Some((_, Ok(lock))) => Some(lock),
        None => None,
    };
    for one in registry.connections() {
        let Some(pin) = one.spec.pin else { continue };
        if one.is_authored() {
            let why = format!(
                "the connection `{}`: its tools are this binary's own, which nothing can change: leave out `.pin(…)`",
                one.name
            );
            problems.push(Problem::warning("pin_authored", Some(one.at), why));
            continue;
        }
        let severity = if pin == Pin::Refuse { Severity::Error } else { Severity::Warning };
        let (code, why) = match lock {
            Some(lock) if lock.connections.contains_key(&*one.name) => continue,
            Some(_) => ("lock_lacks", format!("and {FILE} has no entry of it: run `mcp lock`")),
            None => (
                "lock_missing",
                format!(
                    "and there is no {FILE} in the folder the bot runs in: run `mcp lock`, and keep the file with the sources"
                ),
            ),
        };
        let message = format!("the connection `{}` is pinned, {why}", one.name);
        problems.push(Problem { severity, code, place: Some(one.at.to_string()), message });
    }
    problems
}
