//! Putting into words what the validator and the types refuse: where, what was expected, what came, what is near.

use super::Issue;
use super::judges::{Judges, Node};
use super::words::{self, cut};
use crate::cut;
use crate::near::nearest;
use crate::tool::schema::{Compiled, resolve};
use crate::tool::{DecodeFault, FaultKind, Step, path_text};
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;
use std::collections::HashSet;

/// An issue, and the root's property it belongs to, for the order of telling.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) top: Option<String>,
    pub(super) issue: Issue,
}

/// Collects what the schema refuses.
pub(super) struct Explain<'c> {
    pub(super) compiled: &'c Compiled,
    pub(super) judges: Judges<'c>,
    pub(super) found: Vec<Found>,
    /// The values that a reference was followed for, and where it led to.
    pub(super) referred: HashSet<(usize, usize)>,
    /// While the branches of a union are compared: then a union below counts as one fault.
    pub(super) measuring: bool,
    /// How many values were looked at, each beside one schema.
    #[cfg(test)]
    pub(super) visits: usize,
}

impl<'c> Explain<'c> {
    pub(super) fn new(compiled: &'c Compiled) -> Self {
        let judges = Judges::new(&compiled.schema);
        Self {
            compiled,
            judges,
            found: Vec::new(),
            referred: HashSet::new(),
            measuring: false,
            #[cfg(test)]
            visits: 0,
        }
    }

    /// Every fault of an input that the validator refuses.
    pub(super) fn all(mut self, input: &Value) -> Vec<Found> {
        self.look(input);
        self.found
    }

    pub(super) fn look(&mut self, input: &Value) {
        self.node(input, &Node::root(self.root()), &Place::default());
        if self.found.is_empty() {
            self.tell(&Place::default(), "does not fit the input schema".into(), None, None);
        }
    }

    pub(super) fn root(&self) -> &'c Value {
        &self.compiled.schema
    }

    /// Tells an error that a validator of the schema `of`, or of what is left of it, has of the value `within`, which
    /// stands at `place`.
    pub(super) fn error(
        &mut self,
        error: &jsonschema::ValidationError<'_>,
        of: &'c Value,
        within: &Value,
        place: &Place,
    ) {
        let place = place.join(error.instance_path(), within);
        let value: &Value = error.instance();
        let path = error.schema_path().as_str();
        let schema = of.pointer(path.rfind('/').map_or("", |end| &path[..end])).unwrap_or(&Value::Null);
        let root = self.root();
        let mut expected = |what: String| self.expected(&place, what, words::received(value));
        match error.kind() {
            // of a given schema that refers about, the place may not be found
            Kind::Type { .. } if schema.get("type").is_none() => self.generic(&place, error),
            Kind::Type { .. } => expected(words::wants(schema, root, 0)),
            Kind::Minimum { .. }
            | Kind::Maximum { .. }
            | Kind::ExclusiveMinimum { .. }
            | Kind::ExclusiveMaximum { .. } => {
                expected(words::range(schema));
            }
            Kind::MultipleOf { .. } => {
                let of = schema.get("multipleOf").map(Value::to_string).unwrap_or_default();
                expected(format!("a multiple of {of}"));
            }
            Kind::Enum { options } => self.not_allowed(&place, value, schema, options),
            Kind::Constant { expected_value } => expected(cut(&expected_value.to_string())),
            Kind::MinLength { .. } | Kind::MaxLength { .. } => {
                let n = value.as_str().map_or(0, |s| s.chars().count() as u64);
                let wanted = words::length(schema, "a string", ["minLength", "maxLength"], "characters");
                self.counted(&place, wanted, n, "characters");
            }
            Kind::MinItems { .. } | Kind::MaxItems { .. } => {
                let n = value.as_array().map_or(0, |a| a.len() as u64);
                let wanted = words::length(schema, "an array", ["minItems", "maxItems"], "items");
                self.counted(&place, wanted, n, "items");
            }
            Kind::MinProperties { .. } | Kind::MaxProperties { .. } => {
                let n = value.as_object().map_or(0, |o| o.len() as u64);
                let wanted = words::length(schema, "an object", ["minProperties", "maxProperties"], "properties");
                self.counted(&place, wanted, n, "properties");
            }
            Kind::Pattern { pattern } => expected(format!("a string that matches `{}`", cut(pattern))),
            Kind::UniqueItems => {
                self.tell(&place, "has the same item twice, and each may come once".into(), None, None);
            }
            Kind::Not { schema } => match schema.get("const") {
                Some(refused) => expected(format!("anything but {}", cut(&refused.to_string()))),
                None => self.generic(&place, error),
            },
            Kind::Required { property } => {
                let place = place.below(property.as_str().unwrap_or_default());
                self.tell(&place, "required, but missing".into(), None, None);
            }
            Kind::AdditionalProperties { unexpected } => {
                let known = known(schema, root);
                self.unknown(&place, unexpected, &known);
            }
            Kind::UnevaluatedProperties { unexpected } => {
                let known = known(schema, root);
                self.unknown(&place, unexpected, &known);
            }
            Kind::PropertyNames { error } => {
                let name = error.instance().as_str().map(words::quoted).unwrap_or_default();
                self.tell(&place, format!("the name {name} is not allowed for a property"), None, None);
            }
            Kind::FalseSchema => self.tell(&place, "not allowed here".into(), None, None),
            _ => self.generic(&place, error),
        }
    }

    /// A keyword that typed tools never have: the validator's own words, without the value, which may be long.
    fn generic(&mut self, place: &Place, error: &jsonschema::ValidationError<'_>) {
        let received = words::received(error.instance());
        self.tell(place, format!("{}, got {received}", error.masked()), None, Some(received));
    }

    fn counted(&mut self, place: &Place, wanted: String, n: u64, unit: &str) {
        self.expected(place, wanted, format!("{n} {}", words::plural(unit, n)));
    }

    /// A value that is none of an enum's.
    fn not_allowed(&mut self, place: &Place, value: &Value, schema: &Value, options: &Value) {
        let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
        let texts: Option<Vec<&str>> = options.iter().map(Value::as_str).collect();
        match (value, texts) {
            (Value::String(text), Some(allowed)) => self.unknown_value(place, text, &allowed),
            // a wrong type is told by the error of `type`, in these same words
            (_, Some(_)) if schema.get("type").is_some_and(|t| t == "string") => {}
            _ => self.expected(place, words::one_of(options), words::received(value)),
        }
    }

    pub(super) fn unknown_value(&mut self, place: &Place, text: &str, allowed: &[&str]) {
        let (message, expected) = unknown_value(text, allowed);
        self.tell(place, message, Some(expected), Some(format!("string {}", words::quoted(text))));
    }

    pub(super) fn unknown(&mut self, place: &Place, unexpected: &[String], known: &[&str]) {
        for name in unexpected {
            self.tell(&place.below(name), unknown_property(name, known), None, None);
        }
    }

    pub(super) fn expected(&mut self, place: &Place, expected: String, received: String) {
        self.tell(place, format!("expected {expected}, got {received}"), Some(expected), Some(received));
    }

    pub(super) fn tell(&mut self, place: &Place, message: String, expected: Option<String>, received: Option<String>) {
        self.found.push(place.found(message, expected, received));
    }
}

