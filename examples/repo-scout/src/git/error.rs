//! What can go wrong, told so that a model or the operator knows what to do next.

use bdk::prelude::Timestamp;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "`{0}` is not in a git repository: start the bot inside a checkout, or set REPO_SCOUT_DIR to a folder in one"
    )]
    NotARepository(String),
    #[error(
        "git does not trust `{0}` because another user owns it: allow it with `git config --global --add safe.directory {0}`"
    )]
    ForeignOwner(String),
    #[error("the repository has no commits yet: ask again after the first one")]
    NoCommits,
    #[error("nothing had been committed on this branch by {0}: ask about a later instant")]
    NoCommitsBefore(Timestamp),
    #[error(
        "there is no revision `{0}`: give a branch, a tag, a commit id (4 hex digits or more) or an expression like `HEAD~3`"
    )]
    UnknownRevision(String),
    #[error("more than one object's id starts with `{0}`: give more digits of it")]
    AmbiguousRevision(String),
    #[error("`{0}` is not a commit: give a branch, a tag or a commit id")]
    NotACommit(String),
    #[error("`{revision}` was committed at {at}, after {as_of}, the instant this call looks from: name an earlier one")]
    AfterAsOf { revision: String, at: Timestamp, as_of: Timestamp },
    #[error("`{path}` is not tracked{}", did_you_mean(near))]
    NotTracked { path: String, near: Vec<String> },
    #[error("`{0}` is not a file: name a tracked file")]
    NotAFile(String),
    #[error("`{0}` is binary: only lines of text have authors")]
    Binary(String),
    #[error("`{0}` lies outside the checkout: give a path relative to its root, like `src/main.rs`")]
    OutsideCheckout(String),
    #[error("there is a tag `{0}` already, and tags are not moved: choose another name")]
    TagExists(String),
    #[error("an annotated tag needs a tagger: set `git config user.name` and `git config user.email`")]
    NoIdentity,
    #[error("git: {}", .0.message())]
    Git(#[from] git2::Error),
}

fn did_you_mean(names: &[String]) -> String {
    match names {
        [] => ": give its path from the checkout's root, as `git ls-files` prints it".into(),
        [one] => format!("; did you mean `{one}`?"),
        several => format!("; did you mean one of `{}`?", several.join("`, `")),
    }
}
