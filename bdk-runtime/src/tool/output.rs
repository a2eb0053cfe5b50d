//! What a tool returns, on its way to the caller: serialised once, here.

use super::{ToolError, encode};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What a run of a tool ends with.
pub type ToolResult = Result<Output, ToolError>;

/// A tool's success, serialised.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// `()`: `null` in JSON, `Done.` to the model.
    Unit,
    /// A string, to the model verbatim.
    Text(String),
    /// Anything else that is `Serialize`.
    Json(Json),
    /// The envelope.
    Envelope(Box<ToolOutput>),
}

impl Output {
    /// About how many bytes its JSON has.
    pub(crate) fn size_hint(&self) -> usize {
        match self {
            Self::Json(json) => json.text.len(),
            Self::Text(text) => text.len(),
            Self::Unit | Self::Envelope(_) => 128,
        }
    }
    /// Writes its JSON.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Unit => out.extend_from_slice(b"null"),
            Self::Text(text) => serde_json::to_writer(out, text)?,
            Self::Json(json) => out.extend_from_slice(json.text.as_bytes()),
            Self::Envelope(envelope) => serde_json::to_writer(out, &envelope.wire())?,
        }
        Ok(())
    }
    /// Its JSON, parsed.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Unit => Value::Null,
            Self::Text(text) => Value::String(text),
            // written by `encode`, so that it parses; a string keeps whatever a bug made of it readable
            Self::Json(json) => serde_json::from_str(&json.text).unwrap_or(Value::String(json.text)),
            Self::Envelope(envelope) => envelope.to_value(),
        }
    }
}

/// A serialised value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json {
    /// The JSON text.
    pub text: String,
    /// Whether it is an object, so that it can be structured content.
    pub object: bool,
}

/// What a tool may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool",
    label = "not a tool result",
    note = "return a `String`, a type that implements `Serialize` (`#[derive(Serialize)]`), `ToolOutput`, or a `Result` of one of them"
)]
pub trait ToolValue {
    /// Serialises it.
    fn into_output(self) -> ToolResult;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolValue for T {
    fn into_output(self) -> ToolResult {
        Ok(encode(&self)?)
    }
}

#[diagnostic::do_not_recommend]
impl ToolValue for ToolOutput {
    fn into_output(self) -> ToolResult {
        Ok(Output::Envelope(Box::new(self)))
    }
}

/// The MCP envelope, for results that are more than one value: content parts, structured content, an error flag.
///
/// It gets no structured content that it does not set.
///
/// ```
/// use bdk::ToolOutput;
/// let out = ToolOutput::text("A chart.").image([0x89, b'P'], "image/png");
/// assert_eq!(out.content()[1]["mimeType"], "image/png");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    content: Vec<Value>,
    structured: Option<Value>,
    is_error: bool,
}

