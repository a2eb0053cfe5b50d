//! The decoder reads what serde_json reads, but for the differences that it names.

use super::types::*;
use crate::tool::{FaultKind, decode};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt::Debug};

/// Integral floats as integers, which is what makes serde_json read them as we do.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            #[allow(clippy::cast_possible_truncation, reason = "whole, and below 2^53")]
            Some(f) if number.is_f64() && f.fract() == 0.0 && f.abs() < 9_007_199_254_740_992.0 => json!(f as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(object) => {
            object.iter().map(|(name, value)| (name.clone(), normal(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// One change to a value.
#[derive(Debug, Clone)]
enum Change {
    Replace(Value),
    Add(&'static str, Value),
    Wrap,
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(object) => object.values().map(nodes).sum(),
        _ => 0,
    }
}

/// Changes the node with this number, counted from the root.
fn change(value: &mut Value, number: &mut usize, what: &Change) {
    if *number == 0 {
        match what {
            Change::Replace(with) => *value = with.clone(),
            Change::Add(name, with) => match value {
                Value::Object(object) => {
                    object.insert((*name).to_owned(), with.clone());
                }
                Value::Array(items) => items.push(with.clone()),
                _ => {}
            },
            // the fields of a struct as serde_json also takes them: an array
            Change::Wrap => {
                if let Value::Object(object) = value {
                    *value = object.values().cloned().collect();
                } else {
                    *value = json!([value.take()]);
                }
            }
        }
    }
    *number = number.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| change(item, number, what)),
        Value::Object(object) => object.values_mut().for_each(|item| change(item, number, what)),
        _ => {}
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..300i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3..300i32).prop_map(|i| Value::from(f64::from(i))),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            9_007_199_254_740_991.0,
            9_007_199_254_740_992.0,
            -9_007_199_254_740_991.0,
            1e300,
            0.5
        ])
        .prop_map(Value::from),
        prop::sample::select(vec!["", "a", "7", "-7", "7.0", "true", "red", "Nothing", "One", "Bare"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..3).prop_map(|entries| {
                entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
            }),
        ]
    })
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "name", "mass", "crates", "deck", "light", "kind", "count", "own", "ratio", "left", "right", "old", "new",
        "One", "Named", "Nothing", "Inside", "t", "c", "7", "-7", "07", "7.0", "1e2", "true", "red", "é", "",
    ])
}

fn any_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => any_value().prop_map(Change::Replace),
        2 => (name(), any_value()).prop_map(|(name, value)| Change::Add(name, value)),
        1 => Just(Change::Wrap),
    ]
}

/// A good value, changed in a few places.
fn near(samples: Vec<Value>) -> impl Strategy<Value = Value> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any_change()), 0..3);
    (prop::sample::select(samples), changes).prop_map(|(mut value, changes)| {
        for (at, what) in changes {
            let mut number = at.index(nodes(&value));
            change(&mut value, &mut number, &what);
        }
        value
    })
}

/// (`{"Zero": []}`, the other thing that differs, is made by no strategy here; it has a test of its own.)
fn agrees<T: DeserializeOwned + PartialEq + Debug>(value: &Value) -> Result<(), TestCaseError> {
    let theirs = serde_json::from_value::<T>(normal(value));
    match (decode::<T>(value), theirs) {
        (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs, "{}", value),
        (Err(_), Err(_)) => {}
        (Ok(ours), Err(theirs)) => prop_assert!(false, "{value}: read as {ours:?}, but serde_json says {theirs}"),
        // an array for a struct and an object for a bare variant are what serde_json takes and we do not
        (Err(fault), Ok(theirs)) => prop_assert!(
            matches!(&fault.kind, FaultKind::Invalid { expected, received } if expected == "an object" && received == "array" || expected.starts_with("the string ")),
            "{value}: serde_json reads {theirs:?}, but: {fault}"
        ),
    }
    Ok(())
}

macro_rules! agreement {
    ($($test:ident: $type:ty, $samples:tt;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(300))]
            $(#[test]
            fn $test(value in near(serde_json::from_value(json!($samples)).unwrap())) {
                agrees::<$type>(&value)?;
            })*
        }
    };
}

agreement! {
    small_integers: Vec<(u8, i8)>, [[[1, -1], [2.0, 3]], []];
    wide_integers: Vec<(u64, i64)>, [[[1, -1], [2.0, 3]]];
    widest_integers: Vec<(u128, i128)>, [[[1, -1], [2.0, 3]]];
    floats: Vec<(f32, f64)>, [[[1, 2.5]]];
    text: (String, char, Option<bool>), [["ab", "c", true], ["", "é", null]];
    bytes: Vec<Bytes>, [["ab", [1, 2.0]]];
    structs: Ship, [
        {"crates": [{"name": "a", "mass": 1.5}], "deck": {"aft": [1, 2.0]}, "light": "red"},
        {"crates": []}
    ];
    tuples_and_newtypes: Wrapped<(Pair, [u8; 2])>, [[[1, "x"], [1, 2]]];
    outside_tagged_enums: Vec<Shape>, [
        ["Nothing", {"One": 1}, {"Two": [1, "x"]}, {"Named": {"left": 1, "right": 2}}, {"Inside": {"name": "a", "mass": 1}}]
    ];
    inside_tagged_enums: Vec<Tagged>, [
        [{"kind": "bare"}, {"kind": "counted", "count": 3.0}, {"kind": "crated", "name": "a", "mass": 2}]
    ];
    beside_tagged_enums: Vec<Adjacent>, [[{"t": "Bare"}, {"t": "One", "c": 1}, {"t": "Named", "c": {"left": 1}}]];
    untagged_enums: Untagged, [[1, 2.5, "x", [3.0], {"name": "a", "mass": 1}]];
    flattened_structs: Vec<Flat>, [[{"own": 1, "count": 2.0}, {"own": 1, "count": 2, "ratio": 1}]];
    flattened_maps: Rest, [{"own": 1, "x": 2.0}];
    aliases: Vec<Aliased>, [[{"old": 1}, {"new": 2}]];
    conversions: Vec<Even>, [[2, 4.0]];
    text_keys: BTreeMap<String, Light>, [{"a": "red"}];
    integer_keys: BTreeMap<i8, u8>, [{"7": 1, "-7": 2}];
    wide_keys: BTreeMap<i128, u8>, [{"7": 1, "-7": 2}];
    wide_unsigned_keys: BTreeMap<u128, u8>, [{"7": 1}];
    bool_and_character_keys: (BTreeMap<bool, u8>, BTreeMap<char, u8>), [[{"true": 1}, {"é": 2}]];
    variant_keys: BTreeMap<Light, u8>, [{"red": 1}];
    trees: Value, [[{"a": [1.0, null]}]];
}

proptest! {
    /// serde has no `Eq` for float keys, so they are read as a list of pairs.
    #[test]
    fn float_keys(key in prop_oneof!["-?[0-9]{1,3}(\\.[0-9]{1,2})?(e[0-9]{1,3})?", ".{0,3}"]) {
        #[derive(Debug, PartialEq)]
        struct Pairs(Vec<(f64, u8)>);
        impl<'de> serde::Deserialize<'de> for Pairs {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Read;
                impl<'de> serde::de::Visitor<'de> for Read {
                    type Value = Pairs;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a map")
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                        let mut pairs = Vec::new();
                        while let Some(pair) = map.next_entry()? {
                            pairs.push(pair);
                        }
                        Ok(Pairs(pairs))
                    }
                }
                deserializer.deserialize_map(Read)
            }
        }
        agrees::<Pairs>(&json!({ key: 1 }))?;
    }
}
