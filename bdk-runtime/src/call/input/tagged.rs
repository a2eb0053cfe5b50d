//! Of several branches the one is gone into that was meant: the one whose tag or variant name was given, or whose type
//! the value has. Where that cannot be said, what the branches want is told of the union as a whole.

use super::explain::{Explain, Place};
use super::judges::Node;
use super::words;
use crate::tool::schema::{constant, resolve};
use serde_json::Value;

impl<'c> Explain<'c> {
    pub(super) fn union(&mut self, value: &Value, node: &Node<'c>, key: &str, branches: &[Node<'c>], place: &Place) {
        let only = self.only_branch(value, branches);
        if let (Some(meant), false) = (only, self.measuring) {
            return self.node(value, &branches[meant], place);
        }
        let fitting = match only {
            Some(meant) => usize::from(self.fits(value, &branches[meant])),
            None => branches.iter().filter(|branch| self.fits(value, branch)).count(),
        };
        match (key, fitting) {
            ("oneOf", 2..) => {
                self.tell(place, "fits more than one of the allowed forms".into(), None, None);
            }
            (_, 1..) => {}
            // one fault, whatever is below
            _ if self.measuring => self.tell(place, String::new(), None, None),
            _ => self.unfit(value, node, branches, place),
        }
    }

    /// Where no branch fits.
    fn unfit(&mut self, value: &Value, node: &Node<'c>, branches: &[Node<'c>], place: &Place) {
        let resolved = self.resolved(branches);
        if let Some((tag, names)) = tag(&resolved) {
            return self.by_tag(place, value, tag, &names);
        }
        if let Some(variants) = variants(&resolved) {
            return self.by_variant(place, value, &variants, branches);
        }
        self.by_type(place, value, node.schema, &resolved, branches);
    }

    /// The only branch that may fit, where tag, variant name or type say so: then the others need not be asked.
    pub(super) fn only_branch(&self, value: &Value, branches: &[Node<'c>]) -> Option<usize> {
        let resolved = self.resolved(branches);
        if let Some((tag, names)) = tag(&resolved) {
            let text = value.get(tag)?.as_str()?;
            return names.iter().position(|name| *name == text);
        }
        if let Some(variants) = variants(&resolved) {
            let object = value.as_object().filter(|o| o.len() == 1)?;
            let name = object.keys().next()?;
            return variants.iter().find(|v| v.data && v.name == name).map(|v| v.branch);
        }
        let mut taking = resolved.iter().enumerate().filter(|(_, branch)| takes(branch, value));
        match (taking.next(), taking.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    }

    fn resolved(&self, branches: &[Node<'c>]) -> Vec<&'c Value> {
        branches.iter().map(|branch| resolve(branch.schema, self.root())).collect()
    }

    fn fits(&mut self, value: &Value, branch: &Node<'c>) -> bool {
        self.judges.is_valid(value, branch) == Some(true)
    }

    /// `{"kind": "circle", …}`
    fn by_tag(&mut self, place: &Place, value: &Value, tag: &str, names: &[&str]) {
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
            Some(Value::String(text)) => self.unknown_value(&here, text, names),
            Some(other) => {
                let allowed = format!("one of {}", words::row(names.iter().copied(), '"'));
                self.expected(&here, allowed, words::received(other));
            }
        }
    }

    /// `{"Circle": {…}}` or `"Dot"`
    fn by_variant(&mut self, place: &Place, value: &Value, variants: &[Variant<'_>], branches: &[Node<'c>]) {
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
                    Some(Variant { branch, data: true, .. }) => self.node(value, &branches[*branch], place),
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
    fn by_type(&mut self, place: &Place, value: &Value, schema: &Value, resolved: &[&'c Value], branches: &[Node<'c>]) {
        let taking = branches.iter().zip(resolved).filter(|(_, schema)| takes(schema, value));
        let taking: Vec<&Node<'c>> = taking.map(|(branch, _)| branch).collect();
        match taking.into_iter().min_by_key(|branch| self.measure(value, branch)) {
            Some(meant) => self.node(value, meant, place),
            None => {
                // its own `type` would hide what the branches want
                let only = serde_json::json!({ "anyOf": resolved });
                let wanted = words::wants(&only, self.root(), 0);
                let wanted = if wanted == "another value" { words::wants(schema, self.root(), 0) } else { wanted };
                self.expected(place, wanted, words::received(value));
            }
        }
    }

    /// How many faults a branch would tell, unions below not gone into: or else each level would be gone through as often
    /// as there are branches above.
    fn measure(&mut self, value: &Value, branch: &Node<'c>) -> usize {
        let before = std::mem::take(&mut self.found);
        let referred = std::mem::take(&mut self.referred);
        self.measuring = true;
        self.node(value, branch, &Place::default());
        self.measuring = false;
        self.referred = referred;
        std::mem::replace(&mut self.found, before).len()
    }
}

/// The property that tells the branches apart, and its value in each.
fn tag<'a>(branches: &[&'a Value]) -> Option<(&'a str, Vec<&'a str>)> {
    let first = branches.first()?.get("properties")?.as_object()?;
    first.keys().find_map(|name| {
        let values: Option<Vec<&str>> =
            branches.iter().map(|b| constant(b.get("properties")?.get(name)?)?.as_str()).collect();
        values.filter(|values| all_differ(values)).map(|values| (name.as_str(), values))
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
    let names: Vec<&str> = out.iter().map(|v| v.name).collect();
    all_differ(&names).then_some(out)
}

/// Two branches of one name are not told apart by it.
fn all_differ(names: &[&str]) -> bool {
    let mut seen = std::collections::HashSet::new();
    names.iter().all(|name| seen.insert(name))
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
