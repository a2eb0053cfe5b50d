//! `mcp.lock`: what the servers of a bot's connections offered when `mcp lock` ran.
//!
//! It is JSON, as the schemas in it are, with every member in the order of its name: it changes where a server changed, and nowhere
//! else. Of each tool it holds all that bdk reads of one, and a digest of that; an entry that was changed by hand no longer fits its
//! digest. [`difference`] tells a server from its entry, [`pins`] holds the servers of a running bot to theirs.
#![cfg_attr(
    not(all(feature = "commands", feature = "mcp")),
    allow(dead_code, unused_imports, reason = "without the command nobody writes it")
)]

mod difference;
mod pins;
mod place;
#[cfg(test)]
mod tests;

pub(crate) use difference::{Difference, What, differences};
pub(crate) use pins::{Pins, against, problems};
pub(crate) use place::{Found, folder, found, write};

use super::{Annotations, Declared, Listing, RemoteTool, offered};
use crate::secrets;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fmt::Write};

/// The file's name.
pub(crate) const FILE: &str = "mcp.lock";
/// What this version of bdk reads and writes.
const FORMAT: u64 = 1;

/// The whole file.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Lock {
    pub(crate) connections: BTreeMap<String, Locked>,
}

/// The tools of one connection, by the server's own names, as its filters let them through.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Locked {
    pub(crate) tools: BTreeMap<String, LockedTool>,
}

/// What a server said of a tool: an object of what MCP calls the members of a tool, but for the name, each only where the server
/// gave it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LockedTool(Value);

/// Why a file cannot be used, and the line where that shows.
#[derive(Debug, PartialEq)]
pub(crate) struct Broken {
    pub(crate) line: usize,
    pub(crate) words: String,
}

impl LockedTool {
    pub(crate) fn of(tool: &RemoteTool) -> Self {
        let mut definition = json!({ "inputSchema": tool.input_schema });
        let texts = [("title", &tool.title), ("description", &tool.description)];
        for (name, text) in texts {
            if let Some(text) = text {
                definition[name] = text.as_str().into();
            }
        }
        if let Some(schema) = &tool.output_schema {
            definition["outputSchema"] = schema.clone();
        }
        let Annotations { read_only, destructive, idempotent, open_world } = tool.annotations;
        let hints: Map<String, Value> = [
            ("readOnlyHint", read_only),
            ("destructiveHint", destructive),
            ("idempotentHint", idempotent),
            ("openWorldHint", open_world),
        ]
        .into_iter()
        .filter_map(|(name, hint)| Some((name.to_owned(), hint?.into())))
        .collect();
        if !hints.is_empty() {
            definition["annotations"] = hints.into();
        }
        Self(sorted(definition))
    }
    /// A member of the definition.
    pub(crate) fn get(&self, member: &str) -> Option<&Value> {
        self.0.get(member)
    }
    pub(crate) fn text(&self, member: &str) -> Option<&str> {
        self.get(member)?.as_str()
    }
    /// Whether a server repeats what it was told in confidence. It is kept all the same: what is not what was said would not compare.
    pub(crate) fn holds_secret(&self, name: &str) -> bool {
        let says = |text: &str| secrets::blank(text) != text;
        says(name) || says(&self.0.to_string())
    }
    /// Of the definition with the tool's name.
    fn digest(&self, name: &str) -> String {
        let mut whole = self.0.clone();
        whole["name"] = name.into();
        digest(&sorted(whole))
    }
}

impl Locked {
    /// What a server offers now.
    ///
    /// # Errors
    /// When the connection's filters leave nothing of it.
    pub(crate) fn of(declared: &Declared, listing: &Listing) -> Result<Self, String> {
        let offered = offered::offered(&declared.spec, &listing.tools)?;
        Ok(Self { tools: offered.into_iter().map(|tool| (tool.name.clone(), LockedTool::of(tool))).collect() })
    }
    /// Of all of its tools.
    pub(crate) fn digest(&self) -> String {
        digest(&self.tools.iter().map(|(name, tool)| (name.clone(), Value::from(tool.digest(name)))).collect())
    }
}

