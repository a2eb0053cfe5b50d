//! What `small` does, with its progress told on the way.

use crate::shapes::Inspection;
use bdk::prelude::*;

/// Say whether a branch is ready to be released, step by step.
#[tool(effect = "read")]
async fn walk(
    ctx: &ToolContext,
    /// The repository, by owner and name.
    repository: String,
    /// The branch to look at.
    branch: String,
) -> Result<Inspection> {
    for step in 1..=3 {
        ctx.progress(step, 3, "a step").await;
    }
    Ok(Inspection::of(repository, branch))
}
