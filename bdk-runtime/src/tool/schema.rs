//! The schemas a tool advertises.

use super::ToolDef;
use serde_json::{Map, Value, json};

/// The input schema of a `#[tool]`.
pub fn input_schema(def: &ToolDef) -> Value {
    if let Some(make) = def.input_schema {
        return make();
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for p in def.params {
        let mut generator = schemars::SchemaGenerator::default();
        properties.insert(p.name.into(), (p.schema)(&mut generator).to_value());
        if p.required() {
            required.push(p.name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": def.ignore_unknown })
}

/// The output schema of a `#[tool]`, if it advertises one.
pub fn output_schema(def: &ToolDef) -> Option<Value> {
    if let Some(make) = def.output_schema_value {
        return Some(make());
    }
    let make = def.output_schema?;
    Some(make(&mut schemars::SchemaGenerator::default()).to_value())
}

pub fn dedent(text: &str) -> String {
    text.trim().to_owned()
}

pub fn check_raw(_: &Value) -> Result<(), String> {
    Ok(())
}

pub struct Compiled {
    pub schema: Value,
    pub validator: jsonschema::Validator,
}

impl Compiled {
    pub fn new(_: &'static [super::Param], schema: Value) -> Self {
        let validator = jsonschema::validator_for(&schema).expect("checked");
        Self { schema, validator }
    }
}
