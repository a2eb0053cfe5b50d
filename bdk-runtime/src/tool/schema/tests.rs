//! What is advertised for which parameter.

use super::{check, check_time_args, lint, of_params, output_schema};
use crate::tool::{At, Body, Input, Num, Param, Rule, ToolDef, slot};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::{NonZeroI32, NonZeroU64};

fn param<T: crate::tool::ToolArg>(name: &'static str) -> Param {
    Param::new::<T>(name, "", false, false)
}

fn optional<T: crate::tool::ToolArg>(name: &'static str) -> Param {
    Param::new::<T>(name, "", true, false)
}

/// The schema of one required property.
fn of<T: crate::tool::ToolArg>() -> Value {
    of_params(&[param::<T>("x"), param::<bool>("other")], false)["properties"]["x"].clone()
}

fn whole<T: crate::tool::ToolArg>() -> Value {
    of_params(&[Param::new::<T>("q", "", false, true)], false)
}

/// Text equality: also the order of the keywords.
fn same(schema: &Value, text: &str) {
    assert_eq!(schema.to_string(), text);
}

/// A unit of temperature.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(serde::Serialize)]
enum Unit {
    /// Degrees Celsius.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
    Kelvin,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Shape {
    Circle { r: f64 },
    Rect { w: u32, h: Option<u32> },
    Empty,
}

#[derive(Deserialize, JsonSchema)]
struct Empty {}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Node {
    name: String,
    children: Vec<Node>,
    next: Option<Box<Node>>,
}

#[test]
fn two_integers_are_two_required_bounded_properties() {
    same(
        &of_params(&[param::<u32>("a"), param::<u32>("b")], false),
        r#"{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":4294967295},"b":{"type":"integer","minimum":0,"maximum":4294967295}},"required":["a","b"],"additionalProperties":false}"#,
    );
}

#[test]
fn every_number_has_exact_bounds_and_no_format() {
    for (schema, low, high) in [
        (of::<u8>(), json!(0), json!(255)),
        (of::<i8>(), json!(-128), json!(127)),
        (of::<i32>(), json!(i32::MIN), json!(i32::MAX)),
        (of::<i64>(), json!(i64::MIN), json!(i64::MAX)),
        (of::<u64>(), json!(0), json!(u64::MAX)),
        (of::<usize>(), json!(0), json!(u64::MAX)),
        (of::<u128>(), json!(0), json!(u64::MAX)),
        (of::<i128>(), json!(i64::MIN), json!(u64::MAX)),
        (of::<NonZeroU64>(), json!(1), json!(u64::MAX)),
    ] {
        assert_eq!(schema, json!({ "type": "integer", "minimum": low, "maximum": high }));
    }
    assert_eq!(of::<f32>(), json!({ "type": "number" }));
    assert_eq!(
        of::<NonZeroI32>(),
        json!({ "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX, "not": { "const": 0 } })
    );
}

#[test]
fn a_tool_that_takes_nothing_says_so_in_one_way() {
    let nothing = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    same(&of_params(&[], false), nothing);
    same(&of_params(&[param::<()>("x")], false), nothing);
    same(&of_params(&[param::<Empty>("x")], false), nothing);
    same(&whole::<Input<()>>(), nothing);
    same(&whole::<Input<Empty>>(), nothing);
}

#[test]
fn an_optional_documented_enum_is_one_list_of_strings() {
    let schema = of_params(&[optional::<Option<Unit>>("unit")], false);
    same(
        &schema["properties"]["unit"],
        r#"{"description":"A unit of temperature.\n`celsius`: Degrees Celsius.\n`fahrenheit`: Degrees Fahrenheit.","type":"string","enum":["celsius","fahrenheit","kelvin"]}"#,
    );
    assert!(schema.get("required").is_none());
}

#[test]
fn a_parameters_own_words_replace_its_types_and_keep_the_variants() {
    let schema = of_params(&[Param::new::<Unit>("unit", " In which unit.\n", false, false)], false);
    assert_eq!(
        schema["properties"]["unit"]["description"],
        "In which unit.\n`celsius`: Degrees Celsius.\n`fahrenheit`: Degrees Fahrenheit."
    );
}

#[test]
fn a_tagged_enum_as_the_whole_input_keeps_every_branch_closed() {
    let schema = whole::<Input<Shape>>();
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "anyOf": [
                {
                    "type": "object",
                    "properties": { "kind": { "type": "string", "enum": ["circle"] }, "r": { "type": "number" } },
                    "required": ["kind", "r"],
                    "additionalProperties": false
                },
                {
                    "type": "object",
                    "properties": {
                        "kind": { "type": "string", "enum": ["rect"] },
                        "w": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
                        "h": { "type": "integer", "minimum": 0, "maximum": u32::MAX }
                    },
                    "required": ["kind", "w"],
                    "additionalProperties": false
                },
                {
                    "type": "object",
                    "properties": { "kind": { "type": "string", "enum": ["empty"] } },
                    "required": ["kind"],
                    "additionalProperties": false
                }
            ]
        })
    );
    assert_eq!(check(&schema), Ok(()));
}

