//! `?` in a tool takes every error, and nothing that is none.
use bdk::prelude::*;

struct NoError;

fn read() -> Result<u32, NoError> {
    Err(NoError)
}

/// No error.
#[tool]
async fn question() -> Result<u32> {
    Ok(read()?) // MISTAKE
}

/// An `Option`.
#[tool]
fn option(text: String) -> Result<char> {
    Ok(text.chars().next()?) // MISTAKE
}

fn main() {}
