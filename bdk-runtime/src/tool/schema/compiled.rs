//! What is worked out once per tool: its validator, and how its parameters lie in the input.

use super::{coerce::Coerce, fast::Fast, levels::Levels, walk::children_mut};
use crate::tool::Param;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

/// How the parameters lie in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each is a property.
    Properties,
    /// One is the whole input: `Input<T>`, or the `Value` of a raw schema.
    Whole,
    /// One of a type that holds nothing: `()` or an empty struct.
    Nothing,
}

/// A tool's input schema, ready to check with.
pub struct Compiled {
    /// As advertised.
    pub schema: Value,
    pub(crate) validator: Validator,
    /// Says yes to most valid documents at a fraction of the cost; none where the input is prepared, or the schema given.
    pub(crate) fast: Option<Fast>,
    /// How deep a recursive untagged type may be nested. None of a given schema: the validator reads nothing twice.
    pub(crate) levels: Levels,
    /// A given schema: the input is validated and handed over untouched.
    pub(crate) raw: bool,
    pub(crate) shape: Shape,
    /// Whether any parameter is coerced or preprocessed.
    pub(crate) prepares: bool,
    /// One a parameter.
    pub(crate) coerce: Vec<Option<Coerce>>,
}

impl Compiled {
    /// Compiles a schema. `raw` is for `input_schema = EXPR` and `ToolDefinition`.
    ///
    /// # Errors
    /// When it is no JSON Schema.
    pub fn new(params: &[Param], schema: Value, raw: bool) -> Result<Self, String> {
        let validator = validator(&schema)?;
        let properties = schema.get("properties").and_then(Value::as_object);
        let shape = match params {
            [param] if raw || param.whole => {
                let empty = !raw && schema.as_object().is_some_and(|o| o.keys().all(|k| is_empty_root(k)));
                if empty && properties.is_some_and(serde_json::Map::is_empty) { Shape::Nothing } else { Shape::Whole }
            }
            [param] if !properties.is_some_and(|p| p.contains_key(param.name)) => Shape::Nothing,
            _ => Shape::Properties,
        };
        let coerce: Vec<Option<Coerce>> = params
            .iter()
            .map(|p| {
                let own = if shape == Shape::Whole { &schema } else { properties?.get(p.name)? };
                p.coerce.then(|| Coerce::of(own, &schema))
            })
            .collect();
        let prepares = !raw && (coerce.iter().any(Option::is_some) || params.iter().any(|p| p.preprocess.is_some()));
        let fast = if raw || prepares { None } else { Fast::of(&schema) };
        let levels = if raw { Levels::default() } else { Levels::of(&schema) };
        Ok(Self { validator, fast, levels, raw, shape, prepares, coerce, schema })
    }
}

fn is_empty_root(key: &str) -> bool {
    matches!(key, "type" | "properties" | "additionalProperties" | "description")
}

/// Compiles a validator that looks nothing up and takes formats as annotations. Patterns without lookarounds and
/// back-references are matched in linear time, the others in a bounded number of steps.
///
/// By `validator_for`, which is compiled in its own crate: the options' builder is generic, and naming it here would put a
/// second copy of every keyword into the binary (2 MB of a release build).
///
/// # Errors
/// Why the schema is none.
pub(crate) fn validator(schema: &Value) -> Result<Validator, String> {
    built(schema).map_err(|e| {
        // the schema is the instance here, checked against the schema of schemas
        let at = e.instance_path().as_str().to_owned();
        let at = if at.is_empty() { String::new() } else { format!(" at `{at}`") };
        format!("is no valid JSON Schema{at}: {e}")
    })
}

/// Where in the schema something keeps it from being one, as a JSON pointer.
#[cfg(feature = "connections")]
pub(crate) fn fault_at(schema: &Value) -> Option<String> {
    built(schema).err().map(|error| error.instance_path().as_str().to_owned())
}

fn built(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    // a schema that names an older draft would have its formats asserted
    match schema.get("$schema") {
        Some(_) => jsonschema::validator_for(&without_formats(schema.clone())),
        None => jsonschema::validator_for(schema),
    }
}

fn without_formats(mut schema: Value) -> Value {
    fn strip(schema: &mut Value) {
        if let Value::Object(schema) = schema {
            schema.shift_remove("format");
            children_mut(schema, strip);
        }
    }
    strip(&mut schema);
    schema
}
