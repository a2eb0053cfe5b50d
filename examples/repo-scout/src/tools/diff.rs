//! `diff_summary`: what changed between two revisions.

use crate::{
    checkout::Checkout,
    git::diff::{self, DiffSummary},
};
use bdk::prelude::*;

/// Tell what changed from one revision to another: files, lines added and removed, renames.
///
/// The two are compared as they are, like `git diff FROM TO`.
#[tool(effect = "read", output_schema)]
fn diff_summary(
    repo: &Checkout,
    ctx: &ToolContext,
    /// The revision to compare from: a branch, a tag, a commit id, or an expression like `HEAD~3`.
    #[arg(length(min = 1, max = 250))]
    from: String,
    /// The revision to compare to.
    #[arg(length(min = 1, max = 250), default = "HEAD".into())]
    to: String,
    /// How many files to list at most; the totals count all.
    #[arg(range(min = 1, max = 500), default = 50)]
    limit: usize,
) -> Result<DiffSummary> {
    Ok(diff::summary(&repo.open(ctx.as_of())?, &from, &to, limit)?)
}
