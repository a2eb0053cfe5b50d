//! What the advertised schema accepts, the type reads, and the other way round: for every kind of type, over values made
//! from the schema and over values broken in one or two places.
//!
//! Apart stand, by nature: what only a type's own code refuses (a URL, the keys of a map by number), where the schema
//! accepts more, or seconds that overflow; and what serde buffers (tagged and untagged enums, `flatten`), where serde's own code
//! takes an array for a struct and a number for a tag, and the schema, which is asked first, does not.

mod types;

use super::normalise::{drop_nulls, whole_numbers};
use crate::tool::schema::{Compiled, of_params, resolve};
use crate::tool::{Input, Param, ToolArg};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use types::*;

/// How far the two may differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    /// Not at all.
    Exact,
    /// The type may refuse more.
    Narrower,
    /// serde buffers: an array may pass for a struct, a number for a tag.
    Buffered,
    /// A flattened `Option` is `None` whatever stands in its place, a flattened bare variant takes `{}`.
    Wider,
    /// The root refuses unknown fields that the type ignores.
    Whole,
}

/// Choices taken from random bytes, so that proptest can shrink them.
struct Dice<'a>(std::iter::Copied<std::slice::Iter<'a, u8>>);

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        // two bytes, or a long list would never be reached to its end
        let (a, b) = (self.0.next().unwrap_or(0), self.0.next().unwrap_or(0));
        (usize::from(a) * 256 + usize::from(b)) % sides.max(1)
    }
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())].clone()
    }
}

/// Values that are often read wrongly.
fn odd(dice: &mut Dice<'_>) -> Value {
    let pool = [
        json!(null),
        json!(true),
        json!(0),
        json!(5),
        json!(-1),
        json!(5.0),
        json!(-0.0),
        json!(2.5),
        json!(255),
        json!(256),
        json!(-129),
        json!(4_294_967_296_u64),
        json!(9_007_199_254_740_993_u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!(""),
        json!("5"),
        json!("a"),
        json!("🦀"),
        json!("Unit"),
        json!("circle"),
        json!("https://example.com/"),
        json!("67e55044-10b1-426f-9247-bb680e5fe0c8"),
        json!([]),
        json!([1, 2]),
        json!([null]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "Unit": null }),
        json!({ "Unit": {} }),
        json!({ "kind": "circle" }),
        json!({ "x": 1, "y": 2 }),
    ];
    dice.pick(&pool)
}

/// A value that the schema accepts, mostly.
fn sample(schema: &Value, root: &Value, dice: &mut Dice<'_>, depth: u8) -> Value {
    let schema = resolve(schema, root);
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return dice.pick(allowed);
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(branches) = schema.get(key).and_then(Value::as_array).filter(|b| !b.is_empty()) {
            let branch = dice.pick(branches);
            let mut value = sample(&branch, root, dice, depth + 1);
            if let (Value::Object(own), Some(_)) = (&mut value, schema.get("properties")) {
                let mut rest = schema.clone();
                rest[key].take();
                if let Value::Object(more) = object(&rest, root, dice, depth) {
                    own.extend(more);
                }
            }
            return value;
        }
    }
    let kind = match schema.get("type") {
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(many)) => dice.pick(many).as_str().unwrap_or_default().to_owned(),
        _ => return odd(dice),
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64).map(|n| n as usize);
    match kind.as_str() {
        "integer" => {
            let ends: Vec<Value> = ["minimum", "maximum"].iter().filter_map(|k| schema.get(*k).cloned()).collect();
            let pool: Vec<Value> = [json!(1), json!(3.0), json!(77)].into_iter().chain(ends).collect();
            dice.pick(&pool)
        }
        "number" => dice.pick(&[json!(0), json!(1.5), json!(-3), json!(2.0), json!(1e300)]),
        "string" => match bound("maxLength") {
            Some(1) => dice.pick(&[json!("a"), json!("🦀")]),
            _ => dice.pick(&[
                json!(""),
                json!("abc"),
                json!("5"),
                json!("https://example.com/"),
                json!("67e55044-10b1-426f-9247-bb680e5fe0c8"),
                json!("2026-01-01T00:00:00Z"),
            ]),
        },
        "boolean" => dice.pick(&[json!(true), json!(false)]),
        "array" => {
            if let Some(fixed) = schema.get("prefixItems").and_then(Value::as_array) {
                return fixed.iter().map(|s| sample(s, root, dice, depth + 1)).collect();
            }
            let low = bound("minItems").unwrap_or(0);
            let high = bound("maxItems").unwrap_or(if depth > 5 { low } else { low + 2 });
            let length = low + dice.roll(high - low + 1);
            (0..length).map(|_| sample(&schema["items"], root, dice, depth + 1)).collect()
        }
        "object" => object(schema, root, dice, depth),
        _ => Value::Null,
    }
}

