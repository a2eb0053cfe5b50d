use bdk::prelude::*;

/// Misspelt.
#[tool(effect = "reed")] // MISTAKE
fn misspelt() {}

/// The variant.
#[tool(effect = Effect::Read)] // MISTAKE
fn variant() {}

/// A write is never repeated.
#[tool(effect = "write", attempts = 5)] // MISTAKE
fn attempts() {}

/// A read runs in a dry run.
#[tool(effect = "read", dry_run_result = || ())] // MISTAKE
fn dry() {}

fn main() {}
