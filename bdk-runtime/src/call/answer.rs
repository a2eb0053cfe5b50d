//! What came back to a question.

use crate::{Error, tool::decode};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What came back to a [`Question`](crate::Question).
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a no is an answer, too: look at `.accepted()`, or turn a no into an error with `.value()?`"]
#[non_exhaustive]
pub enum Answer {
    /// Yes, with what was filled in: an object that fits the form; empty where there was none. Of a
    /// [`Question::request`](crate::Question::request), the answer as it came.
    Accepted(Value),
    /// No.
    Declined,
    /// Neither: the question was dismissed.
    Cancelled,
}

impl Answer {
    /// Whether it is a yes.
    pub fn accepted(&self) -> bool {
        matches!(self, Self::Accepted(_))
    }
    /// What was filled in.
    pub fn content(&self) -> Option<&Value> {
        match self {
            Self::Accepted(content) => Some(content),
            Self::Declined | Self::Cancelled => None,
        }
    }
    /// What was filled in, as a `T`.
    ///
    /// ```
    /// # use bdk::Answer;
    /// # use serde_json::json;
    /// assert_eq!(Answer::Accepted(json!({ "row": 3 })).value::<std::collections::HashMap<String, u8>>()?["row"], 3);
    /// assert_eq!(Answer::Declined.value::<String>().unwrap_err().to_string(), "the question was declined");
    /// # Ok::<(), bdk::Error>(())
    /// ```
    ///
    /// # Errors
    /// When it was declined or dismissed, or is no `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        match self {
            Self::Accepted(content) => {
                decode(content).map_err(|fault| Error::new(format!("the answer is not what was expected: {fault}")))
            }
            Self::Declined => Err(Error::new("the question was declined")),
            Self::Cancelled => Err(Error::new("the question was dismissed without an answer")),
        }
    }
}
