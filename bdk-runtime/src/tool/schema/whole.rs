//! `Input<T>`: the author's own type as the whole input.

use super::{holds_nothing, no_arguments, tidy::drop_null};
use serde_json::{Map, Value, json};

const COMBINATORS: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// The type's schema as the root of an input: an object, closed unless `unknown_fields = "ignore"`. Not tidied yet,
/// because afterwards a map no longer says `additionalProperties: true`.
pub(super) fn root(schema: Value, ignore_unknown: bool) -> Value {
    if holds_nothing(&schema) {
        return no_arguments(ignore_unknown);
    }
    let mut o = match schema {
        Value::Object(o) => o,
        // `Input<Value>`: anything, as long as it is an object
        _ => Map::from_iter([("additionalProperties".to_owned(), json!(true))]),
    };
    drop_null(&mut o);
    if !o.contains_key("type") {
        let mut typed = Map::from_iter([("type".to_owned(), json!("object"))]);
        typed.extend(o);
        o = typed;
    }
    if o["type"] == "object" && !ignore_unknown {
        close(&mut o);
    }
    o.into()
}

fn close(o: &mut Map<String, Value>) {
    if says_open_or_closed(o) {
        return;
    }
    let combined: Vec<&str> = COMBINATORS.into_iter().filter(|key| o.contains_key(*key)).collect();
    match combined[..] {
        [] => {
            o.insert("additionalProperties".into(), false.into());
        }
        // an enum: each variant is an object of its own
        [key] if key != "allOf" && !o.contains_key("properties") && each_stands_alone(&o[key]) => {
            for branch in o.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(branch) = branch.as_object_mut().filter(|b| !says_open_or_closed(b)) {
                    branch.insert("additionalProperties".into(), false.into());
                }
            }
        }
        // a flattened enum: which properties are known depends on the branch that fits
        _ => {
            o.insert("unevaluatedProperties".into(), false.into());
        }
    }
}

fn says_open_or_closed(o: &Map<String, Value>) -> bool {
    o.contains_key("additionalProperties") || o.contains_key("unevaluatedProperties")
}

fn each_stands_alone(branches: &Value) -> bool {
    branches.as_array().into_iter().flatten().all(|b| {
        b.get("type").is_some_and(|t| t == "object")
            && !b.get("$ref").is_some_and(Value::is_string)
            && !COMBINATORS.iter().any(|key| b.get(key).is_some())
    })
}
