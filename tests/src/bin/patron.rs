//! A bot whose connections the environment decides: `PATRON_URL` a server over HTTP, `PATRON_COMMAND` (a JSON array) a process, and
//! `PATRON_PATIENCE` how many milliseconds a call of either may take.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use bdk::prelude::*;

/// What the environment has under this name.
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// A program with its arguments; one that is nowhere where the environment names none.
fn command() -> (String, Vec<String>) {
    let told = told("PATRON_COMMAND").unwrap_or_else(|| "[\"no-such-program\"]".to_owned());
    let mut words: Vec<String> = serde_json::from_str(&told).unwrap_or_default();
    (words.remove(0), words)
}

fn patience() -> Option<Duration> {
    told("PATRON_PATIENCE").and_then(|ms| ms.parse().ok()).map(Duration::from_millis)
}

/// The server over HTTP.
#[connection]
fn far() -> impl IntoConnection {
    let url = told("PATRON_URL").unwrap_or_else(|| "http://127.0.0.1:9/mcp".to_owned());
    let far = Connection::http(url).header("authorization", "Bearer ${PATRON_TOKEN}").advertise_tools();
    match patience() {
        Some(patience) => far.timeout(patience),
        None => far,
    }
}

/// The process.
#[connection]
fn near() -> impl IntoConnection {
    let (program, args) = command();
    Connection::stdio(program)
        .args(args)
        .env("GIVEN", "${PATRON_GIVEN}")
        .advertise_tools()
        .timeout(patience().unwrap_or(Duration::from_secs(3)))
}

/// The same process, but for the bot alone, and only what reads.
#[connection(host)]
fn reads() -> impl IntoConnection {
    let (program, args) = command();
    Connection::stdio(program).args(args).only_reads().disallowed_tools(["forbidden"])
}

/// The same process, with what the author knows better.
#[connection]
fn known() -> impl IntoConnection {
    let (program, args) = command();
    let connection = Connection::stdio(program).args(args).advertise_tools().tools(["order", "zz"]).optional();
    connection.effect_of("order", Effect::Write)
}

/// The bot's own.
#[tool(effect = "read")]
fn search_v2() -> &'static str {
    "the bot's own"
}

/// Call a tool of a connection.
#[tool(effect = "read", attempts = 1)]
async fn relay(connection: String, tool: String, input: Option<Value>, ctx: &ToolContext) -> Result<ToolOutput> {
    Ok(ctx.host.mcp.call_tool(&connection, &tool, input.unwrap_or(Value::Null)).await?)
}

/// The tools of a connection.
#[tool(effect = "read")]
async fn offered(connection: String, ctx: &ToolContext) -> Result<Vec<String>> {
    let tools = ctx.host.mcp.list_tools(&connection).await?;
    Ok(tools.into_iter().map(|tool| tool.name).collect())
}

/// The connections.
#[tool(effect = "read")]
fn connections(ctx: &ToolContext) -> Vec<String> {
    ctx.host.mcp.names()
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
