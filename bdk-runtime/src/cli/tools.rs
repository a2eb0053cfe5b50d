//! `tools`: the listing, as JSON the same from run to run.

use super::{
    connections::counted,
    output::{self, HEAD, Stop},
};
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
    let effect = match tool.effect() {
        "predicate" => "read or write, by its input",
        "undeclared" => "effect undeclared, treated as a write",
        effect => effect,
    };
    let approval = if tool.needs_approval() { ", needs approval" } else { "" };
    let _ = writeln!(out, "{HEAD}{}{HEAD:#} ({effect}{approval})", tool.name());
    let first = tool.description().trim().lines().next().unwrap_or_default();
    let _ = writeln!(out, "    {first}");
    let schema = tool.input_schema();
    for (name, property) in properties(schema) {
        let description = first_line(property);
        let gap = if description.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "    {}{gap}{description}", shown(schema, name, property));
    }
    // a tagged enum as the whole input
    let branches = ["oneOf", "anyOf"].iter().find_map(|key| schema[*key].as_array());
    for (i, branch) in branches.into_iter().flatten().enumerate() {
        let all: Vec<String> = properties(branch).map(|(name, property)| shown(branch, name, property)).collect();
        let all = if all.is_empty() { kind(branch) } else { all.join(", ") };
        let description = first_line(branch);
        let gap = if description.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "    {} {all}{gap}{description}", if i == 0 { "either" } else { "or" });
    }
    let bounded: Vec<&str> = tool.time_args().iter().map(|name| &**name).collect();
    if !bounded.is_empty() {
        let _ = writeln!(out, "    under asOf, bounded by it: {}", bounded.join(", "));
    }
    out
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}
fn first_line(schema: &Value) -> &str {
    schema["description"].as_str().and_then(|d| d.lines().next()).unwrap_or_default()
}

/// `unit?: "celsius" | "kelvin" = "kelvin"`.
fn shown(schema: &Value, name: &str, property: &Value) -> String {
    let required = schema["required"].as_array().is_some_and(|r| r.iter().any(|n| n == name));
    let optional = if required { "" } else { "?" };
    let default = property.get("default").map_or_else(String::new, |default| format!(" = {default}"));
    format!("{name}{optional}: {}{default}", kind(property))
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

/// `3 tools from bot (2), jev (1), 1 connection`.
pub(super) fn by_crate(registry: &Registry) -> String {
    let count = registry.tools().len();
    let crates: Vec<String> = registry.crates().into_iter().map(|(name, n)| format!("{name} ({n})")).collect();
    let from = if crates.is_empty() { String::new() } else { format!(" from {}", crates.join(", ")) };
    format!("{count} {}{from}{}", if count == 1 { "tool" } else { "tools" }, counted(registry))
}
