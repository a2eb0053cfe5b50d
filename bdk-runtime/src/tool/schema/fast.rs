//! A validator for documents that can only say yes: what it accepts, the schema's own validator accepts too; about
//! everything else it says nothing, and that one is asked.
//!
//! It knows the keywords that most types advertise, and is made for a schema that has no other. As it goes, it marks each
//! null whose property may be left out as absent, at every depth, and takes an integral float for the integer that it is:
//! so what is read from the document afterwards is what normalisation would have made of the tree.

mod scalar;

use super::constant;
use crate::tool::doc::{Doc, Node, View, of_float};
use scalar::{Number, Range, Text};
use serde_json::{Map, Value};

/// More properties of one object than this are left to the other validator: they are ticked off in one number.
const MOST_PROPERTIES: usize = 128;

/// A schema made ready.
pub(crate) struct Fast(Check);

impl Fast {
    /// `None` when the schema says something that is not known here.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        Check::of(schema).map(Self)
    }

    /// Whether the document surely is what the schema describes.
    pub(crate) fn accepts(&self, doc: &mut Doc<'_>) -> bool {
        self.0.accepts(&mut doc.nodes, 0)
    }
}

/// The kinds of JSON, as bits.
mod kind {
    pub(super) const NULL: u8 = 1;
    pub(super) const BOOL: u8 = 2;
    pub(super) const INTEGER: u8 = 4;
    /// A number that is no integer below 2^53.
    pub(super) const FLOAT: u8 = 8;
    pub(super) const TEXT: u8 = 16;
    pub(super) const ARRAY: u8 = 32;
    pub(super) const OBJECT: u8 = 64;
    pub(super) const ANY: u8 = 127;
}

/// One schema.
struct Check {
    kinds: u8,
    range: Option<Box<Range>>,
    text: Option<Box<Text>>,
    list: Option<Box<List>>,
    members: Option<Box<Members>>,
}

struct List {
    min: usize,
    max: usize,
    items: Option<Check>,
}

struct Members {
    known: Vec<Known>,
    /// A bit a property.
    required: u128,
    others: Others,
}

struct Known {
    name: Box<str>,
    /// Only one value is allowed: an explicit null is then no matter of course.
    pinned: bool,
    check: Check,
}

/// Members that the schema does not name.
enum Others {
    Refused,
    Any,
    Each(Check),
}

impl Check {
    fn of(schema: &Value) -> Option<Self> {
        let mut check = Self { kinds: kind::ANY, range: None, text: None, list: None, members: None };
        let schema = match schema {
            Value::Bool(true) => return Some(check),
            Value::Object(schema) => schema,
            _ => return None,
        };
        for (key, value) in schema {
            match key.as_str() {
                "type" => check.kinds &= kinds(value)?,
                "enum" => check.one_of(value.as_array()?)?,
                "const" => check.one_of(std::slice::from_ref(value))?,
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                    check.range.get_or_insert_default().bound(key, value)?;
                }
                "minLength" => check.text.get_or_insert_default().min = length(value)?,
                "maxLength" => check.text.get_or_insert_default().max = length(value)?,
                "minItems" => check.list.get_or_insert_default().min = length(value)?,
                "maxItems" => check.list.get_or_insert_default().max = length(value)?,
                "items" => check.list.get_or_insert_default().items = Some(Self::of(value)?),
                "properties" | "required" | "additionalProperties" => {
                    if check.members.is_none() {
                        check.members = Some(Box::new(Members::of(schema)?));
                    }
                }
                // a format is an annotation to the other validator too
                "description" | "title" | "default" | "format" | "examples" | "$comment" | "deprecated"
                | "readOnly" | "writeOnly" => {}
                other if other.starts_with("x-") => {}
                _ => return None,
            }
        }
        Some(check)
    }

    /// `enum` and `const`: of texts, and null.
    fn one_of(&mut self, allowed: &[Value]) -> Option<()> {
        let mut texts = Vec::new();
        let mut kinds = kind::TEXT;
        for value in allowed {
            match value {
                Value::String(text) => texts.push(text.as_str().into()),
                Value::Null => kinds |= kind::NULL,
                _ => return None,
            }
        }
        let text = self.text.get_or_insert_default();
        // both keywords in one schema
        if text.allowed.replace(texts).is_some() {
            return None;
        }
        self.kinds &= kinds;
        Some(())
    }

    fn accepts(&self, nodes: &mut [Node<'_>], at: usize) -> bool {
        let is = |kind: u8| self.kinds & kind != 0;
        let number = |kind: u8, number: Number| is(kind) && self.range.as_ref().is_none_or(|r| r.accepts(number));
        match &nodes[at] {
            Node::Null | Node::Absent => is(kind::NULL),
            Node::Bool(_) => is(kind::BOOL),
            Node::Unsigned(value) => number(kind::INTEGER, Number::Integer((*value).into())),
            Node::Signed(value) => number(kind::INTEGER, Number::Integer((*value).into())),
            Node::Float(value) => match of_float(*value) {
                View::Unsigned(value) => number(kind::INTEGER, Number::Integer(value.into())),
                View::Signed(value) => number(kind::INTEGER, Number::Integer(value.into())),
                _ => number(kind::FLOAT, Number::Float(*value)),
            },
            Node::Text(text) => is(kind::TEXT) && self.text.as_ref().is_none_or(|t| t.accepts(text)),
            Node::Owned(text) => is(kind::TEXT) && self.text.as_ref().is_none_or(|t| t.accepts(text)),
            Node::Array { len, span } => {
                let (len, end) = (*len, at + *span);
                is(kind::ARRAY)
                    && match self.list.as_deref() {
                        Some(List { min, max, items }) => {
                            (*min..=*max).contains(&len) && each(items.as_ref(), nodes, at + 1, end)
                        }
                        None => each(None, nodes, at + 1, end),
                    }
            }
            Node::Object { span, .. } => {
                let end = at + *span;
                is(kind::OBJECT)
                    && match &self.members {
                        Some(members) => members.accept(nodes, at, end),
                        None => is_plain(nodes, at, end),
                    }
            }
        }
    }
}

