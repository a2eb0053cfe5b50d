//! Types of every shape that serde's derive knows.

use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Marker;

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Empty {}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct Wrapped<T>(pub(super) T);

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Pair(pub(super) u8, pub(super) Option<String>);

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) mass: f64,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ship {
    pub(super) crates: Vec<Crate>,
    #[serde(default)]
    pub(super) deck: BTreeMap<String, Vec<u8>>,
    pub(super) light: Option<Light>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Light {
    Red,
    Green,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) enum Shape {
    Nothing,
    One(u8),
    Two(u8, String),
    Zero(),
    Named { left: u8, right: i64 },
    Inside(Crate),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Tagged {
    Bare,
    Counted { count: u32 },
    Crated(Crate),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "t", content = "c")]
pub(super) enum Adjacent {
    Bare,
    One(u8),
    Named { left: u8 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Untagged {
    Count(u8),
    Weight(f64),
    Name(String),
    Many(Vec<Untagged>),
    Crated(Crate),
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Inner {
    pub(super) count: u32,
    pub(super) ratio: Option<f64>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Flat {
    pub(super) own: u8,
    #[serde(flatten)]
    pub(super) inner: Inner,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Rest {
    pub(super) own: i8,
    #[serde(flatten)]
    pub(super) rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Aliased {
    #[serde(alias = "old")]
    pub(super) new: u8,
}

/// A type with a word of its own.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = String;
    fn try_from(n: u32) -> Result<Self, String> {
        if n.is_multiple_of(2) { Ok(Self(n)) } else { Err(format!("{n} is odd")) }
    }
}

/// Refuses everything.
#[derive(Debug)]
pub(super) struct Never;

impl<'de> Deserialize<'de> for Never {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Refuse;
        impl Visitor<'_> for Refuse {
            type Value = Never;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("something else")
            }
        }
        deserializer.deserialize_any(Refuse)
    }
}

/// Text or numbers, as `serde_bytes` reads them.
#[derive(Debug, PartialEq)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Bytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Read)
    }
}
