//! The encoder against serde_json, and what it refuses.

use super::encode;
use crate::tool::{Json, Output, decode::Step};
use proptest::prelude::*;
use serde::{Serialize, Serializer};
use serde_json::{Value, json, value::RawValue};
use std::collections::BTreeMap;

fn json_of(value: &(impl Serialize + ?Sized)) -> String {
    match encode(value) {
        Ok(Output::Json(json)) => json.text,
        other => panic!("no JSON: {other:?}"),
    }
}

fn fault_of(value: &(impl Serialize + ?Sized)) -> String {
    encode(value).unwrap_err().to_string()
}

#[derive(Serialize)]
struct Marker;

#[derive(Serialize)]
struct Empty {}

#[derive(Debug, Clone, Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    Small,
    #[serde(rename = "x\"l")]
    Large,
}

#[derive(Serialize)]
struct Reading {
    name: &'static str,
    value: f64,
}

#[derive(Serialize)]
struct Wrapper<T>(T);

#[derive(Debug, Clone, Serialize)]
enum Shape {
    Nothing,
    One(Box<Any>),
    Two(Box<Any>, Box<Any>),
    Named { left: Box<Any>, right: Option<Box<Any>> },
}

#[derive(Debug, Clone, Serialize)]
struct Fields {
    first: Box<Any>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<Box<Any>>,
    #[serde(flatten)]
    rest: BTreeMap<String, Any>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind")]
enum Tagged {
    Bare,
    Holding { item: Box<Any> },
}

/// A tree with every shape that serde knows.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Any {
    Unit(()),
    Bool(bool),
    I8(i8),
    I64(i64),
    U16(u16),
    U64(u64),
    I128(i128),
    F32(f32),
    F64(f64),
    Char(char),
    Text(String),
    Size(Size),
    Displayed(#[serde(serialize_with = "displayed")] String),
    Bytes(#[serde(serialize_with = "bytes")] Vec<u8>),
    List(Vec<Any>),
    Pair(Box<(Any, Any)>),
    Map(BTreeMap<String, Any>),
    ByInt(BTreeMap<i64, Any>),
    ByBool(BTreeMap<bool, Any>),
    ByChar(BTreeMap<char, Any>),
    BySize(BTreeMap<Size, Any>),
    ByWide(BTreeMap<i128, Any>),
    #[serde(serialize_with = "by_float")]
    ByFloat(Vec<(f64, Any)>),
    Shape(Shape),
    Fields(Fields),
    Tagged(Tagged),
    Value(Value),
    Raw(Box<RawValue>),
}

fn displayed<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{text}/{text:?}"))
}

fn bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

fn by_float<S: Serializer>(entries: &[(f64, Any)], serializer: S) -> Result<S::Ok, S::Error> {
    struct Key(f64);
    impl Serialize for Key {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_some(&Wrapper(self.0))
        }
    }
    serializer.collect_map(entries.iter().map(|(key, value)| (Key(*key), value)))
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |f| f.is_finite())
}

fn any_tree() -> impl Strategy<Value = Any> {
    let leaf = prop_oneof![
        Just(Any::Unit(())),
        any::<bool>().prop_map(Any::Bool),
        any::<i8>().prop_map(Any::I8),
        any::<i64>().prop_map(Any::I64),
        any::<u16>().prop_map(Any::U16),
        any::<u64>().prop_map(Any::U64),
        any::<i64>().prop_map(|wide| Any::I128(wide.into())),
        any::<f32>().prop_filter("finite", |f| f.is_finite()).prop_map(Any::F32),
        finite().prop_map(Any::F64),
        any::<char>().prop_map(Any::Char),
        any::<String>().prop_map(Any::Text),
        "[\\x00-\\x7f]{0,12}".prop_map(Any::Text),
        "[\\x00-\\x7f]{0,6}".prop_map(Any::Displayed),
        prop_oneof![Just(Size::Small), Just(Size::Large)].prop_map(Any::Size),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(Any::Bytes),
        Just(Any::Value(json!({"a": [1, -2, 3.5, null, "t\n"], "b": {}}))),
        Just(Any::Raw(RawValue::from_string("{\"kept\": [1 , 2.50]}".to_owned()).unwrap())),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let size = prop_oneof![Just(Size::Small), Just(Size::Large)];
        let map = |key: BoxedStrategy<String>| prop::collection::btree_map(key, inner.clone(), 0..4);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Any::List),
            (inner.clone(), inner.clone()).prop_map(|pair| Any::Pair(Box::new(pair))),
            map(any::<String>().boxed()).prop_map(Any::Map),
            prop::collection::btree_map(any::<i64>(), inner.clone(), 0..3).prop_map(Any::ByInt),
            prop::collection::btree_map(any::<bool>(), inner.clone(), 0..3).prop_map(Any::ByBool),
            prop::collection::btree_map(any::<char>(), inner.clone(), 0..3).prop_map(Any::ByChar),
            prop::collection::btree_map(size, inner.clone(), 0..3).prop_map(Any::BySize),
            prop::collection::btree_map(any::<i128>(), inner.clone(), 0..3).prop_map(Any::ByWide),
            prop::collection::vec((finite(), inner.clone()), 0..3).prop_map(Any::ByFloat),
            Just(Any::Shape(Shape::Nothing)),
            boxed.clone().prop_map(|one| Any::Shape(Shape::One(one))),
            (boxed.clone(), boxed.clone()).prop_map(|(left, right)| Any::Shape(Shape::Two(left, right))),
            (boxed.clone(), prop::option::of(boxed.clone()))
                .prop_map(|(left, right)| Any::Shape(Shape::Named { left, right })),
            (boxed.clone(), prop::option::of(boxed.clone()), map("[a-z]{1,3}".boxed()))
                .prop_map(|(first, second, rest)| Any::Fields(Fields { first, second, rest })),
            Just(Any::Tagged(Tagged::Bare)),
            boxed.prop_map(|item| Any::Tagged(Tagged::Holding { item })),
        ]
    })
}

