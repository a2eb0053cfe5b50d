//! A text is a default for every type that is made from one, and for no other.
use bdk::prelude::*;

/// A default of another type.
#[tool]
fn text(
    #[arg(default = "many")] a: u32, // MISTAKE
) {
    let _ = a;
}

fn main() {}
