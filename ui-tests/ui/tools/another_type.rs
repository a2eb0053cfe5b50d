use bdk::prelude::*;

#[tools]
fn one() -> ToolDefinition { // MISTAKE
    ToolDefinition::new("one")
}

#[tools]
fn fallible() -> Result<Vec<ToolDefinition>> { // MISTAKE
    Ok(Vec::new())
}

fn main() {}
