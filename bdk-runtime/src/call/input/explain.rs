//! Putting into words what the validator and the types refuse: where, what was expected, what came, what is near.

use super::Issue;
use super::words::{self, cut};
use crate::near::nearest;
use crate::tool::schema::{Compiled, resolve};
use crate::tool::{DecodeFault, FaultKind, Step, path_text};
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;

/// A hostile list of a million wrong items need not be looked through to its end.
const LOOKED_AT: usize = 1000;

/// An issue, and the root's property it belongs to, for the order of telling.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) top: Option<String>,
    pub(super) issue: Issue,
}

/// Collects what the validator refuses.
pub(super) struct Explain<'c> {
    compiled: &'c Compiled,
    found: Vec<Found>,
    /// Places where no branch fits, so that what the branches do not know is no fault of its own.
    unfit: Vec<String>,
}

impl<'c> Explain<'c> {
    pub(super) fn new(compiled: &'c Compiled) -> Self {
        Self { compiled, found: Vec::new(), unfit: Vec::new() }
    }

    /// Every fault of an input that the validator refuses.
    pub(super) fn all(mut self, input: &Value) -> Vec<Found> {
        let errors: Vec<_> = self.compiled.validator.iter_errors(input).take(LOOKED_AT).collect();
        self.unfit = errors
            .iter()
            .filter(|e| matches!(e.kind(), Kind::OneOfNotValid { .. } | Kind::AnyOf { .. }))
            .map(|e| e.instance_path().as_str().to_owned())
            .collect();
        for error in &errors {
            self.error(error);
        }
        if self.found.is_empty() {
            self.tell(&Place::default(), "does not fit the input schema".into(), None, None);
        }
        self.found
    }

    pub(super) fn root(&self) -> &'c Value {
        &self.compiled.schema
    }

    /// The schema that a keyword's error stands in.
    pub(super) fn schema_of(&self, error: &jsonschema::ValidationError<'_>) -> &'c Value {
        let path = error.schema_path().as_str();
        let parent = path.rfind('/').map_or("", |end| &path[..end]);
        self.root().pointer(parent).unwrap_or(&Value::Null)
    }

    pub(super) fn error(&mut self, error: &jsonschema::ValidationError<'_>) {
        let place = Place::of(error.instance_path());
        let value: &Value = error.instance();
        let schema = self.schema_of(error);
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
                let unfit = self.unfit.iter().any(|p| p == error.instance_path().as_str());
                let strangers: Vec<String> =
                    unexpected.iter().filter(|u| !unfit || !known.contains(&u.as_str())).cloned().collect();
                self.unknown(&place, &strangers, &known);
            }
            Kind::AnyOf { context } => self.branches(error, &place, schema, "anyOf", context),
            Kind::OneOfNotValid { context } => self.branches(error, &place, schema, "oneOf", context),
            Kind::OneOfMultipleValid { .. } => {
                self.tell(&place, "fits more than one of the allowed forms".into(), None, None);
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

    fn unknown(&mut self, place: &Place, unexpected: &[String], known: &[&str]) {
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
    pub(super) fn of(location: &Location) -> Self {
        let step = |segment: LocationSegment<'_>| match segment {
            LocationSegment::Property(name) => Step::Key(name.into_owned()),
            LocationSegment::Index(index) => Step::Index(index),
        };
        Self(location.segments().map(step).collect())
    }

    /// A property of what is here.
    pub(super) fn below(&self, name: &str) -> Self {
        let mut below = self.clone();
        below.0.push(Step::Key(name.to_owned()));
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
fn known<'a>(schema: &'a Value, root: &'a Value) -> Vec<&'a str> {
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
        FaultKind::Custom(text) => match text.char_indices().nth(300) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.clone(),
        },
    };
    Place(steps).found(message, wanted, came)
}
