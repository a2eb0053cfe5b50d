//! The tools of advertised connections among the bot's own: heard of when somebody asks which tools there are, or for one that
//! is not there, and kept as they were last heard.

use super::{
    Annotations, Declared, Failed, Kind, Listing, Names, RemoteTool, limits::Limits, lock::Pins, mended::mended, names,
    offered,
};
use crate::{
    bot::Bot,
    cut,
    lock::lock,
    registry::{Registry, Remote, Tool},
    secrets,
    tool::{Timeout, ToolDefinition},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::task::AbortOnDropHandle;

/// How long a server that could not be asked is not asked again for a listing. It doubles.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// And for a tool that may be its.
const FOR_ONE: Duration = Duration::from_secs(1);

/// What is known of each advertised connection, by its name.
#[derive(Default)]
pub(crate) struct Advertised {
    known: Mutex<Known>,
    /// Moves on whenever a server has answered or failed.
    heard: watch::Sender<()>,
}

#[derive(Default)]
struct Known {
    servers: BTreeMap<Box<str>, Server>,
    names: Names,
    /// A listing that is not among the bot's tools yet.
    is_new: bool,
}

#[derive(Default)]
struct Server {
    /// What it said last.
    listing: Option<Arc<Listing>>,
    /// Since it failed.
    failed: Option<Silence>,
    /// While it is being asked: since when.
    asked: Option<(Instant, AbortOnDropHandle<()>)>,
    /// It let a listing wait in vain.
    is_late: bool,
}

/// Why a server has said nothing, and how long it is left alone for that.
struct Silence {
    at: Instant,
    wait: Duration,
    why: String,
}

impl Server {
    /// Whether it is to be asked. Whoever wants a tool of its is not to wait until it is asked for all of them again.
    fn is_due(&self, until: Until<'_>) -> bool {
        let due = |failed: &Silence| match until {
            Until::Listed => failed.at.elapsed() >= failed.wait,
            Until::Named(_) => failed.at.elapsed() >= FOR_ONE,
        };
        self.asked.is_none() && self.failed.as_ref().is_none_or(due)
    }
    /// Whether a tool that it lists may have got this name.
    fn may_have(&self, name: &str) -> bool {
        let tools = self.listing.iter().flat_map(|listing| &listing.tools);
        tools
            .map(|tool| names::legal(&tool.name))
            .any(|own| name.strip_prefix(&*own).is_some_and(|rest| rest.is_empty() || rest.starts_with('_')))
    }
    /// Whether whoever waits until then waits for it.
    fn keeps_waiting(&self, until: Until<'_>) -> bool {
        let never_settled = self.listing.is_none() && self.failed.is_none();
        self.asked.is_some() && (!self.is_late || (never_settled && matches!(until, Until::Named(_))))
    }
}

/// What is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until<'a> {
    /// Everybody was asked. A silent server is waited for once.
    Listed,
    /// The tool of this name is there, or nobody has it. A server that has not answered yet and not failed yet may have it.
    Named(&'a str),
}

/// Puts the tools among the bot's anew whenever a server says that its own changed, until the bot ends.
pub(crate) async fn follow(bot: Bot) {
    let mut changes = bot.connections().changes();
    while let Some(Ok(())) = bot.stop().run_until_cancelled(changes.changed()).await {
        bot.advertised().ask(&bot, Until::Listed, |server| server.listing.is_some());
        // a server may say it all the time
        bot.stop().run_until_cancelled(sleep(bot.connections().limits().between_changes)).await;
    }
}

impl Advertised {
    /// Asks those who may have something new to say, all at once, and waits until their tools are among the bot's. A server that
    /// cannot be asked keeps the tools that it had.
    pub(crate) async fn wait(&self, bot: &Bot, until: Until<'_>) {
        let mut heard = self.heard.subscribe();
        self.ask(bot, until, |_| true);
        let (begun, limits) = (Instant::now(), bot.connections().limits());
        loop {
            let waited = begun.elapsed();
            let (pending, there) = {
                let servers = &lock(&self.known).servers;
                let there = |name: &str| servers.values().any(|server| server.may_have(name));
                (
                    servers.values().any(|server| server.keeps_waiting(until)),
                    matches!(until, Until::Named(name) if waited >= limits.gathering && there(name)),
                )
            };
            if !pending || there || waited >= limits.patience {
                self.put(bot);
            }
            match until {
                _ if !pending => return,
                Until::Named(name) if there && bot.find(name).is_some() => return,
                Until::Listed if waited >= limits.patience => return self.give_up(limits),
                _ => {}
            }
            let looks = [begun + limits.gathering, begun + limits.patience];
            // one that has not settled by then does so by its own limits, and is heard
            let next = looks.into_iter().find(|look| *look > Instant::now());
            let _ = timeout_at(next.unwrap_or_else(|| Instant::now() + limits.patience), heard.changed()).await;
        }
    }

    /// Nobody waits any more for those who are silent.
    fn give_up(&self, limits: &Limits) {
        for (connection, server) in &mut lock(&self.known).servers {
            if server.asked.is_some() && !server.is_late {
                server.is_late = true;
                tracing::warn!(
                    target: "bdk::connection", connection = &**connection,
                    "it has not listed its tools for {} s: they come when it does, and nobody waits for them", limits.patience.as_secs()
                );
            }
        }
    }

    /// Asks each server whose turn it is and of which this holds, unless what it said is as good as new.
    fn ask(&self, bot: &Bot, until: Until<'_>, whom: impl Fn(&Server) -> bool) {
        let registry = bot.registry();
        let mut known = lock(&self.known);
        for declared in servers(&registry) {
            let server = known.servers.entry(declared.name.clone()).or_default();
            if !server.is_due(until) || !whom(server) {
                continue;
            }
            let Ok(held) = bot.connections().held(&declared.name) else { continue };
            if server.failed.is_none()
                && let (Some(had), Some(kept)) = (&server.listing, held.kept())
                && Arc::ptr_eq(had, &kept)
            {
                continue;
            }
            // with nothing that keeps the bot: one that is dropped is done with its servers
            let (bot, held, declared) = (bot.downgrade(), held.clone(), declared.clone());
            let asking = tokio::spawn(async move {
                let answer = held.list().await;
                if let Some(bot) = bot.upgrade() {
                    bot.advertised().hear(&bot, &declared, answer);
                }
            });
            server.asked = Some((Instant::now(), AbortOnDropHandle::new(asking)));
        }
    }

    /// Asks nobody any more.
    pub(crate) fn close(&self) {
        for server in lock(&self.known).servers.values_mut() {
            server.asked = None;
        }
        self.heard.send_replace(());
    }

    /// Takes in what a server said.
    fn hear(&self, bot: &Bot, declared: &Declared, answer: Result<Arc<Listing>, Failed>) {
        let limits = bot.connections().limits();
        let gathered = {
            let mut known = lock(&self.known);
            let server = known.servers.entry(declared.name.clone()).or_default();
            // this is its task, at its end
            let asked = server.asked.take().map(|(since, task)| {
                task.detach();
                since
            });
            let mut is_new = false;
            match answer {
                Ok(listing) => {
                    is_new = server.listing.as_ref().is_none_or(|had| !Arc::ptr_eq(had, &listing));
                    if is_new {
                        tell(declared, &listing);
                    }
                    *server = Server { listing: Some(listing), ..Server::default() };
                }
                Err(failed) => {
                    let wait = server.failed.as_ref().map_or(FIRST_WAIT, |failed| (failed.wait * 2).min(LONGEST_WAIT));
                    left_out(declared, &failed);
                    server.failed = Some(Silence { at: Instant::now(), wait, why: failed.words });
                    server.is_late |= asked.is_some_and(|since| since.elapsed() >= limits.patience);
                }
            }
            known.is_new |= is_new;
            let now = Instant::now();
            let gathers = |(since, _): &(Instant, AbortOnDropHandle<()>)| now.duration_since(*since) < limits.patience;
            !known.servers.values().any(|server| server.listing.is_none() && server.asked.as_ref().is_some_and(gathers))
        };
        if gathered {
            self.put(bot);
        }
        self.heard.send_replace(());
    }

    /// Puts the tools of all that was heard among the bot's, where there is something new.
    fn put(&self, bot: &Bot) {
        let mut known = lock(&self.known);
        if !std::mem::take(&mut known.is_new) {
            return;
        }
        let Known { servers: heard, names, .. } = &mut *known;
        let registry = bot.registry();
        let listings: Vec<(&Declared, Option<&Arc<Listing>>)> = servers(&registry)
            .map(|declared| (&**declared, heard.get(&declared.name).and_then(|server| server.listing.as_ref())))
            .collect();
        // made of the registry as it is then: tools may be added meanwhile
        let put = bot.change(|registry| Ok(Some(registry.with_remote(tools(registry, bot.pins(), &listings, names)))));
        if let Err(error) = put {
            tracing::error!(target: "bdk::connection", %error, "the tools of connections could not be put among the bot's");
        }
    }

    /// Of each connection whose tools nobody knows, as its server has not listed them since the start: why.
    pub(crate) fn unheard(&self) -> Vec<String> {
        let known = lock(&self.known);
        let unheard = known.servers.iter().filter(|(_, server)| server.listing.is_none());
        unheard
            .map(|(name, server)| match &server.failed {
                Some(failed) => cut::repeated(&failed.why, 500),
                None => format!("connection `{name}`: it has not answered yet"),
            })
            .collect()
    }

    /// Why no tool has this name, where a server's would have it and its pin refuses that.
    pub(crate) fn refused(&self, bot: &Bot, name: &str) -> Option<String> {
        let (known, registry) = (lock(&self.known), bot.registry());
        servers(&registry).find_map(|declared| {
            let listing = known.servers.get(&declared.name)?.listing.as_ref()?;
            let tool = listing.tools.iter().find(|tool| names::legal(&tool.name) == name)?;
            let why = bot.pins().refuses(declared, listing, &tool.name)?;
            Some(format!("connection `{}`: {why}", declared.name))
        })
    }

    /// Whether this is the name that `mcp.lock` keeps for a tool of a server that nobody has heard yet.
    pub(crate) fn is_locked(&self, bot: &Bot, name: &str) -> bool {
        let (known, registry) = (lock(&self.known), bot.registry());
        let heard =
            |declared: &Declared| known.servers.get(&declared.name).is_some_and(|server| server.listing.is_some());
        let mut unheard = servers(&registry).filter(|declared| !heard(declared));
        unheard.any(|declared| bot.pins().locked(declared).any(|own| names::legal(own) == name))
    }
}

/// The connections whose servers are asked.
fn servers(registry: &Registry) -> impl Iterator<Item = &Arc<Declared>> {
    registry.connections().iter().filter(|declared| declared.advertises_server())
}

/// The tools that these listings offer, each under the name that it has beside the bot's own. Where there is no listing yet, what
/// `mcp.lock` has of it keeps its names.
fn tools(
    registry: &Registry,
    pins: &Pins,
    listings: &[(&Declared, Option<&Arc<Listing>>)],
    names: &mut Names,
) -> Vec<Tool> {
    let mut offered: Vec<(&Declared, &str, Option<&RemoteTool>)> = Vec::new();
    for (declared, listing) in listings {
        match listing.map(|listing| pins.offered(declared, listing)) {
            Some(Ok(tools)) => offered.extend(tools.into_iter().map(|tool| (*declared, &*tool.name, Some(tool)))),
            Some(Err(why)) => {
                tracing::warn!(target: "bdk::connection", connection = &*declared.name, "left out: {why}");
            }
            None => offered.extend(pins.locked(declared).map(|name| (*declared, name, None))),
        }
    }
    offered.sort_by_key(|(declared, own, _)| (&*declared.name, *own));
    let keys: Vec<(&str, &str)> = offered.iter().map(|(declared, own, _)| (&*declared.name, *own)).collect();
    let own = |name: &str| registry.find(name).is_some_and(|tool| !tool.is_remote());
    let made = names.of(&keys, own).into_iter().zip(offered);
    made.filter_map(|(name, (declared, _, tool))| {
        let remote = tool?;
        if secrets::blank(&remote.name) != *remote.name {
            tracing::warn!(target: "bdk::connection", connection = &*declared.name, "left out: a tool whose name is a secret");
            return None;
        }
        match offer(registry, name, declared, remote) {
            Ok((tool, told)) => {
                if let Some(told) = told {
                    tracing::warn!(target: "bdk::connection", connection = &*declared.name, tool = remote.name, "{told}");
                }
                Some(tool)
            }
            Err(why) => {
                tracing::warn!(target: "bdk::connection", connection = &*declared.name, tool = remote.name, "left out: {why}");
                None
            }
        }
    })
    .collect()
}

/// A tool as it can be offered, and what the operator has to know of it.
///
/// # Errors
/// Why it cannot be.
fn offer(
    registry: &Registry,
    name: String,
    declared: &Declared,
    remote: &RemoteTool,
) -> Result<(Tool, Option<String>), String> {
    let tool = make(name.clone(), declared, remote, &remote.input_schema);
    // it quotes what the server wrote
    let fault = |tool: &Tool| registry.fault_of(tool).map(|why| cut::repeated(&why, 1_000));
    let Some(why) = fault(&tool) else { return Ok((tool, None)) };
    let Some((schema, places)) = mended(&remote.input_schema) else { return Err(why) };
    let tool = make(name, declared, remote, &schema);
    match fault(&tool) {
        Some(why) => Err(why),
        None => {
            let places = cut::repeated(&places.join(", "), 300);
            Ok((tool, Some(format!("{why}. It is offered without that, for the server to check: {places}"))))
        }
    }
}

/// What of a server's tool the operator has to know before it is offered, in words.
#[cfg(feature = "commands")]
pub(crate) fn misgiving(registry: &Registry, declared: &Declared, remote: &RemoteTool) -> Option<String> {
    match offer(registry, names::legal(&remote.name), declared, remote) {
        Ok((_, told)) => told,
        Err(why) => Some(format!("the tool is left out: {why}")),
    }
}

/// `input`: the server's schema, or what is left of it.
fn make(name: String, declared: &Declared, tool: &RemoteTool, input: &Value) -> Tool {
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
        plain_properties(&mut schema);
        schema
    };
    let mut input = schema(input);
    if let Some(root) = input.as_object_mut() {
        // that it is no other was seen
        root.entry("type").or_insert_with(|| "object".into());
    }
    let mut definition = ToolDefinition::new(name.clone()).description(text(&description)).input_schema(input);
    definition.title = tool.title.as_deref().map(text);
    definition.output_schema = tool.output_schema.as_ref().map(schema);
    definition.effect = offered::effect(&declared.spec, tool);
    definition.timeout = declared.spec.timeout.map_or(Timeout::Default, Timeout::After);
    let remote =
        Remote { connection: declared.name.clone(), own: tool.name.as_str().into(), said: said(tool.annotations) };
    Tool::remote(name, definition, remote, declared.at)
}

/// `true` and `false` as the schema of a property, said as objects: clients that know no others refuse the whole listing for one.
fn plain_properties(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        match property {
            Value::Bool(true) => *property = json!({}),
            Value::Bool(false) => *property = json!({ "not": {} }),
            _ => {}
        }
    }
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
    for unknown in offered::unknown(&declared.spec, &listing.tools) {
        tracing::warn!(target: "bdk::connection", connection, "{unknown}");
    }
}

fn left_out(declared: &Declared, failed: &Failed) {
    if failed.kind == Kind::Closed {
        // who goes down asks nobody
        return;
    }
    let connection = &*declared.name;
    if declared.spec.optional {
        tracing::info!(target: "bdk::connection", connection, %failed, "its tools are left out");
    } else {
        tracing::warn!(target: "bdk::connection", connection, %failed, "its tools are left out");
    }
}
