//! Reading a document from whatever serde hands over; from a text, without copying what is not escaped.

use super::{Doc, Node};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use std::fmt;

/// Room for the nodes of a small call.
const FIRST_NODES: usize = 32;

impl<'de> Deserialize<'de> for Doc<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut nodes = Vec::with_capacity(FIRST_NODES);
        deserializer.deserialize_any(Append(&mut nodes))?;
        Ok(Self { nodes })
    }
}

/// Appends one value.
struct Append<'n, 'de>(&'n mut Vec<Node<'de>>);

impl<'de> DeserializeSeed<'de> for Append<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// A node a scalar.
macro_rules! scalars {
    ($($method:ident($value:ident: $type:ty) => $node:expr;)*) => {
        $(fn $method<E>(self, $value: $type) -> Result<(), E> {
            self.0.push($node);
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Append<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    scalars! {
        visit_bool(value: bool) => Node::Bool(value);
        visit_u64(value: u64) => Node::Unsigned(value);
        visit_i64(value: i64) => u64::try_from(value).map_or(Node::Signed(value), Node::Unsigned);
        visit_f64(value: f64) => if value.is_finite() { Node::Float(value) } else { Node::Null };
        visit_borrowed_str(text: &'de str) => Node::Text(text);
        visit_str(text: &str) => Node::Owned(text.into());
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push(Node::Null);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let nodes = self.0;
        let at = nodes.len();
        nodes.push(Node::Null);
        let mut len = 0;
        while items.next_element_seed(Append(nodes))?.is_some() {
            len += 1;
        }
        nodes[at] = Node::Array { len, span: nodes.len() - at };
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let nodes = self.0;
        let at = nodes.len();
        nodes.push(Node::Null);
        let mut len = 0;
        while members.next_key_seed(Name(nodes))?.is_some() {
            members.next_value_seed(Append(nodes))?;
            len += 1;
        }
        nodes[at] = Node::Object { len, span: nodes.len() - at };
        Ok(())
    }
}

/// Appends the name of a member.
struct Name<'n, 'de>(&'n mut Vec<Node<'de>>);

impl<'de> DeserializeSeed<'de> for Name<'_, 'de> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    scalars! {
        visit_borrowed_str(text: &'de str) => Node::Text(text);
        visit_str(text: &str) => Node::Owned(text.into());
    }
}
