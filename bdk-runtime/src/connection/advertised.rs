//! The tools of advertised connections among the bot's own: heard of when somebody asks which tools there are, or for one that
//! is not there, and kept as they were last heard.

use super::{Access, Annotations, Declared, Failed, Listing, RemoteTool, lock::Pins, names::names, offered};
use crate::{
    bot::Bot,
    registry::{Registry, Remote, Tool},
    secrets,
    tool::{Timeout, ToolDefinition},
};
use futures_util::future::join_all;
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{sync::Mutex, time::Instant};

/// How long a server that could not be asked is not asked again for a listing. It doubles.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What is known of each advertised connection, by its name.
#[derive(Default)]
pub(crate) struct Advertised(Mutex<BTreeMap<Box<str>, Heard>>);

/// What a server said last.
#[derive(Default)]
struct Heard {
    listing: Option<Arc<Listing>>,
    /// Since it failed: when it is asked again, and the wait before that.
    failed: Option<(Instant, Duration)>,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whom {
    All,
    /// Those who were asked before: nobody is opened for it.
    Known,
}

/// Puts the tools among the bot's anew whenever a server says that its own changed, until the bot ends.
pub(crate) async fn follow(bot: Bot) {
    let mut changes = bot.connections().changes();
    while let Some(Ok(())) = bot.stop().run_until_cancelled(changes.changed()).await {
        bot.advertised().refresh(&bot, Whom::Known).await;
    }
}

impl Advertised {
    /// Asks those who may have something new to say, all at once, and puts their tools among the bot's. A server that cannot be
    /// asked keeps the tools that it had.
    pub(crate) async fn refresh(&self, bot: &Bot, whom: Whom) {
        // whoever comes meanwhile wants to know the same
        let mut heard = self.0.lock().await;
        let registry = bot.registry();
        let asked: Vec<&Arc<Declared>> = registry
            .connections()
            .iter()
            // an authored one's tools are known from the start
            .filter(|declared| declared.access() == Access::Advertised && !declared.is_authored())
            .filter(|declared| {
                let heard = heard.get(&declared.name);
                let due = heard.and_then(|heard| heard.failed).is_none_or(|(again, _)| Instant::now() >= again);
                due && (whom == Whom::All || heard.is_some())
            })
            .collect();
        let answers = join_all(asked.iter().map(|declared| bot.connections().list(&declared.name))).await;
        let mut changed = false;
        for (declared, answer) in asked.iter().zip(answers) {
            let heard = heard.entry(declared.name.clone()).or_default();
            match answer {
                Ok(listing) => {
                    let same = heard.listing.as_ref().is_some_and(|had| Arc::ptr_eq(had, &listing));
                    if !same {
                        tell(declared, &listing);
                    }
                    changed |= !same;
                    *heard = Heard { listing: Some(listing), failed: None };
                }
                Err(failed) => {
                    let wait = heard.failed.map_or(FIRST_WAIT, |(_, wait)| (wait * 2).min(LONGEST_WAIT));
                    heard.failed = Some((Instant::now() + wait, wait));
                    left_out(declared, &failed);
                }
            }
        }
        if changed {
            let listings: Vec<(&Arc<Declared>, &Arc<Listing>)> = registry
                .connections()
                .iter()
                .filter_map(|declared| Some((declared, heard.get(&declared.name)?.listing.as_ref()?)))
                .collect();
            // made of the registry as it is then: tools may be added meanwhile
            let put = bot.change(|registry| Ok(Some(registry.with_remote(tools(registry, bot.pins(), &listings)))));
            if let Err(error) = put {
                tracing::error!(target: "bdk::connection", %error, "the tools of connections could not be put among the bot's");
            }
        }
    }
}

/// The tools that these listings offer, each under the name that it has beside the bot's own.
fn tools(registry: &Registry, pins: &Pins, listings: &[(&Arc<Declared>, &Arc<Listing>)]) -> Vec<Tool> {
    let mut offered = Vec::new();
    for (declared, listing) in listings {
        match pins.offered(declared, listing) {
            Ok(tools) => offered.extend(tools.into_iter().map(|tool| (*declared, tool))),
            Err(why) => tracing::warn!(target: "bdk::connection", connection = &*declared.name, "left out: {why}"),
        }
    }
    offered.sort_by_key(|(declared, tool)| (&*declared.name, &*tool.name));
    let keys: Vec<(&str, &str)> = offered.iter().map(|(declared, tool)| (&*declared.name, &*tool.name)).collect();
    let own = |name: &str| registry.find(name).is_some_and(|tool| !tool.is_remote());
    let names = names(&keys, own);
    let made =
        names.into_iter().zip(offered).map(|(name, (declared, tool))| (declared, tool, make(name, declared, tool)));
    made.filter_map(|(declared, remote, tool)| match registry.fault_of(&tool) {
        None => Some(tool),
        Some(why) => {
            tracing::warn!(target: "bdk::connection", connection = &*declared.name, tool = remote.name, "left out: {why}");
            None
        }
    })
    .collect()
}

fn make(name: String, declared: &Declared, tool: &RemoteTool) -> Tool {
    let described = |text: &&str| !text.trim().is_empty();
    let description = tool.description.as_deref().filter(described).or(tool.title.as_deref().filter(described));
    let description = match description {
        Some(text) => text.to_owned(),
        // a model chooses by something
        None => format!("`{}` of {}", tool.name, declared.name),
    };
    // what a server says may be what it was told
    let text = |text: &str| secrets::blank(text).into_owned();
    let schema = |schema: &Value| {
        let mut schema = schema.clone();
        secrets::blank_value(&mut schema);
        schema
    };
    let mut definition =
        ToolDefinition::new(name.clone()).description(text(&description)).input_schema(schema(&tool.input_schema));
    definition.title = tool.title.as_deref().map(text);
    definition.output_schema = tool.output_schema.as_ref().map(schema);
    definition.effect = offered::effect(&declared.spec, tool);
    definition.timeout = declared.spec.timeout.map_or(Timeout::Default, Timeout::After);
    let remote =
        Remote { connection: declared.name.clone(), own: tool.name.as_str().into(), said: said(tool.annotations) };
    Tool::remote(name, definition, remote, declared.at)
}

/// MCP's hints as the server gives them.
fn said(annotations: Annotations) -> Vec<(&'static str, bool)> {
    let Annotations { read_only, destructive, idempotent, open_world } = annotations;
    [
        ("readOnlyHint", read_only),
        ("destructiveHint", destructive),
        ("idempotentHint", idempotent),
        ("openWorldHint", open_world),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// What of a new listing the operator has to know.
fn tell(declared: &Declared, listing: &Listing) {
    let connection = &*declared.name;
    for name in offered::unknown(&declared.spec, &listing.tools) {
        tracing::warn!(target: "bdk::connection", connection, "it has no tool `{name}`, which `.tools(…)` names");
    }
}

fn left_out(declared: &Declared, failed: &Failed) {
    let connection = &*declared.name;
    if declared.spec.optional {
        tracing::info!(target: "bdk::connection", connection, %failed, "its tools are left out");
    } else {
        tracing::warn!(target: "bdk::connection", connection, %failed, "its tools are left out");
    }
}
