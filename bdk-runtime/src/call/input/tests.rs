//! What is accepted, what is refused, and in which words.

use super::{CallInput, Checked, Rejected, message, read, slots_again};
use crate::tool::schema::{Compiled, of_params};
use crate::tool::{Input, Num, Param, Rule, ToolArg, get, slot};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const fn param<T: ToolArg>(name: &'static str) -> Param {
    Param::new::<T>(name, "", false, false)
}

const fn optional<T: ToolArg>(name: &'static str) -> Param {
    Param::new::<T>(name, "", true, false)
}

const NO_TIME: &[&str] = &[];

/// Reads an input, as a tree and as a text: both come to the same.
fn check(params: &'static [Param], input: Value) -> Result<Checked<'static>, Rejected> {
    let compiled = Compiled::new(params, of_params(params, false), false).expect("a schema");
    let text = input.to_string();
    let doc: CallInput<'_> = serde_json::from_str(&text).expect("JSON");
    let of_text = read(params, &compiled, NO_TIME, doc, None).map(|checked| checked.input.json().to_value());
    let of_tree = read(params, &compiled, NO_TIME, input, None);
    let tree = of_tree.as_ref().map(|checked| checked.input.json().to_value());
    assert_eq!(of_text.as_ref(), tree.as_ref().map_err(|rejected| *rejected), "{text}");
    of_tree
}

/// The whole text of a refusal.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "so that a test reads `json!(…)`")]
fn refusal(params: &'static [Param], input: Value) -> String {
    match check(params, input.clone()) {
        Ok(_) => panic!("accepted {input}"),
        Err(rejected) => message("x", &rejected.issues),
    }
}

#[track_caller]
fn accepted(params: &'static [Param], input: Value) -> Checked<'static> {
    match check(params, input) {
        Ok(checked) => checked,
        Err(rejected) => panic!("{}", message("x", &rejected.issues)),
    }
}

static AB: &[Param] = &[param::<u32>("a"), param::<u32>("b")];

#[test]
fn a_fault_names_the_argument_what_was_expected_and_what_came() {
    assert_eq!(
        refusal(AB, json!({ "a": "5", "b": 5 })),
        r#"Invalid input for "x": `a`: expected an integer, got string "5""#
    );
    let rejected = check(AB, json!({ "a": "5", "b": 1 })).err().expect("refused");
    assert_eq!(
        serde_json::to_value(&rejected.issues[0]).expect("JSON"),
        json!({
            "path": "a",
            "message": "expected an integer, got string \"5\"",
            "expected": "an integer",
            "received": "string \"5\""
        })
    );
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_properties() {
    assert_eq!(
        refusal(AB, json!({ "bogus": 1, "b": 5_000_000_000_u64 })),
        "Invalid input for \"x\": `a`: required, but missing; `b`: expected an integer from 0 to 4294967295, got \
         5000000000; `bogus`: unknown property; known: `a`, `b`"
    );
}

#[test]
fn integers_are_exact_to_their_last_bit() {
    static P: &[Param] = &[param::<u64>("u"), param::<i64>("i")];
    for text in [
        r#"{"u":18446744073709551615,"i":-9223372036854775808}"#,
        r#"{"u":9007199254740993,"i":9007199254740993}"#,
        r#"{"u":5.0,"i":-3e2}"#,
    ] {
        accepted(P, serde_json::from_str(text).expect("JSON"));
    }
    let read = accepted(P, json!({ "u": u64::MAX, "i": i64::MIN }));
    assert_eq!((*get::<u64>(&read.slots, "u"), *get::<i64>(&read.slots, "i")), (u64::MAX, i64::MIN));
    for text in [
        r#"{"u":18446744073709551616,"i":0}"#,
        r#"{"u":-1,"i":0}"#,
        r#"{"u":0,"i":9223372036854775808}"#,
        r#"{"u":0,"i":1.5}"#,
        r#"{"u":0,"i":1e300}"#,
    ] {
        let text = refusal(P, serde_json::from_str(text).expect("JSON"));
        assert!(text.contains("expected an integer"), "{text}");
    }
}

#[test]
fn a_float_that_may_be_several_integers_is_refused_and_says_what_to_write() {
    static P: &[Param] = &[param::<u64>("u")];
    assert_eq!(
        refusal(P, json!({ "u": 1e16 })),
        "Invalid input for \"x\": `u`: expected an integer from 0 to 18446744073709551615, got 1e+16 (from 2^53 on, write \
         every digit and no exponent)"
    );
}

#[test]
fn an_integral_float_is_kept_as_an_integer() {
    assert_eq!(accepted(AB, json!({ "a": 3.0, "b": 0.0 })).input.json().to_value().to_string(), r#"{"a":3,"b":0}"#);
}

#[test]
fn anything_but_an_object_is_said_to_be_none() {
    for (input, got) in [
        (json!([]), "an array"),
        (json!("{\"a\":1,\"b\":2}"), r#"string "{\"a\":1,\"b\":2}""#),
        (json!(5), "5"),
        (json!(true), "true"),
    ] {
        assert_eq!(refusal(AB, input), format!("Invalid input for \"x\": must be an object, got {got}"));
    }
}

#[test]
fn missing_null_and_empty_arguments_are_one() {
    #[derive(Deserialize, JsonSchema)]
    struct Empty {}
    static NONE: &[Param] = &[];
    static UNIT: &[Param] = &[param::<()>("x")];
    static EMPTY: &[Param] = &[param::<Empty>("x")];
    static WHOLE_UNIT: &[Param] = &[Param::new::<Input<()>>("x", "", false, true)];
    static WHOLE_EMPTY: &[Param] = &[Param::new::<Input<Empty>>("x", "", false, true)];
    for params in [NONE, UNIT, EMPTY, WHOLE_UNIT, WHOLE_EMPTY] {
        accepted(params, Value::Null);
        accepted(params, json!({}));
        let text = refusal(params, json!({ "bogus": 1 }));
        assert_eq!(text, "Invalid input for \"x\": `bogus`: unknown property; there are none");
    }
}

#[test]
fn null_and_absent_are_both_none() {
    static P: &[Param] = &[optional::<Option<u8>>("a"), optional::<Option<Value>>("b")];
    for input in [json!({}), json!({ "a": null, "b": null })] {
        let read = accepted(P, input);
        assert_eq!(get::<Option<u8>>(&read.slots, "a"), &None);
        assert_eq!(get::<Option<Value>>(&read.slots, "b"), &None);
        assert_eq!(read.input.json().to_value(), json!({}));
    }
}

#[test]
fn a_null_counts_as_absent_at_every_depth() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Outer {
        #[serde(default = "seven")]
        n: u8,
        #[serde(default = "anything")]
        any: Value,
        shapes: Vec<Shape>,
    }
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Shape {
        Dot {
            #[serde(default)]
            at: u8,
        },
        Line {
            to: Option<u8>,
        },
    }
    fn seven() -> u8 {
        7
    }
    fn anything() -> Value {
        json!("default")
    }
    static P: &[Param] = &[param::<Outer>("o")];
    let input = json!({ "o": { "n": null, "any": null, "shapes": [{ "kind": "Dot", "at": null }, { "kind": "Line", "to": null }] } });
    let read = accepted(P, input);
    let expected = Outer { n: 7, any: json!("default"), shapes: vec![Shape::Dot { at: 0 }, Shape::Line { to: None }] };
    assert_eq!(get::<Outer>(&read.slots, "o"), &expected);
}

#[test]
fn a_default_is_made_once_and_read_again_by_a_retry() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    static P: &[Param] = &[param::<u32>("n")
        .default(|| slot(COUNT.fetch_add(1, Ordering::SeqCst)), Some(|s| s.get::<u32>().map(|n| json!(n))))];
    let compiled = Compiled::new(P, of_params(P, false), false).expect("a schema");
    let text: CallInput<'_> = serde_json::from_str(r#"{"n":null}"#).expect("JSON");
    for input in [json!({ "n": null }).into(), text] {
        let before = COUNT.load(Ordering::SeqCst);
        let first = read(P, &compiled, NO_TIME, input, None).unwrap_or_else(|_| panic!("refused"));
        let again = slots_again(P, &compiled, &first.input).unwrap_or_else(|_| panic!("refused"));
        assert_eq!(get::<u32>(&first.slots, "n"), get::<u32>(&again, "n"));
        assert_eq!(first.input.json().to_value(), json!({ "n": get::<u32>(&again, "n") }));
        assert_eq!(COUNT.load(Ordering::SeqCst), before + 1);
    }
}

#[test]
fn a_near_miss_is_named() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Unit {
        Celsius,
        Kelvin,
    }
    static P: &[Param] = &[param::<Unit>("unit"), optional::<Option<String>>("since")];
    assert_eq!(
        refusal(P, json!({ "unit": "celcius", "sinse": "x" })),
        "Invalid input for \"x\": `unit`: unknown value \"celcius\"; allowed: \"celsius\", \"kelvin\"; did you mean \
         \"celsius\"?; `sinse`: unknown property; did you mean `since`?; known: `unit`, `since`"
    );
    assert_eq!(
        refusal(P, json!({ "unit": 5 })),
        "Invalid input for \"x\": `unit`: expected one of \"celsius\", \"kelvin\", got 5"
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "never made")]
enum Shape {
    Circle { r: f64 },
    Rect { w: u32, h: u32 },
    Line { to: Point },
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "never made")]
struct Point {
    x: i32,
    y: i32,
}

#[test]
fn in_a_tagged_enum_the_branch_speaks_that_was_meant() {
    static P: &[Param] = &[Param::new::<Input<Shape>>("q", "", false, true)];
    static LIST: &[Param] = &[param::<Vec<Shape>>("shapes")];
    assert_eq!(
        refusal(P, json!({ "kind": "rect", "w": 5, "height": 3 })),
        "Invalid input for \"x\": `h`: required, but missing; `height`: unknown property; known: `kind`, `w`, `h`"
    );
    assert_eq!(
        refusal(P, json!({ "kind": "tri" })),
        "Invalid input for \"x\": `kind`: unknown value \"tri\"; allowed: \"circle\", \"rect\", \"line\""
    );
    assert_eq!(
        refusal(P, json!({ "r": 1 })),
        "Invalid input for \"x\": `kind`: required, but missing; allowed: \"circle\", \"rect\", \"line\""
    );
    assert_eq!(
        refusal(
            LIST,
            json!({ "shapes": [{ "kind": "circle", "r": 1 }, { "kind": "line", "to": { "x": 1, "y": "2" } }] })
        ),
        "Invalid input for \"x\": `shapes[1].to.y`: expected an integer, got string \"2\""
    );
}

#[test]
fn in_other_enums_too() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never made")]
    enum External {
        Dot,
        Circle { r: f64 },
        At(Point),
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "never made")]
    enum Untagged {
        Number(u8),
        Text(String),
        At(Point),
    }
    static P: &[Param] = &[optional::<Option<External>>("e"), optional::<Option<Untagged>>("u")];
    for (input, text) in [
        (json!({ "e": { "At": { "x": 1 } } }), "`e.At.y`: required, but missing"),
        (json!({ "e": "Dott" }), r#"`e`: unknown value "Dott"; allowed: "Dot", "Circle", "At"; did you mean "Dot"?"#),
        (json!({ "e": "Circle" }), r#"`e`: expected an object with the property `Circle`, got string "Circle""#),
        (json!({ "e": 5 }), "`e`: expected a string or an object that names one of `Dot`, `Circle`, `At`, got 5"),
        (json!({ "u": 300 }), "`u`: expected an integer from 0 to 255, got 300"),
        (json!({ "u": { "x": 1 } }), "`u.y`: required, but missing"),
        (json!({ "u": true }), "`u`: expected an integer, a string or an object, got true"),
    ] {
        assert_eq!(refusal(P, input.clone()), format!("Invalid input for \"x\": {text}"), "{input}");
    }
}

#[test]
fn a_flattened_enum_tells_only_what_is_wrong() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never made")]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        shape: Shape,
    }
    static P: &[Param] = &[Param::new::<Input<Flat>>("q", "", false, true)];
    accepted(P, json!({ "a": 1, "kind": "rect", "w": 1, "h": 2 }));
    assert_eq!(
        refusal(P, json!({ "a": 1, "kind": "rect", "w": 1, "h": "2", "bogus": 1 })),
        "Invalid input for \"x\": `h`: expected an integer, got string \"2\"; `bogus`: unknown property; known: `a`, `kind`, \
         `r`, `w`, `h`, `to`"
    );
}

