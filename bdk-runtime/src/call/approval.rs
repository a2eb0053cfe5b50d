//! Between the dry run and the run: `needs_approval`. A person sees the exact input and says yes, or the tool does not run.
//!
//! Asked once a call, not once an attempt, and always asked: an answer that came with the call is no approval, since whoever
//! made the call made it too.

use super::{CallInput, CallState, Failure, Question, ask, line::Line};
use crate::{cut, registry::Tool, secrets, visible};
use serde_json::Value;
use std::sync::Arc;

/// So much of the input is shown, in bytes.
const SHOWN: usize = 4096;
const KEY: &str = "approval";

/// Asks for the approval of a call.
pub(super) async fn seek(tool: &Tool, state: &Arc<CallState>, input: &CallInput<'_>) -> Result<(), Failure> {
    let Some(line) = Line::to_ask(state.options.line.as_ref()) else {
        return Err(Failure::unapprovable(&format!("it needs the approval of a person, and {}", ask::NOBODY)));
    };
    let refused =
        |error: crate::Error| Failure::unapprovable(&format!("it needs the approval of a person, and {error}"));
    let question = Question::new(words(tool, &input.json().to_value()));
    ask::able(line, &question).map_err(refused)?;
    let request = question.to_request(KEY.to_owned());
    let answer = ask::put(state, line, vec![request]).await.map_err(refused)?.pop().unwrap_or_default();
    if question.read(answer).map_err(refused)?.accepted() { Ok(()) } else { Err(Failure::unapproved()) }
}

/// What the person reads.
fn words(tool: &Tool, input: &Value) -> String {
    let named = match tool.title() {
        Some(title) => format!("\"{title}\" (`{}`)", tool.name()),
        None => format!("`{}`", tool.name()),
    };
    if input.as_object().is_some_and(serde_json::Map::is_empty) {
        return format!("Allow a call of {named}, without arguments?");
    }
    // a tree of values, so that it cannot fail
    let shown = serde_json::to_string_pretty(input).unwrap_or_default();
    // before it is cut, which could leave half a secret
    let mut shown = visible::json(&secrets::blank_json(&shown));
    let all = shown.len();
    if all > SHOWN {
        shown.truncate(cut::bytes(&shown, SHOWN).len());
        shown.push_str(&format!("\n… (the first {} of {all} bytes)", shown.len()));
    }
    format!("Allow a call of {named} with this input?\n\n{shown}")
}
