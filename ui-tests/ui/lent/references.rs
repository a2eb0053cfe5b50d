use bdk::prelude::*;

trait Store {}

/// A trait object.
#[tool]
fn object(
    store: &dyn Store, // MISTAKE
) {
    let _ = store;
}

/// Mutable.
#[tool]
fn mutable(
    db: &mut Vec<u8>, // MISTAKE
) {
    let _ = db;
}

/// Twice.
#[tool]
fn twice(
    db: &&Url, // MISTAKE
) {
    let _ = db;
}

/// Owned by the caller.
#[tool]
fn string(
    text: &String, // MISTAKE
) {
    let _ = text;
}

/// With rules.
#[tool]
fn rules(
    #[arg(default)] db: &Url, // MISTAKE
) {
    let _ = db;
}

fn main() {}
