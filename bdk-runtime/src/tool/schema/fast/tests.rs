//! Which schemas are known, and of what is said yes. That yes is never said wrongly, the call's own tests look at for every
//! kind of type.

use super::Fast;
use crate::tool::{
    doc::{Doc, JsonRef},
    schema::compiled::validator,
};
use serde_json::{Value, json};

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "so that a test reads `json!(…)`")]
fn accepts(schema: Value, text: &str) -> bool {
    let fast = Fast::of(&schema).unwrap_or_else(|| panic!("{schema} is not known"));
    let mut doc: Doc<'_> = serde_json::from_str(text).expect("JSON");
    let yes = fast.accepts(&mut doc);
    let tree = JsonRef::nodes(&doc.nodes).to_value();
    assert!(!yes || validator(&schema).expect("a schema").is_valid(&tree), "{schema} has no {tree}");
    yes
}

#[test]
fn an_unknown_keyword_at_any_depth_leaves_the_schema_to_the_other_validator() {
    for (key, value) in [
        ("pattern", json!("a")),
        ("$ref", json!("#")),
        ("oneOf", json!([{}])),
        ("anyOf", json!([{}])),
        ("allOf", json!([{}])),
        ("not", json!({})),
        ("if", json!({})),
        ("prefixItems", json!([{}])),
        ("uniqueItems", json!(true)),
        ("contains", json!({})),
        ("multipleOf", json!(2)),
        ("minProperties", json!(1)),
        ("patternProperties", json!({})),
        ("propertyNames", json!({})),
        ("dependentRequired", json!({})),
        ("enum", json!([1, 2])),
        ("const", json!(1)),
        ("const", json!({})),
        ("additionalProperties", json!({ "pattern": "a" })),
        ("required", json!(["undeclared"])),
        ("items", json!(false)),
        ("exclusiveMinimum", json!(true)),
        ("minLength", json!(-1)),
        ("type", json!("text")),
        ("never-heard-of", json!(1)),
    ] {
        for schema in [json!({ key: value }), json!({ "items": { "properties": { "a": { key: value } } } })] {
            assert!(Fast::of(&schema).is_none(), "{schema}");
        }
    }
}

#[test]
fn annotations_say_nothing() {
    let schema = json!({
        "title": "T", "description": "d", "default": 1, "format": "email", "examples": [1], "x-unit": "kg",
        "$comment": "c", "deprecated": true
    });
    assert!(accepts(schema, "5"));
}

#[test]
fn numbers_are_compared_exactly_or_left_to_the_other_validator() {
    let all = |schema: Value, yes: &[&str], no: &[&str]| {
        for (texts, expected) in [(yes, true), (no, false)] {
            texts.iter().for_each(|text| assert_eq!(accepts(schema.clone(), text), expected, "{schema} {text}"));
        }
    };
    all(json!({ "type": "integer" }), &["1", "-1", "3.0", "18446744073709551615"], &["1.5", "1e300", "true", "\"1\""]);
    all(json!({ "type": "number" }), &["1", "1.5", "1e300"], &["null", "\"1\""]);
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    all(byte, &["0", "255", "255.0", "-0.0"], &["-1", "256", "256.0", "-1.0"]);
    let open = json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1 });
    all(open, &["0.5", "1e-300", "true"], &["0", "1", "0.0", "-0.5", "1.5"]);
    let wide = json!({ "type": "integer", "maximum": 9_007_199_254_740_993_u64 });
    all(wide, &["9007199254740993", "9007199254740992"], &["9007199254740994"]);
    // 2^53 + 1 has no float of its own
    all(json!({ "maximum": 9_007_199_254_740_992.0 }), &["9007199254740992", "0.5"], &["9007199254740993", "1e17"]);
    all(json!({ "minimum": 1.5 }), &["2", "1.5"], &["1", "9007199254740993"]);
}

