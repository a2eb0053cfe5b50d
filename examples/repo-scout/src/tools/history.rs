//! `file_history`: what happened to a file since an instant.

use crate::{
    checkout::Checkout,
    git::history::{self, FileHistory},
};
use bdk::prelude::*;

/// List the commits that changed a file since an instant, newest first.
///
/// Each with id, author, time and subject. For whose lines a file is made of now, use `blame_summary`.
#[tool(effect = "read", time_args = ["since"], output_schema)]
fn file_history(
    repo: &Checkout,
    ctx: &ToolContext,
    /// The file (or folder), relative to the checkout's root, like `src/main.rs`. It may have been deleted since.
    path: String,
    /// List commits made at this instant or later.
    since: Timestamp,
    /// Whether to go on under the old name where the file was renamed.
    #[arg(default = true)]
    follow: bool,
    /// How many commits to list at most.
    #[arg(range(min = 1, max = 500), default = 50)]
    limit: usize,
) -> Result<FileHistory> {
    Ok(history::of_file(&repo.open(ctx.as_of())?, &path, since, follow, limit)?)
}