#[test]
fn a_choice_is_an_any_of_where_no_value_fits_two_branches() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Pay {
        Cash,
        Card { number: String },
        Transfer(u32),
    }
    let schema = of_params(&[param::<Pay>("how")], false);
    let how = &schema["properties"]["how"];
    assert_eq!(how["anyOf"].as_array().map(Vec::len), Some(3), "{how}");
    // an author's own word stays where it may say more
    let either = json!({ "oneOf": [{ "type": "number" }, { "type": "integer" }] });
    let mut tidied = either.clone();
    super::tidy::tidy(&mut tidied, super::tidy::Nulls::Keep);
    assert_eq!(tidied, either);
}

#[test]
fn a_choice_as_the_whole_input_is_warned_of() {
    let told =
        |schema: &Value| lint(schema).into_iter().any(|l| l.path.is_empty() && l.message.contains("as one parameter"));
    assert!(told(&whole::<Input<Shape>>()));
    assert!(!told(&of_params(&[param::<Shape>("shape")], false)));
}

#[test]
fn only_a_recursive_type_keeps_a_reference_and_is_warned_of() {
    let schema = of_params(&[param::<Node>("root"), optional::<Option<Node>>("other")], false);
    assert_eq!(schema["$defs"].as_object().map(|d| d.keys().collect::<Vec<_>>()), Some(vec![&"Node".to_owned()]));
    assert_eq!(schema["properties"]["root"]["properties"]["children"]["items"], json!({ "$ref": "#/$defs/Node" }));
    assert_eq!(schema["$defs"]["Node"]["properties"]["next"], json!({ "$ref": "#/$defs/Node" }));
    assert_eq!(check(&schema), Ok(()));
    let lints = lint(&schema);
    assert!(lints.iter().any(|l| l.message.contains("some providers refuse recursive schemas")), "{lints:?}");
}

#[test]
fn two_types_of_one_name_do_not_clash() {
    mod a {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        pub(super) struct Tree {
            pub(super) a: Vec<Tree>,
        }
    }
    mod b {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        pub(super) struct Tree {
            pub(super) b: Vec<Tree>,
        }
    }
    let schema = of_params(&[param::<a::Tree>("a"), param::<b::Tree>("b")], false);
    let target = |name: &str| {
        let reference = schema["properties"][name]["properties"][name]["items"]["$ref"].as_str().unwrap_or_default();
        schema.pointer(&reference[1..]).cloned().unwrap_or_default()
    };
    assert!(target("a")["properties"].get("a").is_some());
    assert!(target("b")["properties"].get("b").is_some());
}

