use bdk::prelude::*;

#[tool]
fn undocumented() {} // MISTAKE

/** */
#[tool]
fn blank() {} // MISTAKE

#[tool(description = " ")] // MISTAKE
fn empty() {}

fn main() {}
