//! Whether one JSON Schema accepts less or more than another, told keyword by keyword.
//!
//! What cannot be judged (`not`, `if`, another pattern) counts as unknown, never as harmless.

use serde_json::{Map, Value};
use std::{cmp::Ordering, collections::HashSet, sync::LazyLock};

/// What a change does to the values that a schema accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fewer values.
    Narrower,
    /// More values.
    Wider,
    /// A property is there no more.
    Gone,
    /// A new property that may be absent.
    New,
    /// It cannot be said which.
    Unknown,
    /// The same values in other words.
    Words,
}

/// One change and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) kind: Kind,
    /// "`crates[].mass`: ", or nothing at the root.
    pub(super) path: String,
    pub(super) what: String,
}

/// What changed from `old` to `new`.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Change> {
    let mut comparer = Comparer { old_root: old, new_root: new, refs: HashSet::new(), out: Vec::new() };
    comparer.schema(old, new, "");
    comparer.out
}

/// A greater value of these narrows.
const LOWER: [&str; 6] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"];
/// A smaller value of these narrows.
const UPPER: [&str; 6] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"];
/// Having one of these narrows; another one cannot be judged.
const CONSTRAINTS: [&str; 14] = [
    "pattern",
    "format",
    "multipleOf",
    "uniqueItems",
    "not",
    "contains",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "unevaluatedProperties",
    "unevaluatedItems",
    "prefixItems",
];
/// Compared by rules of their own.
const STRUCTURE: [&str; 14] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "then",
    "else",
];

struct Comparer<'a> {
    old_root: &'a Value,
    new_root: &'a Value,
    /// Pairs of references that are being compared or have been: recursive schemas end.
    refs: HashSet<(String, String)>,
    out: Vec<Change>,
}

impl<'a> Comparer<'a> {
    fn say(&mut self, kind: Kind, path: &str, what: impl Into<String>) {
        let path = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
        self.out.push(Change { kind, path, what: what.into() });
    }

    fn schema(&mut self, old: &'a Value, new: &'a Value, path: &str) {
        let refs = (reference(old), reference(new));
        if refs.0.is_some() || refs.1.is_some() {
            let key = (refs.0.unwrap_or_default().to_owned(), refs.1.unwrap_or_default().to_owned());
            // a reference against a schema in full is followed as deep as the schema goes
            if refs.0.is_some() && refs.1.is_some() && !self.refs.insert(key) {
                return;
            }
        }
        let (old, new) = (resolve(self.old_root, old), resolve(self.new_root, new));
        if old == new && refs == (None, None) {
            return;
        }
        match (accepts_nothing(old), accepts_nothing(new)) {
            (true, true) => return,
            (true, false) => return self.say(Kind::Wider, path, "takes values now"),
            (false, true) => return self.say(Kind::Narrower, path, "takes no value any more"),
            (false, false) => {}
        }
        let none: &Map<String, Value> = &EMPTY;
        let (old, new) = (old.as_object().unwrap_or(none), new.as_object().unwrap_or(none));
        self.types(old, new, path);
        self.values(old, new, path);
        self.bounds(old, new, path);
        self.properties(old, new, path);
        self.others(old, new, path);
        self.nested("items", old, new, &format!("{path}[]"));
        for keyword in ["anyOf", "oneOf", "allOf"] {
            self.branches(keyword, old, new, path);
        }
        self.words(old, new, path);
    }

    fn types(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, path: &str) {
        let (from, to) = (types(old), types(new));
        let within =
            |a: &[&str], b: &[&str]| a.iter().all(|t| b.contains(t) || (*t == "integer" && b.contains(&"number")));
        let kind = match (&from, &to) {
            (Some(from), Some(to)) => match (within(from, to), within(to, from)) {
                (true, true) => return,
                (true, false) => Kind::Wider,
                (false, true) => Kind::Narrower,
                (false, false) => Kind::Unknown,
            },
            (Some(_), None) => Kind::Wider,
            (None, Some(_)) => Kind::Narrower,
            (None, None) => return,
        };
        let said = |types: Option<Vec<&str>>| types.map_or_else(|| "any type".to_owned(), |t| t.join(" or "));
        self.say(kind, path, format!("takes {}, was {}", said(to), said(from)));
    }

