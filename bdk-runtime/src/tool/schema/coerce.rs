//! `#[arg(coerce)]`: a number or a bool that came as text.

use super::walk::resolve;
use serde_json::{Number, Value};

/// What a parameter's type takes, as far as coercion cares.
#[derive(Debug, Default)]
pub(crate) struct Coerce {
    number: bool,
    boolean: bool,
    text: bool,
    /// Of the items of a list.
    items: Option<Box<Coerce>>,
}

impl Coerce {
    /// Reads it off the parameter's schema.
    pub(super) fn of(schema: &Value, root: &Value) -> Self {
        let mut out = Self::default();
        out.add(schema, root, 0);
        out
    }

    fn add(&mut self, schema: &Value, root: &Value, depth: u8) {
        let schema = resolve(schema, root);
        let types = match schema.get("type") {
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        for kind in types {
            match kind {
                "integer" | "number" => self.number = true,
                "boolean" => self.boolean = true,
                "string" => self.text = true,
                "array" if depth < 4 => {
                    if let Some(items) = schema.get("items") {
                        self.items.get_or_insert_default().add(items, root, depth + 1);
                    }
                }
                _ => {}
            }
        }
        for key in ["oneOf", "anyOf"].into_iter().filter(|_| depth < 4) {
            for branch in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.add(branch, root, depth + 1);
            }
        }
    }

    /// Turns a text into what the type takes; anything else stays, and so does a text where a text is wanted.
    pub(crate) fn apply(&self, value: &mut Value) {
        match value {
            Value::Array(list) => {
                if let Some(items) = &self.items {
                    list.iter_mut().for_each(|item| items.apply(item));
                }
            }
            Value::String(text) if !self.text => {
                let number = || {
                    // JSON's own numbers and nothing around them; `1e400` is none
                    let bare = text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                        && !text.ends_with(char::is_whitespace);
                    if bare { serde_json::from_str::<Number>(text).ok() } else { None }
                };
                match text.as_str() {
                    "true" | "false" if self.boolean => *value = (text == "true").into(),
                    _ if self.number => {
                        if let Some(number) = number() {
                            *value = number.into();
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
