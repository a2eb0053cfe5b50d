use bdk::prelude::*;

/// Misspelt.
#[tool(time_args = ["sinse"])] // MISTAKE
fn misspelt(since: String) {
    let _ = since;
}

/// Twice.
#[tool(time_args = ["since", "since"])] // MISTAKE
fn twice(since: String) {
    let _ = since;
}

/// Not a list.
#[tool(time_args = "since")] // MISTAKE
fn no_list(since: String) {
    let _ = since;
}

/// Of what is lent.
#[tool(time_args = ["ctx"])] // MISTAKE
fn lent(ctx: &ToolContext) {
    let _ = ctx;
}

fn main() {}
