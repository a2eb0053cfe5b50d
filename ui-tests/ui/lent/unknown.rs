use bdk::prelude::*;

/// Misspelt.
#[tool]
async fn lent(
    db: &Databse, // MISTAKE
) {
    let _ = db;
}

fn main() {}
