use bdk::prelude::*;

const SPACED: &str = "a b";
const EMPTY: &str = "";

/// A space in a constant.
#[tool(name = SPACED)] // MISTAKE
fn spaced() {}

#[tool(description = EMPTY)] // MISTAKE
fn empty() {}

fn main() {}
