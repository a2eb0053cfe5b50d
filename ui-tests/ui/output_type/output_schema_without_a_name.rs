use bdk::prelude::*;

/// No name to ask for a schema.
#[tool(output_schema)] // MISTAKE
fn unnamed() -> impl Serialize {
    7
}

fn main() {}
