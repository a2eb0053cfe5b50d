use bdk::prelude::*;

/// Misspelt.
#[tool(effect = |comit| if *comit { Effect::Write } else { Effect::Read })] // MISTAKE
fn misspelt(commit: bool) {
    let _ = commit;
}

/// What is lent.
#[tool(check = |ctx| if ctx.is_dry_run() { Err("no") } else { Ok(()) })] // MISTAKE
fn lent(ctx: &ToolContext) {
    let _ = ctx;
}

/// Async.
#[tool(effect = async |commit| Effect::Write)] // MISTAKE
fn later(commit: bool) {
    let _ = commit;
}

/// No name.
#[tool(effect = |(a, b)| Effect::Write)] // MISTAKE
fn pattern(a: bool, b: bool) {
    let _ = (a, b);
}

/// No closure.
#[tool(check = "a < b")] // MISTAKE
fn text(a: u32, b: u32) {
    let _ = (a, b);
}

fn main() {}
