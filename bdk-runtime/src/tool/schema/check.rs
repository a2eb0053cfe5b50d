//! What stops the start: an input schema that is no object schema, and `time_args` that name nothing.

use super::walk::resolve;
use crate::near::nearest;
use serde_json::Value;

/// Checks an input schema, made or given: it must be an object at its root and a JSON Schema that compiles without
/// looking anything up.
///
/// # Errors
/// What is wrong, in words for the tool's author that follow "the input schema of `x`".
pub fn check(schema: &Value) -> Result<(), String> {
    let Value::Object(root) = schema else {
        return Err(format!("must be an object schema, and is {}", kind(schema)));
    };
    match root.get("type") {
        Some(Value::String(t)) if t == "object" => {}
        Some(other) => {
            return Err(format!("must have `\"type\": \"object\"` at its root, and has `{other}`"));
        }
        None => return Err("must have `\"type\": \"object\"` at its root, and has no `type`".into()),
    }
    super::compiled::validator(schema).map(drop)
}

/// Checks the names of `time_args` against the schema's properties: each must be one, and a string.
///
/// # Errors
/// What is wrong with each, in words for the tool's author.
pub fn check_time_args<S: AsRef<str>>(schema: &Value, names: &[S]) -> Result<(), Vec<String>> {
    let mut known = Vec::new();
    properties(schema, schema, 0, &mut known);
    let mut faults = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let same: Vec<&Value> = known.iter().filter(|(n, _)| *n == name).map(|(_, schema)| *schema).collect();
        if same.is_empty() {
            let near = nearest(name, known.iter().map(|(n, _)| *n));
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            faults.push(format!("`time_args` names `{name}`, which is no property of the input{hint}"));
        } else if !same.iter().any(|s| is_text(s, schema, 0)) {
            faults.push(format!(
                "`time_args` names `{name}`, which is no string property: an instant is an RFC 3339 text"
            ));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The properties of the root, those of its branches among them.
fn properties<'a>(schema: &'a Value, root: &'a Value, depth: u8, out: &mut Vec<(&'a str, &'a Value)>) {
    let schema = resolve(schema, root);
    if let Some(own) = schema.get("properties").and_then(Value::as_object) {
        out.extend(own.iter().map(|(name, property)| (name.as_str(), property)));
    }
    for key in ["oneOf", "anyOf", "allOf"].into_iter().filter(|_| depth < 8) {
        for branch in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            properties(branch, root, depth + 1, out);
        }
    }
}

fn is_text(schema: &Value, root: &Value, depth: u8) -> bool {
    let schema = resolve(schema, root);
    match schema.get("type") {
        Some(Value::String(t)) => return t == "string",
        Some(Value::Array(types)) => return types.iter().any(|t| t == "string"),
        _ => {}
    }
    let branches: Vec<&Value> =
        ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten().collect();
    // a schema that says nothing of the type allows a text
    branches.is_empty() || depth < 8 && branches.iter().any(|b| is_text(b, root, depth + 1))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
