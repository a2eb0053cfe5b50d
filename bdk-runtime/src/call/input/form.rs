//! The two forms of an input: a tree that can be changed, and a document that can only be read, for a fraction of the cost.

use crate::tool::doc::{self, Doc, JsonRef};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, value::RawValue};
use std::sync::LazyLock;

/// What a caller sent.
#[derive(Debug, Clone)]
pub(crate) enum CallInput<'a> {
    /// From a program, or whatever else makes trees.
    Value(Value),
    /// From a text.
    Doc(Doc<'a>),
}

impl<'a> CallInput<'a> {
    /// `{}`
    pub(crate) fn empty() -> Self {
        Self::Doc(Doc::empty_object())
    }
    pub(crate) fn is_null(&self) -> bool {
        match self {
            Self::Value(value) => value.is_null(),
            Self::Doc(doc) => doc.is_null(),
        }
    }
    /// To be read.
    pub(crate) fn json(&self) -> JsonRef<'_> {
        match self {
            Self::Value(value) => value.into(),
            Self::Doc(doc) => JsonRef::nodes(&doc.nodes),
        }
    }
    /// As it was sent, on one line: `3.0` stays what it is, which [`json`](Self::json) reads as `3`.
    pub(crate) fn to_json(&self) -> Box<RawValue> {
        match self {
            Self::Value(value) => doc::to_json(value),
            Self::Doc(doc) => doc.to_json(),
        }
    }
    /// As it was sent.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Doc(doc) => doc.to_value(),
        }
    }
}

impl From<Value> for CallInput<'_> {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// Whether another crate turned on serde_json's `arbitrary_precision`. Then numbers come as their digits, which a document
/// has no room for.
static ARBITRARY: LazyLock<bool> = LazyLock::new(|| serde_json::from_str::<Value>("1e1000").is_ok());

impl<'de> Deserialize<'de> for CallInput<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if *ARBITRARY {
            Value::deserialize(deserializer).map(Self::Value)
        } else {
            Doc::deserialize(deserializer).map(Self::Doc)
        }
    }
}
