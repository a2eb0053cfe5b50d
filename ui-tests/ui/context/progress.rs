use bdk::prelude::*;

/// Says how far it is in words.
#[tool(effect = "read")]
async fn words(ctx: &ToolContext) {
    ctx.progress("half", 10, "on the way").await; // MISTAKE
}

/// The whole is another number's `Option`.
#[tool(effect = "read")]
async fn whole(size: Option<u64>, ctx: &ToolContext) {
    ctx.progress(1, size, "on the way").await; // MISTAKE
}

/// Asks with a number.
#[tool(effect = "read")]
async fn asks(ctx: &ToolContext) -> Result<bool> {
    Ok(ctx.ask(7).await?.accepted()) // MISTAKE
}

fn main() {}
