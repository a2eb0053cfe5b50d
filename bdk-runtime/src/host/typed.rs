//! What the functions call that `mcp lock` writes.

use super::Mcp;
use crate::{Error, ToolOutput};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

impl Mcp {
    /// Calls a tool and reads what it answers. Not public API: for the functions that `mcp lock` writes.
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool), and when the tool says that its answer is an error, or the answer is no `T`.
    #[doc(hidden)]
    pub async fn typed<T: DeserializeOwned>(
        &self,
        connection: &str,
        tool: &str,
        args: &impl Serialize,
    ) -> Result<T, Error> {
        let answer = self.answered(connection, tool, serde_json::to_value(args)).await?;
        answer.json().map_err(|error| {
            Error::new(format!("connection `{connection}`: the answer of `{tool}` is not what mcp.lock has: {error}"))
        })
    }

    /// The same for a tool that says nothing of its answers.
    #[doc(hidden)]
    pub async fn untyped(&self, connection: &str, tool: &str, args: &impl Serialize) -> Result<ToolOutput, Error> {
        self.answered(connection, tool, serde_json::to_value(args)).await
    }

    async fn answered(
        &self,
        connection: &str,
        tool: &str,
        input: serde_json::Result<Value>,
    ) -> Result<ToolOutput, Error> {
        let input = input.map_err(|error| Error::new(format!("the input of `{tool}` is no JSON: {error}")))?;
        let answer = self.call_tool(connection, tool, input).await?;
        if !answer.is_error() {
            return Ok(answer);
        }
        let texts: Vec<&str> = answer.content().iter().filter_map(|part| part["text"].as_str()).collect();
        let words = texts.join("\n");
        let silent = words.trim().is_empty();
        Err(Error::new(if silent {
            format!("connection `{connection}`: `{tool}` failed without a word")
        } else {
            words
        }))
    }
}
