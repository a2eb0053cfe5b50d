//! Where none of several branches fits, the validator says no more than that. Here the branch speaks that was meant: the
//! one whose tag or variant name was given, or whose type the value has.

use super::explain::{Explain, Place};
use super::words;
use crate::tool::schema::{constant, resolve};
use jsonschema::ValidationError;
use serde_json::Value;

type Context = [Vec<ValidationError<'static>>];

impl Explain<'_> {
    pub(super) fn branches(
        &mut self,
        error: &ValidationError<'_>,
        place: &Place,
        schema: &Value,
        key: &str,
        context: &Context,
    ) {
        let value: &Value = error.instance();
        let branches: Vec<&Value> =
            schema.get(key).and_then(Value::as_array).into_iter().flatten().map(|b| resolve(b, self.root())).collect();
        if let Some((tag, names)) = tag(&branches) {
            return self.by_tag(place, value, tag, &names, context);
        }
        if let Some(variants) = variants(&branches) {
            return self.by_variant(place, value, &variants, context);
        }
        self.by_type(place, value, schema, &branches, context);
    }

    /// `{"kind": "circle", …}`
    fn by_tag(&mut self, place: &Place, value: &Value, tag: &str, names: &[&str], context: &Context) {
        if !value.is_object() {
            return self.expected(place, "an object".into(), words::received(value));
        }
        let here = place.below(tag);
        match value.get(tag) {
            None => {
                let allowed = words::row(names.iter().copied(), '"');
                let message = format!("required, but missing; allowed: {allowed}");
                self.tell(&here, message, Some(format!("one of {allowed}")), None);
            }
            Some(Value::String(text)) => match names.iter().position(|n| n == text) {
                Some(meant) => self.speak(context, meant),
                None => self.unknown_value(&here, text, names),
            },
            Some(other) => {
                let allowed = format!("one of {}", words::row(names.iter().copied(), '"'));
                self.expected(&here, allowed, words::received(other));
            }
        }
    }

    /// `{"Circle": {…}}` or `"Dot"`
    fn by_variant(&mut self, place: &Place, value: &Value, variants: &[Variant<'_>], context: &Context) {
        let find = |name: &str| variants.iter().find(|v| v.name == name);
        let names: Vec<&str> = variants.iter().map(|v| v.name).collect();
        match value {
            Value::String(text) => match find(text) {
                Some(_) => {
                    self.expected(place, format!("an object with the property `{text}`"), words::received(value));
                }
                None => self.unknown_value(place, text, &names),
            },
            Value::Object(o) if o.len() == 1 => {
                let name = o.keys().next().map(String::as_str).unwrap_or_default();
                match find(name) {
                    Some(Variant { branch, data: true, .. }) => self.speak(context, *branch),
                    Some(_) => {
                        self.expected(place, format!("the string {}", words::quoted(name)), words::received(value));
                    }
                    None => self.unknown_value(place, name, &names),
                }
            }
            Value::Object(o) => {
                let n = o.len() as u64;
                let wanted = format!("an object with exactly one of {}", words::row(names.iter().copied(), '`'));
                self.expected(place, wanted, format!("an object with {n} properties"));
            }
            other => {
                let text = variants.iter().any(|v| !v.data);
                let data = variants.iter().any(|v| v.data);
                let wanted = match (text, data) {
                    (true, true) => "a string or an object",
                    (true, false) => "a string",
                    _ => "an object",
                };
                let names = words::row(names.iter().copied(), '`');
                self.expected(place, format!("{wanted} that names one of {names}"), words::received(other));
            }
        }
    }

    /// No tag: the branches of the value's own type, the one with the fewest faults among them.
    fn by_type(&mut self, place: &Place, value: &Value, schema: &Value, branches: &[&Value], context: &Context) {
        let meant = branches
            .iter()
            .enumerate()
            .filter(|(_, b)| takes(b, value))
            .min_by_key(|(i, _)| context.get(*i).map_or(usize::MAX, Vec::len));
        match meant {
            Some((i, _)) => self.speak(context, i),
            None => {
                // its own `type` would hide what the branches want
                let only = serde_json::json!({ "anyOf": branches });
                let wanted = words::wants(&only, self.root(), 0);
                let wanted = if wanted == "another value" { words::wants(schema, self.root(), 0) } else { wanted };
                self.expected(place, wanted, words::received(value));
            }
        }
    }

    fn speak(&mut self, context: &Context, branch: usize) {
        for error in context.get(branch).into_iter().flatten() {
            self.error(error);
        }
    }
}

/// The property that tells the branches apart, and its value in each.
fn tag<'a>(branches: &[&'a Value]) -> Option<(&'a str, Vec<&'a str>)> {
    let first = branches.first()?.get("properties")?.as_object()?;
    first.keys().find_map(|name| {
        let values: Option<Vec<&str>> =
            branches.iter().map(|b| constant(b.get("properties")?.get(name)?)?.as_str()).collect();
        values.map(|values| (name.as_str(), values))
    })
}

struct Variant<'a> {
    name: &'a str,
    branch: usize,
    /// Whether it is the key of an object, or else a bare string.
    data: bool,
}

/// The variants of an externally tagged enum.
fn variants<'a>(branches: &[&'a Value]) -> Option<Vec<Variant<'a>>> {
    let mut out = Vec::new();
    for (branch, schema) in branches.iter().enumerate() {
        if let Some(names) = schema.get("enum").and_then(Value::as_array) {
            for name in names {
                out.push(Variant { name: name.as_str()?, branch, data: false });
            }
            continue;
        }
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required")?.as_array()?;
        match (properties.len(), &required[..]) {
            (1, [Value::String(name)]) => out.push(Variant { name, branch, data: true }),
            _ => return None,
        }
    }
    Some(out)
}

/// Whether a branch takes values of this type at all.
fn takes(schema: &Value, value: &Value) -> bool {
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = |t: &Value| t == name || name == "number" && t == "integer";
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(fits),
        Some(one) => fits(one),
        None => true,
    }
}
