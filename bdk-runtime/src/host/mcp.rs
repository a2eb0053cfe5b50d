//! `host.mcp`: the bot's connections, for its own code.

use super::shown;
use crate::{
    CallOptions, Effect, Error, ToolOutput,
    bot::Bot,
    call::{self, CallState, ErrorCode},
    connection::{CallInfo, Declared, Listing, RemoteTool, offered},
    near,
    registry::{Registry, Tool},
    tool::Output,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json, value::RawValue};
use std::sync::Arc;

/// The servers of the bot's connections: `ctx.host.mcp`. All of them can be called, whether a model sees their tools or not;
/// each connection's own filters hold (`.tools(…)`, `.disallowed_tools(…)`, `.only_reads()`), and its pin (`.pin(Pin::Refuse)`).
///
/// A server is opened when it is first needed, and kept; its tools have the server's own names. Nothing is stubbed and nothing is
/// tried again by itself: in a dry run only the reads of the bot run, and what they call is called, unless it is known to write,
/// which is an error then. The tools of an authored connection work where the session of the call is. A server that cannot be reached makes
/// the tool that calls it `unavailable`; a request that was lost is a transient error, so that a read of the bot is tried again.
///
/// ```no_run
/// use bdk::prelude::*;
///
/// /// Only this bot's code calls it.
/// #[connection(host)]
/// fn warehouse() -> impl IntoConnection {
///     Connection::http("https://mcp.example.com/warehouse").tools(["get_stock"])
/// }
///
/// /// Say how many of an article are there.
/// #[tool(effect = "read")]
/// async fn stock(article: String, ctx: &ToolContext) -> Result<u64> {
///     let answer = ctx.host.mcp.call_tool("warehouse", "get_stock", json!({ "sku": article })).await?;
///     Ok(answer.json()?)
/// }
/// ```
///
/// `mcp lock` writes a typed client of each server, `src/clients/NAME.rs`, so that the compiler checks such a call:
/// `clients::warehouse::get_stock(&ctx.host.mcp, GetStockArgs::new(article)).await?`.
#[derive(Clone)]
pub struct Mcp(Bot, Option<Arc<CallState>>);

/// A tool of a connection's server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct McpTool {
    /// The server's own name for it.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What the server says of it.
    pub description: Option<String>,
    /// The input's JSON Schema.
    pub input_schema: Value,
    /// The result's JSON Schema.
    pub output_schema: Option<Value>,
    /// What it does, as the connection says, or else the server; none where neither says it.
    pub effect: Option<Effect>,
}