#[test]
fn what_only_the_type_refuses_is_told_beside_what_the_schema_refuses() {
    static P: &[Param] = &[param::<url::Url>("url"), param::<uuid::Uuid>("id"), param::<u8>("n")];
    let text = refusal(P, json!({ "url": "nowhere", "id": "x", "n": 300 }));
    assert!(text.contains("`url`: relative URL without a base"), "{text}");
    assert!(text.contains("`id`: "), "{text}");
    assert!(text.ends_with("`n`: expected an integer from 0 to 255, got 300"), "{text}");
    assert!(
        refusal(P, json!({ "url": "https://a.b", "id": "x", "n": 3 })).starts_with("Invalid input for \"x\": `id`: ")
    );
}

#[test]
fn argument_rules_are_told_in_words() {
    static TEXT: &[Rule] = &[Rule::MinLen(1), Rule::MaxLen(3)];
    static LIST: &[Rule] = &[Rule::MaxLen(1)];
    static CODE: &[Rule] = &[Rule::Pattern("^[a-z]+$")];
    static BERTH: &[Rule] = &[Rule::Bound("exclusiveMinimum", || Num::from(0_i128))];
    static P: &[Param] = &[
        param::<String>("text").rules(TEXT),
        param::<Vec<u8>>("list").rules(LIST),
        param::<String>("code").rules(CODE),
        param::<i64>("berth").rules(BERTH),
    ];
    accepted(P, json!({ "text": "ÄÖ🦀", "list": [], "code": "a", "berth": 1 }));
    assert_eq!(
        refusal(P, json!({ "text": "abcd", "list": [1, 2], "code": "A", "berth": 0 })),
        "Invalid input for \"x\": `text`: expected a string of 1 to 3 characters, got 4 characters; `list`: expected an \
         array of at most 1 item, got 2 items; `code`: expected a string that matches `^[a-z]+$`, got string \"A\"; \
         `berth`: expected an integer greater than 0 and at most 9223372036854775807, got 0"
    );
}

