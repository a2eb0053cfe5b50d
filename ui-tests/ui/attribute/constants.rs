//! Options that may be constants, whose types only rustc knows.
use bdk::prelude::*;

const NUMBER: u32 = 7;

/// A title that is a number.
#[tool(title = NUMBER)] // MISTAKE
fn title() {}

/// A name that is a number.
#[tool(name = NUMBER)] // MISTAKE
fn name() {}

#[tool(description = NUMBER)] // MISTAKE
fn description() {}

/// A schema that is a text.
#[tool(input_schema = "{}")] // MISTAKE
fn input(input: Value) {
    let _ = input;
}

/// A schema that is a number.
#[tool(output_schema = NUMBER)] // MISTAKE
fn output() {}

fn main() {}
