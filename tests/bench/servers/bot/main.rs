//! The measured bot: the same two tools as `bare_axum`, as an author would write them, one that tells its progress and one
//! with a parameter in a header.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "the shapes are shared with the bare handler")]

mod nested50;
mod routed;
#[path = "../shapes.rs"]
mod shapes;
mod small;
mod walk;

use bdk::prelude::*;

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
