//! `tools diff FILE`: what changed since a listing was saved, and whether it breaks those who call the tools.

mod schema;

use super::{
    output::{self, Stop},
    tools::listing,
};
use crate::bot::Bot;
use clap::builder::styling::AnsiColor;
use schema::{Change, Kind};
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write, path::Path, process::ExitCode};

/// Compares the saved listing with this bot's.
pub(super) fn run(file: &Path) -> Result<ExitCode, Stop> {
    let shown = file.display();
    let text = std::fs::read(file).map_err(|e| Stop::usage(format!("`{shown}` cannot be read: {e}")))?;
    let no_listing = |why: &str| Stop::usage(format!("`{shown}` is no listing saved with `tools --json`: {why}"));
    let saved: Value = serde_json::from_slice(&text).map_err(|e| no_listing(&e.to_string()))?;
    let old = by_name(&saved).ok_or_else(|| no_listing("it is no array of tools"))?;
    let current = listing(&Bot::load()?);
    let new = by_name(&current).unwrap_or_default();
    let verdicts = compare(&old, &new);

    let mut out = String::new();
    for (severity, label, color) in [
        (Severity::Breaking, "breaking", AnsiColor::Red),
        (Severity::Compatible, "compatible", AnsiColor::Green),
        (Severity::Noted, "noted", AnsiColor::Cyan),
    ] {
        let style = color.on_default().bold();
        for (_, what) in verdicts.iter().filter(|(s, _)| *s == severity) {
            let _ = writeln!(out, "{style}{label}{style:#}: {what}");
        }
    }
    let breaking = verdicts.iter().any(|(severity, _)| *severity == Severity::Breaking);
    if verdicts.is_empty() {
        out.push_str("no changes\n");
    }
    output::print_styled(&out)?;
    Ok(if breaking { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What a change means to those who call the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Severity {
    /// A call that worked may not, or its answer may not be understood.
    Breaking,
    /// What worked works.
    Compatible,
    /// Words.
    Noted,
}

type Tools<'a> = BTreeMap<&'a str, &'a Value>;

/// An array of tools, or what `GET /tools` answers.
fn by_name(listing: &Value) -> Option<Tools<'_>> {
    let tools = listing.as_array().or_else(|| listing["tools"].as_array())?;
    tools.iter().map(|tool| Some((tool["name"].as_str()?, tool))).collect()
}

fn compare(old: &Tools<'_>, new: &Tools<'_>) -> Vec<(Severity, String)> {
    let mut out = Vec::new();
    for (name, old) in old {
        match new.get(name) {
            Some(new) => tool(name, old, new, &mut out),
            None => out.push((Severity::Breaking, format!("`{name}` is gone"))),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        out.push((Severity::Compatible, format!("`{name}` is new")));
    }
    out
}

fn tool(name: &str, old: &Value, new: &Value, out: &mut Vec<(Severity, String)>) {
    for Change { kind, path, what } in schema::compare(&old["inputSchema"], &new["inputSchema"]) {
        // whoever sent what the old schema took must be understood
        let severity = match kind {
            Kind::Narrower | Kind::Gone | Kind::Unknown => Severity::Breaking,
            Kind::Wider | Kind::New => Severity::Compatible,
            Kind::Words => Severity::Noted,
        };
        out.push((severity, format!("`{name}` input {path}{what}")));
    }
    match (old.get("outputSchema"), new.get("outputSchema")) {
        (Some(old), Some(new)) => {
            for Change { kind, path, what } in schema::compare(old, new) {
                // whoever read what the old schema promised must find it
                let severity = match kind {
                    Kind::Wider | Kind::Gone | Kind::Unknown => Severity::Breaking,
                    Kind::Narrower | Kind::New => Severity::Compatible,
                    Kind::Words => Severity::Noted,
                };
                out.push((severity, format!("`{name}` output {path}{what}")));
            }
        }
        (Some(_), None) => out.push((Severity::Breaking, format!("`{name}` advertises no output schema any more"))),
        (None, Some(_)) => out.push((Severity::Compatible, format!("`{name}` advertises an output schema"))),
        (None, None) => {}
    }
    effect(name, old, new, out);
    approval(name, old, new, out);
    time_args(name, old, new, out);
    for what in ["title", "description", "annotations"] {
        if old.get(what) != new.get(what) && (what != "annotations" || old["effect"] == new["effect"]) {
            out.push((Severity::Noted, format!("`{name}` has another {what}")));
        }
    }
}

/// A read that becomes a write is stubbed in dry runs, never tried again, and no longer offered as read-only.
fn effect(name: &str, old: &Value, new: &Value, out: &mut Vec<(Severity, String)>) {
    let rank = |tool: &Value| match tool["effect"].as_str() {
        Some("read") => 0,
        Some("predicate") => 1,
        _ => 2,
    };
    let (from, to) = (&old["effect"], &new["effect"]);
    if from != to {
        let severity = match rank(new).cmp(&rank(old)) {
            std::cmp::Ordering::Greater => Severity::Breaking,
            std::cmp::Ordering::Less => Severity::Compatible,
            std::cmp::Ordering::Equal => Severity::Noted,
        };
        out.push((severity, format!("`{name}` has the effect {to}, was {from}")));
    }
}

/// A call that worked is refused where nobody can be asked, and waits for a person elsewhere.
fn approval(name: &str, old: &Value, new: &Value, out: &mut Vec<(Severity, String)>) {
    match (old["needsApproval"] == true, new["needsApproval"] == true) {
        (false, true) => out.push((Severity::Breaking, format!("`{name}` needs the approval of a person"))),
        (true, false) => out.push((Severity::Compatible, format!("`{name}` needs no approval any more"))),
        _ => {}
    }
}

/// A newly bounded argument is demanded from, and checked in, every call under asOf.
fn time_args(name: &str, old: &Value, new: &Value, out: &mut Vec<(Severity, String)>) {
    let names = |tool: &Value| -> Vec<String> {
        tool["timeArgs"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (old, new) = (names(old), names(new));
    for added in new.iter().filter(|n| !old.contains(n)) {
        out.push((Severity::Breaking, format!("`{name}` bounds `{added}` under asOf")));
    }
    for gone in old.iter().filter(|n| !new.contains(n)) {
        out.push((Severity::Compatible, format!("`{name}` bounds `{gone}` under asOf no more")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn diff(old: &Value, new: &Value) -> Vec<(Severity, String)> {
        let (old, new) = (json!([old]), json!([new]));
        compare(&by_name(&old).expect("old"), &by_name(&new).expect("new"))
    }
    fn listed(properties: &Value, required: &[&str]) -> Value {
        json!({ "name": "t", "description": "d", "effect": "read", "annotations": {}, "timeArgs": [],
            "inputSchema": { "type": "object", "properties": properties, "required": required, "additionalProperties": false } })
    }

    #[test]
    fn a_renamed_property_breaks_and_a_new_optional_one_does_not() {
        let old = listed(&json!({ "url": { "type": "string" } }), &["url"]);
        let renamed = diff(&old, &listed(&json!({ "prUrl": { "type": "string" } }), &["prUrl"]));
        assert!(
            renamed.iter().any(|(s, what)| *s == Severity::Breaking && what.contains("renamed to `prUrl`")),
            "{renamed:?}"
        );
        let wider =
            diff(&old, &listed(&json!({ "url": { "type": "string" }, "depth": { "type": "integer" } }), &["url"]));
        assert_eq!(wider, [(Severity::Compatible, "`t` input `depth`: is new, and optional".to_owned())]);
    }

    #[test]
    fn an_output_breaks_where_it_promises_less() {
        let with = |output: Value| {
            let mut tool = listed(&json!({}), &[]);
            tool["outputSchema"] = output;
            tool
        };
        let old = with(json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"] }));
        let less = with(json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": [] }));
        let more = with(
            json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": {} }, "required": ["a", "b"] }),
        );
        assert_eq!(diff(&old, &less)[0].0, Severity::Breaking);
        assert!(diff(&old, &more).iter().all(|(s, _)| *s == Severity::Compatible), "{:?}", diff(&old, &more));
        assert_eq!(diff(&old, &listed(&json!({}), &[]))[0].0, Severity::Breaking);
    }

    #[test]
    fn effects_and_bounds_break_when_they_tighten() {
        let tool = |effect: &str, bounds: &[&str]| json!({ "name": "t", "effect": effect, "timeArgs": bounds, "inputSchema": { "type": "object" } });
        assert_eq!(diff(&tool("read", &[]), &tool("write", &[]))[0].0, Severity::Breaking);
        assert_eq!(diff(&tool("undeclared", &[]), &tool("read", &[]))[0].0, Severity::Compatible);
        assert_eq!(diff(&tool("read", &[]), &tool("read", &["since"]))[0].0, Severity::Breaking);
        assert_eq!(diff(&tool("read", &["since"]), &tool("read", &[]))[0].0, Severity::Compatible);
    }

    #[test]
    fn a_new_approval_breaks_and_one_that_is_gone_does_not() {
        let (free, mut held) = (listed(&json!({}), &[]), listed(&json!({}), &[]));
        held["needsApproval"] = true.into();
        let broken = (Severity::Breaking, "`t` needs the approval of a person".to_owned());
        assert_eq!(diff(&free, &held), [broken]);
        assert_eq!(diff(&held, &free)[0].0, Severity::Compatible);
        assert_eq!(diff(&held, &held), []);
    }

    #[test]
    fn a_tool_that_is_gone_breaks_and_words_are_only_noted() {
        let (old, none) = (listed(&json!({}), &[]), json!([]));
        let listing = json!({ "tools": [old.clone()] });
        assert_eq!(
            compare(&by_name(&listing).expect("listing"), &by_name(&none).expect("empty"))[0].0,
            Severity::Breaking
        );
        let mut reworded = old.clone();
        reworded["description"] = json!("other");
        assert_eq!(diff(&old, &reworded), [(Severity::Noted, "`t` has another description".to_owned())]);
        assert_eq!(diff(&old, &old), []);
    }
}
