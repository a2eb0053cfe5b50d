//! One case a kind of change.

use super::*;
use serde_json::json;

#[allow(clippy::needless_pass_by_value)] // so that a case reads as two literals
fn kinds(old: Value, new: Value) -> Vec<Kind> {
    compare(&old, &new).into_iter().map(|c| c.kind).collect()
}

#[test]
fn types_and_values_narrow_and_widen() {
    assert_eq!(kinds(json!({"type": "integer"}), json!({"type": "number"})), [Kind::Wider]);
    assert_eq!(kinds(json!({"type": ["string", "null"]}), json!({"type": "string"})), [Kind::Narrower]);
    assert_eq!(kinds(json!({"type": "string"}), json!({"type": "integer"})), [Kind::Unknown]);
    assert_eq!(kinds(json!({"enum": ["a", "b"]}), json!({"enum": ["b", "c"]})), [Kind::Narrower, Kind::Wider]);
    assert_eq!(kinds(json!({"const": 1}), json!({"enum": [1, 2]})), [Kind::Wider]);
}

#[test]
fn bounds_narrow_and_widen_to_the_last_digit() {
    assert_eq!(kinds(json!({"maximum": u64::MAX}), json!({"maximum": u64::MAX - 1})), [Kind::Narrower]);
    assert_eq!(kinds(json!({"minimum": 1}), json!({"minimum": 0.5})), [Kind::Wider]);
    assert_eq!(kinds(json!({}), json!({"minLength": 1})), [Kind::Narrower]);
    assert_eq!(kinds(json!({"pattern": "a"}), json!({"pattern": "b"})), [Kind::Unknown]);
    assert_eq!(kinds(json!({"type": "string"}), json!({"type": "string", "format": "date-time"})), [Kind::Narrower]);
}

#[test]
fn properties_are_compared_at_every_depth() {
    let with = |inner: Value| json!({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {"mass": inner}}}}});
    let changes = compare(&with(json!({"type": "number"})), &with(json!({"type": "integer"})));
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].kind, changes[0].path.as_str()), (Kind::Narrower, "`list[].mass`: "));
    assert_eq!(kinds(json!({}), json!({"additionalProperties": false})), [Kind::Narrower]);
    assert_eq!(kinds(json!({}), json!({"required": ["x"]})), [Kind::Narrower]);
}

#[test]
fn branches_may_come_but_not_go() {
    let of = |branches: &[&str]| json!({"oneOf": branches.iter().map(|b| json!({"const": b})).collect::<Vec<_>>()});
    assert_eq!(kinds(of(&["a"]), of(&["b", "a"])), [Kind::Wider]);
    assert!(kinds(of(&["a", "b"]), of(&["b"])).contains(&Kind::Narrower));
}

#[test]
fn a_recursive_schema_ends_and_changes_within_it_are_seen() {
    let tree = |value: &str| {
        json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "object", "properties": {
            "value": {"type": value}, "next": {"$ref": "#/$defs/Tree"}}}}})
    };
    assert_eq!(kinds(tree("integer"), tree("integer")), []);
    assert_eq!(kinds(tree("integer"), tree("string")), [Kind::Unknown]);
}

#[test]
fn words_are_words() {
    assert_eq!(kinds(json!({"description": "a"}), json!({"description": "b"})), [Kind::Words]);
}