#[test]
fn texts_are_counted_in_code_points() {
    let three = json!({ "type": "string", "minLength": 2, "maxLength": 3 });
    for (text, expected) in
        [("a", false), ("ab", true), ("🦀", false), ("🦀🦀", true), ("🦀🦀🦀", true), ("abcd", false), ("ééé", true)]
    {
        assert_eq!(accepts(three.clone(), &format!("\"{text}\"")), expected, "{text}");
    }
    assert!(accepts(three.clone(), r#""\n\n""#));
    let few = json!({ "enum": ["a", "b", null] });
    for (text, expected) in [("\"a\"", true), ("\"c\"", false), ("null", true), ("1", false)] {
        assert_eq!(accepts(few.clone(), text), expected, "{text}");
    }
    assert!(accepts(json!({ "const": "a" }), "\"a\"") && !accepts(json!({ "const": "a" }), "\"b\""));
}

#[test]
fn lists_are_counted_and_their_items_looked_at() {
    let schema = json!({ "type": "array", "items": { "type": ["integer", "null"] }, "minItems": 1, "maxItems": 2 });
    for (text, expected) in
        [("[]", false), ("[1,null]", true), ("[1,[2]]", false), ("[1,2,3]", false), ("[\"1\"]", false)]
    {
        assert_eq!(accepts(schema.clone(), text), expected, "{text}");
    }
}

fn object() -> Value {
    json!({
        "type": "object",
        "properties": {
            "a": { "type": "integer" },
            "b": { "type": "string" },
            "c": { "type": ["object", "null"], "properties": { "d": { "type": "boolean" } }, "additionalProperties": false }
        },
        "required": ["a", "c"],
        "additionalProperties": false
    })
}

#[test]
fn members_are_found_in_any_order_and_none_may_be_missing_or_unknown() {
    for text in [r#"{"a":1,"b":"x","c":{"d":true}}"#, r#"{"c":{},"b":"x","a":1}"#, r#"{"a":1,"c":null}"#] {
        assert!(accepts(object(), text), "{text}");
    }
    for text in [
        "{}",
        r#"{"a":1}"#,
        r#"{"a":1,"c":{},"e":1}"#,
        r#"{"a":1,"c":{"e":1}}"#,
        r#"{"a":null,"c":{}}"#,
        r#"{"a":1,"b":2,"c":{}}"#,
        "[]",
    ] {
        assert!(!accepts(object(), text), "{text}");
    }
}

#[test]
fn a_null_that_may_be_left_out_is_marked_at_every_depth() {
    let fast = Fast::of(&object()).expect("known");
    let mut doc: Doc<'_> = serde_json::from_str(r#"{"a":1,"b":null,"c":{"d":null}}"#).expect("JSON");
    assert!(fast.accepts(&mut doc));
    assert_eq!(JsonRef::nodes(&doc.nodes).to_value(), json!({ "a": 1, "c": {} }));
}

#[test]
fn a_null_for_the_only_value_allowed_is_left_to_the_other_path() {
    let schema = json!({ "properties": { "kind": { "const": "a" }, "n": { "type": "integer" } } });
    assert!(accepts(schema.clone(), r#"{"kind":"a","n":null}"#) && accepts(schema.clone(), "{}"));
    assert!(!accepts(schema, r#"{"kind":null}"#));
}

#[test]
fn a_name_that_comes_twice_is_left_to_the_other_path_wherever_it_is() {
    let a = json!({ "properties": { "a": {} } });
    for (schema, twice, once) in [
        (a.clone(), r#"{"a":1,"a":2}"#, r#"{"a":1,"b":2}"#),
        (a.clone(), r#"{"a":null,"\u0061":2}"#, r#"{"a":null,"\u0062":2}"#),
        (a, r#"{"b":1,"c":1,"b":2}"#, r#"{"b":1,"c":1,"d":2}"#),
        (json!({ "additionalProperties": { "type": "integer" } }), r#"{"b":1,"c":1,"b":2}"#, r#"{"b":1,"c":1,"d":2}"#),
        (json!({ "properties": {} }), r#"{"b":[{"c":{"d":1,"d":2}}]}"#, r#"{"b":[{"c":{"d":1,"c":2}}]}"#),
        (json!({}), r#"[{"c":{"d":1,"d":2}}]"#, r#"[{"c":{"d":1,"c":2}}]"#),
        (json!({ "type": "array" }), r#"[{"d":1,"d":2}]"#, r#"[{"d":1},{"d":2}]"#),
        (json!({ "items": {} }), r#"[{"d":1,"d":2}]"#, r#"[{"d":1},{"d":2}]"#),
    ] {
        assert!(!accepts(schema.clone(), twice), "{schema} {twice}");
        assert!(accepts(schema.clone(), once), "{schema} {once}");
    }
}

#[test]
fn of_many_properties_each_is_ticked_off() {
    let of = |count: usize| {
        let names: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
        let properties: serde_json::Map<_, _> =
            names.iter().map(|n| (n.clone(), json!({ "type": "integer" }))).collect();
        (json!({ "properties": properties, "required": names, "additionalProperties": false }), names)
    };
    let (schema, names) = of(128);
    let text =
        |names: &[String]| format!("{{{}}}", names.iter().map(|n| format!("\"{n}\":1")).collect::<Vec<_>>().join(","));
    assert!(accepts(schema.clone(), &text(&names)));
    assert!(!accepts(schema.clone(), &text(&names[..127])) && !accepts(schema, &text(&names[1..])));
    assert!(Fast::of(&of(129).0).is_none());
}