impl Lock {
    /// Of all connections.
    pub(crate) fn digest(&self) -> String {
        digest(&self.connections.iter().map(|(name, one)| (name.clone(), Value::from(one.digest()))).collect())
    }

    /// The file's text.
    pub(crate) fn write(&self) -> String {
        let connections: Map<String, Value> = self
            .connections
            .iter()
            .map(|(name, locked)| {
                let tools: Map<String, Value> = locked
                    .tools
                    .iter()
                    .map(|(name, tool)| {
                        let mut members = Map::from_iter([("digest".to_owned(), tool.digest(name).into())]);
                        members.extend(tool.0.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())));
                        (name.clone(), members.into())
                    })
                    .collect();
                (name.clone(), json!({ "digest": locked.digest(), "tools": tools }))
            })
            .collect();
        let about = "written by `mcp lock`: what the servers of this bot's connections offer";
        format!("{:#}\n", json!({ "about": about, "format": FORMAT, "connections": connections }))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is none, of another version, or was changed by hand.
    pub(crate) fn read(text: &str) -> Result<Self, Broken> {
        let whole: Value = serde_json::from_str(text).map_err(|error| {
            let merge = text.lines().any(|line| line.starts_with("<<<<<<<"));
            let why = if merge { " (it holds the marks of a merge)" } else { "" };
            Broken { line: error.line(), words: format!("it cannot be read: {error}{why}") }
        })?;
        match &whole["format"] {
            Value::Number(format) if format.as_u64() == Some(FORMAT) => {}
            Value::Number(format) => {
                let words = format!("its format is {format}, and this version of bdk knows {FORMAT}");
                return Err(Broken { line: line_of(text, "\"format\""), words });
            }
            _ => return Err(Broken { line: 1, words: "it does not say of which format it is".to_owned() }),
        }
        let none = |what: &str, line| Broken { line, words: format!("{what} is no object") };
        let entries = whole["connections"].as_object().ok_or_else(|| none("`connections`", 1))?;
        let mut lock = Self::default();
        for (connection, entry) in entries {
            let line = || line_of(text, &format!("{}: {{", Value::from(connection.as_str())));
            let tools =
                entry["tools"].as_object().ok_or_else(|| none(&format!("the entry of `{connection}`"), line()))?;
            let mut locked = Locked::default();
            for (name, tool) in tools {
                let (definition, told) = apart(tool).ok_or_else(|| none(&format!("the tool `{name}`"), line()))?;
                let tool = LockedTool(definition);
                if tool.digest(name) != told {
                    return Err(edited(&format!("`{name}` of `{connection}`"), text, &told, line()));
                }
                locked.tools.insert(name.clone(), tool);
            }
            let told = entry["digest"].as_str().unwrap_or_default();
            if locked.digest() != told {
                return Err(edited(&format!("the entry of `{connection}`"), text, told, line()));
            }
            lock.connections.insert(connection.clone(), locked);
        }
        Ok(lock)
    }
}

/// A tool's definition, and the digest beside it.
fn apart(tool: &Value) -> Option<(Value, String)> {
    let mut members = tool.as_object()?.clone();
    let told = members.shift_remove("digest")?.as_str()?.to_owned();
    members.get("inputSchema")?.as_object()?;
    Some((sorted(members.into()), told))
}

fn edited(what: &str, text: &str, digest: &str, otherwise: usize) -> Broken {
    let line = if digest.is_empty() { otherwise } else { line_of(text, digest) };
    Broken { line, words: format!("{what} does not fit its digest: it was changed by hand, or merged") }
}

/// The line that this stands on.
fn line_of(text: &str, what: &str) -> usize {
    text.lines().position(|line| line.contains(what)).map_or(1, |at| at + 1)
}

fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

/// Of JSON whose members are in order, without blanks.
fn digest(canonical: &Value) -> String {
    Sha256::digest(canonical.to_string()).iter().fold("sha256:".to_owned(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
