use bdk::prelude::*;

#[tools]
async fn later() -> Vec<ToolDefinition> { // MISTAKE
    Vec::new()
}

#[tools]
fn nothing() {} // MISTAKE

#[tools]
fn takes(
    n: u32, // MISTAKE
) -> Vec<ToolDefinition> {
    let _ = n;
    Vec::new()
}

fn main() {}
