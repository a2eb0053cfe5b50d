//! A form: a flat object of plain fields, as MCP asks for it, and the reading of what a person filled in.

use crate::{
    call::input,
    tool::{
        Param,
        schema::{Compiled, of_params},
    },
};
use serde_json::{Map, Value, json};

/// The fields, as JSON Schema has them.
#[derive(Debug, Clone, Default)]
pub(super) struct Form {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Form {
    /// The fields of a struct.
    pub(super) fn of(param: &Param) -> Result<Self, String> {
        let schema = of_params(std::slice::from_ref(param), true);
        let (Some(properties), Some("object")) =
            (schema.get("properties").and_then(Value::as_object), schema.get("type").and_then(Value::as_str))
        else {
            return Err("`Question::of` takes a struct: its fields are the form's".to_owned());
        };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if properties.is_empty() {
            return Err("the struct of `Question::of` has no fields: for a yes or no, ask with a text alone".to_owned());
        }
        let mut form = Self::default();
        for (name, schema) in properties {
            form.add(name.clone(), schema.clone(), required.contains(&name.as_str()))?;
        }
        Ok(form)
    }
    pub(super) fn add(&mut self, name: String, mut schema: Value, required: bool) -> Result<(), String> {
        if !plain(&mut schema) {
            return Err(format!(
                "`{name}` cannot be asked in a form: a field is a string, a number, an integer, a boolean, a choice of \
                 strings or a list of such choices"
            ));
        }
        if self.properties.insert(name.clone(), schema).is_some() {
            return Err(format!("the form has two fields `{name}`"));
        }
        if required {
            self.required.push(name);
        }
        Ok(())
    }
    pub(super) fn last_is_optional(&mut self) -> Result<(), String> {
        let last = self.properties.keys().next_back().ok_or("`.optional()` comes after the field it speaks of")?;
        self.required.retain(|name| name != last);
        Ok(())
    }
    /// What an answer has to be.
    pub(super) fn schema(&self) -> Value {
        json!({ "type": "object", "properties": self.properties, "required": self.required })
    }
    /// What is sent: only what MCP lets stand in a form, since clients refuse the rest. The answer is held against it all the
    /// same.
    pub(super) fn wire(&self) -> Value {
        let properties: Map<String, Value> =
            self.properties.iter().map(|(name, schema)| (name.clone(), wire(schema))).collect();
        let mut out = json!({ "type": "object", "properties": properties });
        if !self.required.is_empty() {
            out["required"] = json!(self.required);
        }
        out
    }
    /// Reads what was filled in, as the input of a tool is read: a null for what may be left out is absent, `3.0` is an
    /// integer, and every fault is told.
    pub(super) fn read(&self, content: Value) -> Result<Value, String> {
        let compiled = Compiled::new(&[], self.schema(), false)?;
        match input::read::<&str>(&[], &compiled, &[], content, None) {
            Ok(checked) => Ok(checked.input.into_value()),
            Err(rejected) => {
                let faults = rejected.issues.iter().map(|issue| match issue.path.as_str() {
                    "" => issue.message.clone(),
                    path => format!("`{path}`: {}", issue.message),
                });
                Err(faults.collect::<Vec<_>>().join("; "))
            }
        }
    }
}

/// Whether a field is one that a form may have; an enum without a type gets it.
fn plain(schema: &mut Value) -> bool {
    let Value::Object(o) = schema else { return false };
    if let Some(only) = o.get("const").filter(|c| c.is_string()).cloned() {
        o.shift_remove("const");
        o.insert("enum".into(), json!([only]));
    }
    if choices(o, "enum", Value::is_string) || choices(o, "oneOf", |c| c.get("const").is_some_and(Value::is_string)) {
        let ty = o.entry("type").or_insert_with(|| "string".into());
        return ty == "string";
    }
    if ["enum", "oneOf", "anyOf", "allOf", "$ref", "const"].iter().any(|key| o.contains_key(*key)) {
        return false;
    }
    match o.get("type").and_then(Value::as_str) {
        Some("string" | "number" | "integer" | "boolean") => true,
        Some("array") => match o.get_mut("items") {
            Some(Value::Object(items)) if choices(items, "enum", Value::is_string) => {
                items.entry("type").or_insert_with(|| "string".into()) == "string"
            }
            Some(Value::Object(items)) => choices(items, "anyOf", |c| c.get("const").is_some_and(Value::is_string)),
            _ => false,
        },
        _ => false,
    }
}

fn choices(o: &Map<String, Value>, key: &str, choice: impl Fn(&Value) -> bool) -> bool {
    o.get(key).and_then(Value::as_array).is_some_and(|all| !all.is_empty() && all.iter().all(choice))
}

/// One field as MCP has it.
fn wire(schema: &Value) -> Value {
    const KNOWN: [&str; 16] = [
        "type",
        "title",
        "description",
        "default",
        "enum",
        "enumNames",
        "oneOf",
        "items",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "format",
        "const",
    ];
    // beyond this, clients in JavaScript count no more
    const MOST: f64 = 9_007_199_254_740_991.0;
    let Value::Object(o) = schema else { return schema.clone() };
    let known = o.iter().filter(|(key, value)| match key.as_str() {
        "format" => matches!(value.as_str(), Some("email" | "uri" | "date" | "date-time")),
        "minimum" | "maximum" => value.as_f64().is_some_and(|bound| bound.abs() <= MOST),
        "default" => !value.is_null(),
        key => KNOWN.contains(&key),
    });
    Value::Object(known.map(|(key, value)| (key.clone(), value.clone())).collect())
}
