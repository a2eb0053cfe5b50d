//! What the decoder takes, and where and how it refuses.

mod agreement;
mod types;

use super::{DecodeFault, FaultKind, Step, decode, path_text};
use serde::de::DeserializeOwned;
use serde_json::{Value, json, value::RawValue};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Debug,
};
use types::*;

#[allow(clippy::needless_pass_by_value, reason = "called with `json!` alone")]
fn read<T: DeserializeOwned>(value: Value) -> T {
    decode(&value).unwrap_or_else(|fault| panic!("{value}: {fault}"))
}

#[allow(clippy::needless_pass_by_value, reason = "called with `json!` alone")]
fn fault<T: DeserializeOwned + Debug>(value: Value) -> DecodeFault {
    match decode::<T>(&value) {
        Err(fault) => fault,
        Ok(read) => panic!("{value} was read as {read:?}"),
    }
}

fn refusal<T: DeserializeOwned + Debug>(value: Value) -> String {
    fault::<T>(value).to_string()
}

#[test]
fn an_array_is_no_struct() {
    assert_eq!(refusal::<Crate>(json!(["a", 1.5])), "expected an object, received array");
    assert_eq!(refusal::<Wrapped<Crate>>(json!([])), "expected an object, received array");
    assert_eq!(refusal::<Empty>(json!([])), "expected an object, received array");
    assert_eq!(refusal::<Shape>(json!({"Inside": ["a", 1.5]})), "`Inside`: expected an object, received array");
    assert_eq!(refusal::<Shape>(json!({"Named": [1, 2]})), "`Named`: expected an object, received array");
    assert_eq!(refusal::<Ship>(json!({"crates": [["a", 1.5]]})), "`crates[0]`: expected an object, received array");
}

#[test]
fn a_float_without_a_fraction_is_an_integer() {
    assert_eq!(read::<u8>(json!(3.0)), 3);
    assert_eq!(read::<i64>(json!(-3.0)), -3);
    assert_eq!(read::<u64>(json!(-0.0)), 0);
    assert_eq!(read::<i128>(json!(-9e15)), -9_000_000_000_000_000);
    assert_eq!(read::<u128>(json!(9e15)), 9_000_000_000_000_000);
    assert_eq!(read::<Wrapped<Option<u16>>>(json!(3.0)), Wrapped(Some(3)));
    assert_eq!(read::<u64>(json!(9_007_199_254_740_991.0)), 9_007_199_254_740_991);
}

#[test]
fn an_integral_float_is_an_integer_also_in_what_serde_buffers() {
    assert_eq!(read::<Tagged>(json!({"kind": "counted", "count": 3.0})), Tagged::Counted { count: 3 });
    assert_eq!(read::<Untagged>(json!(3.0)), Untagged::Count(3));
    assert_eq!(read::<Untagged>(json!(3.5)), Untagged::Weight(3.5));
    assert_eq!(
        read::<Flat>(json!({"own": 1.0, "count": 2.0})),
        Flat { own: 1, inner: Inner { count: 2, ratio: None } }
    );
    let ratio = json!({"own": 1, "count": 2, "ratio": 4.0});
    assert_eq!(read::<Flat>(ratio).inner.ratio, Some(4.0));
    assert_eq!(read::<Value>(json!([3.0])), json!([3]));
}

#[test]
fn a_float_keeps_its_sign_and_value_where_a_float_is_asked() {
    assert_eq!(read::<f64>(json!(3.0)).to_bits(), 3.0_f64.to_bits());
    assert_eq!(read::<f64>(json!(-0.0)).to_bits(), (-0.0_f64).to_bits());
    assert_eq!(read::<f64>(json!(3)).to_bits(), 3.0_f64.to_bits());
    assert_eq!(read::<f32>(json!(0.1)).to_bits(), 0.1_f32.to_bits());
}

#[test]
fn a_float_with_a_fraction_or_beyond_2_to_53_is_no_integer() {
    assert_eq!(refusal::<u8>(json!(2.5)), "expected an integer from 0 to 255, received number 2.5");
    assert_eq!(
        refusal::<u128>(json!(9_007_199_254_740_992.0)),
        "expected an integer of at least 0, received number 9007199254740992.0"
    );
    let beyond: Value = serde_json::from_str("18446744073709551616").unwrap();
    assert_eq!(
        refusal::<u64>(beyond),
        "expected an integer from 0 to 18446744073709551615, received number 1.8446744073709552e+19"
    );
}

