//! What is wrong with a bot, told to its author.

use crate::tool::At;
use serde::Serialize;
use std::fmt;

/// Whether a problem stops the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The bot does not start.
    Error,
    /// `validate` tells it; the bot starts.
    Warning,
}

/// One thing that is wrong with what a binary declares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// Whether it stops the start.
    pub severity: Severity,
    /// A short name for its kind, such as `duplicate_tool`.
    pub code: &'static str,
    /// File and line, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

impl Problem {
    /// Something that stops the start.
    pub fn error(code: &'static str, at: Option<At>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, place: at.map(|at| at.to_string()), message: message.into() }
    }
    /// Something to tell.
    pub fn warning(code: &'static str, at: Option<At>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, code, place: at.map(|at| at.to_string()), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match &self.place {
            Some(place) => write!(f, "{word}: {place}: {}", self.message),
            None => write!(f, "{word}: {}", self.message),
        }
    }
}
