//! Writing a tool's result as JSON, once, refusing what JSON cannot hold.

use super::{Json, Output, decode::Step};
use serde::Serialize;
use std::fmt;

/// Where and why a result is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeFault {
    /// From the result down to the fault.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for EncodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EncodeFault {}

/// Serialises a result.
///
/// # Errors
/// NaN and the infinities, integers beyond 64 bits, maps whose keys are no text, and what the type's own `Serialize` refuses.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Output, EncodeFault> {
    let text = serde_json::to_string(value).map_err(|e| EncodeFault { path: Vec::new(), message: e.to_string() })?;
    let object = text.starts_with('{');
    Ok(Output::Json(Json { text, object }))
}