#[test]
fn the_range_of_the_type_is_checked_for_integers_and_integral_floats() {
    let expected = "expected an integer from 0 to 4294967295, received integer";
    assert_eq!(refusal::<u32>(json!(5_000_000_000_u64)), format!("{expected} 5000000000"));
    assert_eq!(refusal::<u32>(json!(5e9)), format!("{expected} 5000000000"));
    assert_eq!(refusal::<u32>(json!(-1.0)), format!("{expected} -1"));
}

#[test]
fn sixty_four_bits_are_exact() {
    assert_eq!(read::<u64>(json!(u64::MAX)), u64::MAX);
    assert_eq!(read::<i64>(json!(i64::MIN)), i64::MIN);
    assert_eq!(read::<u64>(json!(9_007_199_254_740_993_u64)), 9_007_199_254_740_993);
    assert_eq!(read::<u128>(json!(u64::MAX)), u128::from(u64::MAX));
}

#[test]
fn the_unit_is_null_and_nothing_else() {
    read::<()>(json!(null));
    assert_eq!(read::<Marker>(json!(null)), Marker);
    assert_eq!(read::<Empty>(json!({})), Empty {});
    assert_eq!(refusal::<()>(json!({})), "expected null, received object");
    assert_eq!(refusal::<Marker>(json!([])), "expected null, received array");
}

#[test]
fn null_is_none_at_any_depth() {
    assert_eq!(read::<Option<u8>>(json!(null)), None);
    assert_eq!(read::<Option<Vec<Option<u8>>>>(json!([1, null])), Some(vec![Some(1), None]));
}

#[test]
fn an_enum_is_its_name_or_an_object_with_its_name() {
    assert_eq!(read::<Shape>(json!("Nothing")), Shape::Nothing);
    assert_eq!(read::<Shape>(json!({"One": 1.0})), Shape::One(1));
    assert_eq!(read::<Shape>(json!({"Two": [1, "x"]})), Shape::Two(1, "x".to_owned()));
    assert_eq!(read::<Shape>(json!({"Zero": []})), Shape::Zero());
    assert_eq!(read::<Shape>(json!({"Named": {"left": 1, "right": 2}})), Shape::Named { left: 1, right: 2 });
}

#[test]
fn a_wrong_enum_says_what_it_should_have_been() {
    let known = "(`Nothing`, `One`, `Two`, `Zero`, `Named`, `Inside`)";
    assert_eq!(refusal::<Shape>(json!("Nothin")), format!("`Nothin` is not one of the allowed values {known}"));
    assert_eq!(refusal::<Shape>(json!({"one": 1})), format!("`one` is not one of the allowed values {known}"));
    assert_eq!(refusal::<Shape>(json!("One")), "expected an object with the property \"One\", received string \"One\"");
    assert_eq!(
        refusal::<Shape>(json!({"Nothing": null})),
        "expected the string \"Nothing\", received object with the property \"Nothing\""
    );
    assert_eq!(
        refusal::<Shape>(json!({"One": 1, "Two": 2})),
        "expected an object with one property, \"Nothing\", \"One\", \"Two\", \"Zero\", \"Named\", \"Inside\", received object with 2 properties"
    );
    assert_eq!(
        refusal::<Light>(json!(5)),
        "expected one of \"red\", \"green\", or an object with one of them as its one property, received integer 5"
    );
}

#[test]
fn a_fault_knows_its_kind() {
    assert_eq!(fault::<Crate>(json!({"name": "a"})).kind, FaultKind::Missing("mass"));
    assert_eq!(
        fault::<Ship>(json!({"crates": [], "captain": 1})),
        DecodeFault {
            path: vec![],
            kind: FaultKind::UnknownField { name: "captain".to_owned(), known: &["crates", "deck", "light"] }
        }
    );
    assert_eq!(
        fault::<Ship>(json!({"crates": [], "light": "blue"})),
        DecodeFault {
            path: vec![Step::Key("light".to_owned())],
            kind: FaultKind::UnknownVariant { received: "blue".to_owned(), known: &["red", "green"] }
        }
    );
    assert_eq!(fault::<Aliased>(json!({"old": 1, "new": 2})).kind, FaultKind::Duplicate("new"));
    assert_eq!(fault::<Even>(json!(3)).kind, FaultKind::Custom("3 is odd".to_owned()));
    assert_eq!(
        fault::<Vec<Even>>(json!(["x"])),
        DecodeFault {
            path: vec![Step::Index(0)],
            kind: FaultKind::Invalid {
                expected: "an integer from 0 to 4294967295".to_owned(),
                received: "string \"x\"".to_owned()
            }
        }
    );
}

