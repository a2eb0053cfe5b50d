use bdk::prelude::*;

/// Not ASCII.
#[tool]
fn größe() {} // MISTAKE

/// 65 characters.
#[tool]
fn a2345678901234567890123456789012345678901234567890123456789012345() {} // MISTAKE

/// A dot.
#[tool(name = "a.b")] // MISTAKE
fn dot() {}

/// Empty.
#[tool(name = "")] // MISTAKE
fn empty() {}

fn main() {}
