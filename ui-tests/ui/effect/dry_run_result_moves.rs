//! What a closure is lent cannot be moved out of it.
use bdk::prelude::*;

/// Moves.
#[tool(effect = "write", dry_run_result = |version| *version)] // MISTAKE
fn moves(version: String) -> String {
    version
}

/// Moves a field.
#[tool(effect = "write", dry_run_result = |q| q.version)] // MISTAKE
fn moves_a_field(Input(q): Input<Query>) -> String {
    q.version
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    version: String,
}

fn main() {}