#[test]
fn a_path_goes_down_to_the_fault() {
    let path = |fault: DecodeFault| path_text(&fault.path);
    let crates = |mass: Value| json!({"crates": [{"name": "a", "mass": mass}]});
    assert_eq!(path(fault::<Ship>(crates(json!("heavy")))), "crates[0].mass");
    assert_eq!(path(fault::<Ship>(json!({"crates": [{"name": "a", "mass": 1}, {"name": "b"}]}))), "crates[1]");
    assert_eq!(path(fault::<Ship>(json!({"crates": [], "deck": {"aft": [1, "x"]}}))), "deck.aft[1]");
    assert_eq!(path(fault::<Shape>(json!({"Named": {"left": 1, "right": []}}))), "Named.right");
    assert_eq!(path(fault::<Shape>(json!({"Two": [1, 2]}))), "Two[1]");
    assert_eq!(path(fault::<Shape>(json!({"Inside": {"name": 1}}))), "Inside.name");
    assert_eq!(path(fault::<(u8, Option<Wrapped<u8>>)>(json!([1, -1]))), "[1]");
    assert_eq!(path(fault::<HashMap<String, u8>>(json!({"a.b": 1, "c d": "x"}))), "[\"c d\"]");
    assert_eq!(path(fault::<Adjacent>(json!({"t": "Named", "c": {"left": "x"}}))), "c.left");
    assert_eq!(path(fault::<u8>(json!("x"))), "");
}

#[test]
fn a_path_ends_where_serde_buffers() {
    let path = |fault: DecodeFault| path_text(&fault.path);
    assert_eq!(path(fault::<Vec<Tagged>>(json!([{"kind": "counted", "count": "x"}]))), "[0]");
    assert_eq!(path(fault::<Vec<Flat>>(json!([{"own": 1, "count": "x"}]))), "[0]");
}

#[test]
fn what_came_is_said_in_words() {
    let received = |value: Value| match fault::<Never>(value).kind {
        FaultKind::Invalid { received, .. } => received,
        other => panic!("{other}"),
    };
    assert_eq!(received(json!(null)), "null");
    assert_eq!(received(json!(true)), "boolean true");
    assert_eq!(received(json!(5)), "integer 5");
    assert_eq!(received(json!(-5)), "integer -5");
    assert_eq!(received(json!(2.5)), "number 2.5");
    assert_eq!(received(json!(1e300)), "number 1e+300");
    assert_eq!(received(json!("a\"b")), "string \"a\\\"b\"");
    assert_eq!(received(json!([1])), "array");
    assert_eq!(received(json!({})), "object");
    assert_eq!(received(json!("é".repeat(40))), format!("string \"{}\"", "é".repeat(40)));
    assert_eq!(received(json!("é".repeat(41))), format!("string \"{}\"…", "é".repeat(40)));
}

#[test]
fn what_was_expected_is_said_in_json_terms() {
    let expected = |fault: DecodeFault| match fault.kind {
        FaultKind::Invalid { expected, .. } => expected,
        other => panic!("{other}"),
    };
    assert_eq!(expected(fault::<i8>(json!("x"))), "an integer from -128 to 127");
    assert_eq!(expected(fault::<f32>(json!("x"))), "a number");
    assert_eq!(expected(fault::<bool>(json!("true"))), "a boolean");
    assert_eq!(expected(fault::<String>(json!(1))), "a string");
    assert_eq!(expected(fault::<char>(json!("ab"))), "a string of one character");
    assert_eq!(expected(fault::<Vec<u8>>(json!({}))), "an array");
    assert_eq!(expected(fault::<BTreeMap<String, u8>>(json!([]))), "an object");
    assert_eq!(expected(fault::<Crate>(json!(1))), "an object");
    assert_eq!(expected(fault::<Pair>(json!({}))), "an array");
    assert_eq!(expected(fault::<Shape>(json!({"Named": 1}))), "an object");
    assert_eq!(expected(fault::<Shape>(json!({"Two": 1}))), "an array");
}

