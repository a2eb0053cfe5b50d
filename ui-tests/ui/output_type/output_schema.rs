use bdk::prelude::*;

#[derive(Serialize)]
struct NoSchema {}

/// No schema to advertise.
#[tool(output_schema)]
fn plain() -> NoSchema { // MISTAKE
    NoSchema {}
}

/// No schema to advertise, in a `Result`.
#[tool(output_schema)]
async fn in_a_result() -> Result<NoSchema> { // MISTAKE
    Ok(NoSchema {})
}

/// The envelope has no schema of its own.
#[tool(output_schema)]
fn envelope() -> ToolOutput { // MISTAKE
    ToolOutput::text("x")
}

fn main() {}
