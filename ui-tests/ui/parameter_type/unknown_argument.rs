//! One that is not there, as another's argument: rustc tells it of the function and of the table, in other words.
use bdk::prelude::*;

/// Misspelt in an argument.
#[tool]
fn argument(
    a: Option<Vec<Strng>>, // MISTAKE
) {
    let _ = a;
}

fn main() {}