    fn values(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, path: &str) {
        match (values(old), values(new)) {
            (Some(old), Some(new)) => {
                for gone in old.iter().filter(|v| !new.contains(v)) {
                    self.say(Kind::Narrower, path, format!("takes {gone} no more"));
                }
                for added in new.iter().filter(|v| !old.contains(v)) {
                    self.say(Kind::Wider, path, format!("takes {added}, too"));
                }
            }
            (Some(_), None) => self.say(Kind::Wider, path, "takes more than its listed values"),
            (None, Some(_)) => self.say(Kind::Narrower, path, "takes its listed values only"),
            (None, None) => {}
        }
    }

    fn bounds(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, path: &str) {
        for (names, narrower) in [(LOWER, Ordering::Greater), (UPPER, Ordering::Less)] {
            for name in names {
                let (kind, what) = match (old.get(name), new.get(name)) {
                    (Some(from), Some(to)) => match order(to, from) {
                        Some(Ordering::Equal) => continue,
                        Some(order) => {
                            let kind = if order == narrower { Kind::Narrower } else { Kind::Wider };
                            (kind, format!("has {name} {to}, was {from}"))
                        }
                        None => (Kind::Unknown, format!("has {name} {to}, was {from}")),
                    },
                    (None, Some(to)) => (Kind::Narrower, format!("has {name} {to}")),
                    (Some(from), None) => (Kind::Wider, format!("has {name} {from} no more")),
                    (None, None) => continue,
                };
                self.say(kind, path, what);
            }
        }
    }

    fn others(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, path: &str) {
        let off = |value: Option<&Value>| value.is_none() || value == Some(&Value::Bool(false));
        for name in CONSTRAINTS {
            let (from, to) = (old.get(name), new.get(name));
            let same = from == to
                && (name != "if" || (old.get("then"), old.get("else")) == (new.get("then"), new.get("else")));
            match (off(from), off(to)) {
                (true, true) => {}
                _ if same => {}
                (true, false) => self.say(Kind::Narrower, path, format!("has a {name}")),
                (false, true) => self.say(Kind::Wider, path, format!("has no {name} any more")),
                (false, false) => self.say(Kind::Unknown, path, format!("has another {name}")),
            }
        }
    }

