//! What `validate` warns of: schemas that are right, and that some models or providers cannot use well.

use super::{
    param_headers,
    walk::{children, percent_decode},
};
use serde_json::Value;

/// One thing worth a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// Where, as a path of keywords; empty for the root.
    pub path: String,
    /// What, and what to do about it.
    pub message: String,
}

/// Looks through a schema.
pub fn lint(schema: &Value) -> Vec<Lint> {
    let mut found = Vec::new();
    visit(schema, "", &mut found);
    param_headers::faults(schema, &mut found);
    for (name, definition) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        if refers_to(definition, name) || indirectly(schema, definition, name) {
            found.push(Lint {
                path: format!("$defs/{name}"),
                message: format!("`{name}` is recursive: some providers refuse recursive schemas"),
            });
        }
    }
    found
}

fn visit(schema: &Value, path: &str, found: &mut Vec<Lint>) {
    let mut say = |message: &str| found.push(Lint { path: path.into(), message: message.into() });
    match schema {
        Value::Bool(_) if !path.ends_with("additionalProperties") && !path.ends_with("unevaluatedProperties") => {
            say("a boolean schema: some clients refuse the whole listing for it; write `{}`");
        }
        Value::Object(o) if o.keys().all(|k| k == "description") && !path.is_empty() && !path.ends_with("/not") => {
            say("says nothing of the value, so a model has to guess: give it a type");
        }
        _ => {}
    }
    let named = |name: &str| schema.get("properties").is_some_and(|p| p.get(name).is_some());
    if named("secs") && named("nanos") || named("secs_since_epoch") && named("nanos_since_epoch") {
        say(
            "a `Duration` or `SystemTime` is an object of seconds and nanoseconds, which models get wrong: take a number \
             of seconds, or a `Timestamp`",
        );
    }
    if schema.get("prefixItems").is_some() {
        say("a tuple: some providers refuse `prefixItems`; take a struct");
    }
    if schema.get("patternProperties").is_some() {
        say("a map whose keys are no plain text: some providers refuse `patternProperties`");
    }
    if schema.get("unevaluatedProperties").is_some() {
        say("a flattened enum: some providers refuse `unevaluatedProperties`");
    }
    children(schema, |step, child| {
        let below = if path.is_empty() { step.to_owned() } else { format!("{path}/{step}") };
        visit(child, &below, found);
    });
}

fn refers_to(schema: &Value, name: &str) -> bool {
    let mut yes = target(schema).is_some_and(|t| t == name);
    children(schema, |_, child| yes = yes || refers_to(child, name));
    yes
}

/// Through one or more other definitions.
fn indirectly(root: &Value, schema: &Value, name: &str) -> bool {
    let mut seen = Vec::new();
    let mut todo = Vec::new();
    targets(schema, &mut todo);
    while let Some(next) = todo.pop().filter(|_| seen.len() < 1000) {
        if next == name {
            return true;
        }
        if !seen.contains(&next) {
            if let Some(definition) = root["$defs"].get(&next) {
                targets(definition, &mut todo);
            }
            seen.push(next);
        }
    }
    false
}

fn targets(schema: &Value, out: &mut Vec<String>) {
    out.extend(target(schema));
    children(schema, |_, child| targets(child, out));
}

fn target(schema: &Value) -> Option<String> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(percent_decode(name).replace("~1", "/").replace("~0", "~"))
}
