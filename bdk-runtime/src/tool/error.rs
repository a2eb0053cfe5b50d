//! A tool's error, and how a transient one is told from one that will stay.

use std::{any::Any, error::Error, fmt, sync::Arc, time::Duration};

/// Whether trying again may help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transience {
    /// Not said: found out from the chain of sources.
    Unknown,
    /// It may help, after this time if one is known.
    Transient(Option<Duration>),
    /// It will not.
    Permanent,
}

/// What went wrong in a tool: any error, and whether trying again may help.
///
/// `?` takes every `std::error::Error`, `anyhow::Error`, `String` and `&str` into it. It implements no `Error` itself
/// (the blanket conversion would then clash); what bdk's own calls return, [`crate::Error`], does.
///
/// ```
/// use bdk::ToolError;
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     if text.is_empty() {
///         return Err("the text is empty".into());
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(parse("").unwrap_err().to_string(), "the text is empty");
/// assert_eq!(parse("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
pub struct ToolError(Box<Inner>);

struct Inner {
    source: Source,
    transience: Transience,
}

/// anyhow's error is kept as it is: in a `Box<dyn Error>` it hides the error it was made from, and with it an io error's kind.
enum Source {
    Std(Box<dyn Error + Send + Sync>),
    Anyhow(anyhow::Error),
}

impl Source {
    fn new<E: Into<Box<dyn Error + Send + Sync>> + 'static>(error: E) -> Self {
        let mut error = Some(error);
        match (&mut error as &mut dyn Any).downcast_mut::<Option<anyhow::Error>>().and_then(Option::take) {
            Some(error) => Self::Anyhow(error),
            None => match error {
                Some(error) => Self::Std(error.into()),
                None => Self::Std("no error".into()),
            },
        }
    }
    fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        match self {
            Self::Std(error) => &**error,
            Self::Anyhow(error) => error.as_ref(),
        }
    }
}

impl ToolError {
    fn with<E: Into<Box<dyn Error + Send + Sync>> + 'static>(error: E, transience: Transience) -> Self {
        Self(Box::new(Inner { source: Source::new(error), transience }))
    }
    /// An error that trying again may cure: a read is tried again, a write says that its outcome is unknown.
    pub fn transient(error: impl Into<Box<dyn Error + Send + Sync>> + 'static) -> Self {
        Self::with(error, Transience::Transient(None))
    }
    /// An error that trying again will not cure, whatever its sources look like.
    pub fn permanent(error: impl Into<Box<dyn Error + Send + Sync>> + 'static) -> Self {
        Self::with(error, Transience::Permanent)
    }
    /// When to try again; makes the error transient. A wait of more than 10 s is not waited for.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.transience = Transience::Transient(Some(wait));
        self
    }
    /// An error that several callers get.
    pub(crate) fn shared(error: Arc<Self>) -> Self {
        let transience = error.transience();
        Self::with(SharedError(error), transience)
    }
    /// What its maker said of trying again.
    pub fn transience(&self) -> Transience {
        self.0.transience
    }
    /// The error itself, with its sources.
    pub fn source(&self) -> &(dyn Error + Send + Sync + 'static) {
        self.0.source.as_error()
    }
}

/// Prints and chains as the error it shares.
struct SharedError(Arc<ToolError>);

impl fmt::Debug for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for SharedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // the error itself, not its source: what it is decides whether it is transient
        Some(self.0.source())
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.source(), f)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.source(), f)
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>> + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::with(error, Transience::Unknown)
    }
}

/// What a tool's `Err` may be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's error",
    label = "not a tool error",
    note = "a tool's error is `bdk::ToolError`, a type that implements `std::error::Error + Send + Sync`, `anyhow::Error`, `String` or `&'static str`"
)]
pub trait IntoToolError {
    /// Turns it into a [`ToolError`].
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> IntoToolError for E {
    fn into_tool_error(self) -> ToolError {
        self.into()
    }
}

impl From<ToolError> for anyhow::Error {
    fn from(error: ToolError) -> Self {
        match error.0.source {
            Source::Std(error) => Self::from_boxed(error),
            Source::Anyhow(error) => error,
        }
    }
}
