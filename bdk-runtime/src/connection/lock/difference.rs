//! What changed between two definitions of a tool, in words.

use super::LockedTool;
use crate::cut;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// One tool that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The server's own name for it.
    pub(crate) tool: String,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Added,
    Removed,
    /// Which parts of its definition.
    Changed(Vec<&'static str>),
}

/// The members of a definition, and what they are called.
const PARTS: [(&str, &str); 5] = [
    ("title", "title"),
    ("description", "description"),
    ("inputSchema", "input schema"),
    ("outputSchema", "output schema"),
    ("annotations", "annotations"),
];

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = cut::quoted(&self.tool, 80);
        match &self.what {
            What::Added => write!(f, "the tool {tool} was added"),
            What::Removed => write!(f, "the tool {tool} was removed"),
            What::Changed(parts) => write!(f, "the tool {tool} changed: {}", parts.join(", ")),
        }
    }
}

/// What is not as it was, by the tools' names.
pub(crate) fn differences(was: &BTreeMap<String, LockedTool>, is: &BTreeMap<String, LockedTool>) -> Vec<Difference> {
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let what = |name: &String| match (was.get(name), is.get(name)) {
        (None, _) => Some(What::Added),
        (_, None) => Some(What::Removed),
        (Some(was), Some(is)) => {
            let parts = PARTS.iter().filter(|(member, _)| was.get(member) != is.get(member));
            let parts: Vec<&str> = parts.map(|(_, words)| *words).collect();
            (!parts.is_empty()).then_some(What::Changed(parts))
        }
    };
    names.into_iter().filter_map(|name| Some(Difference { tool: name.clone(), what: what(name)? })).collect()
}
