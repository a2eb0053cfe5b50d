//! `blame_summary`: whose lines a file is made of.

use crate::{
    checkout::Checkout,
    git::blame::{self, BlameSummary},
};
use bdk::prelude::*;

/// Tell whose lines a text file is made of.
///
/// Lines per author, and when the oldest and the newest of them were last changed: good for finding whom to ask about it.
#[tool(effect = "read", output_schema)]
fn blame_summary(
    repo: &Checkout,
    ctx: &ToolContext,
    /// A tracked text file, relative to the checkout's root, like `src/main.rs`.
    path: String,
) -> Result<BlameSummary> {
    Ok(blame::summary(&repo.open(ctx.as_of())?, &path)?)
}
