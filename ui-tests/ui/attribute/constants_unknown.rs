use bdk::prelude::*;

/// No such constant.
#[tool(title = TITEL)] // MISTAKE
fn title() {}

/// No such constant.
#[tool(name = NAME)] // MISTAKE
fn name() {}

fn main() {}