/// All items of an array.
fn each(check: Option<&Check>, nodes: &mut [Node<'_>], mut at: usize, end: usize) -> bool {
    let Some(check) = check else { return is_plain(nodes, at, end) };
    while at < end {
        if !check.accepts(nodes, at) {
            return false;
        }
        at += nodes[at].span();
    }
    true
}

impl Members {
    /// From the schema that has the keywords.
    fn of(schema: &Map<String, Value>) -> Option<Self> {
        let mut known = Vec::new();
        if let Some(properties) = schema.get("properties") {
            for (name, property) in properties.as_object()? {
                let pinned = constant(property).is_some();
                known.push(Known { name: name.as_str().into(), pinned, check: Check::of(property)? });
            }
        }
        if known.len() > MOST_PROPERTIES {
            return None;
        }
        let mut required = 0;
        if let Some(names) = schema.get("required") {
            for name in names.as_array()? {
                required |= 1 << known.iter().position(|k| Some(&*k.name) == name.as_str())?;
            }
        }
        let others = match schema.get("additionalProperties") {
            None | Some(Value::Bool(true)) => Others::Any,
            Some(Value::Bool(false)) => Others::Refused,
            Some(schema) => Others::Each(Check::of(schema)?),
        };
        Some(Self { known, required, others })
    }

    fn accept(&self, nodes: &mut [Node<'_>], object: usize, end: usize) -> bool {
        let (mut at, mut guess, mut seen, mut others) = (object + 1, 0, 0_u128, false);
        while at < end {
            let place = nodes[at].text().and_then(|name| self.place(name, guess));
            let value = at + 1;
            at = value + nodes[value].span();
            let Some(place) = place else {
                others = true;
                match &self.others {
                    Others::Each(check) if check.accepts(nodes, value) => continue,
                    Others::Any if is_plain(nodes, value, at) => continue,
                    _ => return false,
                }
            };
            guess = place + 1;
            let (known, bit) = (&self.known[place], 1 << place);
            // which of the two counts is for the other path to say
            if seen & bit != 0 {
                return false;
            }
            seen |= bit;
            if matches!(nodes[value], Node::Null) && self.required & bit == 0 {
                if known.pinned {
                    return false;
                }
                nodes[value] = Node::Absent;
            } else if !known.check.accepts(nodes, value) {
                return false;
            }
        }
        seen & self.required == self.required && (!others || names_differ(nodes, object))
    }

    /// Where a property stands in the schema. Inputs mostly have them in its order, so the one after the last is tried first.
    fn place(&self, name: &str, guess: usize) -> Option<usize> {
        if self.known.get(guess).is_some_and(|k| *k.name == *name) {
            return Some(guess);
        }
        self.known.iter().position(|k| *k.name == *name)
    }
}

/// Whether no name comes twice in any object among these nodes: which of the two counts is for the other path to say.
fn is_plain(nodes: &[Node<'_>], from: usize, end: usize) -> bool {
    (from..end).all(|at| !matches!(nodes[at], Node::Object { .. }) || names_differ(nodes, at))
}

/// Whether no name comes twice in this object.
fn names_differ(nodes: &[Node<'_>], object: usize) -> bool {
    let Node::Object { len, span } = nodes[object] else { return true };
    if len < 2 {
        return true;
    }
    let mut names = Vec::with_capacity(len);
    let mut at = object + 1;
    while at < object + span {
        names.push(nodes[at].text());
        at += 1 + nodes[at + 1].span();
    }
    names.sort_unstable();
    names.windows(2).all(|two| two[0] != two[1])
}

fn length(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|n| usize::try_from(n).ok())
}

/// The bits of a `type`.
fn kinds(value: &Value) -> Option<u8> {
    match value {
        Value::String(name) => Some(match name.as_str() {
            "null" => kind::NULL,
            "boolean" => kind::BOOL,
            "integer" => kind::INTEGER,
            "number" => kind::INTEGER | kind::FLOAT,
            "string" => kind::TEXT,
            "array" => kind::ARRAY,
            "object" => kind::OBJECT,
            _ => return None,
        }),
        Value::Array(names) => names.iter().try_fold(0, |all, name| Some(all | kinds(name)?)),
        _ => None,
    }
}

impl Default for List {
    fn default() -> Self {
        Self { min: 0, max: usize::MAX, items: None }
    }
}

#[cfg(test)]
mod tests;
