//! `tools`: the listing, as JSON the same from run to run.

use super::output::{self, HEAD, Stop};
use crate::{
    bot::Bot,
    registry::{Registry, Tool},
};
use serde_json::Value;
use std::{fmt::Write, process::ExitCode};

pub(super) fn run(json: bool) -> Result<ExitCode, Stop> {
    let bot = Bot::load()?;
    if json {
        output::print(format!("{:#}\n", listing(&bot)))?;
    } else {
        output::print_styled(&bot.registry().tools().iter().map(|tool| text(tool)).collect::<String>())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An array of what `GET /tools` lists.
pub(super) fn listing(bot: &Bot) -> Value {
    bot.registry().tools().iter().map(|tool| tool.listing(bot.slug())).collect()
}

fn text(tool: &Tool) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{HEAD}{}{HEAD:#} ({})", tool.name(), tool.effect());
    let first = tool.description().trim().lines().next().unwrap_or_default();
    let _ = writeln!(out, "    {first}");
    let schema = tool.input_schema();
    let required = |name: &str| schema["required"].as_array().is_some_and(|r| r.iter().any(|n| n == name));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let optional = if required(name) { "" } else { "?" };
        let description = property["description"].as_str().and_then(|d| d.lines().next()).unwrap_or_default();
        let gap = if description.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "    {name}{optional}: {}{gap}{description}", kind(property));
    }
    out
}

/// A property's type in a word or two.
fn kind(property: &Value) -> String {
    if let Some(values) = property["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    match &property["type"] {
        Value::String(kind) if kind == "array" => format!("[{}]", kind_of_items(property)),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
        _ => "any".to_owned(),
    }
}
fn kind_of_items(property: &Value) -> String {
    if property["items"].is_object() { kind(&property["items"]) } else { "any".to_owned() }
}

/// `3 tools from bot (2), jev (1)`.
pub(super) fn by_crate(registry: &Registry) -> String {
    let count = registry.tools().len();
    let crates: Vec<String> = registry.crates().into_iter().map(|(name, n)| format!("{name} ({n})")).collect();
    let from = if crates.is_empty() { String::new() } else { format!(" from {}", crates.join(", ")) };
    format!("{count} {}{from}", if count == 1 { "tool" } else { "tools" })
}
