use bdk::prelude::*;

/// No function.
#[tool]
struct Tool; // MISTAKE

/// Not one of its own.
#[tool]
fn bodiless(); // MISTAKE

fn main() {}
