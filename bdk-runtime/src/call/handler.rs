//! Handlers of tools made from data: they get the context by value, because it is cheap to clone.

use super::ToolContext;
use crate::tool::{BoxFuture, CallCx, ToolDefinition, ToolError, ToolValue};
use serde_json::Value;
use std::{future::Future, sync::Arc};

impl ToolDefinition {
    /// What runs the tool. The input has passed the schema; the context is the call's own.
    ///
    /// ```
    /// use bdk::{Effect, ToolContext, ToolDefinition};
    /// use serde_json::{Value, json};
    /// ToolDefinition::new("double")
    ///     .description("Double a number.")
    ///     .input_schema(json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }))
    ///     .effect(Effect::Read)
    ///     .handler(async |input: Value, _ctx: ToolContext| {
    ///         let n = input["n"].as_i64().ok_or("n is no integer of 64 bits")?;
    ///         Ok(n * 2)
    ///     });
    /// ```
    #[must_use]
    pub fn handler<F, Fut, T>(mut self, handler: F) -> Self
    where
        F: Fn(Value, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, ToolError>> + Send + 'static,
        T: ToolValue + 'static,
    {
        self.body = Some(Arc::new(move |input: Value, cx: &CallCx| -> BoxFuture<'static> {
            let ctx = cx.lend::<ToolContext>().clone();
            let run = handler(input, ctx);
            Box::pin(async move { run.await?.into_output() })
        }));
        self
    }
}
