//! What bdk's own calls return.

use std::fmt;

/// An error of bdk's own calls, for whoever runs the bot. It implements [`std::error::Error`], so that `?` takes it into
/// a [`crate::ToolError`].
pub struct Error {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    unavailable: bool,
}

impl Error {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None, unavailable: false }
    }
    /// Something that the tool needs and that is not there now: a call that ends with it is `unavailable`.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self { unavailable: true, ..Self::new(message) }
    }
    pub(crate) fn is_unavailable(&self) -> bool {
        self.unavailable
    }
    /// An error with this text and its cause.
    pub fn with_source(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { message: message.into(), source: Some(source.into()), unavailable: false }
    }
}

/// An error with its sources, each once: many print their source themselves.
pub(crate) fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut out = String::new();
    for error in chain(error) {
        let text = error.to_string();
        if out.is_empty() {
            out = text;
        } else if !out.contains(&text) {
            out.push_str(": ");
            out.push_str(&text);
        }
    }
    out
}

/// An error and its sources; bounded, because a chain may be a circle.
pub(crate) fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |e: &&'a (dyn std::error::Error + 'static)| (*e).source()).take(32)
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&words(self))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}
