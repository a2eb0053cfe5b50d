//! What running a tool does to the world.

/// What a call does to the world, decided per call where the author gives a predicate.
///
/// ```
/// use bdk::Effect;
/// let commit = false;
/// let effect = if commit { Effect::Write } else { Effect::Read };
/// assert_eq!(effect, Effect::Read);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Changes nothing: runs in a dry run, and is tried again after a transient failure.
    Read,
    /// Changes something: stubbed in a dry run, and run at most once.
    Write,
}

impl Effect {
    /// `"read"` or `"write"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}
