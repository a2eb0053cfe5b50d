//! temp
use crate::registry::Registry;
use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;
#[derive(Default)]
pub(crate) struct Listing;
pub(crate) enum Shape {
    Legacy,
    Modern,
}
pub(crate) struct BadCursor;
impl Listing {
    pub(crate) fn page(
        &self,
        registry: &Arc<Registry>,
        shape: Shape,
        _cursor: Option<&str>,
    ) -> Result<Bytes, BadCursor> {
        let tools: Vec<Value> = registry.tools().iter().map(|t| json!({"name": t.name(), "description": t.description(), "inputSchema": t.input_schema(), "annotations": t.annotations()})).collect();
        let v = match shape {
            Shape::Legacy => json!({"tools": tools}),
            Shape::Modern => json!({"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":tools}),
        };
        Ok(v.to_string().into())
    }
}
