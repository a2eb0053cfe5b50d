//! One fault of an input, as the caller gets it.

use super::explain::Found;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;

/// So many are told; a model learns nothing from the thousandth.
const MOST: usize = 32;

/// One fault of an input.
///
/// ```
/// # use bdk::Issue;
/// let issue = Issue { path: "a".into(), message: "required, but missing".into(), expected: None, received: None };
/// assert_eq!(serde_json::to_string(&issue)?, r#"{"path":"a","message":"required, but missing"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// Where: `crates[0].mass`; empty for the input as a whole.
    pub path: String,
    /// What is wrong there, without the path.
    pub message: String,
    /// What would be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What came, cut to 80 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

/// All issues as one text.
pub(crate) fn message(tool: &str, issues: &[Issue]) -> String {
    let mut text = format!("Invalid input for \"{tool}\": ");
    for (i, issue) in issues.iter().enumerate() {
        let separator = if i > 0 { "; " } else { "" };
        // a String takes all that is written to it
        let _ = match issue.path.as_str() {
            "" => write!(text, "{separator}{}", issue.message),
            path => write!(text, "{separator}`{path}`: {}", issue.message),
        };
    }
    text
}

/// Puts the findings in the order of the schema's properties, each once; what asOf says of an argument goes before
/// what the schema says of it.
pub(super) fn settle(found: Vec<Found>, late: Vec<Issue>, schema: &Value) -> Vec<Issue> {
    let mut all: Vec<Found> = late.into_iter().map(|issue| Found { top: Some(issue.path.clone()), issue }).collect();
    let frozen: Vec<String> = all.iter().map(|f| f.issue.path.clone()).collect();
    for one in found {
        let told = all.iter().any(|f| f.issue.path == one.issue.path && f.issue.message == one.issue.message);
        if !told && !frozen.contains(&one.issue.path) {
            all.push(one);
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let place = |found: &Found| match (&found.top, properties) {
        (None, _) => 0,
        (Some(top), Some(p)) => p.keys().position(|k| k == top).map_or(usize::MAX, |i| i + 1),
        (Some(_), None) => 1,
    };
    all.sort_by_cached_key(place);
    let more = all.len().saturating_sub(MOST);
    let mut issues: Vec<Issue> = all.into_iter().take(MOST).map(|f| f.issue).collect();
    if more > 0 {
        let message = format!("and {more} more");
        issues.push(Issue { path: String::new(), message, expected: None, received: None });
    }
    issues
}
