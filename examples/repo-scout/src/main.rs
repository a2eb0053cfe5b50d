//! A bot that answers questions about a git checkout.
//!
//! Read `tools/` first: a function with `#[tool]` is a tool. `checkout.rs` makes what they share; `git/` is ordinary
//! Rust that knows nothing of bots.
#![warn(unused_crate_dependencies)] // a crate that nothing names is not linked, and its tools would be missing

mod checkout;
mod git;
mod tools;

#[cfg(test)]
mod tests;

use bdk::prelude::*;

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
