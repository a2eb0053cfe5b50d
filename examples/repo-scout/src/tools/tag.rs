//! `create_tag`: the one tool that writes. In a dry run it answers with what `dry_run_result` says, and does not run.

use crate::{
    checkout::Checkout,
    git::tag::{self, CreatedTag},
};
use bdk::prelude::*;

/// Create a tag in the local repository.
///
/// Nothing is pushed, and a tag that is there already is not moved.
#[tool(
    effect = "write",
    output_schema,
    check = |name, annotated, message| tag::check(name, *annotated, message.as_deref()),
    dry_run_result = |name, target, annotated| CreatedTag {
        name: name.clone(),
        target: target.clone(),
        commit: None,
        annotated: *annotated,
        created: false,
    }
)]
fn create_tag(
    repo: &Checkout,
    ctx: &ToolContext,
    /// The tag's name, like `v1.2.0`.
    #[arg(length(min = 1, max = 200))]
    name: String,
    /// What to tag: a branch, a tag, a commit id, or an expression like `HEAD~3`.
    #[arg(length(min = 1, max = 250), default = "HEAD".into())]
    target: String,
    /// Whether the tag carries a message, its tagger and the time, as a release's does.
    #[arg(default = false)]
    annotated: bool,
    /// The message of an annotated tag.
    message: Option<String>,
) -> Result<CreatedTag> {
    // `check` has seen to it that there is a message exactly if the tag is annotated.
    let message = message.as_deref().filter(|_| annotated);
    Ok(tag::create(&repo.open(ctx.as_of())?, name, target, message, ctx.now())?)
}
