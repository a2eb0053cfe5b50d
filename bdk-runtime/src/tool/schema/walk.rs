//! Where a schema holds further schemas. A property may well be called `title` or `format`, and a default may hold
//! anything, so nothing here may be walked by key name alone.

use serde_json::{Map, Value};

/// Keywords that hold one schema.
pub(super) const ONE: &[&str] = &[
    "items",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "contentSchema",
];
/// Keywords that hold a list of schemas.
pub(super) const LISTS: &[&str] = &["oneOf", "anyOf", "allOf", "prefixItems"];
/// Keywords that hold schemas by name.
pub(super) const MAPS: &[&str] = &["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Calls `visit` with every schema right below this one.
pub(super) fn children_mut(schema: &mut Map<String, Value>, mut visit: impl FnMut(&mut Value)) {
    for (key, value) in schema.iter_mut() {
        let key = key.as_str();
        match value {
            Value::Array(list) if LISTS.contains(&key) || key == "items" => list.iter_mut().for_each(&mut visit),
            Value::Object(map) if MAPS.contains(&key) => map.values_mut().for_each(&mut visit),
            Value::Object(_) | Value::Bool(_) if ONE.contains(&key) => visit(value),
            _ => {}
        }
    }
}

/// The same for reading, with the keyword path of each.
pub(crate) fn children<'a>(schema: &'a Value, mut visit: impl FnMut(&str, &'a Value)) {
    let Value::Object(schema) = schema else { return };
    for (key, value) in schema {
        match value {
            Value::Array(list) if LISTS.contains(&key.as_str()) || key == "items" => {
                list.iter().enumerate().for_each(|(i, v)| visit(&format!("{key}/{i}"), v));
            }
            Value::Object(map) if MAPS.contains(&key.as_str()) => {
                map.iter().for_each(|(name, v)| visit(&format!("{key}/{name}"), v));
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&key.as_str()) => visit(key, value),
            _ => {}
        }
    }
}

/// The schema that a `$ref` into this document names; the schema itself where it has none, or one that leads nowhere.
pub(crate) fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut at = schema;
    // a chain of references may be a circle
    for _ in 0..16 {
        let Some(target) = at.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) else { break };
        match root.pointer(&percent_decode(target)) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// A JSON pointer in a URI fragment is percent-encoded.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let hex = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The one value a schema allows, by `const` or an `enum` of one.
pub(crate) fn constant(schema: &Value) -> Option<&Value> {
    if let Some(value) = schema.get("const") {
        return Some(value);
    }
    match schema.get("enum")?.as_array()?.as_slice() {
        [value] => Some(value),
        _ => None,
    }
}