proptest! {
    #[test]
    fn what_json_can_hold_is_written_as_serde_json_writes_it(tree in any_tree()) {
        let theirs = serde_json::to_string(&tree).unwrap();
        match encode(&tree).unwrap() {
            Output::Json(Json { text, object }) => {
                prop_assert_eq!(object, theirs.starts_with('{'));
                prop_assert_eq!(text, theirs);
            }
            Output::Text(text) => prop_assert_eq!(serde_json::to_string(&text).unwrap(), theirs),
            Output::Unit => prop_assert_eq!("null", theirs),
            Output::Envelope(envelope) => prop_assert!(false, "{envelope:?}"),
        }
    }

    #[test]
    fn a_string_inside_is_escaped_as_serde_json_does(text in prop_oneof![any::<String>(), "[\\x00-\\x7f]{0,40}"]) {
        prop_assert_eq!(json_of(&[&text]), serde_json::to_string(&[&text]).unwrap());
    }
}

#[test]
fn text_at_the_root_stays_as_it_is() {
    let text = |text: &str| Output::Text(text.to_owned());
    assert_eq!(encode("say \"hi\"\n").unwrap(), text("say \"hi\"\n"));
    assert_eq!(encode("").unwrap(), text(""));
    assert_eq!(encode(&Some(Wrapper("x"))).unwrap(), text("x"));
    assert_eq!(encode(&'"').unwrap(), text("\""));
    assert_eq!(encode(&Size::Large).unwrap(), text("x\"l"));
    assert_eq!(encode(&json!("\\")).unwrap(), text("\\"));
    assert_eq!(encode(&std::net::Ipv4Addr::LOCALHOST).unwrap(), text("127.0.0.1"));
    assert_eq!(encode(&Any::Displayed("\"".to_owned())).unwrap(), text("\"/\"\\\"\""));
}

#[test]
fn nothing_at_the_root_is_the_unit_but_none_is_null() {
    assert_eq!(encode(&()).unwrap(), Output::Unit);
    assert_eq!(encode(&Marker).unwrap(), Output::Unit);
    assert_eq!(json_of(&None::<u8>), "null");
    assert_eq!(json_of(&[(), ()]), "[null,null]");
    assert_eq!(json_of(&((), Marker)), "[null,null]");
}

#[test]
fn only_an_object_is_called_one() {
    let object = |value: Value| match encode(&value).unwrap() {
        Output::Json(json) => json.object,
        other => panic!("no JSON: {other:?}"),
    };
    assert!(object(json!({})));
    assert!(object(json!({"a": 1})));
    assert!(!object(json!([{"a": 1}])));
    assert!(!object(json!(1)));
    assert!(matches!(encode(&Empty {}).unwrap(), Output::Json(Json { object: true, .. })));
}

