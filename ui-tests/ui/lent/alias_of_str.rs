//! A reference to a text by another name.
use bdk::prelude::*;

type Text = str;

/// Unsized, by another name.
#[tool]
fn alias(
    text: &Text, // MISTAKE
) {
    let _ = text;
}

fn main() {}