impl ToolOutput {
    /// An envelope with one text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and_text(text)
    }
    /// A further text part.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.part(json!({ "type": "text", "text": text.into() }))
    }
    /// An image part, sent in base64.
    #[must_use]
    pub fn image(self, bytes: impl AsRef<[u8]>, mime: impl Into<String>) -> Self {
        self.part(json!({ "type": "image", "data": BASE64.encode(bytes.as_ref()), "mimeType": mime.into() }))
    }
    /// An audio part, sent in base64.
    #[must_use]
    pub fn audio(self, bytes: impl AsRef<[u8]>, mime: impl Into<String>) -> Self {
        self.part(json!({ "type": "audio", "data": BASE64.encode(bytes.as_ref()), "mimeType": mime.into() }))
    }
    /// A link to a resource.
    #[must_use]
    pub fn resource_link(self, uri: impl Into<String>, name: impl Into<String>) -> Self {
        self.part(json!({ "type": "resource_link", "uri": uri.into(), "name": name.into() }))
    }
    /// A resource itself, as text.
    ///
    /// ```
    /// # use bdk::ToolOutput;
    /// let out = ToolOutput::text("The plan:").resource("file:///plan.md", "text/markdown", "# Plan");
    /// assert_eq!(out.content()[1]["resource"]["text"], "# Plan");
    /// ```
    #[must_use]
    pub fn resource(self, uri: impl Into<String>, mime: impl Into<String>, text: impl Into<String>) -> Self {
        let resource = json!({ "uri": uri.into(), "mimeType": mime.into(), "text": text.into() });
        self.part(json!({ "type": "resource", "resource": resource }))
    }
    /// A resource itself, as bytes, sent in base64.
    ///
    /// ```
    /// # use bdk::ToolOutput;
    /// let out = ToolOutput::default().blob_resource("file:///logo.png", "image/png", [0x89, b'P']);
    /// let resource = serde_json::json!({ "uri": "file:///logo.png", "mimeType": "image/png", "blob": "iVA=" });
    /// assert_eq!(out.content()[0], serde_json::json!({ "type": "resource", "resource": resource }));
    /// ```
    #[must_use]
    pub fn blob_resource(self, uri: impl Into<String>, mime: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let resource = json!({ "uri": uri.into(), "mimeType": mime.into(), "blob": BASE64.encode(bytes.as_ref()) });
        self.part(json!({ "type": "resource", "resource": resource }))
    }
    /// The structured content.
    #[must_use]
    pub fn structured(mut self, value: Value) -> Self {
        self.structured = Some(value);
        self
    }
    /// Marks it as an error that the model can read.
    #[must_use]
    pub fn error(mut self) -> Self {
        self.is_error = true;
        self
    }
    /// With these parts as they are.
    #[cfg(feature = "connections")]
    pub(crate) fn with_content(mut self, content: Vec<Value>) -> Self {
        self.content = content;
        self
    }
    fn part(mut self, part: Value) -> Self {
        self.content.push(part);
        self
    }
    /// The content parts.
    pub fn content(&self) -> &[Value] {
        &self.content
    }
    /// The structured content, if it has any.
    pub fn structured_content(&self) -> Option<&Value> {
        self.structured.as_ref()
    }
    /// Whether it is marked as an error.
    pub fn is_error(&self) -> bool {
        self.is_error
    }
    /// Reads the structured content, or else the first text part as JSON.
    ///
    /// # Errors
    /// When there is neither, or it is no `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, crate::Error> {
        let read = match (&self.structured, self.content.iter().find_map(|p| p["text"].as_str())) {
            (Some(value), _) => T::deserialize(value),
            (None, Some(text)) => serde_json::from_str(text),
            (None, None) => return Err(crate::Error::new("the output has neither structured content nor a text part")),
        };
        read.map_err(|e| crate::Error::new(format!("the output is not what was expected: {e}")))
    }
    /// As `{content, structuredContent?, isError?}`.
    pub fn to_value(&self) -> Value {
        // made of `Value`s, so that it cannot fail
        serde_json::to_value(self.wire()).unwrap_or_default()
    }
    /// All that may be told of it.
    pub(crate) fn parts_mut(&mut self) -> (&mut [Value], Option<&mut Value>) {
        (&mut self.content, self.structured.as_mut())
    }
    /// What MCP's clients get of a result.
    #[cfg(feature = "connections")]
    pub(crate) fn of(output: Output) -> Self {
        match output {
            Output::Envelope(envelope) => *envelope,
            Output::Unit => Self::text("Done."),
            Output::Text(text) => Self::text(text),
            json @ Output::Json(_) => match json.into_value() {
                object @ Value::Object(_) => Self::text(object.to_string()).structured(object),
                other => Self::text(other.to_string()),
            },
        }
    }
    /// From what [`to_value`](Self::to_value) gave.
    pub(crate) fn from_value(value: Value) -> Self {
        let Value::Object(mut members) = value else { return Self::default() };
        let content = match members.shift_remove("content") {
            Some(Value::Array(content)) => content,
            _ => Vec::new(),
        };
        let is_error = members.get("isError") == Some(&Value::Bool(true));
        Self { content, structured: members.shift_remove("structuredContent"), is_error }
    }
    pub(crate) fn wire(&self) -> Wire<'_> {
        Wire { content: &self.content, structured_content: self.structured.as_ref(), is_error: self.is_error }
    }
}

/// How an envelope is written. [`ToolOutput`] itself must not be `Serialize`: that is how a tool's result is told from a value.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Wire<'a> {
    content: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}
