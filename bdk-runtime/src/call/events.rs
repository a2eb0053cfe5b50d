//! What a call leaves in its session's log: `actions.requested` and `action.result`.

use super::{CallState, bound::Bound, outcome::Told};
use crate::{Effect, cut, secrets, store::NewEvent, tool::Output};
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use std::borrow::Cow;

/// How many bytes of JSON an input or a result has in a log at most.
pub(crate) const LOGGED: usize = 64 * 1024;

#[derive(Serialize)]
struct Requested<'a> {
    actions: [Action<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Action<'a> {
    call_id: &'a str,
    tool_name: &'a str,
    input: Logged<'a>,
    /// How long its JSON is, where it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_bytes: Option<usize>,
    effect: &'a str,
    caller: String,
    /// The call whose tool made this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a str>,
}

/// JSON as it is, or the beginning of its text.
#[derive(Serialize)]
#[serde(untagged)]
enum Logged<'a> {
    Whole(&'a RawValue),
    Value(Value),
    Cut(&'a str),
}

/// JSON as a log holds it, and its length where it was cut.
fn logged(json: &str) -> (Logged<'_>, Option<usize>) {
    if json.len() > LOGGED {
        return (Logged::Cut(cut::bytes(json, LOGGED)), Some(json.len()));
    }
    // an event is one line
    match serde_json::from_str::<&RawValue>(json) {
        Ok(raw) if !json.contains(['\n', '\r']) => (Logged::Whole(raw), None),
        _ => (Logged::Value(serde_json::from_str(json).unwrap_or_else(|_| json.into())), None),
    }
}

/// The call was asked for.
pub(super) fn requested(state: &CallState, bound: &Bound) -> NewEvent {
    let principal = state.principal();
    // before it is cut, which could leave half a secret
    let input = secrets::blank_json(bound.input.get());
    let (input, input_bytes) = match &input {
        Cow::Borrowed(text) if text.len() <= LOGGED => (Logged::Whole(&bound.input), None),
        _ => logged(&input),
    };
    let action = Action {
        call_id: &state.call_id,
        tool_name: state.tool().name(),
        input,
        input_bytes,
        effect: state.effect().map_or("undecided", Effect::as_str),
        caller: format!("{}:{}", principal.kind, principal.subject),
        parent: state.with_callers().nth(1).map(|caller| &*caller.call_id),
    };
    // texts and values always serialise
    let data = serde_json::to_string(&Requested { actions: [action] }).unwrap_or_default();
    NewEvent { kind: "actions.requested", data }
}

/// It has ended.
pub(super) fn result(told: &Told<'_>, output: &Output) -> NewEvent {
    let mut json = Vec::with_capacity(output.size_hint());
    // what cannot be written is told as such by the front
    let _ = output.write_json(&mut json);
    let json = String::from_utf8(json).unwrap_or_default();
    let (result, bytes) = logged(&json);
    let mut data = Vec::with_capacity(json.len().min(LOGGED) + 256);
    data.push(b'{');
    let _ = told.write(&mut data, |out| {
        serde_json::to_writer(&mut *out, &result)?;
        if let Some(bytes) = bytes {
            out.extend_from_slice(b",\"resultBytes\":");
            serde_json::to_writer(out, &bytes)?;
        }
        Ok(())
    });
    data.push(b'}');
    NewEvent { kind: "action.result", data: String::from_utf8(data).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> (String, Option<usize>) {
        let (logged, bytes) = logged(json);
        (serde_json::to_string(&logged).unwrap(), bytes)
    }

    #[test]
    fn json_stays_as_it_is_on_one_line_and_a_long_one_is_cut() {
        assert_eq!(shown("{\"a\": 1e2}"), ("{\"a\": 1e2}".to_owned(), None));
        assert_eq!(shown("{\n\"a\": \"b\\n\"}"), ("{\"a\":\"b\\n\"}".to_owned(), None));
        let long = format!("\"{}\"", "ä".repeat(LOGGED));
        let (cut, bytes) = shown(&long);
        assert_eq!(bytes, Some(long.len()));
        let cut: String = serde_json::from_str(&cut).unwrap();
        assert!(long.starts_with(&cut) && cut.len() <= LOGGED && cut.len() > LOGGED - 4);
    }
}
