//! What `small` does, with a parameter that 2026-07-28 has clients repeat in a header, where it must agree.

use crate::shapes::Inspection;
use bdk::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// A branch that something on the way routes by.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-mcp-header" = "Branch"), inline)]
struct Branch(String);

/// Say whether a branch is ready to be released, by a routed call.
#[tool(effect = "read")]
async fn routed(
    /// The repository, by owner and name.
    repository: String,
    /// The branch to look at.
    branch: Branch,
) -> Result<Inspection> {
    Ok(Inspection::of(repository, branch.0))
}
