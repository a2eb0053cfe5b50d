//! Recursive types and schemas: a fault far down is explained with work that grows with the input, not with the number of
//! ways to read it.

use super::{NO_TIME, accepted, param, refusal};
use crate::call::input::explain::Explain;
use crate::call::input::read;
use crate::tool::schema::{Compiled, of_params};
use crate::tool::{Input, Param};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "op")]
#[expect(dead_code, reason = "never looked at")]
enum Filter {
    And { args: Vec<Filter> },
    Or { args: Vec<Filter> },
    Not { arg: Box<Filter> },
    Eq { n: u8 },
}

/// `levels` times `around`, about a leaf.
fn deep(levels: usize, leaf: Value, around: impl Fn(usize, Value) -> Value) -> Value {
    (0..levels).rev().fold(leaf, |inner, level| around(level, inner))
}

/// What the explanation of an input costs: values looked at, and validators built.
fn work(compiled: &Compiled, input: &Value) -> (usize, usize) {
    let mut explain = Explain::new(compiled);
    explain.look(input);
    assert!(explain.found.len() < 5, "{:?}", explain.found);
    (explain.visits, explain.judges.built())
}

/// The work is linear in the depth: twice as deep is at most about twice as much.
#[track_caller]
fn grows_with_the_depth(compiled: &Compiled, input: impl Fn(usize) -> Value) {
    let ((less, few), (more, built)) = (work(compiled, &input(20)), work(compiled, &input(40)));
    assert!(more <= 2 * less + 10, "{less} values looked at, then {more}");
    assert!(built <= few && built < 100, "{few} validators built, then {built}");
}

#[test]
fn a_wrong_leaf_of_a_deep_tagged_type_is_told_by_its_path() {
    static P: &[Param] = &[param::<Filter>("f")];
    let not = |level: usize, inner: Value| match level % 3 {
        0 => json!({ "arg": inner, "op": "Not" }),
        _ => json!({ "op": "Not", "arg": inner }),
    };
    accepted(P, json!({ "f": deep(122, json!({ "op": "Eq", "n": 1 }), not) }));
    assert_eq!(
        refusal(P, json!({ "f": deep(122, json!({ "op": "Eq", "n": 300 }), not) })),
        format!("Invalid input for \"x\": `f{}.n`: expected an integer from 0 to 255, got 300", ".arg".repeat(122))
    );
    let and = |level: usize, inner: Value| json!({ "op": if level.is_multiple_of(2) { "And" } else { "Or" }, "args": [inner] });
    assert_eq!(
        refusal(P, json!({ "f": deep(60, json!({ "op": "Equal", "n": 1 }), and) })),
        format!(
            "Invalid input for \"x\": `f{}.op`: unknown value \"Equal\"; allowed: \"And\", \"Or\", \"Not\", \"Eq\"",
            ".args[0]".repeat(60)
        )
    );
    let compiled = Compiled::new(P, of_params(P, false), false).expect("a schema");
    grows_with_the_depth(&compiled, |depth| json!({ "f": deep(depth, json!({ "op": "Eq", "n": 300 }), and) }));
}

#[test]
fn several_faults_of_a_deep_type_are_told_each() {
    static P: &[Param] = &[param::<Filter>("f")];
    let input = json!({ "f": { "op": "And", "args": [
        { "op": "Eq" },
        { "op": "Or", "args": [{ "op": "Eq", "n": 1 }, { "op": "Eq", "n": "1" }] },
        { "op": "Not" },
    ] } });
    assert_eq!(
        refusal(P, input),
        "Invalid input for \"x\": `f.args[0].n`: required, but missing; `f.args[1].args[1].n`: expected an integer, got \
         string \"1\"; `f.args[2].arg`: required, but missing"
    );
}

#[test]
fn an_adjacently_tagged_type_too() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "t", content = "c")]
    #[expect(dead_code, reason = "never looked at")]
    enum Adjacent {
        All(Vec<Adjacent>),
        Any(Vec<Adjacent>),
        Leaf(u8),
    }
    static P: &[Param] = &[param::<Adjacent>("f")];
    let around =
        |level: usize, inner: Value| json!({ "c": [inner], "t": if level.is_multiple_of(2) { "All" } else { "Any" } });
    assert_eq!(
        refusal(P, json!({ "f": deep(50, json!({ "t": "Leaf", "c": true }), around) })),
        format!("Invalid input for \"x\": `f{}.c`: expected an integer, got true", ".c[0]".repeat(50))
    );
    let compiled = Compiled::new(P, of_params(P, false), false).expect("a schema");
    grows_with_the_depth(&compiled, |depth| json!({ "f": deep(depth, json!({ "t": "Leaf", "c": true }), around) }));
}

#[test]
fn an_externally_tagged_type_too() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never looked at")]
    enum External {
        Not(Box<External>),
        All(Vec<External>),
        Leaf { n: u8 },
        Nothing,
    }
    static P: &[Param] = &[param::<External>("f")];
    let around = |_: usize, inner: Value| json!({ "Not": inner });
    assert_eq!(
        refusal(P, json!({ "f": deep(100, json!({ "Leaf": { "n": 300 } }), around) })),
        format!(
            "Invalid input for \"x\": `f{}.Leaf.n`: expected an integer from 0 to 255, got 300",
            ".Not".repeat(100)
        )
    );
    assert_eq!(
        refusal(P, json!({ "f": deep(100, json!("Nothin"), around) })),
        format!(
            "Invalid input for \"x\": `f{}`: unknown value \"Nothin\"; allowed: \"Nothing\", \"Not\", \"All\", \"Leaf\"; \
             did you mean \"Nothing\"?",
            ".Not".repeat(100)
        )
    );
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "never looked at")]
struct Flat {
    name: String,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "never looked at")]
