//! What Anthropic's Messages API says of a tool's `input_schema`.

use super::{Declared, Findings, each, some};
use crate::tool::schema;
use serde_json::{Map, Value};

pub(super) fn check(tool: &Declared<'_>, found: &mut Findings) {
    let Some(root) = tool.schema.as_object() else { return };
    // "input_schema does not support oneOf, allOf, or anyOf at the top level":
    // https://github.com/anthropics/claude-code/issues/27337, https://github.com/MoonshotAI/kimi-code/issues/2328
    for key in ["oneOf", "allOf", "anyOf"].into_iter().filter(|key| root.contains_key(*key)) {
        let way = "take the choice as one parameter rather than as the whole input";
        found.refused("", &format!("`{key}` at the root of the input"), way);
    }
    // "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", of the root's properties:
    // https://github.com/n8n-io/n8n/issues/30590, https://github.com/decocms/studio/pull/6874
    for name in root.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if !is_key(name) {
            let way = "take 1 to 64 letters, digits, `_`, `.` and `-`";
            found.refused(&format!("properties/{name}"), "this parameter's name", way);
        }
    }
    // "JSON schema is invalid. It must match JSON Schema draft 2020-12", also where `$schema` names another draft:
    // https://github.com/anthropics/claude-code/issues/63673
    if let Err(fault) = jsonschema::draft202012::meta::validate(tool.schema) {
        let path = fault.instance_path().to_string();
        let way = "write what JSON Schema 2020-12 has instead";
        found.refused(path.trim_start_matches('/'), "what is no JSON Schema 2020-12", way);
    }
    strict(tool, found);
}

fn is_key(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// What a client cannot have that asks for `strict: true`, which compiles the schema into a grammar.
///
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>
/// "For 'integer' type, properties maximum, minimum are not supported": <https://github.com/earendil-works/pi/issues/9953>
fn strict(tool: &Declared<'_>, found: &mut Findings) {
    const KEYWORDS: [&str; 13] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "oneOf",
        "not",
        "if",
        "patternProperties",
    ];
    const FORMATS: [&str; 10] =
        ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];
    let mut places = Vec::new();
    each(tool.schema, &mut |path, schema, _| {
        let place = |keyword: &str| if path.is_empty() { keyword.to_owned() } else { format!("{path}/{keyword}") };
        places.extend(KEYWORDS.into_iter().filter(|k| schema.contains_key(*k)).map(place));
        if schema.get("minItems").and_then(Value::as_u64).is_some_and(|n| n > 1) {
            places.push(place("minItems"));
        }
        if schema.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
            places.push(place("format"));
        }
        if schema.get("properties").is_some() && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            places.push(place("additionalProperties"));
        }
        // a map
        if schema.get("additionalProperties").is_some_and(|more| more != &Value::Bool(false))
            && schema.get("properties").is_none()
        {
            places.push(place("additionalProperties"));
        }
    });
    places.extend(schema::recursive(tool.schema).into_iter().map(|name| format!("$defs/{name}")));
    if !places.is_empty() {
        let what =
            format!("takes this tool without `strict: true` alone, where nothing holds the model to {}", some(&places));
        found.warned("", &what);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Provider::Anthropic,
        tests::{of, refuses},
    };
    use crate::registry::Severity;
    use serde_json::json;

    #[test]
    fn a_choice_at_the_root_is_refused_and_one_below_is_not() {
        let choice = json!([{ "type": "object", "properties": {} }]);
        for key in ["oneOf", "anyOf", "allOf"] {
            refuses(Anthropic, &json!({ "type": "object", key: choice }), &[("", key)]);
            refuses(Anthropic, &json!({ "type": "object", "properties": { "a": { key: choice } } }), &[]);
        }
    }

    #[test]
    fn names_of_parameters_are_held_to_their_pattern_at_the_root_alone() {
        let long = "x".repeat(65);
        for name in ["$top", "filter[id]", "größe", "", &long] {
            let schema = json!({ "type": "object", "properties": { name: { "type": "string" } } });
            refuses(Anthropic, &schema, &[(&format!("properties/{name}"), "name")]);
            let below =
                json!({ "type": "object", "properties": { "a": { "type": "object", "properties": { name: {} } } } });
            refuses(Anthropic, &below, &[]);
        }
        let fine = json!({ "type": "object", "properties": { "a.b-c_9": {}, &long[1..]: {} } });
        refuses(Anthropic, &fine, &[]);
    }

    #[test]
    fn what_an_older_draft_allowed_is_refused() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": { "pair": { "type": "array", "items": [{ "type": "string" }, { "type": "number" }] } },
        });
        refuses(Anthropic, &schema, &[("properties/pair/items", "2020-12")]);
    }

    #[test]
    fn what_strict_tools_cannot_have_is_one_warning_with_its_places() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": { "type": "integer", "minimum": 1 },
                "next": { "$ref": "#/$defs/Node" },
            },
            "additionalProperties": false,
            "$defs": { "Node": { "type": "object", "additionalProperties": false, "properties": { "next": { "$ref": "#/$defs/Node" } } } },
        });
        let told = of(Anthropic, "tool", &schema);
        let [(Severity::Warning, path, what)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(path, "");
        assert!(what.contains("`properties/n/minimum`") && what.contains("`$defs/Node`"), "{what}");
    }
}