#[test]
fn no_boolean_schema_is_left_where_anything_goes() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Loose {
        value: Value,
        list: Vec<Value>,
        map: HashMap<String, Value>,
    }
    let schema = of_params(&[param::<Loose>("x"), param::<Value>("y")], false);
    assert_eq!(
        schema["properties"],
        json!({
            "x": {
                "type": "object",
                "properties": { "value": {}, "list": { "type": "array", "items": {} }, "map": { "type": "object" } },
                "required": ["value", "list", "map"]
            },
            "y": {}
        })
    );
    assert!(!lint(&schema).iter().any(|l| l.message.starts_with("a boolean schema")));
}

#[test]
fn a_property_may_be_called_like_a_keyword() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Odd {
        title: String,
        format: Option<u8>,
        #[serde(rename = "default")]
        preset: Option<String>,
        required: bool,
        #[serde(rename = "$ref")]
        reference: String,
    }
    let schema = of::<Odd>();
    let names: Vec<&String> = schema["properties"].as_object().map(|p| p.keys().collect()).unwrap_or_default();
    assert_eq!(names, ["title", "format", "default", "required", "$ref"]);
    assert_eq!(schema["properties"]["format"], json!({ "type": "integer", "minimum": 0, "maximum": 255 }));
    assert_eq!(schema["required"], json!(["title", "required", "$ref"]));
}

#[test]
fn a_null_stays_where_it_means_something() {
    assert_eq!(of::<Vec<Option<bool>>>()["items"], json!({ "type": ["boolean", "null"] }));
}

#[test]
fn argument_rules_go_by_the_type_and_never_beyond_it() {
    static BERTH: &[Rule] = &[Rule::Bound("exclusiveMinimum", || Num::from(0_i128))];
    static WIDE: &[Rule] =
        &[Rule::Bound("minimum", || Num::from(-5_i128)), Rule::Bound("maximum", || Num::from(14_i128))];
    static LENGTHS: &[Rule] = &[Rule::MinLen(1), Rule::MaxLen(3)];
    static INNER: &[Rule] = &[Rule::Inner(&[Rule::Pattern("^[a-z]+$"), Rule::MinLen(2)])];
    let schema = of_params(
        &[
            param::<i64>("berth").rules(BERTH),
            param::<u32>("wide").rules(WIDE),
            param::<String>("text").rules(LENGTHS),
            optional::<Option<Vec<u8>>>("list").rules(LENGTHS),
            param::<BTreeMap<String, u8>>("map").rules(LENGTHS),
            param::<Vec<String>>("inner").rules(INNER),
        ],
        false,
    );
    let p = &schema["properties"];
    assert_eq!(p["berth"], json!({ "type": "integer", "exclusiveMinimum": 0, "maximum": i64::MAX }));
    assert_eq!(p["wide"], json!({ "type": "integer", "minimum": 0, "maximum": 14 }));
    assert_eq!(p["text"], json!({ "type": "string", "minLength": 1, "maxLength": 3 }));
    assert_eq!((&p["list"]["minItems"], &p["list"]["maxItems"]), (&json!(1), &json!(3)));
    assert_eq!((&p["map"]["minProperties"], &p["map"]["maxProperties"]), (&json!(1), &json!(3)));
    assert_eq!(p["inner"]["items"], json!({ "type": "string", "pattern": "^[a-z]+$", "minLength": 2 }));
}

#[test]
fn a_default_is_advertised_and_makes_its_property_optional() {
    let with = param::<bool>("hold").default(|| slot(true), Some(|s| s.get::<bool>().map(|b| json!(b))));
    let schema = of_params(&[with, param::<bool>("commit")], false);
    assert_eq!(schema["properties"]["hold"], json!({ "type": "boolean", "default": true }));
    assert_eq!(schema["required"], json!(["commit"]));
}

#[test]
fn unknown_fields_are_refused_at_the_root_unless_ignored() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Plain {
        a: Inner,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        b: u8,
    }
    let schema = whole::<Input<Plain>>();
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema["properties"]["a"].get("additionalProperties").is_none(), "nested types say it themselves");
    let open = of_params(&[Param::new::<Input<Plain>>("q", "", false, true)], true);
    assert!(open.get("additionalProperties").is_none());
}

