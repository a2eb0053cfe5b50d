//! What a schema is in Rust, as far as there is a type that says it: for everything else a `Value` does.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The depth up to which objects in objects get types of their own.
const DEEP: usize = 12;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Text,
    Truth,
    Integer,
    /// Not below zero.
    Natural,
    Number,
    /// JSON of whatever kind.
    Any,
    List(Box<Shape>),
    /// An object whose members are not named.
    Map(Box<Shape>),
    Maybe(Box<Shape>),
    /// One of these texts.
    Choice(Vec<String>),
    Object(Vec<Field>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// As JSON has it.
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) about: String,
    pub(super) shape: Shape,
}

/// What may stand in a schema without saying anything of the kind.
const SILENT: [&str; 33] = [
    "$comment",
    "$id",
    "$schema",
    "$defs",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "title",
    "uniqueItems",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "example",
    "nullable",
    "propertyNames",
    "type",
    "required",
];

pub(super) fn read(schema: &Value) -> Shape {
    shape(schema, 0)
}

fn shape(schema: &Value, depth: usize) -> Shape {
    let Some(schema) = schema.as_object().filter(|_| depth < DEEP) else { return Shape::Any };
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        return maybe(not_null(schema, depth));
    }
    // pydantic and zod write `T | None` as one of these
    for key in ["anyOf", "oneOf"] {
        if let Some([one, other]) = schema.get(key).and_then(Value::as_array).map(Vec::as_slice)
            && schema.keys().all(|known| known == key || (SILENT.contains(&known.as_str()) && known != "type"))
        {
            match (is_null(one), is_null(other)) {
                (false, true) => return maybe(shape(one, depth)),
                (true, false) => return maybe(shape(other, depth)),
                _ => {}
            }
        }
    }
    if let Some([one, other]) = schema.get("type").and_then(Value::as_array).map(Vec::as_slice) {
        let kind = match (one == "null", other == "null") {
            (false, true) => one,
            (true, false) => other,
            _ => return Shape::Any,
        };
        let mut alone = schema.clone();
        alone.insert("type".to_owned(), kind.clone());
        if let Some(values) = alone.get_mut("enum").and_then(Value::as_array_mut) {
            values.retain(|value| !value.is_null());
        }
        return maybe(not_null(&alone, depth));
    }
    not_null(schema, depth)
}

fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| {
        schema.get("type").is_some_and(|kind| kind == "null") && schema.keys().all(|key| SILENT.contains(&key.as_str()))
    })
}

fn maybe(shape: Shape) -> Shape {
    match shape {
        // they have a null themselves
        Shape::Any | Shape::Maybe(_) => shape,
        shape => Shape::Maybe(Box::new(shape)),
    }
}

fn not_null(schema: &Map<String, Value>, depth: usize) -> Shape {
    let only = |more: &[&str]| schema.keys().all(|key| SILENT.contains(&key.as_str()) || more.contains(&key.as_str()));
    let kind = schema.get("type").and_then(Value::as_str);
    if let Some(choice) = choice(schema).filter(|_| matches!(kind, None | Some("string")) && only(&["enum", "const"])) {
        return choice;
    }
    match kind {
        Some("string") if only(&[]) => Shape::Text,
        Some("boolean") if only(&[]) => Shape::Truth,
        Some("integer") if only(&[]) => {
            let least = ["minimum", "exclusiveMinimum"].iter().filter_map(|key| schema.get(*key)?.as_f64());
            if least.fold(f64::NEG_INFINITY, f64::max) >= 0.0 { Shape::Natural } else { Shape::Integer }
        }
        Some("number") if only(&[]) => Shape::Number,
        Some("array") if only(&["items", "additionalItems"]) => {
            Shape::List(Box::new(schema.get("items").map_or(Shape::Any, |items| shape(items, depth + 1))))
        }
        Some("object") if only(&["properties", "additionalProperties"]) => object(schema, depth),
        _ => Shape::Any,
    }
}

