//! A type that is not there is one error, however often the table names it.
use bdk::prelude::*;

/// Misspelt.
#[tool(time_args = ["a"], effect = |a| if a.is_empty() { Effect::Read } else { Effect::Write })]
async fn misspelt(
    #[arg(default = "now", length(min = 1))] a: Strng, // MISTAKE
) {
    let _ = a;
}

/// Misspelt in an argument.
#[tool]
fn argument(
    a: Option<Vec<Strng>>, // MISTAKE
) {
    let _ = a;
}

fn main() {}