#[test]
fn a_length_that_is_wrong_is_told() {
    assert_eq!(refusal::<(u8, u8)>(json!([1])), "expected a tuple of size 2, received 1 item");
    assert_eq!(refusal::<(u8, u8)>(json!([1, 2, 3])), "expected 2 items, received 3 items");
    assert_eq!(refusal::<[u8; 1]>(json!([1, 2])), "expected 1 item, received 2 items");
    assert_eq!(refusal::<Pair>(json!([1])), "expected tuple struct Pair with 2 elements, received 1 item");
}

#[test]
fn a_maps_keys_are_read_from_their_text() {
    assert_eq!(read::<BTreeMap<i16, u8>>(json!({"-7": 1})), BTreeMap::from([(-7, 1)]));
    assert_eq!(read::<BTreeMap<u128, u8>>(json!({"18446744073709551616": 1})), BTreeMap::from([(1 << 64, 1)]));
    assert_eq!(read::<BTreeMap<i128, u8>>(json!({"-18446744073709551616": 1})), BTreeMap::from([(-(1 << 64), 1)]));
    assert_eq!(read::<BTreeMap<bool, u8>>(json!({"true": 1})), BTreeMap::from([(true, 1)]));
    assert_eq!(read::<BTreeMap<char, u8>>(json!({"é": 1})), BTreeMap::from([('é', 1)]));
    assert_eq!(read::<BTreeMap<Light, u8>>(json!({"red": 1})), BTreeMap::from([(Light::Red, 1)]));
    assert_eq!(read::<BTreeMap<Wrapped<Option<u8>>, u8>>(json!({"1": 1})).len(), 1);
}

#[test]
fn a_key_that_is_wrong_is_told_with_its_text() {
    let expected = "expected an integer from 0 to 255, received string";
    for key in ["x", "3.0", "+3", "03", " 3", "3 ", "", "300", "-1"] {
        let fault = fault::<BTreeMap<u8, u8>>(json!({ key: 1 }));
        assert_eq!(fault.path, [Step::Key(key.to_owned())]);
        assert_eq!(fault.kind.to_string(), format!("{expected} {key:?}"));
    }
    for key in ["+3", "03", "-03", "-", "", "1e3"] {
        assert_eq!(fault::<BTreeMap<i128, u8>>(json!({ key: 1 })).path, [Step::Key(key.to_owned())]);
    }
    assert_eq!(refusal::<BTreeMap<bool, u8>>(json!({"yes": 1})), "`yes`: expected a boolean, received string \"yes\"");
    assert_eq!(
        refusal::<BTreeMap<Light, u8>>(json!({"blue": 1})),
        "`blue`: `blue` is not one of the allowed values (`red`, `green`)"
    );
}

#[test]
fn raw_json_is_read_from_any_value() {
    assert_eq!(read::<Box<RawValue>>(json!({"a": [1, 2.0]})).get(), r#"{"a":[1,2.0]}"#);
    assert_eq!(read::<Vec<Box<RawValue>>>(json!(["x"]))[0].get(), "\"x\"");
}

#[test]
fn std_types_are_read_as_serde_json_reads_them() {
    assert_eq!(read::<std::net::IpAddr>(json!("::1")).to_string(), "::1");
    assert_eq!(read::<HashSet<u8>>(json!([1, 1.0])), HashSet::from([1]));
    assert_eq!(read::<std::time::Duration>(json!({"secs": 1, "nanos": 0})).as_secs(), 1);
    assert_eq!(read::<uuid::Uuid>(json!("67e55044-10b1-426f-9247-bb680e5fe0c8")).as_u128() >> 112, 0x67e5);
    assert_eq!(refusal::<url::Url>(json!("nowhere")), "relative URL without a base: \"nowhere\"");
    assert_eq!(read::<Bytes>(json!("ab")), Bytes(vec![97, 98]));
    assert_eq!(read::<Bytes>(json!([1, 2.0])), Bytes(vec![1, 2]));
}
