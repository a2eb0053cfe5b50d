//! Input schemas in another dialect than JSON Schema 2020-12, which says what MCP's are in: what is legal elsewhere and cannot be
//! checked here is taken out, and the server checks it.

use crate::tool::schema::fault_at;
use serde_json::{Value, json};

/// How many faults of one schema are looked at.
const MOST: usize = 32;

/// The schema without those, and where they were; nothing where there are none, or others.
pub(super) fn mended(schema: &Value) -> Option<(Value, Vec<String>)> {
    let (mut schema, mut places) = (schema.clone(), Vec::new());
    let root = schema.as_object_mut()?;
    if root.get("$schema").is_some_and(|dialect| fault_at(&json!({ "$schema": dialect })).is_some()) {
        root.shift_remove("$schema");
        places.push("/$schema".to_owned());
    }
    while let Some(place) = fault_at(&schema) {
        // of the items of a list the list is at fault, and of an expression that is a name what it is the name in
        let (of, keyword) = place.rsplit_once('/').filter(|_| places.len() < MOST)?;
        let is_inside = keyword.parse::<usize>().is_ok() || of.ends_with("/patternProperties");
        let (of, keyword) = if is_inside { of.rsplit_once('/')? } else { (of, keyword) };
        // a name that somebody gave is no keyword
        if ["/properties", "/$defs", "/definitions", "/dependentSchemas"].iter().any(|names| of.ends_with(names)) {
            return None;
        }
        let parent = schema.pointer_mut(of)?.as_object_mut()?;
        if !is_of_another_dialect(keyword, parent.get(keyword)?) {
            return None;
        }
        parent.shift_remove(keyword);
        places.push(format!("{of}/{keyword}"));
    }
    (!places.is_empty()).then_some((schema, places))
}

fn is_of_another_dialect(keyword: &str, value: &Value) -> bool {
    match keyword {
        // JavaScript's and Python's expressions
        "pattern" => value.is_string(),
        "patternProperties" => value.is_object(),
        // draft 4
        "exclusiveMinimum" | "exclusiveMaximum" => value.is_boolean(),
        // tuples, up to 2019-09
        "items" => value.is_array(),
        // draft 3, and names said twice
        "required" => value.is_boolean() || value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
    fn of(property: Value) -> Value {
        json!({ "type": "object", "properties": { "a": property, "b": { "type": "string", "pattern": "^b+$" } } })
    }

    #[test]
    fn what_is_legal_elsewhere_is_taken_out_and_the_rest_stays() {
        for (property, keyword, left) in [
            (json!({ "type": "string", "pattern": "^[\\w-.]+$" }), "pattern", json!({ "type": "string" })),
            (json!({ "type": "string", "pattern": "\\Aab\\Z" }), "pattern", json!({ "type": "string" })),
            (json!({ "minimum": 0, "exclusiveMinimum": true }), "exclusiveMinimum", json!({ "minimum": 0 })),
            (json!({ "type": "array", "items": [{ "type": "string" }] }), "items", json!({ "type": "array" })),
            (json!({ "type": "string", "required": true }), "required", json!({ "type": "string" })),
            (json!({ "required": ["n", "n"] }), "required", json!({})),
            (json!({ "patternProperties": { "^[\\w-.]+$": {} } }), "patternProperties", json!({})),
        ] {
            let (mended, places) = mended(&of(property)).unwrap();
            assert_eq!((mended, places), (of(left), vec![format!("/properties/a/{keyword}")]));
        }
        let mut dialect = of(json!({}));
        dialect["$schema"] = "https://example.com/meta".into();
        assert_eq!(mended(&dialect).unwrap(), (of(json!({})), vec!["/$schema".to_owned()]));
    }

    #[test]
    fn what_is_wrong_everywhere_is_not_and_neither_is_what_is_right() {
        for property in [json!({ "type": "nonsense" }), json!({ "required": [1] }), json!({ "minimum": "1" })] {
            assert_eq!(mended(&of(property)), None);
        }
        assert_eq!(mended(&of(json!({ "pattern": "^a$" }))), None);
        assert_eq!(mended(&json!({ "type": "object", "properties": { "pattern": "[" } })), None);
    }
}
