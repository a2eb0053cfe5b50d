//! The schemas a tool advertises, and validates against: they are the same.
//!
//! schemars describes each parameter's type; here that becomes what every client can read: inlined, no `$ref` unless a
//! type is recursive, no `null` for what may be left out, bounds instead of numeric formats, documented enums folded into
//! one `enum`, an object at the root and no boolean schemas. And what serde would accept or refuse otherwise than the
//! schema says is put right here (or in [`crate::tool::decode`]), so that the two agree.

mod check;
mod coerce;
mod compiled;
mod dedent;
mod fast;
mod inline;
mod levels;
mod lint;
mod misfit;
mod order;
mod param_headers;
mod rules;
mod tidy;
mod walk;
mod whole;

pub use check::{check, check_time_args};
pub use compiled::Compiled;
#[cfg(feature = "connections")]
pub(crate) use compiled::fault_at;
pub(crate) use compiled::{Shape, validator};
pub use dedent::dedent;
#[cfg(feature = "commands")]
pub(crate) use lint::recursive;
pub use lint::{Lint, lint};
pub use misfit::misfits;
pub use param_headers::{ParamHeader, ParamHeaders};
pub(crate) use walk::{children, constant, percent_decode, resolve};

use super::{Param, ToolDef};
use inline::Definitions;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use std::panic::catch_unwind;

/// The input schema of a `#[tool]`: `input_schema = EXPR` byte for byte, or else made from its parameters.
///
/// It may be no object schema (`Input<String>`): see [`check`].
pub fn input_schema(def: &ToolDef) -> Value {
    match def.input_schema {
        Some(make) => make(),
        None => of_params(def.params, def.ignore_unknown),
    }
}

/// The output schema of a `#[tool]`, if it advertises one: `output_schema = EXPR` as given, or the result type's.
pub fn output_schema(def: &ToolDef) -> Option<Value> {
    if let Some(make) = def.output_schema_value {
        return Some(make());
    }
    let make = def.output_schema?;
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = make(&mut generator).to_value();
    let mut definitions = Definitions::new(generator.take_definitions(true));
    let mut schema = definitions.inline(schema);
    tidy::tidy(&mut schema, tidy::Nulls::Keep);
    if let Value::Object(root) = &mut schema {
        add_definitions(root, definitions, tidy::Nulls::Keep);
    }
    Some(schema)
}

/// What a tool without arguments advertises.
pub fn no_arguments(ignore_unknown: bool) -> Value {
    let mut schema = json!({ "type": "object", "properties": {} });
    if !ignore_unknown {
        schema["additionalProperties"] = false.into();
    }
    schema
}

/// The schema of these parameters.
pub(crate) fn of_params(params: &[Param], ignore_unknown: bool) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let raw: Vec<Value> = params.iter().map(|p| type_schema(p, &mut generator)).collect();
    let mut definitions = Definitions::new(generator.take_definitions(true));
    if let ([param], [schema]) = (params, &raw[..]) {
        // `()` and an empty struct can hold nothing, so there is nothing to ask the caller for
        if !param.whole && holds_nothing(schema) {
            return no_arguments(ignore_unknown);
        }
        if param.whole {
            let mut schema = definitions.inline(schema.clone());
            order::restore(&mut schema, param.decode);
            let mut schema = whole::root(schema, ignore_unknown);
            tidy::tidy(&mut schema, tidy::Nulls::DropOptional);
            if let Value::Object(root) = &mut schema {
                rules::apply(root, param.rules);
                add_definitions(root, definitions, tidy::Nulls::DropOptional);
            }
            return schema;
        }
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (param, schema) in params.iter().zip(raw) {
        let mut schema = definitions.inline(schema);
        order::restore(&mut schema, param.decode);
        properties.insert(param.name.into(), property(param, schema));
        if param.required() {
            required.push(param.name);
        }
    }
    let mut root = Map::new();
    root.insert("type".into(), "object".into());
    root.insert("properties".into(), properties.into());
    if !required.is_empty() {
        root.insert("required".into(), required.into());
    }
    if !ignore_unknown {
        root.insert("additionalProperties".into(), false.into());
    }
    add_definitions(&mut root, definitions, tidy::Nulls::DropOptional);
    root.into()
}

fn type_schema(param: &Param, generator: &mut SchemaGenerator) -> Value {
    (param.schema)(generator).to_value()
}

/// `()`, or a struct without fields. A map says `additionalProperties`, so it is none.
fn holds_nothing(schema: &Value) -> bool {
    let Value::Object(o) = schema else { return false };
    matches!(o.get("type").and_then(Value::as_str), Some("null" | "object"))
        && o.iter().all(|(key, value)| match key.as_str() {
            "type" | "title" | "description" => true,
            "properties" => value.as_object().is_some_and(Map::is_empty),
            "additionalProperties" => value == &Value::Bool(false),
            _ => false,
        })
}

/// One parameter's schema: its type's, tidied, with its doc comment, its rules and its default.
fn property(param: &Param, mut schema: Value) -> Value {
    if schema == Value::Bool(true) {
        schema = json!({});
    }
    if let Value::Object(o) = &mut schema {
        if !param.required() {
            tidy::drop_null(o);
        }
        // before tidying, so that the variants of a documented enum are listed below the parameter's own words
        let doc = dedent(param.doc);
        if !doc.is_empty() {
            o.insert("description".into(), doc.into());
        }
    }
    tidy::tidy(&mut schema, tidy::Nulls::DropOptional);
    if let Value::Object(o) = &mut schema {
        rules::apply(o, param.rules);
        // one that panics is told by `validate`; it must not take the whole listing with it
        let default = catch_unwind(|| param.default_json?(&param.default?())).unwrap_or_default();
        if let Some(default) = default.filter(|d| !d.is_null()) {
            o.insert("default".into(), default);
        }
    }
    schema
}

fn add_definitions(root: &mut Map<String, Value>, definitions: Definitions, nulls: tidy::Nulls) {
    let mut kept = definitions.kept();
    if kept.is_empty() {
        return;
    }
    kept.values_mut().for_each(|schema| tidy::tidy(schema, nulls));
    root.insert("$defs".into(), kept.into());
}

#[cfg(test)]
mod tests;
