//! With arguments it is a `String`, which no constant holds.
use bdk::prelude::*;

const NAME: &str = "Ada";

#[tool(description = prompt!("Hello {NAME}"))] // MISTAKE
fn hello() {}

fn main() {}