/// A place in the input.
#[derive(Clone, Default)]
pub(super) struct Place(Vec<Step>);

impl Place {
    /// A place within the value that stands here. The number `3` may be an item or the name of a property.
    fn join(&self, location: &Location, value: &Value) -> Self {
        let mut below = self.clone();
        let mut at = Some(value);
        for segment in location.segments() {
            let (step, next) = match (&segment, at) {
                (LocationSegment::Index(index), Some(Value::Array(items))) => (Step::Index(*index), items.get(*index)),
                (LocationSegment::Index(index), at) => {
                    let name = index.to_string();
                    let next = at.and_then(|v| v.get(&name));
                    (Step::Key(name), next)
                }
                (LocationSegment::Property(name), at) => {
                    (Step::Key(name.to_string()), at.and_then(|v| v.get(name.as_ref())))
                }
            };
            below.0.push(step);
            at = next;
        }
        below
    }

    /// A property of what is here.
    pub(super) fn below(&self, name: &str) -> Self {
        let mut below = self.clone();
        below.0.push(Step::Key(name.to_owned()));
        below
    }

    /// An item of what is here.
    pub(super) fn item(&self, index: usize) -> Self {
        let mut below = self.clone();
        below.0.push(Step::Index(index));
        below
    }

    fn top(&self) -> Option<String> {
        match self.0.first()? {
            Step::Key(name) => Some(name.clone()),
            Step::Index(_) => None,
        }
    }

    fn found(&self, message: String, expected: Option<String>, received: Option<String>) -> Found {
        let steps: Vec<Step> = self
            .0
            .iter()
            .map(|step| match step {
                Step::Key(name) => Step::Key(cut(name)),
                index => index.clone(),
            })
            .collect();
        Found { top: self.top(), issue: Issue { path: path_text(&steps), message, expected, received } }
    }
}

