#![deny(unused_must_use)]
use bdk::prelude::*;

/// Says how far it is, and goes on at once.
#[tool(effect = "read")]
async fn hurries(ctx: &ToolContext) {
    ctx.progress(1, 2, "on the way"); // MISTAKE
}

/// The same on a thread.
#[tool(effect = "read")]
fn hurries_blocking(ctx: &ToolContext) {
    ctx.progress(1, 2, "on the way"); // MISTAKE
}

fn main() {}
