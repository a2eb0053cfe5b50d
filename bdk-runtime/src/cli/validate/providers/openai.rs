//! What OpenAI's APIs say of a tool's `parameters`.
//!
//! The Responses API is strict where a client does not turn it off: it closes objects and requires all properties by
//! itself, and refuses what strict schemas cannot have.
//! The subset: <https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>, kept in full at
//! <https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai>

use super::{Declared, Findings, each, is_type, some};
use serde_json::{Map, Value};

/// "Invalid 'tools': array too long. Expected an array with maximum length 128":
/// <https://github.com/zed-industries/zed/issues/32946>
pub(super) const MOST_TOOLS: usize = 128;

/// "string too long. Expected a string with maximum length 1024", of gpt-4o and o3-mini:
/// <https://github.com/OpenHands/OpenHands/issues/7167>
const DESCRIPTION: usize = 1024;

/// "'uri' is not a valid format"; the nine that are: <https://github.com/cyanheads/git-mcp-server/issues/47>
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// What is refused anywhere in a schema, and what to write instead.
const REFUSED: [(&str, &str); 9] = [
    // "'oneOf' is not permitted", also without `strict`: https://github.com/can1357/oh-my-pi/issues/920
    ("oneOf", "write `anyOf`"),
    // "'allOf' is not permitted": https://github.com/makenotion/notion-mcp-server/issues/102
    ("allOf", "write its parts as one schema"),
    // documented as not supported; https://github.com/BuilderIO/agent-native/pull/3085 has them refused
    ("not", "say it in the description, and check it in the tool"),
    ("if", "say it in the description, and check it in the tool"),
    ("dependentRequired", "say it in the description, and check it in the tool"),
    ("dependentSchemas", "say it in the description, and check it in the tool"),
    ("patternProperties", "take a list of objects with a key and a value"),
    ("propertyNames", "say it in the description, and check it in the tool"),
    ("unevaluatedProperties", "write all properties of each branch, and `additionalProperties`"),
];

/// What is not among the documented keywords, and neither known to be refused.
const UNKNOWN: [&str; 10] = [
    "minLength",
    "maxLength",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
];

pub(super) fn check(tool: &Declared<'_>, found: &mut Findings) {
    let length = tool.description.chars().count();
    if length > DESCRIPTION {
        let what = format!(
            "models such as gpt-4o refuse a description of more than {DESCRIPTION} characters, and this one has {length}"
        );
        found.warned("", &what);
    }
    root(tool.schema, found);
    each(tool.schema, &mut |path, schema, _| below(path, schema, found));
    strict(tool.schema, found);
    limits(tool.schema, found);
}

/// "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level":
/// <https://github.com/langchain-ai/langchainjs/issues/9804>, <https://github.com/goruck/home-generative-agent/pull/545>
fn root(schema: &Value, found: &mut Findings) {
    for key in ["oneOf", "anyOf", "allOf", "enum", "const", "not"].into_iter().filter(|key| schema.get(key).is_some()) {
        let way = "take the choice as one parameter rather than as the whole input";
        found.refused("", &format!("`{key}` at the root of the input"), way);
    }
}

fn below(path: &str, schema: &Map<String, Value>, found: &mut Findings) {
    for (key, way) in REFUSED {
        let told = path.is_empty() && matches!(key, "oneOf" | "allOf" | "not");
        if schema.contains_key(key) && !told {
            found.refused(path, &format!("`{key}`"), way);
        }
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str).filter(|format| !FORMATS.contains(format)) {
        let way = "leave it out, and say it in the description";
        found.refused(path, &format!("the format `{format}`"), way);
    }
    // "array schema missing items", also in a list of types: https://github.com/zed-industries/zed/pull/47578,
    // https://github.com/campfirein/byterover-cli/issues/42
    if is_type(schema, "array") && !schema.get("items").is_some_and(Value::is_object) {
        found.refused(path, "a list without `items`", "say what its items are");
    }
    // "object schema missing properties": https://github.com/wakehacker/wake-ai/pull/16
    if is_type(schema, "object") && !schema.contains_key("properties") && !schema.contains_key("patternProperties") {
        let map = schema.get("additionalProperties").is_some_and(|more| more != &Value::Bool(false));
        let way = if map { "take a list of objects with a key and a value" } else { "say what it holds" };
        found.refused(path, "an object without `properties`", way);
    }
    // "schema must have a 'type' key": https://github.com/apexive/odoo-llm/issues/212
    if !["type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"].iter().any(|key| schema.contains_key(*key)) {
        found.refused(path, "a schema without `type`", "say what the value is");
    }
    let unknown: Vec<String> =
        UNKNOWN.into_iter().filter(|key| schema.contains_key(*key)).map(|key| format!("`{key}`")).collect();
    if !unknown.is_empty() {
        found
            .warned(path, &format!("does not hold the model to {}: say it in the description too", unknown.join(", ")));
    }
}

/// What a client cannot have that asks for `strict: true` and hands the schema on as it is: "'additionalProperties' is
/// required to be supplied and to be false", and every property in `required`.
/// <https://developers.openai.com/api/docs/guides/function-calling#strict-mode>,
/// <https://github.com/spring-projects/spring-ai/pull/6865>
fn strict(schema: &Value, found: &mut Findings) {
    let mut places = Vec::new();
    each(schema, &mut |path, schema, _| {
        let place = |rest: &str| if path.is_empty() { rest.to_owned() } else { format!("{path}/{rest}") };
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        if is_type(schema, "object") && !closed {
            places.push(place("additionalProperties"));
        }
        let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for name in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if !required.iter().any(|r| r == name) {
                places.push(place(&format!("properties/{name}")));
            }
        }
    });
    if !places.is_empty() {
        let what = format!(
            "takes `strict: true` only where all objects are closed and all properties required, which is not so at {}",
            some(&places)
        );
        found.warned("", &what);
    }
}

