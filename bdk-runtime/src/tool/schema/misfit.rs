//! `#[arg(…)]` that does nothing or contradicts itself: the compiler sees the words, only the schema knows the type.

use super::{compiled::validator, walk::resolve};
use crate::tool::{Param, Rule};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is wrong with the parameters' own rules and defaults, in words for the tool's author.
pub fn misfits(params: &[Param], schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for param in params {
        let Some(property) = schema["properties"].get(param.name) else { continue };
        let types = types(property, schema);
        let mut told = |what: &str, fits: &[&str]| {
            if !types.is_empty() && !types.iter().any(|t| fits.contains(t)) {
                found.push(format!("`{what}` of `{}` does nothing: its type is {}", param.name, types.join(" or ")));
            }
        };
        param.rules.iter().for_each(|rule| {
            let (what, fits) = wants(rule);
            told(what, fits);
        });
        if param.coerce {
            told("coerce", &["integer", "number", "boolean", "array"]);
        }
        found.extend(default(param, property, schema));
    }
    found
}

/// A rule's word, and the types on which it has a meaning.
fn wants(rule: &Rule) -> (&'static str, &'static [&'static str]) {
    const ALL: &[&str] = &["integer", "number", "string", "array", "object", "boolean", "null"];
    match rule {
        Rule::Bound(..) => ("range", &["integer", "number"]),
        Rule::MinLen(_) | Rule::MaxLen(_) => ("length", &["string", "array", "object"]),
        Rule::Pattern(_) => ("pattern", &["string"]),
        Rule::Format(_) => ("format", &["string", "integer", "number"]),
        Rule::Inner(_) => ("inner", &["array", "object"]),
        Rule::Extend(..) => ("extend", ALL),
    }
}

/// A default that cannot be made, or that its own parameter would refuse.
fn default(param: &Param, property: &Value, schema: &Value) -> Option<String> {
    let make = param.default?;
    let Ok(slot) = catch_unwind(make) else {
        return Some(format!("the default of `{}` panics", param.name));
    };
    let json = param.default_json.and_then(|json| catch_unwind(AssertUnwindSafe(|| json(&slot))).ok()?)?;
    let mut own = property.as_object().cloned().unwrap_or_else(Map::new);
    if let Some(definitions) = schema.get("$defs") {
        own.insert("$defs".into(), definitions.clone());
    }
    // null stands for an absent value, whatever the type
    let refused = !json.is_null() && validator(&own.into()).is_ok_and(|validator| !validator.is_valid(&json));
    refused.then(|| format!("the default of `{}`, {json}, is refused by the rules of its own parameter", param.name))
}

/// The types that a schema names, its branches among them; none when it says nothing.
fn types<'a>(schema: &'a Value, root: &'a Value) -> Vec<&'a str> {
    let schema = resolve(schema, root);
    match &schema["type"] {
        Value::String(t) => vec![t],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
