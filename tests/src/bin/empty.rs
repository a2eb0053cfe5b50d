//! A bot without a tool.
#![allow(missing_docs)]

use std::process::ExitCode;

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