fn object(schema: &Value, root: &Value, dice: &mut Dice<'_>, depth: u8) -> Value {
    let mut out = Map::new();
    let required = |name: &str| schema["required"].as_array().is_some_and(|r| r.iter().any(|x| x == name));
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        match dice.roll(4) {
            0 if !required(name) => {}
            1 if !required(name) => drop(out.insert(name.clone(), Value::Null)),
            _ if depth > 5 && !required(name) => {}
            _ => drop(out.insert(name.clone(), sample(property, root, dice, depth + 1))),
        }
    }
    let more = schema.get("additionalProperties").filter(|s| s.is_object());
    let more = more.or_else(|| schema.get("patternProperties").and_then(|p| p.as_object()?.values().next()));
    for name in ["1", "22"].iter().take(if depth > 5 { 0 } else { dice.roll(3) }) {
        if let Some(more) = more {
            out.insert((*name).to_owned(), sample(more, root, dice, depth + 1));
        }
    }
    out.into()
}

/// Breaks a value in one place.
fn mutate(value: &mut Value, dice: &mut Dice<'_>) {
    match value {
        Value::Object(o) if !o.is_empty() && dice.roll(3) > 0 => {
            let names: Vec<String> = o.keys().cloned().collect();
            let name = dice.pick(&names);
            match dice.roll(6) {
                0 => drop(o.shift_remove(&name)),
                1 => drop(o.insert("bogus".into(), odd(dice))),
                2 => drop(o.insert(name, Value::Null)),
                _ => mutate(&mut o[&name], dice),
            }
        }
        Value::Object(o) if dice.roll(2) > 0 => drop(o.insert("bogus".into(), odd(dice))),
        Value::Array(items) if !items.is_empty() && dice.roll(3) > 0 => {
            let at = dice.roll(items.len());
            match dice.roll(5) {
                0 => drop(items.remove(at)),
                1 => items.push(odd(dice)),
                2 => items.push(items[at].clone()),
                _ => mutate(&mut items[at], dice),
            }
        }
        // as a sequence of its fields, as a string, inside a list
        Value::Object(o) if dice.roll(2) > 0 => *value = o.values().cloned().collect(),
        other => match dice.roll(6) {
            0 => *other = json!(other.to_string()),
            1 => *other = json!([other]),
            _ => *other = odd(dice),
        },
    }
}

fn read_loosely(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(o) => o.get("kind").is_some_and(Value::is_number) || o.values().any(read_loosely),
        _ => false,
    }
}

/// Whether there is a float that no integer can be meant by, so large that it may stand for several.
fn has_vast_float(value: &Value) -> bool {
    match value {
        Value::Number(n) => n.is_f64() && n.as_f64().is_some_and(|f| f.fract() == 0.0),
        Value::Array(items) => items.iter().any(has_vast_float),
        Value::Object(o) => o.values().any(has_vast_float),
        _ => false,
    }
}