impl Mcp {
    pub(super) fn of(bot: &Bot, call: Option<Arc<CallState>>) -> Self {
        Self(bot.clone(), call)
    }
    /// The names of the connections, in their order.
    pub fn names(&self) -> Vec<String> {
        self.0.registry().connections().iter().map(|one| one.name.to_string()).collect()
    }
    /// The tools of a connection, as its server lists them, but for those that its filters leave out. The listing is kept until the
    /// server says that it changed.
    ///
    /// # Errors
    /// When there is no such connection, or its server cannot be opened (30 s) or does not list its tools.
    pub async fn list_tools(&self, connection: &str) -> Result<Vec<McpTool>, Error> {
        self.list_later(connection).await
    }
    #[inline(never)]
    fn list_later<'a>(&'a self, connection: &'a str) -> BoxFuture<'a, Result<Vec<McpTool>, Error>> {
        Box::pin(async move {
            let registry = self.0.registry();
            if let Some(declared) = registry.connection(connection).filter(|one| one.is_authored()) {
                // known without its process
                return Ok(registry.authored(declared).map(own_tool).collect());
            }
            let (declared, listing) = self.listing(connection).await?;
            let pins = self.0.pins();
            let offered = pins
                .offered(&declared, &listing)
                .map_err(|why| Error::new(format!("connection `{connection}`: {why}")))?;
            Ok(offered.into_iter().map(|tool| told(&declared, tool)).collect())
        })
    }
    /// Calls a tool of a connection, by the server's own name. What the server answers is the result, also one that says that it is
    /// an error ([`ToolOutput::is_error`]); dropping the future tells the server.
    ///
    /// # Errors
    /// When there is no such connection, its filters leave the tool out or its pin refuses it, the input is no object, the server cannot be opened or does not answer
    /// within the connection's time limit (5 minutes unless it says otherwise), or answers with an error of the protocol.
    pub async fn call_tool(&self, connection: &str, tool: &str, input: impl Into<Value>) -> Result<ToolOutput, Error> {
        self.call_later(connection, tool, input.into()).await
    }
    #[inline(never)]
    fn call_later<'a>(
        &'a self,
        connection: &'a str,
        tool: &'a str,
        input: Value,
    ) -> BoxFuture<'a, Result<ToolOutput, Error>> {
        Box::pin(async move {
            let registry = self.0.registry();
            match registry.connection(connection) {
                Some(declared) if declared.is_authored() => {
                    // boxed, so that a call of a server does not carry it
                    return Box::pin(self.call_authored(&registry, declared, tool, input)).await;
                }
                Some(declared) => self.passes(declared, tool).await?,
                // told by the pool
                None => {}
            }
            let input = match input {
                Value::Object(_) => crate::tool::doc::to_json(&input),
                Value::Null => RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned()),
                _ => return Err(Error::new(format!("the input of {} is no object", shown(tool)))),
            };
            let info = CallInfo::default();
            Ok(self.0.connections().call(connection, tool, &input, &info).await?.into_output(connection)?)
        })
    }
    /// A tool of this binary is called as by its name: in the session of the call whose tool calls it, with its facts.
    async fn call_authored(
        &self,
        registry: &Registry,
        declared: &Declared,
        name: &str,
        input: Value,
    ) -> Result<ToolOutput, Error> {
        let tool = registry.authored(declared).find(|tool| tool.name() == name);
        if !declared.spec.passes(name, || tool.is_some()) {
            return Err(left_out(declared, name));
        }
        let Some(tool) = tool else {
            let near = near::hint(name, registry.authored(declared).map(|tool| tool.name()));
            return Err(Error::new(format!("connection `{}`: it has no tool {}{near}", declared.name, shown(name))));
        };
        let options = match &self.1 {
            Some(call) => call.nested(name)?,
            None => CallOptions::new(),
        };
        let input = if input.is_null() { json!({}) } else { input };
        let done = call::call_found(&self.0, tool.clone(), input.into(), options).await;
        let unavailable = done.error.as_ref().is_some_and(|error| error.code == ErrorCode::Unavailable);
        match done.output {
            Output::Envelope(envelope) if unavailable => {
                let texts = envelope.content().iter().filter_map(|block| block["text"].as_str());
                Err(Error::unavailable(texts.collect::<String>()))
            }
            output => Ok(ToolOutput::of(output)),
        }
    }
    /// Whether the connection's filters let a server's tool through, and a dry run does. Where names decide it nothing is asked.
    async fn passes(&self, declared: &Declared, tool: &str) -> Result<(), Error> {
        let mut asks = false;
        let passes = declared.spec.passes(tool, || {
            asks = true;
            true
        });
        if !passes || (asks && self.effect(declared, tool).await? != Some(Effect::Read)) {
            return Err(left_out(declared, tool));
        }
        let is_dry_run = self.1.as_ref().is_some_and(|call| call.options.dry_run);
        if is_dry_run && self.effect(declared, tool).await? == Some(Effect::Write) {
            let words = format!(
                "connection `{}`: {} writes, and this is a dry run: it was not called",
                declared.name,
                shown(tool)
            );
            return Err(Error::new(words));
        }
        Ok(())
    }
    /// What a server's tool does, as far as anybody says.
    async fn effect(&self, declared: &Declared, tool: &str) -> Result<Option<Effect>, Error> {
        let (_, listing) = self.listing(&declared.name).await?;
        let found = listing.tools.iter().find(|known| known.name == tool);
        Ok(found.and_then(|tool| offered::effect(&declared.spec, tool)))
    }
    async fn listing(&self, connection: &str) -> Result<(Arc<Declared>, Arc<Listing>), Error> {
        // a name that is none is told by the pool, with one that is near
        let listing = self.0.connections().list(connection).await?;
        let declared = self.0.registry().connection(connection).cloned();
        Ok((declared.ok_or_else(|| Error::new(format!("there is no connection {}", shown(connection))))?, listing))
    }
}

fn left_out(declared: &Declared, tool: &str) -> Error {
    Error::new(format!("connection `{}`: its filters leave {} out", declared.name, shown(tool)))
}

/// A tool of this binary, as one of its connection's.
fn own_tool(tool: &Arc<Tool>) -> McpTool {
    McpTool {
        name: tool.name().to_owned(),
        title: tool.title().map(str::to_owned),
        description: Some(tool.description().to_owned()),
        input_schema: tool.input_schema().clone(),
        output_schema: tool.output_schema(),
        effect: match tool.effect() {
            "read" => Some(Effect::Read),
            "write" => Some(Effect::Write),
            _ => None,
        },
    }
}

fn told(declared: &Declared, tool: &RemoteTool) -> McpTool {
    McpTool {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
        effect: offered::effect(&declared.spec, tool),
    }
}