#[test]
fn a_flattened_map_leaves_the_root_open_and_a_flattened_enum_closes_it_by_branch() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Open {
        a: u8,
        #[serde(flatten)]
        rest: HashMap<String, Value>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        shape: Shape,
    }
    assert!(whole::<Input<Open>>().get("additionalProperties").is_none());
    let flat = whole::<Input<Flat>>();
    assert_eq!(flat["unevaluatedProperties"], false);
    assert!(flat.get("additionalProperties").is_none());
}

#[test]
fn formats_stay_as_annotations() {
    assert_eq!(of::<url::Url>(), json!({ "type": "string", "format": "uri" }));
    assert_eq!(of::<uuid::Uuid>(), json!({ "type": "string", "format": "uuid" }));
    assert_eq!(of::<crate::Timestamp>(), json!({ "type": "string", "format": "date-time" }));
}

#[test]
fn a_set_takes_doubled_items_as_its_type_does() {
    assert_eq!(of::<HashSet<bool>>(), json!({ "type": "array", "items": { "type": "boolean" } }));
}

#[test]
fn what_models_get_wrong_is_warned_of() {
    let schema = of_params(&[param::<std::time::Duration>("a"), param::<(u8, bool)>("b"), param::<Value>("c")], false);
    let paths: Vec<String> = lint(&schema).into_iter().map(|l| l.path).collect();
    assert_eq!(paths, ["properties/a", "properties/b", "properties/c"]);
    assert_eq!(schema["properties"]["a"]["additionalProperties"], false);
}

#[test]
fn a_root_that_is_no_object_is_refused() {
    assert!(check(&whole::<Input<String>>()).is_err_and(|e| e.contains("has `\"string\"`")));
    assert!(check(&json!(true)).is_err());
    assert!(check(&json!({ "properties": {} })).is_err_and(|e| e.contains("has no `type`")));
    assert!(check(&json!({ "type": "object", "properties": { "a": { "type": 5 } } })).is_err());
    assert!(check(&json!({ "type": "object", "$ref": "https://example.com/elsewhere.json" })).is_err());
    assert_eq!(check(&json!({ "type": "object", "properties": { "a": { "pattern": "^(?!x)" } } })), Ok(()));
}

#[test]
fn time_args_of_a_schema_name_string_properties() {
    let schema =
        json!({ "type": "object", "properties": { "since": { "type": "string" }, "n": { "type": "integer" } } });
    assert_eq!(check_time_args(&schema, &["since"]), Ok(()));
    let faults = check_time_args(&schema, &["sinse", "n"]).expect_err("two faults");
    assert_eq!(faults[0], "`time_args` names `sinse`, which is no property of the input; did you mean `since`?");
    assert!(faults[1].contains("no string property"));
}

#[test]
fn an_output_schema_says_what_is_serialised() {
    #[derive(serde::Serialize, JsonSchema)]
    struct Out {
        #[serde(rename(serialize = "howMany"))]
        count: u32,
        note: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        unit: Option<Unit>,
    }
    let at = At { file: "f.rs", line: 1, module: "m", krate: "c" };
    let def = ToolDef::new("t", "d", &[], Body::Blocking(|_, _| Ok(crate::tool::Output::Unit)), at);
    assert_eq!(output_schema(&def), None);
    let schema = output_schema(&def.output_schema(Out::json_schema)).expect("a schema");
    assert_eq!(schema["properties"]["howMany"], json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }));
    assert_eq!(schema["properties"]["note"], json!({ "type": ["string", "null"] }));
    assert_eq!(schema["required"], json!(["howMany", "note"]));
    assert!(!schema.to_string().contains("$ref"), "{schema}");
}

#[test]
fn a_format_is_an_annotation_also_where_an_older_draft_asserts_it() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "format": { "type": "string", "format": "date" } }
    });
    let validator = super::compiled::validator(&schema).expect("a schema");
    assert!(validator.is_valid(&json!({ "format": "no date" })));
    assert!(!validator.is_valid(&json!({ "format": 1 })), "a property of that name keeps its schema");
}
