//! What `validate` warns of: schemas that are right, and that some models, clients or providers cannot use well. What
//! MCP Inspector's `--strict` tells is among it.

use super::{
    param_headers,
    walk::{children, percent_decode},
};
use serde_json::{Map, Value};

/// One thing worth a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// Where, as a path of keywords; empty for the root.
    pub path: String,
    /// What, and what to do about it.
    pub message: String,
}

/// Looks through a schema.
pub fn lint(schema: &Value) -> Vec<Lint> {
    let mut found = Vec::new();
    let names_itself = names_itself(schema);
    if ["oneOf", "anyOf", "allOf"].iter().any(|key| schema.get(key).is_some()) {
        found.push(Lint {
            path: String::new(),
            message:
                "a choice as the whole input: Anthropic and OpenAI refuse every request that offers such a tool; take \
                      the choice as one parameter"
                    .into(),
        });
    }
    visit(schema, "", "", names_itself, &mut found);
    param_headers::faults(schema, &mut found);
    for name in recursive(schema) {
        found.push(Lint {
            path: format!("$defs/{name}"),
            message: format!("`{name}` is recursive: some providers refuse recursive schemas"),
        });
    }
    found
}

/// The definitions that hold themselves.
pub(crate) fn recursive(schema: &Value) -> Vec<&str> {
    let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    definitions
        .filter(|(name, definition)| refers_to(definition, name) || indirectly(schema, definition, name))
        .map(|(name, _)| name.as_str())
        .collect()
}

/// `step` is the last one of the path.
fn visit(schema: &Value, path: &str, step: &str, names_itself: bool, found: &mut Vec<Lint>) {
    let mut say = |message: &str| found.push(Lint { path: path.into(), message: message.into() });
    match schema {
        Value::Bool(_) if !TRUE_OR_FALSE.contains(&step) => {
            say("a boolean schema: some clients refuse the whole listing for it; write `{}`");
        }
        Value::Object(o) if !says_something(o) && step != "not" => {
            say("says nothing of the value, so a model has to guess: give it a type");
        }
        _ => {}
    }
    if schema.get("type").is_some_and(Value::is_array) {
        say(
            "a list of types: clients that know one `type` alone refuse it or drop it; write `anyOf` with one type each",
        );
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str)
        && !target.starts_with('#')
        && !names_itself
    {
        say("a reference to another document, which no client fetches: write the schema out, or put it below `$defs`");
    }
    let named = |name: &str| schema.get("properties").is_some_and(|p| p.get(name).is_some());
    if named("secs") && named("nanos") || named("secs_since_epoch") && named("nanos_since_epoch") {
        say(
            "a `Duration` or `SystemTime` is an object of seconds and nanoseconds, which models get wrong: take a number \
             of seconds, or a `Timestamp`",
        );
    }
    if schema.get("prefixItems").is_some() {
        say("a tuple: some providers refuse `prefixItems`; take a struct");
    }
    if schema.get("patternProperties").is_some() {
        say("a map whose keys are no plain text: some providers refuse `patternProperties`");
    }
    if schema.get("unevaluatedProperties").is_some() {
        say("a flattened enum: some providers refuse `unevaluatedProperties`");
    }
    children(schema, |step, child| {
        let below = if path.is_empty() { step.to_owned() } else { format!("{path}/{step}") };
        visit(child, &below, step, names_itself, found);
    });
}

/// Where every client knows a boolean: it closes what is around it.
const TRUE_OR_FALSE: [&str; 4] =
    ["additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"];

/// Whether any keyword says what the value may be. `if` does so with its `then` or `else` alone.
fn says_something(schema: &Map<String, Value>) -> bool {
    const SILENT: [&str; 15] = [
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "example",
        "examples",
        "nullable",
        "deprecated",
        "readOnly",
        "writeOnly",
    ];
    let conditional = schema.contains_key("then") || schema.contains_key("else");
    schema.keys().map(String::as_str).any(|key| match key {
        "if" => conditional,
        "then" | "else" => false,
        key => !SILENT.contains(&key) && !key.starts_with("x-"),
    })
}

