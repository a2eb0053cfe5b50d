//! Values in `#[arg]` that are of another type.
use bdk::prelude::*;

const TEXT: &str = "9";
const NUMBER: u32 = 9;

#[derive(Deserialize, JsonSchema)]
struct NoDefault {}

/// A default of another type.
#[tool]
fn default_of_another_type(
    #[arg(default = 7)] a: String, // MISTAKE
    #[arg(default = vec![1, 2])] b: Option<Vec<u32>>, // MISTAKE
    #[arg(default)] c: NoDefault, // MISTAKE
) {
    let _ = (a, b, c);
}

/// Rules of another type.
#[tool]
fn rules_of_another_type(
    #[arg(range(min = TEXT))] a: u32, // MISTAKE
    #[arg(pattern = NUMBER)] b: String, // MISTAKE
    #[arg(format = NUMBER)] c: String, // MISTAKE
    #[arg(inner(pattern = NUMBER))] d: Vec<String>, // MISTAKE
) {
    let _ = (a, b, c, d);
}

fn main() {}
