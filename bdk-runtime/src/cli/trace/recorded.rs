//! A session as its events tell it: its facts, and its calls with what they came to.

use crate::{Timestamp, session::Facts};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{collections::HashMap, time::Duration};

/// What happened in a session, in the order in which it began; what a call's tool called stands behind the call.
pub(super) struct Trace {
    pub(super) id: String,
    pub(super) facts: Facts,
    pub(super) opened: Timestamp,
    /// What was last said of how it is: `waiting`, `completed`, `failed`.
    pub(super) status: String,
    /// How many events it has.
    pub(super) events: usize,
    pub(super) entries: Vec<Entry>,
}

pub(super) enum Entry {
    Call(Box<Call>),
    Other { at: Timestamp, kind: String, data: Box<RawValue> },
}

/// A call of a tool.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) input: Kept,
    /// `read`, `write`, or `undecided` where the input was refused before that was known.
    pub(super) effect: String,
    pub(super) caller: String,
    /// The call whose tool made this one.
    parent: Option<String>,
    /// How many calls are above it: 0 of a caller's own.
    pub(super) depth: usize,
    /// When it began.
    pub(super) at: Timestamp,
    /// What it came to; none of one that runs, or was cut off.
    pub(super) ended: Option<Ended>,
}

/// What a call came to.
pub(super) struct Ended {
    pub(super) result: Kept,
    pub(super) duration_ms: u64,
    pub(super) attempts: u32,
    pub(super) stubbed: bool,
    /// The error's code.
    pub(super) error: Option<String>,
}

/// JSON as the log keeps it.
pub(super) struct Kept {
    pub(super) json: Box<RawValue>,
    /// How many bytes it had, where the log has the text of its beginning alone.
    pub(super) cut: Option<usize>,
}

impl Call {
    /// Whether a person or a shutdown ended it, so that it came to nothing that says anything about the tool.
    pub(super) fn was_cancelled(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.error.as_deref() == Some("cancelled"))
    }
}

impl Kept {
    /// The text that was cut off somewhere, or the JSON.
    pub(super) fn text(&self) -> String {
        match self.cut {
            Some(_) => serde_json::from_str(self.json.get()).unwrap_or_else(|_| self.json.get().to_owned()),
            None => self.json.get().to_owned(),
        }
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    index: u64,
    #[serde(rename = "type")]
    kind: String,
    at: Timestamp,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct Requested {
    actions: Vec<Action>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Action {
    call_id: String,
    tool_name: String,
    input: Box<RawValue>,
    #[serde(default)]
    input_bytes: Option<usize>,
    #[serde(default = "undecided")]
    effect: String,
    #[serde(default)]
    caller: String,
    #[serde(default)]
    parent: Option<String>,
}

fn undecided() -> String {
    "undecided".to_owned()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    call_id: String,
    result: Box<RawValue>,
    #[serde(default)]
    result_bytes: Option<usize>,
    duration_ms: u64,
    attempts: u32,
    stubbed: bool,
    #[serde(default)]
    error: Option<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    code: String,
}

impl Trace {
    /// Reads a session's events, one a line.
    ///
    /// # Errors
    /// When one of them is not what bdk writes.
    pub(super) fn read(id: &str, lines: &[String]) -> Result<Self, String> {
        let mut began = None;
        let mut status = String::from("waiting");
        let mut entries: Vec<(Timestamp, Entry)> = Vec::new();
        // where a call stands among the entries
        let mut calls: HashMap<String, usize> = HashMap::new();
        for line in lines {
            let event: Event<'_> =
                serde_json::from_str(line).map_err(|e| format!("an event of {id} cannot be read: {e}"))?;
            let unreadable = |e: serde_json::Error| {
                format!("event {} of {id}, `{}`, cannot be read by this version of bdk: {e}", event.index, event.kind)
            };
            let data = event.data.get();
            match event.kind.as_str() {
                "session.started" if began.is_none() => {
                    began = Some((event.at, serde_json::from_str::<Facts>(data).map_err(unreadable)?));
                }
                "actions.requested" => {
                    for action in serde_json::from_str::<Requested>(data).map_err(unreadable)?.actions {
                        calls.insert(action.call_id.clone(), entries.len());
                        entries.push((event.at, Entry::Call(Box::new(action.call(event.at)))));
                    }
                }
                "action.result" => {
                    let outcome: Outcome = serde_json::from_str(data).map_err(unreadable)?;
                    match calls.get(&outcome.call_id).and_then(|at| entries.get_mut(*at)) {
                        Some((began, Entry::Call(call))) => {
                            // a read's beginning is written with its end
                            call.at = call.at.min(before(event.at, outcome.duration_ms));
                            *began = call.at;
                            call.ended = Some(outcome.ended());
                        }
                        _ => entries.push((event.at, other(&event))),
                    }
                }
                kind => {
                    if let Some(said @ ("waiting" | "completed" | "failed")) = kind.strip_prefix("session.") {
                        said.clone_into(&mut status);
                    }
                    entries.push((event.at, other(&event)));
                }
            }
        }
        let (opened, facts) = began.ok_or_else(|| format!("the events of {id} do not begin with `session.started`"))?;
        // those of the same millisecond stay as they were written
        entries.sort_by_key(|(at, _)| *at);
        let entries = nested(entries.into_iter().map(|(_, entry)| entry), &calls);
        Ok(Self { id: id.to_owned(), facts, opened, status, events: lines.len(), entries })
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Call(call) => Some(&**call),
            Entry::Other { .. } => None,
        })
    }
}

/// Puts the calls that a call's tool made behind it. A call that is not in the log, since it was cut off, has none behind it.
fn nested(entries: impl Iterator<Item = Entry>, known: &HashMap<String, usize>) -> Vec<Entry> {
    let mut below: HashMap<String, Vec<Entry>> = HashMap::new();
    let mut top = Vec::new();
    for entry in entries {
        match &entry {
            Entry::Call(call) => match call.parent.clone().filter(|parent| known.contains_key(parent)) {
                Some(parent) => below.entry(parent).or_default().push(entry),
                None => top.push(entry),
            },
            Entry::Other { .. } => top.push(entry),
        }
    }
    // the next one is the last
    let mut rest: Vec<(usize, Entry)> = top.into_iter().rev().map(|entry| (0, entry)).collect();
    let mut out = Vec::with_capacity(rest.len());
    while let Some((depth, mut entry)) = rest.pop() {
        if let Entry::Call(call) = &mut entry {
            call.depth = depth;
            let below = below.remove(&call.id).unwrap_or_default();
            rest.extend(below.into_iter().rev().map(|entry| (depth + 1, entry)));
        }
        out.push(entry);
    }
    out
}

fn before(at: Timestamp, ms: u64) -> Timestamp {
    at.checked_sub(Duration::from_millis(ms)).map_or(at, Timestamp::from)
}

fn other(event: &Event<'_>) -> Entry {
    Entry::Other { at: event.at, kind: event.kind.clone(), data: event.data.to_owned() }
}

impl Action {
    fn call(self, at: Timestamp) -> Call {
        Call {
            id: self.call_id,
            tool: self.tool_name,
            input: Kept { json: self.input, cut: self.input_bytes },
            effect: self.effect,
            caller: self.caller,
            parent: self.parent,
            depth: 0,
            at,
            ended: None,
        }
    }
}

impl Outcome {
    fn ended(self) -> Ended {
        Ended {
            result: Kept { json: self.result, cut: self.result_bytes },
            duration_ms: self.duration_ms,
            attempts: self.attempts,
            stubbed: self.stubbed,
            error: self.error.map(|fault| fault.code),
        }
    }
}
