//! What a call came to, as the store keeps it for a repetition of it.

use super::{CallError, Done};
use crate::tool::{Json, Output, ToolOutput};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An outcome that is answered again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    pub(super) call_id: String,
    pub(super) attempts: u32,
    pub(super) stubbed: bool,
    pub(super) duration_ms: u64,
    pub(super) output: Output,
    pub(super) error: Option<CallError>,
}

/// Its text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Text {
    call_id: String,
    attempts: u32,
    stubbed: bool,
    duration_ms: u64,
    /// Which kind of output it was: the fronts write each differently.
    kind: Kind,
    output: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<CallError>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Unit,
    Text,
    /// Its text as it was written, which may be laid out in any way.
    Json,
    Envelope,
}

impl Kept {
    pub(super) fn of(done: &Done) -> Self {
        Self {
            call_id: done.call_id().to_owned(),
            attempts: done.attempts(),
            stubbed: done.stubbed(),
            duration_ms: done.duration_ms,
            output: done.output.clone(),
            error: done.error.clone(),
        }
    }
    pub(super) fn to_text(&self) -> String {
        let (kind, output) = match &self.output {
            Output::Unit => (Kind::Unit, Value::Null),
            Output::Text(text) => (Kind::Text, text.as_str().into()),
            Output::Json(json) => (Kind::Json, json.text.as_str().into()),
            Output::Envelope(envelope) => (Kind::Envelope, envelope.to_value()),
        };
        let text = Text {
            call_id: self.call_id.clone(),
            attempts: self.attempts,
            stubbed: self.stubbed,
            duration_ms: self.duration_ms,
            kind,
            output,
            error: self.error.clone(),
        };
        // texts, numbers and values always serialise
        serde_json::to_string(&text).unwrap_or_default()
    }
    /// What was kept; `None` of what this version cannot read.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text: Text = serde_json::from_str(text).ok()?;
        let output = match (text.kind, text.output) {
            (Kind::Unit, _) => Output::Unit,
            (Kind::Text, Value::String(text)) => Output::Text(text),
            (Kind::Json, Value::String(text)) => {
                Output::Json(Json { object: text.trim_start().starts_with('{'), text })
            }
            (Kind::Envelope, value) => Output::Envelope(Box::new(ToolOutput::from_value(value))),
            (Kind::Text | Kind::Json, _) => return None,
        };
        Some(Self {
            call_id: text.call_id,
            attempts: text.attempts,
            stubbed: text.stubbed,
            duration_ms: text.duration_ms,
            output,
            error: text.error,
        })
    }
}

/// JSON with the members of every object in the order of their names.
pub(super) fn sorted(value: &Value) -> String {
    fn sort(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().map(|(name, value)| (name.clone(), sort(value))).collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                Value::Object(members.into_iter().collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sort).collect()),
            other => other.clone(),
        }
    }
    sort(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ErrorCode;
    use serde_json::json;

    #[test]
    fn what_is_kept_reads_back_as_it_was() {
        let error = CallError { code: ErrorCode::Timeout, issues: Vec::new(), retryable: false };
        for (output, error) in [
            (Output::Unit, None),
            (Output::Text("ä \"quoted\"".into()), None),
            (Output::Json(Json { text: "{\"a\": 1e2,\n\"b\":[]}".into(), object: true }), None),
            (Output::Json(Json { text: "[1]".into(), object: false }), None),
            (Output::Envelope(Box::new(ToolOutput::text("no").structured(json!({"a": 1})).error())), Some(error)),
        ] {
            let kept = Kept { call_id: "tool_x_a".into(), attempts: 1, stubbed: false, duration_ms: 7, output, error };
            assert_eq!(Kept::parse(&kept.to_text()), Some(kept));
        }
        assert_eq!(Kept::parse("{}"), None);
    }

    #[test]
    fn the_order_of_members_does_not_count() {
        let (a, b) = (json!({"a": [{"x": 1, "y": 2}], "b": null}), json!({"b": null, "a": [{"y": 2, "x": 1}]}));
        assert_eq!(sorted(&a), sorted(&b));
        assert_ne!(sorted(&a), sorted(&json!({"a": [{"x": 1, "y": 3}], "b": null})));
    }
}