fn agree<T: ToolArg>(name: &str, rule: Rule) {
    let optional = name.starts_with("Option<");
    let param = Param::new::<T>("x", "", optional, rule == Rule::Whole);
    // a second one, or a type that holds nothing would be left out
    let other = Param::new::<Option<bool>>("other", "", true, false);
    let params = if rule == Rule::Whole { vec![param] } else { vec![param, other] };
    let compiled = Compiled::new(&params, of_params(&params, false), false).expect("a schema");
    let own = if rule == Rule::Whole { &compiled.schema } else { &compiled.schema["properties"]["x"] };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner =
        TestRunner::new_with_rng(Config { cases: 400, failure_persistence: None, ..Config::default() }, rng);
    let (mut yes, mut no) = (0, 0);
    let counts = std::cell::RefCell::new((&mut yes, &mut no));
    let bytes = proptest::collection::vec(proptest::num::u8::ANY, 4..120);
    let result = runner.run(&bytes, |bytes| {
        let mut dice = Dice(bytes.iter().copied());
        let breaks = dice.roll(3);
        let mut value = sample(own, &compiled.schema, &mut dice, 0);
        (0..breaks).for_each(|_| mutate(&mut value, &mut dice));
        let original = value.to_string();
        let mut input = if rule == Rule::Whole { value } else { json!({ "x": value }) };
        if !input.is_object() {
            return Ok(());
        }
        if whole_numbers(&mut input) {
            drop_nulls(&mut input, &[&compiled.schema], &compiled.schema);
        }
        let schema = compiled.validator.is_valid(&input);
        let read = if rule == Rule::Whole {
            (params[0].decode)(&input).map(drop)
        } else {
            match input.get("x") {
                None if !optional => return Ok(()),
                value => (params[0].decode)(value.unwrap_or(&Value::Null)).map(drop),
            }
        };
        let mut counts = counts.borrow_mut();
        *(if schema { &mut *counts.0 } else { &mut *counts.1 }) += 1;
        let excused = match rule {
            Rule::Exact => false,
            Rule::Narrower => schema,
            Rule::Buffered => !schema && read_loosely(&input),
            Rule::Wider | Rule::Whole => !schema,
        };
        if schema != read.is_ok() && !excused && !has_vast_float(&input) {
            return Err(TestCaseError::fail(format!(
                "{name}: {original} (as {input}): schema {schema}, type {read:?}\n{}",
                compiled.schema
            )));
        }
        Ok(())
    });
    if let Err(why) = result {
        panic!("{why}");
    }
    assert!(yes > 15 && no > 15, "{name}: only {yes} values were accepted and {no} refused");
}

macro_rules! agreement {
    ($($test:ident: $rule:ident { $($ty:ty),+ $(,)? })+) => { $(
        #[test]
        fn $test() {
            $( agree::<$ty>(stringify!($ty), Rule::$rule); )+
        }
    )+ };
}

agreement! {
    integers_agree: Exact { u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, u128, i128 }
    nonzero_integers_agree: Exact { std::num::NonZeroU8, std::num::NonZeroU64, std::num::NonZeroI32, std::num::NonZeroI64 }
    other_scalars_agree: Exact { f32, f64, bool, String, char, std::path::PathBuf }
    options_agree: Exact { Option<u8>, Option<Point>, Option<Documented>, Option<Vec<Option<u8>>>, Option<External> }
    lists_agree: Exact {
        Vec<u8>, Vec<Option<bool>>, [u8; 3], (u8, String), (Point, Option<bool>), HashSet<u8>, BTreeSet<Point>
    }
    maps_agree: Exact { HashMap<String, u8>, BTreeMap<String, Option<Point>>, BTreeMap<Plain, u8> }
    structs_agree: Exact { Point, Strict, Newtype, TupleStruct, Empty, Tight, Std, Tree, AllDefault, serde_json::Map<String, Value> }
    enums_agree: Exact { Plain, Documented, External, Vec<External> }
    units_agree: Exact { (), UnitStruct }
    buffered_types_agree: Buffered { Internal, InternalStrict, Adjacent, Untagged, Flat, FlatMap, FlatEnum, Expression, Vec<Internal> }
    what_a_type_refuses_by_itself_its_schema_may_accept: Narrower {
        url::Url, uuid::Uuid, crate::Timestamp, HashMap<u32, u8>, BTreeMap<i64, bool>, std::time::Duration,
        std::time::SystemTime
    }
    what_serde_swallows_when_flattened_the_schema_refuses: Wider { FlatOption, FlatExternal }
    whole_inputs_read_what_they_advertise: Whole {
        Input<Point>, Input<Strict>, Input<Internal>, Input<InternalStrict>, Input<Adjacent>, Input<Untagged>, Input<Flat>,
        Input<FlatMap>, Input<FlatEnum>, Input<FlatOption>, Input<FlatExternal>, Input<Tree>, Input<Expression>
    }
}