#[test]
fn coercion_takes_text_for_numbers_and_bools_and_for_nothing_else() {
    static P: &[Param] = &[
        param::<i32>("n").coerce(),
        optional::<Option<bool>>("b").coerce(),
        optional::<Option<String>>("s").coerce(),
        optional::<Option<Vec<f64>>>("l").coerce(),
    ];
    let read = accepted(P, json!({ "n": "-3", "b": "true", "s": "3", "l": ["1.5", 2] }));
    assert_eq!(read.input.json().to_value(), json!({ "n": -3, "b": true, "s": "3", "l": [1.5, 2] }));
    assert_eq!(accepted(P, json!({ "n": "3.0" })).input.json().to_value(), json!({ "n": 3 }));
    for bad in [
        json!(""),
        json!(null),
        json!(" 3"),
        json!("3 "),
        json!("+3"),
        json!("0x3"),
        json!("1e400"),
        json!("true"),
        json!("NaN"),
    ] {
        let text = refusal(P, json!({ "n": bad }));
        assert!(text.contains("`n`: expected an integer, got "), "{text}");
    }
    assert!(refusal(P, json!({ "n": 1, "b": "1" })).contains("`b`: expected a boolean"));
    assert!(refusal(AB, json!({ "a": "1", "b": 2 })).contains("`a`"), "only where asked for");
}

