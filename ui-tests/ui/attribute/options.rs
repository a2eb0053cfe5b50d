use bdk::prelude::*;

/// A misspelt option.
#[tool(efect = "read")] // MISTAKE
fn misspelt() {}

/// The same one twice.
#[tool(
    effect = "read",
    effect = "write", // MISTAKE
)]
fn twice() {}

/// Another crate's word.
#[tool(read_only)] // MISTAKE
fn elsewhere() {}

/// No value.
#[tool(title)] // MISTAKE
fn no_value() {}

/// No such duration.
#[tool(timeout = "soon")] // MISTAKE
fn soon() {}

/// No such way.
#[tool(unknown_fields = "deny")] // MISTAKE
fn deny() {}

/// A flag has no value.
#[tool(needs_approval = "always")] // MISTAKE
fn always() {}

fn main() {}
