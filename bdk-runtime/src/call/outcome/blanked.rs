//! A finished call without the secrets that its tool, or its caller's own input, would have told.

use super::CallError;
use crate::{
    secrets::{blank, blank_json, blank_value},
    tool::{Output, ToolOutput},
};
use serde_json::Value;
use std::borrow::Cow;

/// Blanks what the tool returned, or what is told of its failure.
#[cold]
pub(super) fn output(output: &mut Output) {
    match output {
        Output::Unit => {}
        Output::Text(text) => in_place(text, blank),
        Output::Json(json) => in_place(&mut json.text, blank_json),
        Output::Envelope(output) => envelope(output),
    }
}

/// Blanks what is told of an input's faults.
#[cold]
pub(super) fn error(error: &mut CallError) {
    for issue in &mut error.issues {
        in_place(&mut issue.path, blank);
        in_place(&mut issue.message, blank);
        issue.expected.iter_mut().chain(&mut issue.received).for_each(|text| in_place(text, blank));
    }
}

fn envelope(output: &mut ToolOutput) {
    let (parts, structured) = output.parts_mut();
    for part in parts {
        // bytes in base64 are no text
        let bytes = match part["type"].as_str() {
            Some("image" | "audio") => "/data",
            Some("resource") => "/resource/blob",
            _ => "",
        };
        let kept = part.pointer_mut(bytes).filter(|_| !bytes.is_empty()).map(Value::take);
        blank_value(part);
        if let (Some(kept), Some(place)) = (kept, part.pointer_mut(bytes)) {
            *place = kept;
        }
    }
    structured.into_iter().for_each(blank_value);
}

fn in_place(text: &mut String, blank: impl for<'a> Fn(&'a str) -> Cow<'a, str>) {
    if let Cow::Owned(blanked) = blank(text) {
        *text = blanked;
    }
}
