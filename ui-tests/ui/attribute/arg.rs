use bdk::prelude::*;

/// Mistakes in `#[arg]`.
#[tool]
fn arg(
    #[arg(rnage(min = 1))] range: u32, // MISTAKE
    #[arg(min = 1)] min: u32, // MISTAKE
    #[arg(range(min = "1"))] text: u32, // MISTAKE
    #[arg(range(min = 5, max = 1))] empty: u32, // MISTAKE
    #[arg(pattern = 5)] pattern: String, // MISTAKE
    #[arg] alone: u32, // MISTAKE
    #[schemars(range(min = 1))] schemars: u32, // MISTAKE
) {
    let _ = (range, min, text, empty, pattern, alone, schemars);
}

fn main() {}
