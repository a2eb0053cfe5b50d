//! `todos`: comments that ask for work.

use crate::{
    checkout::Checkout,
    git::todos::{self, Todos},
};
use bdk::prelude::*;

/// List the comments that start with TODO, FIXME or XXX in tracked files, with author and age.
///
/// Sorted by path and line; where `total` says that there are more than the limit, narrow by `path`.
#[tool(effect = "read", output_schema)]
fn todos(
    repo: &Checkout,
    ctx: &ToolContext,
    /// Search only this file or folder, relative to the checkout's root, like `src/`.
    path: Option<String>,
    /// How many to list at most; the total counts all.
    #[arg(range(min = 1, max = 500), default = 50)]
    limit: usize,
) -> Result<Todos> {
    // A blocking tool cannot be stopped from outside: a long search has to look whether anybody still waits for it.
    let nobody_waits = || ctx.is_cancelled();
    Ok(todos::find(&repo.open(ctx.as_of())?, path.as_deref(), limit, ctx.now(), nobody_waits)?)
}
