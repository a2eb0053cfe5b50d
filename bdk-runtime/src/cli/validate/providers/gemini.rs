//! What Gemini's generateContent says of a tool's `parameters`: the fields of its own `Schema`, a subset of OpenAPI 3.0,
//! and no others. "Unknown name … Cannot find field" is for the whole request.
//!
//! Its fields: <https://ai.google.dev/api/caching#Schema>. Newer clients send JSON Schema as `parametersJsonSchema`
//! instead, where more is taken and the rest ignored
//! (<https://ai.google.dev/api/generate-content#FIELDS.response_json_schema> lists what); many do not yet
//! (<https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099>, of September 2026).

use super::{Declared, Findings, each, is_type};
use serde_json::{Map, Value};

/// "At most 512 function declarations can be specified": <https://github.com/google-gemini/gemini-cli/issues/19083>
pub(super) const MOST_TOOLS: usize = 512;

/// Where the sum of a tool's `maxItems` begins to be refused: <https://github.com/googleapis/python-genai/issues/2170>
const MAX_ITEMS: u64 = 960;

/// The fields of `Schema`, as JSON Schema spells them.
const FIELDS: [&str; 21] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
];

/// What every client takes out, or what only `$ref` leads to; nothing is lost with it.
const TAKEN_OUT: [&str; 3] = ["$schema", "$defs", "definitions"];

/// What `parametersJsonSchema` takes beyond those.
const JSON_SCHEMA: [&str; 6] = ["$ref", "$id", "$anchor", "prefixItems", "oneOf", "additionalProperties"];

const NEWER: &str = "only clients that send `parametersJsonSchema` get it through; ";

pub(super) fn check(tool: &Declared<'_>, found: &mut Findings) {
    // "Must start with a letter or an underscore": https://github.com/kaitranntt/ccs/issues/25
    if !tool.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        found.refused("", "a name that starts with a digit or `-`", "begin it with a letter");
    }
    let mut max_items = 0_u64;
    each(tool.schema, &mut |path, schema, _| {
        keywords(path, schema, found);
        values(path, schema, found);
        kind(path, schema, found);
        max_items = max_items.saturating_add(schema.get("maxItems").and_then(Value::as_u64).unwrap_or(0));
    });
    if max_items > MAX_ITEMS {
        let what = format!(
            "has been seen to refuse more than {MAX_ITEMS} items by all `maxItems` of a tool, and here are {max_items}"
        );
        found.warned("", &what);
    }
}

/// Keywords that are no fields of `Schema`.
fn keywords(path: &str, schema: &Map<String, Value>, found: &mut Findings) {
    for (key, value) in schema {
        let key = key.as_str();
        if FIELDS.contains(&key) || TAKEN_OUT.contains(&key) {
            continue;
        }
        match key {
            // clients take it out, and the bot still refuses what it forbids:
            // https://github.com/zed-industries/zed/pull/29400
            "additionalProperties" if value == &Value::Bool(false) => continue,
            // documented as "included here and ignored"; it was refused before:
            // https://hexdocs.pm/geminix/Geminix.V1beta.Schema.html, https://github.com/zendev-sh/goai/pull/108
            "default" => {
                found.warned(path, "ignores `default`, and may refuse it: say it in the description");
                continue;
            }
            // they come and go with `if`
            "then" | "else" => continue,
            _ => {}
        }
        let way = match key {
            // https://github.com/zed-industries/zed/issues/44875
            "const" => "write an `enum` of one text",
            // https://github.com/decolua/9router/issues/1036
            "$ref" => "write the type out, without recursion",
            "oneOf" => "write `anyOf`",
            "allOf" => "write its parts as one schema",
            // https://github.com/modelcontextprotocol/servers/issues/1624
            "exclusiveMinimum" | "exclusiveMaximum" => "write `minimum` and `maximum`",
            // https://github.com/GetStream/Vision-Agents/pull/513
            "additionalProperties" | "patternProperties" => "take a list of objects with a key and a value",
            "prefixItems" => "take an object with a property for each item",
            _ => "leave it out, and say it in the description",
        };
        let newer = if JSON_SCHEMA.contains(&key) { NEWER } else { "" };
        found.refused(path, &format!("`{key}`"), &format!("{newer}{way}"));
    }
}

/// `enum` and `format`.
fn values(path: &str, schema: &Map<String, Value>, found: &mut Findings) {
    // "Invalid value at … enum[0] (TYPE_STRING), 0": https://github.com/google-gemini/gemini-cli/issues/2031
    let of_texts = |values: &Vec<Value>| values.iter().all(Value::is_string);
    if let Some(values) = schema.get("enum").and_then(Value::as_array)
        && !of_texts(values)
    {
        let numbers = values.iter().all(|value| value.is_string() || value.is_number());
        let newer = if numbers { NEWER } else { "" };
        found.refused(path, "an `enum` of anything but texts", &format!("{newer}take texts"));
    }
    // "only 'enum' and 'date-time' are supported for STRING type":
    // https://github.com/hideya/langchain-mcp-tools-ts/issues/36
    if let Some(format) = schema.get("format").and_then(Value::as_str)
        && is_type(schema, "string")
        && !matches!(format, "enum" | "date-time")
    {
        found.refused(path, &format!("the format `{format}`"), "leave it out, and say it in the description");
    }
}

