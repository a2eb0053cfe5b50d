//! Two strings in, four fields out.

use crate::shapes::Inspection;
use bdk::prelude::*;

/// Say whether a branch is ready to be released.
#[tool(effect = "read")]
async fn small(
    /// The repository, by owner and name.
    repository: String,
    /// The branch to look at.
    branch: String,
) -> Result<Inspection> {
    Ok(Inspection::of(repository, branch))
}
