//! A result without a name.
use bdk::prelude::*;

/// An iterator.
#[tool]
fn iterator() -> impl Iterator<Item = u32> { // MISTAKE
    0..7
}

/// A future.
#[tool]
fn future() -> impl Future<Output = u32> { // MISTAKE
    std::future::ready(7)
}

/// An iterator, later.
#[tool]
async fn later() -> Result<impl Iterator<Item = u32>> { // MISTAKE
    Ok(0..7)
}

fn main() {}
