//! Why a result is no JSON, and where.

use crate::tool::{Step, path_text};
use std::fmt::{self, Display};

/// Where and why a result is no JSON.
///
/// Displayed as a sentence: "`readings[3].value` is NaN, which JSON cannot hold".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeFault {
    /// From the result down to the fault.
    pub path: Vec<Step>,
    /// What is wrong there, to follow the path in a sentence: "is NaN, which JSON cannot hold".
    pub message: String,
}

impl Display for EncodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "the result {}", self.message)
        } else {
            write!(f, "`{}` {}", path_text(&self.path), self.message)
        }
    }
}

impl std::error::Error for EncodeFault {}

/// A fault on its way up. Its path stands innermost step first, so that each level pushes; boxed, so that a success
/// moves little.
#[derive(Debug)]
pub(super) struct Unwinding {
    fault: Box<EncodeFault>,
    /// No steps are wanted.
    whole: bool,
}

impl Unwinding {
    #[cold]
    fn new(message: String) -> Self {
        Self { fault: Box::new(EncodeFault { path: Vec::new(), message }), whole: false }
    }

    pub(super) fn not_finite(value: f64) -> Self {
        Self::new(format!("is {}, which JSON cannot hold", float_name(value)))
    }

    pub(super) fn too_wide(value: &dyn Display) -> Self {
        Self::new(format!("is {value}, an integer beyond 64 bits, which JSON cannot hold; write it as text"))
    }

    /// Told of the result as a whole: a path of so many steps helps nobody.
    pub(super) fn too_deep(most: u32) -> Self {
        let mut fault = Self::new(format!("is nested more than {most} levels deep, which readers of JSON refuse"));
        fault.whole = true;
        fault
    }

    pub(super) fn no_key(key: &str) -> Self {
        Self::new(format!("has {key} as a map key, which JSON cannot hold; keys must be text or numbers"))
    }

    pub(super) fn no_finite_key(value: f64) -> Self {
        Self::no_key(float_name(value))
    }

    pub(super) fn no_text() -> Self {
        Self::new("cannot be written as text: its `Display` failed".to_owned())
    }

    /// What the author's own `Serialize` said.
    pub(super) fn refused(message: &dyn Display) -> Self {
        Self::new(format!("cannot be written as JSON: {message}"))
    }

    #[cold]
    pub(super) fn under_key(mut self, key: &str) -> Self {
        if !self.whole {
            self.fault.path.push(Step::Key(key.to_owned()));
        }
        self
    }

    #[cold]
    pub(super) fn under_index(mut self, index: usize) -> Self {
        if !self.whole {
            self.fault.path.push(Step::Index(index));
        }
        self
    }

    pub(super) fn into_fault(mut self) -> EncodeFault {
        self.fault.path.reverse();
        *self.fault
    }
}

impl Display for Unwinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fault.message)
    }
}

impl std::error::Error for Unwinding {}

fn float_name(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value.is_sign_positive() {
        "infinity"
    } else {
        "-infinity"
    }
}