enum Kind {
    All { of: Vec<Flat> },
    Any { of: Vec<Flat> },
    Leaf { n: u8 },
}

#[test]
fn a_flattened_tagged_type_too() {
    static P: &[Param] = &[param::<Flat>("f")];
    static WHOLE: &[Param] = &[Param::new::<Input<Flat>>("f", "", false, true)];
    let around = |level: usize, inner: Value| json!({ "of": [inner], "kind": if level.is_multiple_of(2) { "All" } else { "Any" }, "name": "a" });
    let leaf = json!({ "kind": "Leaf", "name": 5, "n": 300 });
    let path = format!("f{}", ".of[0]".repeat(50));
    assert_eq!(
        refusal(P, json!({ "f": deep(50, leaf.clone(), around) })),
        format!(
            "Invalid input for \"x\": `{path}.name`: expected a string, got 5; `{path}.n`: expected an integer from 0 to \
             255, got 300"
        )
    );
    let mut whole = deep(50, leaf.clone(), around);
    whole["bogus"] = 1.into();
    let text = refusal(WHOLE, whole);
    assert!(text.contains("`bogus`: unknown property; known: `name`, `kind`, `of`, `n`"), "{text}");
    assert!(text.contains(&format!("`{}.n`: expected", &path[2..])), "{text}");
    for (params, key) in [(P, true), (WHOLE, false)] {
        let compiled = Compiled::new(params, of_params(params, false), false).expect("a schema");
        grows_with_the_depth(&compiled, |depth| {
            let input = deep(depth, leaf.clone(), around);
            if key { json!({ "f": input }) } else { input }
        });
    }
}

#[test]
fn a_given_recursive_schema_is_explained_by_the_branch_that_fits_best() {
    static P: &[Param] = &[param::<Value>("input")];
    let schema = json!({
        "type": "object",
        "properties": { "e": { "$ref": "#/$defs/e" } },
        "$defs": { "e": { "anyOf": [
            { "type": "object", "properties": { "a": { "$ref": "#/$defs/e" }, "all": { "const": true } }, "required": ["a", "all"] },
            { "type": "object", "properties": { "a": { "$ref": "#/$defs/e" }, "any": { "const": true } }, "required": ["a", "any"] },
            { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }
        ] } }
    });
    let compiled = Compiled::new(P, schema, true).expect("a schema");
    let around = |level: usize, inner: Value| {
        if level.is_multiple_of(2) { json!({ "a": inner, "all": true }) } else { json!({ "a": inner, "any": true }) }
    };
    let input = |depth: usize| json!({ "e": deep(depth, json!({ "n": "1" }), around) });
    let rejected = read(P, &compiled, NO_TIME, input(100), None).err().expect("refused");
    let issues: Vec<_> = rejected.issues.iter().map(|i| (i.path.as_str(), i.message.as_str())).collect();
    let path = format!("e{}.n", ".a".repeat(100));
    assert_eq!(issues, [(path.as_str(), "expected an integer, got string \"1\"")]);
    grows_with_the_depth(&compiled, input);
    let fine = json!({ "e": deep(100, json!({ "n": 1 }), around) });
    assert!(read(P, &compiled, NO_TIME, fine, None).is_ok());
}

#[test]
fn references_that_lead_in_a_circle_are_followed_once() {
    static P: &[Param] = &[param::<Value>("input")];
    let schema = json!({
        "type": "object",
        "properties": { "e": { "$ref": "#/$defs/a" }, "n": { "type": "integer" } },
        "$defs": {
            "a": { "allOf": [{ "$ref": "#/$defs/b" }, { "$ref": "#/$defs/b" }] },
            "b": { "allOf": [{ "$ref": "#/$defs/a" }], "properties": { "e": { "$ref": "#/$defs/a" }, "n": { "type": "integer" } } }
        }
    });
    let compiled = Compiled::new(P, schema, true).expect("a schema");
    let input = |depth: usize| json!({ "e": deep(depth, json!({ "n": "1" }), |_, inner| json!({ "e": inner })) });
    let rejected = read(P, &compiled, NO_TIME, input(40), None).err().expect("refused");
    assert_eq!(rejected.issues.len(), 1);
    assert_eq!(rejected.issues[0].message, "expected an integer, got string \"1\"");
    grows_with_the_depth(&compiled, input);
}

#[test]
fn a_recursive_type_without_tags_takes_so_many_levels_and_says_so() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "never looked at")]
    enum Untagged {
        All(Vec<Untagged>),
        Any(Vec<Untagged>),
        One { x: u8 },
    }
    static P: &[Param] = &[param::<Untagged>("f"), param::<Value>("other")];
    let around = |_: usize, inner: Value| json!([inner]);
    let input =
        |levels: usize, leaf: Value| json!({ "f": deep(levels, leaf, around), "other": deep(100, json!(1), around) });
    accepted(P, input(15, json!({ "x": 1 })));
    assert_eq!(
        refusal(P, input(15, json!({ "x": 300 }))),
        format!("Invalid input for \"x\": `f{}.x`: expected an integer from 0 to 255, got 300", "[0]".repeat(15))
    );
    for leaf in [json!({ "x": 1 }), json!({ "x": 300 })] {
        assert_eq!(
            refusal(P, input(100, leaf)),
            "Invalid input for \"x\": `f`: nested more than 16 levels deep, which this recursive type does not take"
        );
    }
}