    fn properties(&mut self, old: &'a Map<String, Value>, new: &'a Map<String, Value>, path: &str) {
        let (from, to) = (members(old), members(new));
        let required = |schema: &Map<String, Value>, name: &str| {
            schema.get("required").and_then(Value::as_array).is_some_and(|r| r.iter().any(|n| n == name))
        };
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (name, schema) in from {
            let Some(now) = to.get(name) else {
                let alike = |(other, now): &(&String, &Value)| {
                    !from.contains_key(*other)
                        && bare(now) == bare(schema)
                        && required(new, other) == required(old, name)
                };
                let hint =
                    to.iter().find(alike).map_or_else(String::new, |(other, _)| format!(" (renamed to `{other}`?)"));
                self.say(Kind::Gone, &below(name), format!("is gone{hint}"));
                continue;
            };
            match (required(old, name), required(new, name)) {
                (false, true) => self.say(Kind::Narrower, &below(name), "is required now"),
                (true, false) => self.say(Kind::Wider, &below(name), "is optional now"),
                _ => {}
            }
            self.schema(schema, now, &below(name));
        }
        for name in to.keys().filter(|name| !from.contains_key(*name)) {
            if required(new, name) {
                self.say(Kind::Narrower, &below(name), "is new, and required");
            } else {
                self.say(Kind::New, &below(name), "is new, and optional");
            }
        }
        // names that are demanded without a schema of their own
        for name in new.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !to.contains_key(name) && !required(old, name) {
                self.say(Kind::Narrower, &below(name), "is required now");
            }
        }
        self.nested("additionalProperties", old, new, &below("*"));
    }

    /// A schema below a keyword, which accepts everything where it is absent.
    fn nested(&mut self, keyword: &str, old: &'a Map<String, Value>, new: &'a Map<String, Value>, path: &str) {
        let (old, new) =
            (old.get(keyword).unwrap_or(&Value::Bool(true)), new.get(keyword).unwrap_or(&Value::Bool(true)));
        if old == new && reference(old).is_none() {
            return;
        }
        match (accepts_all(old), accepts_all(new)) {
            (true, true) => {}
            (true, false) => self.say(Kind::Narrower, path, "takes not every value any more"),
            (false, true) => self.say(Kind::Wider, path, "takes every value"),
            (false, false) => self.schema(old, new, path),
        }
    }

    fn branches(&mut self, keyword: &str, old: &'a Map<String, Value>, new: &'a Map<String, Value>, path: &str) {
        let get = |schema: &'a Map<String, Value>| schema.get(keyword).and_then(Value::as_array);
        match (get(old), get(new)) {
            (Some(old), Some(new)) if keyword == "allOf" => {
                if old.len() == new.len() {
                    old.iter().zip(new).for_each(|(old, new)| self.schema(old, new, path));
                } else {
                    self.say(Kind::Unknown, path, "has other parts in its allOf");
                }
            }
            (Some(old), Some(new)) => {
                // each branch is compared with the one that is nearest to it
                let mut met = HashSet::new();
                for (i, branch) in old.iter().enumerate() {
                    let fits = new.iter().enumerate().map(|(n, other)| (self.trial(branch, other), n));
                    let Some((changes, nearest)) = fits.min_by_key(|(changes, n)| (changes.len(), *n != i)) else {
                        self.say(Kind::Narrower, path, format!("has no branches in its {keyword} any more"));
                        return;
                    };
                    met.insert(nearest);
                    for change in changes {
                        self.out
                            .push(Change { path: format!("{}{keyword}/{i} ", prefix(path)) + &change.path, ..change });
                    }
                }
                if met.len() < new.len() {
                    self.say(Kind::Wider, path, format!("has more branches in its {keyword}"));
                }
                if met.len() < old.len() {
                    self.say(Kind::Narrower, path, format!("has fewer branches in its {keyword}"));
                }
            }
            (Some(_), None) => self.say(Kind::Unknown, path, format!("has no {keyword} any more")),
            (None, Some(_)) => self.say(Kind::Unknown, path, format!("has an {keyword}")),
            (None, None) => {}
        }
    }

    /// The changes between two branches, not said yet.
    fn trial(&self, old: &'a Value, new: &'a Value) -> Vec<Change> {
        let refs = self.refs.clone();
        let mut trial = Comparer { old_root: self.old_root, new_root: self.new_root, refs, out: Vec::new() };
        trial.schema(old, new, "");
        trial.out
    }

    /// Keywords that say nothing of the values.
    fn words(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, path: &str) {
        let mut names: Vec<&String> = old.keys().chain(new.keys().filter(|k| !old.contains_key(*k))).collect();
        let ruled = |name: &str| [&LOWER[..], &UPPER, &CONSTRAINTS, &STRUCTURE].iter().any(|l| l.contains(&name));
        names.retain(|name| !ruled(name) && old.get(*name) != new.get(*name));
        for name in names {
            self.say(Kind::Words, path, format!("has another {name}"));
        }
    }
}

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("`{path}` ") }
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// Follows `#/…` references; one that leads nowhere, or in a circle, stays as it is.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..32 {
        match reference(at).and_then(|r| root.pointer(r.strip_prefix('#')?)) {
            Some(target) => at = target,
            None => break,
        }
    }
    at
}

fn accepts_nothing(schema: &Value) -> bool {
    schema == &Value::Bool(false)
}
fn accepts_all(schema: &Value) -> bool {
    schema == &Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty)
}

fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn values(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("enum").and_then(Value::as_array), schema.get("const")) {
        (Some(several), _) => Some(several.iter().collect()),
        (None, Some(one)) => Some(vec![one]),
        (None, None) => None,
    }
}

fn members(schema: &Map<String, Value>) -> &Map<String, Value> {
    schema.get("properties").and_then(Value::as_object).unwrap_or(&EMPTY)
}

/// A schema without its words.
fn bare(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(schema) = schema.as_object_mut() {
        schema.retain(|name, _| !["description", "title", "default", "examples"].contains(&name.as_str()));
    }
    schema
}

fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let whole = |v: &Value| v.as_i64().map(i128::from).or_else(|| v.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

#[cfg(test)]
mod tests;