/// Whether some part has an `$id`, which a reference without `#` may lead to.
fn names_itself(schema: &Value) -> bool {
    let mut yes = schema.get("$id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
    children(schema, |_, child| yes = yes || names_itself(child));
    yes
}

fn refers_to(schema: &Value, name: &str) -> bool {
    let mut yes = target(schema).is_some_and(|t| t == name);
    children(schema, |_, child| yes = yes || refers_to(child, name));
    yes
}

/// Through one or more other definitions.
fn indirectly(root: &Value, schema: &Value, name: &str) -> bool {
    let mut seen = Vec::new();
    let mut todo = Vec::new();
    targets(schema, &mut todo);
    while let Some(next) = todo.pop().filter(|_| seen.len() < 1000) {
        if next == name {
            return true;
        }
        if !seen.contains(&next) {
            if let Some(definition) = root["$defs"].get(&next) {
                targets(definition, &mut todo);
            }
            seen.push(next);
        }
    }
    false
}

fn targets(schema: &Value, out: &mut Vec<String>) {
    out.extend(target(schema));
    children(schema, |_, child| targets(child, out));
}

fn target(schema: &Value) -> Option<String> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(percent_decode(name).replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::lint;
    use serde_json::{Value, json};

    /// The paths at which a message with these words stands.
    fn at(schema: &Value, words: &str) -> Vec<String> {
        lint(schema).into_iter().filter(|l| l.message.contains(words)).map(|l| l.path).collect()
    }

    #[test]
    fn a_boolean_is_told_where_a_schema_is_expected() {
        let schema = json!({
            "type": "object",
            "properties": {
                "any": true,
                "none": false,
                "additionalProperties": true,
                "list": { "type": "array", "items": true, "additionalItems": false, "unevaluatedItems": false },
                "map": { "type": "object", "additionalProperties": true, "unevaluatedProperties": false },
            },
            "additionalProperties": false,
        });
        let told = at(&schema, "a boolean schema");
        let expected =
            ["properties/any", "properties/none", "properties/additionalProperties", "properties/list/items"];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_constrains_nothing_is_told_whatever_else_it_says() {
        for silent in [
            json!({}),
            json!({ "description": "Anything." }),
            json!({ "title": "A", "default": 3, "examples": [1], "x-mcp-header": "A" }),
            json!({ "if": { "const": 1 } }),
            json!({ "then": { "const": 1 } }),
        ] {
            assert_eq!(
                at(&json!({ "type": "object", "properties": { "a": silent } }), "says nothing"),
                ["properties/a"]
            );
        }
        for says in [
            json!({ "not": {} }),
            json!({ "const": null }),
            json!({ "if": { "const": 1 }, "then": { "const": 1 } }),
            json!({ "pattern": "a" }),
        ] {
            let schema = json!({ "type": "object", "properties": { "a": says } });
            assert!(at(&schema, "says nothing").is_empty(), "{schema}");
        }
    }

    #[test]
    fn a_list_of_types_is_told() {
        let schema = json!({ "type": "object", "properties": {
            "either": { "type": ["string", "null"] },
            "plain": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            "type": { "type": "string", "enum": ["type"] },
        } });
        assert_eq!(at(&schema, "a list of types"), ["properties/either"]);
    }

    #[test]
    fn a_reference_out_of_the_document_is_told_unless_a_part_may_have_that_name() {
        let schema = json!({ "type": "object", "properties": {
            "far": { "$ref": "https://example.com/a.json" },
            "near": { "$ref": "#/$defs/A" },
        }, "$defs": { "A": { "type": "string" } } });
        assert_eq!(at(&schema, "another document"), ["properties/far"]);
        let mut named = schema;
        named["$defs"]["A"]["$id"] = "https://example.com/a.json".into();
        assert!(at(&named, "another document").is_empty());
    }
}