#[test]
fn preprocess_sees_what_came_and_validation_what_it_made() {
    static P: &[Param] =
        &[optional::<Option<Vec<String>>>("tags")
            .preprocess(|v| v.as_str().map(|s| s.split(',').collect()).unwrap_or(v))];
    assert_eq!(accepted(P, json!({ "tags": "a,b" })).input.json().to_value(), json!({ "tags": ["a", "b"] }));
    assert_eq!(accepted(P, json!({ "tags": null })).input.json().to_value(), json!({}));
    assert!(refusal(P, json!({ "tags": 5 })).contains("`tags`: expected an array, got 5"));
}

#[test]
fn a_raw_schema_gets_its_input_untouched() {
    static P: &[Param] = &[param::<Value>("input")];
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": ["integer", "null"] }, "b": { "type": "string" } },
        "required": ["b"]
    });
    let compiled = Compiled::new(P, schema, true).expect("a schema");
    let input = json!({ "a": null, "b": "x", "c": 3.0 });
    let checked = read(P, &compiled, NO_TIME, input.clone(), None).unwrap_or_else(|_| panic!("refused"));
    assert_eq!(get::<Value>(&checked.slots, "input").to_string(), input.to_string());
    static MAP: &[Param] = &[param::<serde_json::Map<String, Value>>("input")];
    let as_map = read(MAP, &compiled, NO_TIME, input.clone(), None).unwrap_or_else(|_| panic!("refused"));
    assert_eq!(json!(get::<serde_json::Map<String, Value>>(&as_map.slots, "input")).to_string(), input.to_string());
    let rejected = read(P, &compiled, NO_TIME, json!({ "b": null }), None).err().expect("refused");
    assert_eq!(message("x", &rejected.issues), "Invalid input for \"x\": `b`: expected a string, got null");
    assert_eq!(read(P, &compiled, NO_TIME, Value::Null, None).err().expect("refused").issues[0].path, "b");
}

