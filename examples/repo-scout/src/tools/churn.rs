//! `churn`: who changed how much in a stretch of time.

use crate::{
    checkout::Checkout,
    git::churn::{self, Churn},
};
use bdk::prelude::*;

/// Sum up lines added, lines removed and commits by author in a stretch of time.
///
/// Whoever changed most comes first. Merges are not counted.
#[tool(
    effect = "read",
    time_args = ["since", "until"],
    output_schema,
    check = |since, until| in_order(since, until.as_ref())
)]
fn churn(
    repo: &Checkout,
    ctx: &ToolContext,
    /// Count commits made at this instant or later.
    since: Timestamp,
    /// Count commits made at this instant or before; without it, up to now.
    until: Option<Timestamp>,
    /// Count only what changed in this file or folder, relative to the checkout's root, like `src/`.
    path: Option<String>,
    /// How many authors to list at most; the totals count all.
    #[arg(range(min = 1, max = 500), default = 50)]
    limit: usize,
) -> Result<Churn> {
    Ok(churn::by_author(&repo.open(ctx.as_of())?, since, until, path.as_deref(), limit)?)
}

fn in_order(since: &Timestamp, until: Option<&Timestamp>) -> Result<(), String> {
    match until {
        Some(until) if until < since => Err(format!("`until` ({until}) is before `since` ({since}): swap them")),
        _ => Ok(()),
    }
}
