//! The order in which an enum's choices were declared: schemars lists those without a doc comment before all others.
//!
//! The schema does not know that order, but the type does: it names its variants when it refuses one that it does not have.

use super::walk::constant;
use crate::tool::{DecodeFault, FaultKind, JsonRef, Slot};
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A value that no enum has.
const NONE: &str = "\u{0}";

type Decode = for<'a> fn(JsonRef<'a>) -> Result<Slot, DecodeFault>;
/// Tells the variants of the enum that refuses [`NONE`] at one place of the type.
type Known<'a> = &'a dyn Fn(Value) -> Option<&'static [&'static str]>;

/// Puts choices in the order of their declaration, where the type tells it. To be called before tidying, which makes one
/// list of them.
pub(super) fn restore(schema: &mut Value, decode: Decode) {
    below(schema, &|probe| {
        // the author's own code may run here
        let refused = catch_unwind(AssertUnwindSafe(|| decode(JsonRef::Value(&probe)).err())).ok()??;
        match refused.kind {
            FaultKind::UnknownVariant { received, known } if received == NONE => Some(known),
            _ => None,
        }
    });
}

/// `known` takes what stands at this place and sees to what stands around it.
fn below(schema: &mut Value, known: Known<'_>) {
    let Value::Object(o) = schema else { return };
    for key in ["oneOf", "anyOf", "allOf"] {
        let Some(Value::Array(branches)) = o.get_mut(key) else { continue };
        match choices(branches) {
            Some(choices) if key == "oneOf" => {
                if let Some(sorted) = known(NONE.into()).and_then(|known| sorted(choices, known)) {
                    *branches = sorted;
                }
            }
            _ => branches.iter_mut().for_each(|branch| below(branch, known)),
        }
    }
    if let Some(Value::Object(properties)) = o.get_mut("properties") {
        // a variant is known by them
        let tags: Map<String, Value> =
            properties.iter().filter_map(|(name, p)| Some((name.clone(), constant(p)?.clone()))).collect();
        for (name, property) in properties {
            below(property, &|probe| {
                let mut object = tags.clone();
                object.insert(name.clone(), probe);
                known(object.into())
            });
        }
    }
    if let Some(items) = o.get_mut("items") {
        below(items, &|probe| known(json!([probe])));
    }
    if let Some(values) = o.get_mut("additionalProperties") {
        below(values, &|probe| known(json!({ "": probe })));
    }
}

/// The choices, each a schema of its own, of an enum whose variants are documented in part.
fn choices(branches: &[Value]) -> Option<Vec<Value>> {
    let (first, rest) = branches.split_first()?;
    let undocumented = first.get("enum")?.as_array()?;
    if rest.is_empty() || first.as_object()?.len() != 2 || !rest.iter().all(|b| b["const"].is_string()) {
        return None;
    }
    let alone = undocumented.iter().map(|value| json!({ "type": "string", "const": value }));
    Some(alone.chain(rest.iter().cloned()).collect())
}

fn sorted(mut choices: Vec<Value>, known: &[&str]) -> Option<Vec<Value>> {
    let place = |choice: &Value| known.iter().position(|name| choice["const"] == **name);
    if choices.iter().any(|choice| place(choice).is_none()) {
        return None;
    }
    choices.sort_by_key(place);
    Some(choices)
}

#[cfg(test)]
mod tests {
    use crate::tool::{Input, Param, ToolArg, schema::of_params};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    fn of<T: ToolArg>() -> Value {
        of_params(&[Param::new::<T>("x", "", false, false), Param::new::<bool>("y", "", false, false)], false)["properties"]["x"].clone()
    }

    fn whole<T: ToolArg>() -> Value {
        of_params(&[Param::new::<T>("q", "", false, true)], false)
    }

    #[test]
    fn choices_stay_in_the_order_in_which_they_are_declared_however_deep() {
        /// One in the middle is documented.
        #[derive(Deserialize, JsonSchema)]
        enum Size {
            Small,
            /// Fits most.
            Medium,
            Large,
            #[serde(alias = "XXL")]
            XL,
        }
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Order {
            count: u32,
            size: Size,
            others: Vec<Option<Size>>,
            by_name: BTreeMap<String, Size>,
        }
        #[derive(Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        #[expect(dead_code, reason = "only its schema is looked at")]
        enum Ask {
            Whole(Order),
            Part { size: Size },
        }
        let declared = json!(["Small", "Medium", "Large", "XL"]);
        assert_eq!(of::<Size>()["enum"], declared);
        let order = of::<Order>()["properties"].clone();
        assert_eq!(order["size"]["enum"], declared);
        assert_eq!(order["others"]["items"]["anyOf"][0]["enum"], declared, "{order}");
        assert_eq!(order["by_name"]["additionalProperties"]["enum"], declared, "{order}");
        for schema in [whole::<Input<Ask>>(), of::<Ask>()] {
            for branch in 0..2 {
                assert_eq!(schema["anyOf"][branch]["properties"]["size"]["enum"], declared, "{schema}");
            }
        }
    }

    #[test]
    fn a_type_that_does_not_tell_its_variants_keeps_what_schemars_gives() {
        #[derive(Deserialize, JsonSchema)]
        enum Open {
            /// This one.
            This,
            That,
            #[serde(other)]
            Other,
        }
        assert_eq!(of::<Open>()["enum"], json!(["That", "Other", "This"]));
    }
}
