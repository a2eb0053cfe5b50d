//! What the tools find out, in plain functions over git2; nothing in this folder knows of tools.
//!
//! Every instant is a commit's committer time, which is what `git log --since` goes by. Everything is read from
//! commits, never from the working tree, so that an answer about a past instant is exact.

pub mod blame;
pub mod churn;
pub mod diff;
mod error;
#[cfg(test)]
pub mod fixture;
pub mod history;
mod paths;
mod repo;
pub mod tag;
pub mod todos;

pub use error::{Error, Result};
pub use repo::{Repo, discover};