/// "5,000 object properties, 10 levels of nesting, 1,000 enum values, 15,000 characters in an enum of more than 250,
/// 120,000 characters of names and values": the page of the subset, above.
fn limits(schema: &Value, found: &mut Findings) {
    let (mut properties, mut deepest, mut values, mut characters) = (0, 0, 0, 0);
    let text = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    each(schema, &mut |path, schema, depth| {
        let names = ["properties", "$defs"].into_iter().filter_map(|key| schema.get(key)?.as_object());
        characters += names.flat_map(Map::keys).map(|name| name.chars().count()).sum::<usize>();
        if let Some(own) = schema.get("properties").and_then(Value::as_object) {
            properties += own.len();
            deepest = deepest.max(depth + 1);
        }
        characters += schema.get("const").map_or(0, text);
        if let Some(own) = schema.get("enum").and_then(Value::as_array) {
            values += own.len();
            let length: usize = own.iter().map(text).sum();
            characters += length;
            if own.len() > 250 && length > 15_000 {
                found.refused(path, "more than 15000 characters in one `enum` of more than 250 values", "take a text");
            }
        }
    });
    for (count, most, what) in [
        (properties, 5000, "properties in one schema"),
        (deepest, 10, "objects in each other"),
        (values, 1000, "values of `enum` in one schema"),
        (characters, 120_000, "characters of names and values in one schema"),
    ] {
        if count > most {
            found.refused("", &format!("more than {most} {what}, and here are {count}"), "split the tool");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Declared,
        Provider::Openai,
        findings,
        tests::{of, refuses, told},
    };
    use crate::registry::Severity;
    use serde_json::{Value, json};

    #[expect(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
    fn object(properties: Value) -> Value {
        json!({ "type": "object", "properties": properties })
    }

    #[test]
    fn a_choice_at_the_root_is_told_once() {
        for key in ["oneOf", "anyOf", "allOf"] {
            let schema = json!({ "type": "object", "properties": {}, key: [{ "type": "string" }] });
            refuses(Openai, &schema, &[("", key)]);
        }
        refuses(Openai, &json!({ "type": "object", "properties": {}, "not": { "type": "null" } }), &[("", "not")]);
    }

    #[test]
    fn keywords_outside_the_subset_are_refused_where_they_stand() {
        for (schema, words) in [
            (json!({ "oneOf": [{ "type": "string" }] }), "`oneOf`"),
            (json!({ "allOf": [{ "type": "string" }] }), "`allOf`"),
            (json!({ "type": "object", "patternProperties": {} }), "`patternProperties`"),
            (json!({ "type": "string", "format": "uri" }), "`uri`"),
            (json!({ "type": "array" }), "without `items`"),
            (json!({ "type": "array", "items": true }), "without `items`"),
            (json!({ "type": ["string", "array"] }), "without `items`"),
            (json!({ "type": "object" }), "without `properties`"),
            (json!({ "type": "object", "additionalProperties": { "type": "string" } }), "a key and a value"),
            (json!({ "description": "Anything." }), "without `type`"),
        ] {
            refuses(Openai, &object(json!({ "a": schema })), &[("properties/a", words)]);
        }
        for fine in [
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "type": "string", "format": "date-time", "pattern": "^a" }),
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
            json!({ "const": 1 }),
        ] {
            refuses(Openai, &object(json!({ "a": fine })), &[]);
        }
        // a property of such a name is no keyword
        refuses(Openai, &object(json!({ "oneOf": { "type": "string" }, "format": { "type": "string" } })), &[]);
    }

    #[test]
    fn what_is_not_enforced_and_what_strict_needs_are_warnings() {
        let told = told(Openai, json!({ "a": { "type": "string", "minLength": 1, "maxLength": 2 } }));
        let [(Severity::Warning, path, what)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(path, "properties/a");
        assert!(what.contains("`minLength`, `maxLength`"), "{what}");
        let told = of(Openai, "tool", &object(json!({ "a": { "type": "string" } })));
        let [(Severity::Warning, _, what)] = &told[..] else { panic!("{told:?}") };
        assert!(what.contains("`additionalProperties`") && what.contains("`properties/a`"), "{what}");
    }

    #[test]
    fn limits_are_those_of_one_schema() {
        let many: Vec<String> = (0..1001).map(|i| i.to_string()).collect();
        refuses(Openai, &object(json!({ "a": { "enum": many[..1000] } })), &[]);
        refuses(Openai, &object(json!({ "a": { "enum": many } })), &[("", "1000 values")]);
        let long: Vec<String> = (0..251).map(|i| format!("{i:060}")).collect();
        refuses(Openai, &object(json!({ "a": { "enum": long } })), &[("properties/a", "15000")]);
        let nest = |levels| (1..levels).fold(object(json!({})), |inner, _| object(json!({ "a": inner })));
        refuses(Openai, &nest(10), &[]);
        refuses(Openai, &nest(11), &[("", "10 objects")]);
    }

    #[test]
    fn a_long_description_is_a_warning() {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let say = |length| {
            let tool = Declared { name: "tool", description: &"ä".repeat(length), schema: &schema };
            findings(Openai, &tool).len()
        };
        assert_eq!((say(1024), say(1025)), (0, 1));
    }
}
