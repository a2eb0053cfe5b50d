//! What came of a server's answer, as the rest of the bot knows it.

use super::{Called, Failed, Kind, unread};
use crate::{Error, ToolOutput};
use serde_json::{Value, value::RawValue};

impl Called {
    /// The envelope that the call ends with: `_meta` is between the server and the bot. What JSON has and no text or number of
    /// ours can hold is handed on as near as it can be: U+FFFD for half a surrogate pair, a text for a number out of range.
    ///
    /// # Errors
    /// When it is nested too deep.
    pub(crate) fn into_output(self, connection: &str) -> Result<ToolOutput, Failed> {
        let read = |json: &RawValue| {
            unread::read(json.get(), |json| serde_json::from_str(json)).map_err(|error| {
                Failed::bare(Kind::Unreadable, format!("its result {}", unread::plain(&error))).on(connection)
            })
        };
        let mut output = ToolOutput::default();
        if let Value::Array(content) = read(&self.content)? {
            output = output.with_content(content);
        }
        if let Some(structured) = &self.structured {
            output = output.structured(read(structured)?);
        }
        Ok(if self.is_error { output.error() } else { output })
    }
}

impl Failed {
    /// Whether the server is not to be had now, whatever is asked of it.
    pub(crate) fn is_not_there(&self) -> bool {
        matches!(self.kind, Kind::Unknown | Kind::Closed | Kind::Open | Kind::Paused | Kind::Full | Kind::Pinned)
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        if failed.is_not_there() {
            return Self::unavailable(failed.words);
        }
        // with itself as its cause, which tells whether trying again may help
        Self::with_source(failed.words.clone(), failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(structured: &str) -> Result<ToolOutput, Failed> {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let content = raw(r#"[{"type":"text","text":"so \ud83d far"}]"#);
        Called { content, structured: Some(raw(structured)), is_error: false }.into_output("it")
    }

    #[test]
    fn a_result_that_no_text_or_number_of_ours_can_hold_is_handed_on_all_the_same() {
        let output = output(r#"{"cut":"\ud83d","huge":[1e999,1.5]}"#).unwrap();
        assert_eq!(output.content()[0]["text"], "so \u{fffd} far");
        let expected = serde_json::json!({ "cut": "\u{fffd}", "huge": ["1e999", 1.5] });
        assert_eq!(output.structured_content(), Some(&expected));
    }

    #[test]
    fn a_result_that_is_nested_too_deep_is_an_error_that_says_so() {
        let failed = output(&("[".repeat(300) + &"]".repeat(300))).unwrap_err();
        assert_eq!(failed.words, "connection `it`: its result is nested more than 127 levels deep");
        assert_eq!(failed.kind, Kind::Unreadable);
    }
}
