//! `#[arg(…)]` on a parameter, as keywords of its schema.

use super::tidy::{prefer_exclusive, tighten};
use crate::tool::Rule;
use serde_json::{Map, Number, Value};

/// Adds the rules to a tidied schema. The type's own bounds stay where they are tighter, so that the schema never
/// promises what the type refuses.
pub(super) fn apply(o: &mut Map<String, Value>, rules: &[Rule]) {
    for rule in rules {
        match rule {
            Rule::Bound(key, bound) => {
                let bound = bound().json();
                match bound.as_number().cloned() {
                    Some(bound) => tighten(o, key, bound),
                    None => {
                        o.insert((*key).into(), bound);
                    }
                }
                prefer_exclusive(o);
            }
            Rule::MinLen(n) => tighten(o, length(o, ["minLength", "minItems", "minProperties"]), Number::from(*n)),
            Rule::MaxLen(n) => tighten(o, length(o, ["maxLength", "maxItems", "maxProperties"]), Number::from(*n)),
            Rule::Pattern(pattern) => {
                o.insert("pattern".into(), (*pattern).into());
            }
            Rule::Format(format) => {
                o.insert("format".into(), (*format).into());
            }
            Rule::Inner(rules) => {
                for key in ["items", "additionalProperties"] {
                    if let Some(Value::Object(items)) = o.get_mut(key) {
                        apply(items, rules);
                    }
                }
                for item in o.get_mut("prefixItems").and_then(Value::as_array_mut).into_iter().flatten() {
                    if let Value::Object(item) = item {
                        apply(item, rules);
                    }
                }
            }
            Rule::Extend(key, value) => {
                o.insert((*key).into(), value());
            }
        }
    }
}

/// What `length` counts: a list's items, a map's entries, a text's characters.
fn length(o: &Map<String, Value>, [text, list, map]: [&'static str; 3]) -> &'static str {
    match o.get("type").and_then(Value::as_str) {
        Some("array") => list,
        Some("object") => map,
        _ => text,
    }
}