#[test]
fn raw_json_is_passed_on_untouched_at_any_depth() {
    let raw = RawValue::from_string("{ \"a\" : 1.50 }".to_owned()).unwrap();
    assert_eq!(encode(&raw).unwrap(), Output::Json(Json { text: "{ \"a\" : 1.50 }".to_owned(), object: true }));
    let text = RawValue::from_string("\"t\"".to_owned()).unwrap();
    assert_eq!(encode(&text).unwrap(), Output::Json(Json { text: "\"t\"".to_owned(), object: false }));
    assert_eq!(json_of(&(raw, "a\"b")), r#"[{ "a" : 1.50 },"a\"b"]"#);
}

#[test]
fn the_widest_integers_are_exact() {
    assert_eq!(json_of(&(u64::MAX, i64::MIN)), "[18446744073709551615,-9223372036854775808]");
    assert_eq!(json_of(&u128::from(u64::MAX)), "18446744073709551615");
    assert_eq!(json_of(&i128::from(i64::MIN)), "-9223372036854775808");
    assert_eq!(json_of(&i128::from(u64::MAX)), "18446744073709551615");
}

#[test]
fn an_integer_beyond_64_bits_is_refused_with_its_value() {
    let wide = u128::from(u64::MAX) + 1;
    assert_eq!(
        fault_of(&wide),
        "the result is 18446744073709551616, an integer beyond 64 bits, which JSON cannot hold; write it as text"
    );
    assert!(
        fault_of(&BTreeMap::from([("sum", i128::from(i64::MIN) - 1)])).starts_with("`sum` is -9223372036854775809,")
    );
}

#[test]
fn nan_and_the_infinities_are_refused_with_their_path() {
    let reading = |value| Reading { name: "t", value };
    let readings = BTreeMap::from([("readings", vec![reading(1.0), reading(f64::NAN)])]);
    assert_eq!(fault_of(&readings), "`readings[1].value` is NaN, which JSON cannot hold");
    assert_eq!(fault_of(&f64::NAN), "the result is NaN, which JSON cannot hold");
    assert_eq!(fault_of(&[f32::INFINITY]), "`[0]` is infinity, which JSON cannot hold");
    assert_eq!(fault_of(&(1, f64::NEG_INFINITY)), "`[1]` is -infinity, which JSON cannot hold");
}

#[test]
fn a_path_goes_through_variants_maps_options_and_flattened_fields() {
    let nan = || Box::new(Any::F64(f64::NAN));
    let one = || Box::new(Any::I8(1));
    let path = |tree: Any| encode(&tree).unwrap_err().path;
    let key = |key: &str| Step::Key(key.to_owned());

    assert_eq!(path(Any::Shape(Shape::One(nan()))), [key("One")]);
    assert_eq!(path(Any::Shape(Shape::Two(one(), nan()))), [key("Two"), Step::Index(1)]);
    assert_eq!(path(Any::Shape(Shape::Named { left: one(), right: Some(nan()) })), [key("Named"), key("right")]);
    assert_eq!(path(Any::Tagged(Tagged::Holding { item: nan() })), [key("item")]);
    assert_eq!(path(Any::Pair(Box::new((Any::I8(1), *nan())))), [Step::Index(1)]);
    assert_eq!(path(Any::ByInt(BTreeMap::from([(-7, *nan())]))), [key("-7")]);
    assert_eq!(path(Any::Map(BTreeMap::from([("a\"\n".to_owned(), *nan())]))), [key("a\"\n")]);
    let rest = BTreeMap::from([("deep".to_owned(), Any::List(vec![*nan()]))]);
    assert_eq!(path(Any::Fields(Fields { first: one(), second: None, rest })), [key("deep"), Step::Index(0)]);
}

#[test]
fn a_key_that_is_no_text_is_refused_at_its_map() {
    assert_eq!(
        fault_of(&BTreeMap::from([("m", BTreeMap::from([([1, 2], "x")]))])),
        "`m` has an array as a map key, which JSON cannot hold; keys must be text or numbers"
    );
    assert!(fault_of(&BTreeMap::from([((), 1)])).starts_with("the result has null as a map key"));
    assert!(fault_of(&BTreeMap::from([(None::<u8>, 1)])).starts_with("the result has null as a map key"));
    assert!(fault_of(&BTreeMap::from([(BTreeMap::from([(1, 1)]), 1)])).starts_with("the result has an object as"));
    assert!(fault_of(&Any::ByFloat(vec![(f64::NAN, Any::I8(1))])).starts_with("the result has NaN as a map key"));
}

#[test]
fn what_the_authors_own_serialize_refuses_is_told_in_its_words() {
    struct Picky;
    impl Serialize for Picky {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not on a Sunday"))
        }
    }
    assert_eq!(fault_of(&[Picky]), "`[0]` cannot be written as JSON: not on a Sunday");
}

#[test]
fn a_display_that_fails_is_a_fault_and_no_panic() {
    struct Mute;
    impl std::fmt::Display for Mute {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    impl Serialize for Mute {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    assert_eq!(fault_of(&[Mute]), "`[0]` cannot be written as text: its `Display` failed");
    assert_eq!(fault_of(&Mute), "the result cannot be written as text: its `Display` failed");
}

#[test]
fn what_is_nested_too_deep_is_refused_and_what_is_not_closes_what_it_opened() {
    fn nested(levels: usize) -> serde_json::Value {
        (0..levels).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner]))
    }
    assert!(encode(&nested(120)).is_ok());
    let fault = encode(&nested(121)).expect_err("too deep");
    assert_eq!(fault.to_string(), "the result is nested more than 120 levels deep, which readers of JSON refuse");
    // siblings do not add up
    assert!(encode(&vec![nested(100); 100]).is_ok());
}
