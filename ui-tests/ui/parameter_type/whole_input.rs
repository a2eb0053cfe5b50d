use bdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Query {}

type Whole = Input<Query>;

/// A schema beside a type of its own.
#[tool(input_schema = json!({}))]
fn schema(
    a: String, // MISTAKE
) {
    let _ = a;
}

/// The whole input beside a part of it.
#[tool]
fn crowded(
    query: Whole, // MISTAKE
    more: u32,
) {
    let _ = (query, more);
}

fn main() {}
