//! Putting every definition where it is used. Many clients ignore `$ref` and `$defs`; only recursive types keep theirs.

use super::walk::{children_mut, percent_decode};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const PREFIX: &str = "#/$defs/";

/// The named types of one generator run, and which of them must stay.
pub(super) struct Definitions {
    all: Map<String, Value>,
    recursive: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Definitions {
    pub(super) fn new(mut all: Map<String, Value>) -> Self {
        for (name, schema) in &mut all {
            close_std(name, schema);
        }
        let recursive = all.keys().filter(|name| reaches(&all, name)).cloned().collect();
        Self { all, recursive, used: BTreeSet::new() }
    }

    /// The schema with every definition in its place.
    pub(super) fn inline(&mut self, mut schema: Value) -> Value {
        self.expand(&mut schema);
        schema
    }

    fn expand(&mut self, schema: &mut Value) {
        let Value::Object(o) = schema else { return };
        let target = o.get("$ref").and_then(name_of);
        if let Some(name) = target {
            if self.recursive.contains(&name) {
                self.used.insert(name);
            } else if let Some(definition) = self.all.get(&name) {
                let mut siblings = std::mem::take(o);
                siblings.shift_remove("$ref");
                let mut merged = definition.clone();
                merge(&mut merged, siblings);
                *schema = merged;
                // what was put in may refer to more
                return self.expand(schema);
            }
        }
        if let Value::Object(o) = schema {
            children_mut(o, |child| self.expand(child));
        }
    }

    /// What still needs a definition, themselves inlined where they can be.
    pub(super) fn kept(mut self) -> Map<String, Value> {
        let mut kept = Map::new();
        while let Some(name) = self.used.iter().find(|n| !kept.contains_key(n.as_str())).cloned() {
            let mut schema = self.all.get(&name).cloned().unwrap_or_default();
            if let Value::Object(o) = &mut schema {
                children_mut(o, |child| self.expand(child));
            }
            kept.insert(name, schema);
        }
        kept
    }
}

/// `#/$defs/Name` as a name.
fn name_of(reference: &Value) -> Option<String> {
    let name = reference.as_str()?.strip_prefix(PREFIX)?;
    Some(percent_decode(name).replace("~1", "/").replace("~0", "~"))
}

/// Whether a definition leads back to itself.
fn reaches(all: &Map<String, Value>, start: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut todo = references(&all[start]);
    while let Some(name) = todo.pop() {
        if name == start {
            return true;
        }
        if let Some(schema) = all.get(&name).filter(|_| seen.insert(name.clone())) {
            todo.extend(references(schema));
        }
    }
    false
}

fn references(schema: &Value) -> Vec<String> {
    let mut found: Vec<String> = schema.get("$ref").and_then(name_of).into_iter().collect();
    super::walk::children(schema, |_, child| found.extend(references(child)));
    found
}

/// Puts the keywords beside a `$ref` over those of what it named. A tag of an enum's variant comes first.
fn merge(schema: &mut Value, siblings: Map<String, Value>) {
    let Value::Object(o) = schema else {
        if !siblings.is_empty() {
            *schema = siblings.into();
        }
        return;
    };
    for (key, value) in siblings {
        match (o.get_mut(&key), value) {
            (Some(Value::Object(there)), Value::Object(mut first)) if key == "properties" => {
                for (name, property) in std::mem::take(there) {
                    first.entry(name).or_insert(property);
                }
                *there = first;
            }
            (Some(Value::Array(there)), Value::Array(first)) if key == "required" => {
                let more: Vec<Value> = there.iter().filter(|r| !first.contains(r)).cloned().collect();
                *there = first.into_iter().chain(more).collect();
            }
            (_, value) => {
                o.insert(key, value);
            }
        }
    }
}

/// Types of the standard library whose `Deserialize` refuses unknown fields, which schemars does not say.
fn close_std(name: &str, schema: &mut Value) {
    if name.starts_with("Range_of_") {
        if let Value::Object(o) = schema {
            o.entry("additionalProperties").or_insert(false.into());
        }
    } else if name.starts_with("Result_of_") || name.starts_with("Bound_of_") {
        let branches = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for branch in branches.into_iter().flatten() {
            if let Some(o) = branch.as_object_mut().filter(|o| o.contains_key("properties")) {
                o.entry("additionalProperties").or_insert(false.into());
            }
        }
    }
}
