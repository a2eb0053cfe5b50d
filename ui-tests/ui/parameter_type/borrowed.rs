use bdk::prelude::*;

/// A borrowed text.
#[tool]
fn text(
    a: &str, // MISTAKE
) {
    let _ = a;
}

/// A borrowed text inside.
#[tool]
fn inside(
    a: Option<&str>, // MISTAKE
) {
    let _ = a;
}

/// A borrowed list.
#[tool]
fn list(
    a: &[u32], // MISTAKE
) {
    let _ = a;
}

/// No name.
#[tool]
fn unnamed(
    a: impl Into<String>, // MISTAKE
) {
    let _ = a.into();
}

/// The context, owned.
#[tool]
fn context(
    ctx: ToolContext, // MISTAKE
) {
    let _ = ctx;
}

fn main() {}
