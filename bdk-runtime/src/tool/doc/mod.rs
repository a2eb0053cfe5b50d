//! A JSON document as flat nodes that borrow their text: what a call's body is read into when nothing in it has to be
//! changed or looked up by name.
//!
//! A `serde_json::Value` costs a hash, an entry and a `String` for each name; here a value is one node in one list, in
//! the order of the text. It holds what was sent: the numbers as a `Value` would have them, and a name that came twice
//! twice. Whoever reads it as a type ([`DocRef`]) sees it as validation does: an integral float below 2^53 is an integer,
//! and what was marked absent is not there.

mod parse;
mod view;

#[cfg(test)]
mod tests;

pub use view::{DocRef, JsonRef};
pub(crate) use view::{Items, Lookup, Members, View, of_float};

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value, value::RawValue};

/// Below it each integer is a float of its own.
const FIRST_AMBIGUOUS: f64 = 9_007_199_254_740_992.0; // 2^53

/// The integer that a float is, where it can be no other.
pub(crate) fn whole(value: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "whole, and below 2^53")]
    (value.fract() == 0.0 && value.abs() < FIRST_AMBIGUOUS).then_some(value as i64)
}

/// One value, or the name of a member: a name stands before its value.
#[derive(Debug, Clone)]
pub(crate) enum Node<'a> {
    Null,
    /// A null that counts as absent.
    Absent,
    Bool(bool),
    Unsigned(u64),
    /// Below zero.
    Signed(i64),
    Float(f64),
    Text(&'a str),
    /// A text that had to be unescaped.
    Owned(Box<str>),
    /// Its items follow.
    Array {
        /// Items.
        len: usize,
        /// Nodes, this one included.
        span: usize,
    },
    /// Its members follow.
    Object {
        /// Members.
        len: usize,
        /// Nodes, this one included.
        span: usize,
    },
}

impl Node<'_> {
    /// How many nodes the value takes.
    pub(crate) fn span(&self) -> usize {
        match self {
            Self::Array { span, .. } | Self::Object { span, .. } => *span,
            _ => 1,
        }
    }
    /// A text, or a name.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Owned(text) => Some(text),
            _ => None,
        }
    }
}

/// A document.
#[derive(Debug, Clone)]
pub(crate) struct Doc<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
}

impl Doc<'_> {
    /// `{}`
    pub(crate) fn empty_object() -> Self {
        Self { nodes: vec![Node::Object { len: 0, span: 1 }] }
    }
    pub(crate) fn is_null(&self) -> bool {
        matches!(self.nodes.first(), Some(Node::Null))
    }
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.nodes.first(), Some(Node::Object { .. }))
    }
    /// As it was sent, as serde_json would have read it: of a name that came twice the last value stands.
    pub(crate) fn to_value(&self) -> Value {
        value_of(&self.nodes, Numbers::Sent)
    }
    /// Its JSON, as [`to_value`](Self::to_value) has it.
    pub(crate) fn to_json(&self) -> Box<RawValue> {
        to_json(&Sent(&self.nodes))
    }
    /// Adds a member to a document that is an object.
    pub(crate) fn push_member(&mut self, name: &'static str, value: Value) {
        self.nodes.push(Node::Text(name));
        push_value(&mut self.nodes, value);
        let all = self.nodes.len();
        if let Some(Node::Object { len, span }) = self.nodes.first_mut() {
            *len += 1;
            *span = all;
        }
    }
}

fn push_value(nodes: &mut Vec<Node<'_>>, value: Value) {
    let at = nodes.len();
    match value {
        Value::Null => nodes.push(Node::Null),
        Value::Bool(value) => nodes.push(Node::Bool(value)),
        Value::Number(number) => nodes.push(match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(value), ..) => Node::Unsigned(value),
            (_, Some(value), _) => Node::Signed(value),
            (.., value) => value.map_or(Node::Null, Node::Float),
        }),
        Value::String(text) => nodes.push(Node::Owned(text.into())),
        Value::Array(items) => {
            let len = items.len();
            nodes.push(Node::Null);
            items.into_iter().for_each(|item| push_value(nodes, item));
            nodes[at] = Node::Array { len, span: nodes.len() - at };
        }
        Value::Object(members) => {
            let len = members.len();
            nodes.push(Node::Null);
            for (name, value) in members {
                nodes.push(Node::Owned(name.into()));
                push_value(nodes, value);
            }
            nodes[at] = Node::Object { len, span: nodes.len() - at };
        }
    }
}

/// Which numbers, and whether what is absent is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// As they came; what was marked absent is the null that it was.
    Sent,
    /// Integral floats as integers; without what was marked absent.
    Normal,
}

/// JSON on one line, of what always is JSON.
pub(crate) fn to_json(value: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A value as it was sent, by the nodes that it begins.
struct Sent<'a>(&'a [Node<'a>]);

impl<'a> Sent<'a> {
    /// The values right below it; of an object each name stands before its value.
    fn children(&self) -> impl Iterator<Item = &'a [Node<'a>]> + use<'a> {
        let (nodes, mut at) = (self.0, 1);
        let end = nodes[0].span();
        std::iter::from_fn(move || {
            let child = nodes.get(at..end).filter(|rest| !rest.is_empty())?;
            at += child[0].span();
            Some(child)
        })
    }
    fn members(&self) -> impl Iterator<Item = (&'a str, Self)> + use<'a> {
        let mut children = self.children();
        std::iter::from_fn(move || Some((children.next()?[0].text()?, Self(children.next()?))))
    }
}

impl Serialize for Sent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Of more members it takes a map to find one that came twice.
        const FEW: usize = 16;
        let differ = || self.members().enumerate().all(|(i, (name, _))| self.members().take(i).all(|(n, _)| n != name));
        match &self.0[0] {
            Node::Text(text) => serializer.serialize_str(text),
            Node::Owned(text) => serializer.serialize_str(text),
            Node::Array { .. } => serializer.collect_seq(self.children().map(Self)),
            Node::Object { len, .. } if *len <= FEW && differ() => serializer.collect_map(self.members()),
            _ => value_of(self.0, Numbers::Sent).serialize(serializer),
        }
    }
}

/// The tree of the value that begins with the first node.
fn value_of(nodes: &[Node<'_>], numbers: Numbers) -> Value {
    let float = |value: f64| Number::from_f64(value).map_or(Value::Null, Value::Number);
    match &nodes[0] {
        Node::Null | Node::Absent => Value::Null,
        Node::Bool(value) => Value::Bool(*value),
        Node::Unsigned(value) => (*value).into(),
        Node::Signed(value) => (*value).into(),
        Node::Float(value) => match whole(*value).filter(|_| numbers == Numbers::Normal) {
            Some(value) => value.into(),
            None => float(*value),
        },
        Node::Text(text) => Value::from(*text),
        Node::Owned(text) => Value::from(&**text),
        Node::Array { len, span } => {
            let (mut items, mut at) = (Vec::with_capacity(*len), 1);
            while at < *span {
                items.push(value_of(&nodes[at..], numbers));
                at += nodes[at].span();
            }
            Value::Array(items)
        }
        Node::Object { len, span } => {
            let (mut members, mut at) = (Map::with_capacity(*len), 1);
            while at < *span {
                let value = &nodes[at + 1..];
                if !matches!(value[0], Node::Absent) || numbers == Numbers::Sent {
                    members.insert(nodes[at].text().unwrap_or_default().to_owned(), value_of(value, numbers));
                }
                at += 1 + value[0].span();
            }
            Value::Object(members)
        }
    }
}
