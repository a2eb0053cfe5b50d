//! One item, six mistakes: all are told in one build.
use bdk::prelude::*;

#[tool(
    efect = "read", // MISTAKE
    timeout = "5 fortnights", // MISTAKE
    time_args = ["sinse"], // MISTAKE
)]
fn several( // MISTAKE
    since: &str, // MISTAKE
    #[serde(default)] limit: u32, // MISTAKE
) {
    let _ = (since, limit);
}

fn main() {}