/// `type`, and what each type must have.
fn kind(path: &str, schema: &Map<String, Value>, found: &mut Findings) {
    match schema.get("type") {
        // "Proto field is not repeating, cannot start list": https://github.com/zed-industries/zed/issues/53919
        Some(Value::Array(_)) => {
            let way = format!("{NEWER}write `anyOf` with one type each, and what may be null as optional");
            found.refused(path, "a list of types", &way);
        }
        // there is none among its types: https://ai.google.dev/api/caching#Type
        Some(Value::String(kind)) if kind == "null" => {
            found.refused(path, "the type `null`", &format!("{NEWER}make the parameter optional"));
        }
        Some(_) => {}
        // "type: must be specified when not using one_of, any_of or all_of fields":
        // https://github.com/danny-avila/LibreChat/issues/6971
        None => {
            let otherwise = ["anyOf", "oneOf", "allOf", "$ref", "const"];
            if !otherwise.iter().any(|key| schema.contains_key(*key)) {
                found.refused(path, "a schema without `type`", "say what the value is");
            }
        }
    }
    // "items: missing field": https://github.com/anomalyco/opencode/pull/49392
    if is_type(schema, "array")
        && !schema.get("items").is_some_and(Value::is_object)
        && !schema.contains_key("prefixItems")
    {
        found.refused(path, "a list without `items`", &format!("{NEWER}say what its items are"));
    }
    // "properties: should be non-empty for OBJECT type": https://github.com/browser-use/browser-use/issues/7. For a tool
    // without arguments clients leave out `parameters`: https://github.com/langchain-ai/langchain-google/pull/416
    let empty = schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    let told = ["anyOf", "oneOf", "allOf", "patternProperties"].iter().any(|key| schema.contains_key(*key))
        || schema.get("additionalProperties").is_some_and(|more| more != &Value::Bool(false));
    if !path.is_empty() && is_type(schema, "object") && empty && !told {
        found.refused(path, "an object without properties", &format!("{NEWER}say what it holds"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Provider::Gemini,
        tests::{of, refuses, told},
    };
    use crate::registry::Severity;
    use serde_json::{Value, json};

    #[expect(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
    fn object(properties: Value) -> Value {
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }

    #[test]
    fn what_is_no_field_of_its_schema_is_refused() {
        for (schema, words) in [
            (json!({ "const": "a" }), "`const`"),
            (json!({ "$ref": "#/$defs/A" }), "`$ref`"),
            (json!({ "oneOf": [{ "type": "string" }] }), "`oneOf`"),
            (json!({ "allOf": [{ "type": "string" }] }), "`allOf`"),
            (json!({ "type": "integer", "exclusiveMinimum": 0 }), "`exclusiveMinimum`"),
            (json!({ "type": "integer", "multipleOf": 2 }), "`multipleOf`"),
            (json!({ "type": "string", "x-mcp-header": "A" }), "`x-mcp-header`"),
            (json!({ "type": "object", "additionalProperties": { "type": "string" } }), "`additionalProperties`"),
            (json!({ "type": "array", "prefixItems": [{ "type": "string" }] }), "`prefixItems`"),
        ] {
            refuses(Gemini, &object(json!({ "a": schema })), &[("properties/a", words)]);
        }
    }

    #[test]
    fn types_and_values_are_those_it_knows() {
        for (schema, words) in [
            (json!({ "type": ["string", "integer"] }), "a list of types"),
            (json!({ "type": "null" }), "`null`"),
            (json!({ "description": "Anything." }), "without `type`"),
            (json!({ "type": "integer", "enum": [1, 2] }), "anything but texts"),
            (json!({ "type": "string", "format": "uri" }), "`uri`"),
            (json!({ "type": "array" }), "without `items`"),
            (json!({ "type": "object" }), "without properties"),
        ] {
            refuses(Gemini, &object(json!({ "a": schema })), &[("properties/a", words)]);
        }
        for fine in [
            json!({ "type": "string", "format": "date-time", "minLength": 1, "pattern": "a" }),
            json!({ "type": "integer", "minimum": 0, "maximum": 9 }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        ] {
            refuses(Gemini, &object(json!({ "a": fine })), &[]);
        }
        // a tool without arguments
        refuses(Gemini, &object(json!({})), &[]);
    }

    #[test]
    fn what_newer_clients_get_through_is_said() {
        let say = |schema: Value| told(Gemini, json!({ "a": schema })).remove(0).2;
        assert!(say(json!({ "$ref": "#/$defs/A" })).contains("parametersJsonSchema"));
        assert!(say(json!({ "type": ["string", "null"] })).contains("parametersJsonSchema"));
        assert!(!say(json!({ "const": "a" })).contains("parametersJsonSchema"));
        assert!(!say(json!({ "type": "string", "enum": ["a", null] })).contains("parametersJsonSchema"));
    }

    #[test]
    fn names_begin_with_a_letter_or_an_underscore() {
        for (name, fine) in [("_a", true), ("a1", true), ("1a", false), ("-a", false)] {
            assert_eq!(of(Gemini, name, &object(json!({}))).is_empty(), fine, "{name}");
        }
    }

    #[test]
    fn what_it_ignores_is_a_warning() {
        let told = told(Gemini, json!({ "a": { "type": "integer", "default": 3 } }));
        let [(Severity::Warning, path, what)] = &told[..] else { panic!("{told:?}") };
        assert!(path == "properties/a" && what.contains("`default`"), "{path}: {what}");
        let many = json!({ "type": "array", "items": { "type": "string" }, "maxItems": 500 });
        let told = super::super::tests::told(Gemini, json!({ "a": many, "b": many }));
        assert!(matches!(&told[..], [(Severity::Warning, _, what)] if what.contains("1000")), "{told:?}");
    }
}
