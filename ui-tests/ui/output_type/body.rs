//! A mistake in a body is told as in any function.
use bdk::prelude::*;

/// Another type than it says.
#[tool]
async fn another(a: u32) -> String {
    a // MISTAKE
}

/// No such method.
#[tool]
fn method(a: String) -> usize {
    a.lenght() // MISTAKE
}

fn main() {}
