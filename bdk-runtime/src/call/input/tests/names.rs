//! Names of properties in messages: those a variant does not know, those a map's key type refuses, numbers among them.

use super::{accepted, check, param, refusal};
use crate::call::input::message;
use crate::tool::{Input, Param};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[test]
fn a_property_that_another_variant_knows_is_not_suggested_for_itself() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "never made")]
    enum Kind {
        C {},
        D { x: u8 },
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never made")]
    struct Flat {
        a: u8,
        #[serde(flatten)]
        kind: Kind,
    }
    static P: &[Param] = &[Param::new::<Input<Flat>>("q", "", false, true)];
    accepted(P, json!({ "a": 1, "kind": "D", "x": 1 }));
    assert_eq!(
        refusal(P, json!({ "a": 1, "kind": "C", "x": 1 })),
        "Invalid input for \"x\": `x`: unknown property; known: `a`, `kind`"
    );
}

#[test]
fn a_maps_key_that_is_no_key_is_told_as_what_it_is() {
    static P: &[Param] = &[param::<std::collections::HashMap<i8, u8>>("m")];
    let rejected = check(P, json!({ "m": { "300": 1 } })).err().expect("refused");
    assert_eq!(
        message("x", &rejected.issues),
        "Invalid input for \"x\": `m.300`: expected an integer from -128 to 127 as the property's name, got string \"300\""
    );
    assert_eq!(rejected.issues[0].received.as_deref(), Some("string \"300\""));
    let of_value = refusal(P, json!({ "m": { "3": 300 } }));
    assert_eq!(of_value, "Invalid input for \"x\": `m.3`: expected an integer from 0 to 255, got 300");
}

#[test]
fn a_number_in_a_path_is_a_name_in_an_object_and_a_place_in_a_list() {
    static P: &[Param] = &[param::<std::collections::BTreeMap<String, Vec<u8>>>("m")];
    assert_eq!(
        refusal(P, json!({ "m": { "1": [0, true] } })),
        "Invalid input for \"x\": `m.1[1]`: expected an integer, got true"
    );
}
