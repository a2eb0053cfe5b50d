//! Which types get a bound, and which one.

use super::Levels;
use crate::tool::schema::of_params;
use crate::tool::{Param, ToolArg};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;

fn bound<T: ToolArg>() -> Option<usize> {
    let params = [Param::new::<T>("x", "", false, false), Param::new::<Value>("other", "", true, false)];
    let levels = Levels::of(&of_params(&params, false));
    assert!(levels.0.iter().all(|(name, _)| name.as_deref() == Some("x")), "{levels:?}");
    levels.0.first().map(|(_, most)| *most)
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only their schemas are looked at")]
enum Two {
    All(Vec<Two>),
    Any(Vec<Option<Two>>),
    One { x: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only their schemas are looked at")]
enum Four {
    A { of: Box<Four>, a: u8 },
    B { of: Box<Four>, b: u8 },
    C { of: Box<Four>, c: u8 },
    D(HashMap<String, Four>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only their schemas are looked at")]
enum Named {
    All { all: Vec<Named> },
    Any { any: Vec<Named> },
    Pair(Box<Named>, Box<Named>),
    One(u8),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "op")]
#[expect(dead_code, reason = "only their schemas are looked at")]
enum Tagged {
    And { args: Vec<Tagged> },
    Or { args: Vec<Tagged> },
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only their schemas are looked at")]
struct Around {
    first: Tree,
    second: Two,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only their schemas are looked at")]
struct Tree {
    left: Option<Box<Tree>>,
    right: Option<Box<Tree>>,
    more: HashMap<String, Tree>,
}

#[test]
fn only_what_is_read_twice_a_level_has_a_bound() {
    assert_eq!(bound::<Two>(), Some(16));
    assert_eq!(bound::<Around>(), Some(16));
    assert_eq!(bound::<Four>(), Some(8));
    assert_eq!((bound::<Named>(), bound::<Tagged>(), bound::<Vec<Value>>()), (None, None, None));
}

#[test]
fn a_level_is_a_list_or_an_object() {
    let levels = Levels(vec![(Some("x".into()), 2)]);
    for (input, expected) in [
        (json!({ "x": [{ "a": 1 }] }), None),
        (json!({ "x": [{ "a": [] }] }), Some((Some("x"), 2))),
        (json!({ "other": [[[[]]]] }), None),
    ] {
        assert_eq!(levels.exceeded(&input), expected, "{input}");
    }
    assert_eq!(Levels(vec![(None, 2)]).exceeded(&json!({ "a": [[]] })), Some((None, 2)));
}