/// What a schema's properties are called, those of its branches among them.
pub(super) fn known<'a>(schema: &'a Value, root: &'a Value) -> Vec<&'a str> {
    fn add<'a>(schema: &'a Value, root: &'a Value, depth: u8, out: &mut Vec<&'a str>) {
        let schema = resolve(schema, root);
        for name in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|p| p.keys()) {
            if !out.contains(&name.as_str()) {
                out.push(name);
            }
        }
        for key in ["oneOf", "anyOf", "allOf"].into_iter().filter(|_| depth < 8) {
            for branch in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                add(branch, root, depth + 1, out);
            }
        }
    }
    let mut out = Vec::new();
    add(schema, root, 0, &mut out);
    out
}

fn unknown_property(name: &str, known: &[&str]) -> String {
    // another branch knows it: then it is none of what could be meant here
    let known: Vec<&str> = known.iter().copied().filter(|k| *k != name).collect();
    let near = nearest(name, known.iter().copied()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    let known = if known.is_empty() {
        "; there are none".into()
    } else {
        format!("; known: {}", words::row(known.iter().copied(), '`'))
    };
    format!("unknown property{near}{known}")
}

/// The message, and what would be right.
fn unknown_value(text: &str, allowed: &[&str]) -> (String, String) {
    let list = words::row(allowed.iter().copied(), '"');
    let near = nearest(text, allowed.iter().copied())
        .map(|n| format!("; did you mean {}?", words::quoted(n)))
        .unwrap_or_default();
    let expected = if allowed.len() == 1 { list.clone() } else { format!("one of {list}") };
    (format!("unknown value {}; allowed: {list}{near}", words::quoted(text)), expected)
}

/// A recursive type without tags, of which no more levels are read than can be read in time.
pub(super) fn too_deep(property: Option<&str>, most: usize) -> Found {
    let place = Place(property.map(|name| Step::Key(name.to_owned())).into_iter().collect());
    let message = format!("nested more than {most} levels deep, which this recursive type does not take");
    place.found(message, Some(format!("at most {most} levels")), None)
}

/// Whether it is the name of a map's entry that is refused, and not the entry: then what came is the name, as a text.
fn is_of_key(fault: &DecodeFault, value: Option<&Value>) -> bool {
    let (Some(Step::Key(key)), FaultKind::Invalid { received, .. }) = (fault.path.last(), &fault.kind) else {
        return false;
    };
    let of_name = received.strip_prefix("string ").is_some_and(|text| {
        let text = text.trim_end_matches('…').trim_end_matches('"');
        format!("{key:?}").starts_with(text)
    });
    of_name && value.is_some_and(|value| value != key)
}

/// What a type refuses, in the same words.
pub(super) fn decoded(param: Option<&str>, fault: &DecodeFault, input: &Value) -> Found {
    let mut steps: Vec<Step> = param.map(|name| Step::Key(name.to_owned())).into_iter().collect();
    steps.extend(fault.path.iter().cloned());
    let value = steps.iter().try_fold(input, |at, step| match step {
        Step::Key(key) => at.get(key),
        Step::Index(index) => at.get(index),
    });
    let mut came = value.map(words::received);
    let mut wanted = None;
    let message = match &fault.kind {
        FaultKind::Invalid { expected, received } if is_of_key(fault, value) => {
            came = Some(received.clone());
            wanted = Some(expected.clone());
            format!("expected {expected} as the property's name, got {received}")
        }
        FaultKind::Invalid { expected, received } => {
            let received = came.clone().unwrap_or_else(|| cut(received));
            wanted = Some(expected.clone());
            // the schema takes it for an integer, but which one it was before it became a float, nobody knows
            let vast = value.and_then(Value::as_number).filter(|n| n.is_f64()).and_then(serde_json::Number::as_f64);
            let hint = match vast.filter(|f| f.fract() == 0.0 && expected.contains("integer")) {
                Some(_) => " (from 2^53 on, write every digit and no exponent)",
                None => "",
            };
            format!("expected {expected}, got {received}{hint}")
        }
        FaultKind::UnknownVariant { received, known } => {
            let (message, expected) = unknown_value(received, known);
            wanted = Some(expected);
            message
        }
        FaultKind::UnknownField { name, known } => {
            steps.push(Step::Key(name.clone()));
            came = None;
            unknown_property(name, known)
        }
        FaultKind::Missing(name) => {
            steps.push(Step::Key((*name).to_owned()));
            came = None;
            "required, but missing".into()
        }
        FaultKind::Duplicate(name) => {
            steps.push(Step::Key((*name).to_owned()));
            came = None;
            "given twice".into()
        }
        FaultKind::Custom(text) => cut::repeated(text, 300),
    };
    Place(steps).found(message, wanted, came)
}
