use bdk::prelude::*;

#[derive(Serialize)]
struct NoSchema {}

/// No schema to advertise.
#[tool(output_schema)] // MISTAKE
fn plain() -> NoSchema {
    NoSchema {}
}

/// No schema to advertise, in a `Result`.
#[tool(output_schema)] // MISTAKE
async fn in_a_result() -> Result<NoSchema> {
    Ok(NoSchema {})
}

/// The envelope has no schema of its own.
#[tool(output_schema)] // MISTAKE
fn envelope() -> ToolOutput {
    ToolOutput::text("x")
}

fn main() {}
