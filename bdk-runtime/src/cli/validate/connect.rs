//! `validate --connect`: opens each connection, and says how it went.

use crate::{
    cli::{output::Stop, shown, signal::unless_stopped},
    connection::{
        Connections, Declared, Listing, Pin,
        lock::{FILE, Lock, Locked, What, against, found},
        misgiving, offered,
    },
    cut,
    registry::{Problem, Registry, Severity},
};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How it went with one of them.
pub(super) struct Tried {
    name: Box<str>,
    /// How many tools there are, as far as the filters let them through.
    came: Result<usize, String>,
    took: Duration,
}

/// Opens all of them at once, and ends what it started.
pub(super) async fn all(registry: &Registry, problems: &mut Vec<Problem>) -> Result<Vec<Tried>, Stop> {
    let pool = Connections::new(registry.connections(), Arc::default(), None);
    let lock = found().and_then(|found| found.lock.ok()).unwrap_or_default();
    let tried =
        unless_stopped(join_all(registry.connections().iter().map(|one| open(registry, &pool, one, &lock)))).await;
    pool.close().await;
    let tried = tried.ok_or_else(|| Stop::failed("ended by a signal"))?;
    let mut out = Vec::new();
    for (tried, told) in tried {
        problems.extend(told);
        out.push(tried);
    }
    Ok(out)
}

async fn open(registry: &Registry, pool: &Connections, one: &Declared, lock: &Lock) -> (Tried, Vec<Problem>) {
    let start = Instant::now();
    let listed = pool.list(&one.name).await;
    let took = start.elapsed();
    let offered = match &listed {
        Ok(listing) => Locked::of(one, listing).map_err(|why| format!("connection `{}`: {why}", one.name)),
        Err(failed) => Err(failed.to_string()),
    };
    let mut problems = Vec::new();
    if let Err(why) = &offered {
        // the bot does without it
        let severity = if one.spec.optional { Severity::Warning } else { Severity::Error };
        problems.push(problem(one, severity, "connection_failed", why));
    }
    if let Ok(listing) = &listed {
        problems.extend(pinned(one, lock, listing));
        // an authored one's are known without it
        let unknown = offered::unknown(&one.spec, &listing.tools).into_iter().filter(|_| !one.is_authored());
        let unknown = unknown.map(|why| format!("connection `{}`: {why}", one.name));
        problems.extend(unknown.map(|why| problem(one, Severity::Warning, "connection_names", &why)));
        let passing = offered::offered(&one.spec, &listing.tools).unwrap_or_default();
        let passing = passing.into_iter().filter(|_| one.advertises_server());
        let misgivings = passing.filter_map(|tool| {
            let why = misgiving(registry, one, tool)?;
            Some(format!("connection `{}`, tool {}: {why}", one.name, cut::quoted(&tool.name, 80)))
        });
        problems.extend(misgivings.map(|why| problem(one, Severity::Warning, "connection_tool", &why)));
    }
    let left_out = listed.iter().flat_map(|listing| &listing.warnings);
    let left_out = left_out.map(|why| format!("connection `{}`: {why}", one.name));
    problems.extend(left_out.map(|why| problem(one, Severity::Warning, "connection_listing", &why)));
    let came = offered.map(|now| now.tools.len());
    (Tried { name: one.name.clone(), came, took }, problems)
}

/// What is not as the lock has it, where that is of interest.
fn pinned(one: &Declared, lock: &Lock, listing: &Listing) -> Vec<Problem> {
    let Some((pin, locked)) = one.spec.pin.zip(lock.connections.get(&*one.name)) else { return Vec::new() };
    let told = against(locked, one, listing).into_iter().map(|difference| {
        let refused = pin == Pin::Refuse;
        let words = if refused && difference.what != What::Removed { ", and is not offered" } else { "" };
        let why = format!(
            "connection `{}`: {difference} since {FILE} was written{words}. Where that is right, run `mcp lock`",
            one.name
        );
        problem(one, if refused { Severity::Error } else { Severity::Warning }, "connection_changed", &why)
    });
    told.collect()
}

fn problem(one: &Declared, severity: Severity, code: &'static str, message: &str) -> Problem {
    Problem { severity, code, place: Some(one.at.to_string()), message: shown::line(message) }
}

impl Tried {
    pub(super) fn json(&self) -> Value {
        let mut out = json!({ "name": self.name, "ok": self.came.is_ok() });
        match &self.came {
            Ok(tools) => out["tools"] = (*tools).into(),
            Err(why) => out["error"] = why.as_str().into(),
        }
        out["ms"] = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX).into();
        out
    }
    pub(super) fn text(&self) -> String {
        let ms = self.took.as_millis();
        match &self.came {
            Ok(1) => format!("{}: open, 1 tool, {ms} ms\n", self.name),
            Ok(tools) => format!("{}: open, {tools} tools, {ms} ms\n", self.name),
            // why is among the problems
            Err(_) => format!("{}: failed after {ms} ms\n", self.name),
        }
    }
}
