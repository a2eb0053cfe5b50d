//! What holds for every input of a typed tool, before validation.

use crate::tool::schema::{constant, resolve};
use serde_json::{Map, Value};

/// Beyond this a float no longer holds every integer, so nobody knows which one was meant.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Turns integral floats into integers. Says whether there is a null anywhere.
pub(super) fn whole_numbers(value: &mut Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(n) => {
            if n.is_f64()
                && let Some(f) = n.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < EXACT)
            {
                *value = (f as i64).into();
            }
            false
        }
        Value::Array(items) => items.iter_mut().fold(false, |nulls, item| whole_numbers(item) | nulls),
        Value::Object(o) => o.values_mut().fold(false, |nulls, value| whole_numbers(value) | nulls),
        Value::Bool(_) | Value::String(_) => false,
    }
}

/// Removes each null whose property is declared and not required, at every depth that the schemas describe.
///
/// A value may be described by several schemas at once: the branches of an enum that its tag fits, an `allOf`.
pub(super) fn drop_nulls(value: &mut Value, schemas: &[&Value], root: &Value) {
    match value {
        Value::Object(o) => {
            let mut apply = Vec::new();
            schemas.iter().for_each(|s| applicable(s, o, root, 0, &mut apply));
            o.retain(|name, value| !(value.is_null() && optional(name, &apply)));
            for (name, value) in o.iter_mut().filter(|(_, value)| value.is_object() || value.is_array()) {
                let below: Vec<&Value> = apply.iter().filter_map(|s| property(name, s)).collect();
                if !below.is_empty() {
                    drop_nulls(value, &below, root);
                }
            }
        }
        Value::Array(items) => {
            let lists: Vec<&Value> = schemas.iter().flat_map(|s| lists(s, root, 0)).collect();
            for (i, item) in items.iter_mut().enumerate().filter(|(_, item)| item.is_object() || item.is_array()) {
                let below: Vec<&Value> = lists.iter().filter_map(|s| item_schema(i, s)).collect();
                if !below.is_empty() {
                    drop_nulls(item, &below, root);
                }
            }
        }
        _ => {}
    }
}

/// The schemas of this object: the schema itself and those of its branches whose tag fits.
fn applicable<'a>(
    schema: &'a Value,
    value: &Map<String, Value>,
    root: &'a Value,
    depth: u8,
    out: &mut Vec<&'a Map<String, Value>>,
) {
    let Value::Object(schema) = resolve(schema, root) else { return };
    if !fits(schema, value) {
        return;
    }
    out.push(schema);
    for key in ["oneOf", "anyOf", "allOf"].into_iter().filter(|_| depth < 8) {
        for branch in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            applicable(branch, value, root, depth + 1, out);
        }
    }
}

/// Whether the constants of a schema are those of the value.
fn fits(schema: &Map<String, Value>, value: &Map<String, Value>) -> bool {
    let required =
        |name: &str| schema.get("required").and_then(Value::as_array).is_some_and(|r| r.iter().any(|x| x == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().all(|(name, property)| match (constant(property), value.get(name)) {
        (Some(constant), Some(value)) => constant == value,
        (Some(_), None) => !required(name),
        (None, _) => true,
    })
}

fn optional(name: &str, schemas: &[&Map<String, Value>]) -> bool {
    let has = |s: &Map<String, Value>, key: &str| match s.get(key) {
        Some(Value::Object(o)) => o.contains_key(name),
        Some(Value::Array(a)) => a.iter().any(|x| x == name),
        _ => false,
    };
    schemas.iter().any(|s| has(s, "properties")) && !schemas.iter().any(|s| has(s, "required"))
}

fn property<'a>(name: &str, schema: &'a Map<String, Value>) -> Option<&'a Value> {
    let declared = schema.get("properties").and_then(|p| p.get(name));
    declared.or_else(|| schema.get("additionalProperties")).or_else(|| {
        // the keys of a map by number: one pattern, which the validator has yet to check
        schema.get("patternProperties").and_then(Value::as_object).and_then(|p| p.values().next())
    })
}

fn lists<'a>(schema: &'a Value, root: &'a Value, depth: u8) -> Vec<&'a Value> {
    let schema = resolve(schema, root);
    let branches = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let mut out = vec![schema];
    if depth < 8 {
        out.extend(branches.flat_map(|b| lists(b, root, depth + 1)));
    }
    out
}

fn item_schema(index: usize, schema: &Value) -> Option<&Value> {
    schema.get("prefixItems").and_then(|p| p.get(index)).or_else(|| schema.get("items"))
}