/// An enum, or a const, of texts that differ.
fn choice(schema: &Map<String, Value>) -> Option<Shape> {
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value],
        (None, Some(values)) => values.as_array()?.iter().collect(),
        (None, None) => return None,
    };
    let texts: Option<Vec<&str>> = values.into_iter().map(Value::as_str).collect();
    let texts = texts.filter(|texts| !texts.is_empty())?;
    let mut seen = BTreeSet::new();
    Some(Shape::Choice(texts.into_iter().filter(|text| seen.insert(*text)).map(str::to_owned).collect()))
}

fn object(schema: &Map<String, Value>, depth: usize) -> Shape {
    let properties = schema.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty());
    let more = schema.get("additionalProperties").filter(|more| more.as_object().is_some_and(|more| !more.is_empty()));
    match (properties, more) {
        (Some(properties), None) => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let required: Vec<&str> = required.filter_map(Value::as_str).collect();
            // what is required and not described is more than the fields could say
            if required.iter().any(|name| !properties.contains_key(*name)) {
                return Shape::Any;
            }
            let field = |(name, property): (&String, &Value)| Field {
                name: name.clone(),
                required: required.contains(&&**name),
                about: property["description"].as_str().unwrap_or_default().to_owned(),
                shape: shape(property, depth + 1),
            };
            let mut fields: Vec<Field> = properties.iter().map(field).collect();
            // first what is required, as the server tells it: the rest is in the order of the lock
            fields.sort_by_key(|field| required.iter().position(|name| *name == field.name).unwrap_or(usize::MAX));
            Shape::Object(fields)
        }
        (Some(_), Some(_)) => Shape::Any,
        (None, more) => Shape::Map(Box::new(more.map_or(Shape::Any, |more| shape(more, depth + 1)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn boxed(shape: Shape) -> Box<Shape> {
        Box::new(shape)
    }

    #[test]
    fn what_rust_has_a_type_for_gets_it() {
        let choice = Shape::Choice(vec!["a".to_owned(), "b".to_owned()]);
        for (schema, shape) in [
            (json!({ "type": "string", "format": "date-time", "maxLength": 3 }), Shape::Text),
            (json!({ "type": "integer", "minimum": 1 }), Shape::Natural),
            (json!({ "type": "integer", "exclusiveMinimum": -1 }), Shape::Integer),
            (json!({ "type": "integer" }), Shape::Integer),
            (json!({ "type": ["number", "null"] }), Shape::Maybe(boxed(Shape::Number))),
            (
                json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }], "default": null }),
                Shape::Maybe(boxed(Shape::Truth)),
            ),
            (json!({ "type": "string", "nullable": true }), Shape::Maybe(boxed(Shape::Text))),
            (json!({ "enum": ["a", "b", "a"] }), choice.clone()),
            (json!({ "type": ["string", "null"], "enum": ["a", "b", null] }), Shape::Maybe(boxed(choice))),
            (json!({ "type": "array", "items": { "type": "string" } }), Shape::List(boxed(Shape::Text))),
            (json!({ "type": "array" }), Shape::List(boxed(Shape::Any))),
            (json!({ "type": "object" }), Shape::Map(boxed(Shape::Any))),
            (
                json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
                Shape::Map(boxed(Shape::Integer)),
            ),
        ] {
            assert_eq!(read(&schema), shape, "{schema}");
        }
    }

    #[test]
    fn everything_else_is_any_json() {
        let mut deep = json!({ "type": "string" });
        for _ in 0..DEEP {
            deep = json!({ "type": "array", "items": deep });
        }
        let mut inner = &read(&deep);
        while let Shape::List(items) = inner {
            inner = items;
        }
        assert_eq!(*inner, Shape::Any);
        for schema in [
            json!(true),
            json!({}),
            json!({ "$ref": "#" }),
            json!({ "type": ["string", "integer"] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "enum": [1, 2] }),
            json!({ "enum": [] }),
            json!({ "type": "string", "not": { "const": "x" } }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }] }),
            json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": { "type": "string" } }),
            json!({ "type": "object", "properties": { "a": {} }, "required": ["b"] }),
            json!({ "type": "object", "properties": { "a": {} }, "allOf": [] }),
        ] {
            assert_eq!(read(&schema), Shape::Any, "{schema}");
        }
    }
}