#[test]
fn as_of_and_the_schema_are_told_together_and_as_of_gives_the_code() {
    static P: &[Param] = &[param::<String>("since"), param::<u8>("n")];
    let compiled = Compiled::new(P, of_params(P, false), false).expect("a schema");
    let frozen = "2026-01-01T00:00:00Z".parse().ok();
    let rejected = read(P, &compiled, &["since"], json!({ "n": "x" }), frozen).err().expect("refused");
    assert!(rejected.as_of);
    let paths: Vec<&str> = rejected.issues.iter().map(|i| i.path.as_str()).collect();
    assert_eq!(paths, ["since", "n"]);
    assert!(rejected.issues[0].message.contains("retry with absolute bounds"));
    let fine = json!({ "since": "2025-12-01T00:00:00Z", "n": 1 });
    assert!(read(P, &compiled, &["since"], fine, frozen).is_ok());
    assert!(read(P, &compiled, &["since"], json!({ "since": "yesterday", "n": 1 }), None).is_ok());
}

#[test]
fn a_default_is_no_bound_under_as_of() {
    static P: &[Param] = &[param::<String>("since").default(|| slot("2020-01-01T00:00:00Z".to_owned()), None)];
    let compiled = Compiled::new(P, of_params(P, false), false).expect("a schema");
    let frozen = "2026-01-01T00:00:00Z".parse().ok();
    assert!(read(P, &compiled, &["since"], json!({}), frozen).is_err_and(|r| r.as_of));
    let text: CallInput<'_> = serde_json::from_str("{}").expect("JSON");
    assert!(read(P, &compiled, &["since"], text, frozen).is_err_and(|r| r.as_of));
    assert!(read(P, &compiled, &["since"], json!({}), None).is_ok());
}

#[test]
fn a_flood_of_faults_is_cut() {
    static P: &[Param] = &[param::<Vec<u8>>("list")];
    let rejected = check(P, json!({ "list": vec!["x"; 500] })).err().expect("refused");
    assert_eq!(rejected.issues.len(), 33);
    assert_eq!(rejected.issues[32].message, "and 468 more");
    let long = refusal(AB, json!({ "a": "x".repeat(10_000), "b": 1 }));
    assert!(long.len() < 300 && long.contains('…'), "{}", long.len());
}

#[test]
fn a_recursive_type_is_read_to_its_depth() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never looked at")]
    struct Node {
        name: String,
        #[serde(default)]
        children: Vec<Node>,
    }
    static P: &[Param] = &[param::<Node>("root")];
    let deep = |leaf: Value| json!({ "root": { "name": "a", "children": [{ "name": "b", "children": [{ "name": leaf, "children": null }] }] } });
    accepted(P, deep(json!("c")));
    assert_eq!(
        refusal(P, deep(json!(5))),
        "Invalid input for \"x\": `root.children[0].children[0].name`: expected a string, got 5"
    );
}

mod deep;
mod names;
