//! `host.mcp`: the bot's connections, for its own code.

use super::shown;
use crate::{
    Effect, Error, ToolOutput,
    bot::Bot,
    connection::{CallInfo, Declared, Listing, RemoteTool, offered},
};
use futures_util::future::BoxFuture;
use serde_json::{Value, value::RawValue};
use std::sync::Arc;

/// The servers of the bot's connections: `ctx.host.mcp`. All of them can be called, whether a model sees their tools or not;
/// each connection's own filters hold (`.tools(…)`, `.disallowed_tools(…)`, `.only_reads()`), and its pin (`.pin(Pin::Refuse)`).
///
/// A server is opened when it is first needed, and kept; its tools have the server's own names. Nothing is stubbed and nothing is
/// tried again by itself: in a dry run only the reads of the bot run, and what they call is called. A server that cannot be reached makes
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
pub struct Mcp(Bot);

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
    pub(super) fn of(bot: &Bot) -> Self {
        Self(bot.clone())
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
            self.passes(connection, tool).await?;
            let input = match input {
                Value::Object(_) => crate::tool::doc::to_json(&input),
                Value::Null => RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned()),
                _ => return Err(Error::new(format!("the input of {} is no object", shown(tool)))),
            };
            let info = CallInfo::default();
            Ok(self.0.connections().call(connection, tool, &input, &info).await?.into_output(connection)?)
        })
    }
    /// Whether the connection's filters let the tool through. Where names decide it nothing is asked.
    async fn passes(&self, connection: &str, tool: &str) -> Result<(), Error> {
        let Some(declared) = self.0.registry().connection(connection).cloned() else { return Ok(()) };
        let mut asks = false;
        let passes = declared.spec.passes(tool, || {
            asks = true;
            true
        });
        if !passes || (asks && !self.reads(&declared, tool).await?) {
            return Err(Error::new(format!("connection `{connection}`: its filters leave {} out", shown(tool))));
        }
        Ok(())
    }
    async fn reads(&self, declared: &Declared, tool: &str) -> Result<bool, Error> {
        let (_, listing) = self.listing(&declared.name).await?;
        let found = listing.tools.iter().find(|known| known.name == tool);
        Ok(found.is_some_and(|tool| offered::effect(&declared.spec, tool) == Some(Effect::Read)))
    }
    async fn listing(&self, connection: &str) -> Result<(Arc<Declared>, Arc<Listing>), Error> {
        // a name that is none is told by the pool, with one that is near
        let listing = self.0.connections().list(connection).await?;
        let declared = self.0.registry().connection(connection).cloned();
        Ok((declared.ok_or_else(|| Error::new(format!("there is no connection {}", shown(connection))))?, listing))
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
