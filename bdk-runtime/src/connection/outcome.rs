//! What came of a server's answer, as the rest of the bot knows it.

use super::{Called, Failed, Kind};
use crate::{Error, ToolOutput};
use serde_json::{Value, value::RawValue};

impl Called {
    /// The envelope that the call ends with: `_meta` is between the server and the bot.
    ///
    /// # Errors
    /// When it holds what JSON has and no text or number of ours can hold, half a surrogate pair say.
    pub(crate) fn into_output(self, connection: &str) -> Result<ToolOutput, Failed> {
        let read = |json: &RawValue| {
            serde_json::from_str::<Value>(json.get()).map_err(|error| {
                Failed::bare(Kind::Unreadable, format!("its result cannot be read: {error}")).on(connection)
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
