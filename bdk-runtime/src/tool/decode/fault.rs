//! What is wrong with a value, and where: what callers see, and the error that serde carries up.

use super::words;
use serde::de::{self, Expected, Unexpected};
use std::fmt::{self, Display, Write as _};

/// One step of the path to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A property.
    Key(String),
    /// An item, from 0.
    Index(usize),
}

/// A path as callers read it: `crates[0].mass`; a name that would be misread stands in brackets: `counts["a.b"]`.
pub(crate) fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        // writing to a `String` cannot fail
        let _ = match step {
            Step::Index(index) => write!(text, "[{index}]"),
            Step::Key(key) if !is_plain(key) => write!(text, "[{key:?}]"),
            Step::Key(key) if text.is_empty() => write!(text, "{key}"),
            Step::Key(key) => write!(text, ".{key}"),
        };
    }
    text
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'))
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

impl Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { expected, received } => write!(f, "expected {expected}, received {received}"),
            Self::UnknownVariant { received, known } => {
                write!(f, "`{received}` is not one of the allowed values ({})", listed(known))
            }
            Self::UnknownField { name, known } => {
                write!(f, "there is no property `{name}` (known: {})", listed(known))
            }
            Self::Missing(name) => write!(f, "the property `{name}` is missing"),
            Self::Duplicate(name) => write!(f, "the property `{name}` came twice"),
            Self::Custom(message) => f.write_str(message),
        }
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Where and why a value is no `T`.
///
/// Displayed with its path: "`crates[0].mass`: expected a number, received string \"heavy\"".
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeFault {
    /// From the parameter's value down to the fault. A missing or unknown field is told at the object that has it.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub kind: FaultKind,
}

impl Display for DecodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", path_text(&self.path))?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for DecodeFault {}

/// A fault on its way up. Its path stands innermost step first, so that each level pushes; boxed, so that a success
/// moves one word.
#[derive(Debug)]
pub(super) struct Unwinding(Box<DecodeFault>);

impl Unwinding {
    #[cold]
    pub(super) fn new(kind: FaultKind) -> Self {
        Self(Box::new(DecodeFault { path: Vec::new(), kind }))
    }

    pub(super) fn invalid(expected: impl Into<String>, received: impl Into<String>) -> Self {
        Self::new(FaultKind::Invalid { expected: expected.into(), received: received.into() })
    }

    #[cold]
    pub(super) fn under_key(mut self, key: &str) -> Self {
        self.0.path.push(Step::Key(key.to_owned()));
        self
    }

    #[cold]
    pub(super) fn under_index(mut self, index: usize) -> Self {
        self.0.path.push(Step::Index(index));
        self
    }

    /// With other words for what came, if it is about that.
    pub(super) fn received(mut self, words: String) -> Self {
        if let FaultKind::Invalid { received, .. } = &mut self.0.kind {
            *received = words;
        }
        self
    }

    /// A fault of a property's name. A field that there is not is told at the object, a key of a map at the key.
    #[cold]
    pub(super) fn of_key(self, key: &str) -> Self {
        match self.0.kind {
            FaultKind::UnknownField { .. } => self,
            _ => self.under_key(key),
        }
    }

    #[cold]
    pub(super) fn into_fault(mut self) -> DecodeFault {
        self.0.path.reverse();
        *self.0
    }
}

impl Display for Unwinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}

impl std::error::Error for Unwinding {}

impl de::Error for Unwinding {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(FaultKind::Custom(message.to_string()))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid(words::expected(&expected.to_string()), words::received(unexpected))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::invalid(words::expected(&expected.to_string()), words::items(length))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(FaultKind::UnknownVariant { received: variant.to_owned(), known: expected })
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(FaultKind::UnknownField { name: field.to_owned(), known: expected })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(FaultKind::Missing(field))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(FaultKind::Duplicate(field))
    }
}
