use bdk::prelude::*;

const TEXT: &str = "9";

/// A length that is a text.
#[tool]
fn length(
    #[arg(length(max = TEXT))] a: String, // MISTAKE
) {
    let _ = a;
}

fn main() {}
