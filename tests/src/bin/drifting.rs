//! A bot that changes as bots do from version to version: `DRIFT` names what is not as it was. The tests of replays record
//! sessions with one of it and replay them against another.
#![forbid(unsafe_code)]
#![allow(missing_docs, clippy::print_stdout)]

use bdk::{ToolContext, ToolDefinition, prelude::*};
use std::{env, fs, io::Write};

/// Whether this is among what has changed.
fn drifted(what: &str) -> bool {
    env::var("DRIFT").is_ok_and(|all| all.split(',').any(|one| one == what))
}

/// Look up a price.
#[tool(effect = "read")]
async fn price(
    /// What of.
    item: String,
) -> Result<Value> {
    if drifted("error") {
        return Err(format!("nobody sells {item}").into());
    }
    let euros = if drifted("result") { 12 } else { 10 };
    Ok(json!({ "item": item, "price": { "euros": euros, "cents": 50 }, "shops": ["corner", "market"] }))
}

/// Tell what a tool sees of its session.
#[tool(effect = "read", time_args = ["since"])]
async fn seen(since: Option<Timestamp>, ctx: &ToolContext) -> Value {
    let of = ctx.session();
    json!({
        "since": since, "asOf": ctx.as_of(), "now": ctx.as_of().map(|_| ctx.now()), "id": of.id, "title": of.title,
        "purpose": of.purpose, "state": of.state, "who": of.auth.subject, "createdAt": of.created_at,
    })
}

/// Note a line in the file that `LEDGER` names.
fn note(line: &str) -> Result<()> {
    let ledger = env::var("LEDGER")?;
    writeln!(fs::File::options().append(true).create(true).open(ledger)?, "{line}")?;
    Ok(())
}

/// Buy something: the ledger has a line more.
#[tool(effect = "write", dry_run_result = |item| format!("would buy {item}"))]
async fn buy(item: String) -> Result<String> {
    note(&format!("bought {item}"))?;
    Ok(format!("bought {item}"))
}

/// Whatever a tool says is text.
#[tool(effect = "read")]
async fn shouts() -> &'static str {
    println!("NOISE from a tool");
    "\u{1b}[2J\u{1b}[31mred\u{202e}"
}

/// Ask the other tools.
#[tool(effect = "read")]
async fn asks_around(ctx: &ToolContext) -> Result<Value> {
    Ok(ctx.call_tool("price", json!({ "item": "tea" })).await?.result["price"]["euros"].clone())
}

fn open(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Those that differ in what is known of them before they run.
#[tools]
fn others() -> Vec<ToolDefinition> {
    let schema = match drifted("schema") {
        false => open(&json!({ "city": { "type": "string" } }), &["city"]),
        true => open(&json!({ "city": { "type": "string" }, "country": { "type": "string" } }), &["city", "country"]),
    };
    let effect = if drifted("effect") { Effect::Write } else { Effect::Read };
    let mut tools = vec![
        ToolDefinition::new("weather")
            .description("Tell the weather.")
            .effect(Effect::Read)
            .input_schema(schema)
            .handler(async |_: Value, _: ToolContext| Ok("sunny")),
        ToolDefinition::new("count_visits").description("Count visits.").effect(effect).handler(
            async |_: Value, _: ToolContext| {
                if drifted("effect") {
                    note("counted")?;
                }
                Ok(1)
            },
        ),
    ];
    let name = if drifted("removed") { "find_trains" } else { "find_train" };
    let trains = ToolDefinition::new(name).description("Find trains.").effect(Effect::Read);
    tools.push(trains.handler(async |_: Value, _: ToolContext| Ok("at noon")));
    tools
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
