//! Knows the time anywhere, the history of a checkout and what its notes say. Hardly any of it is its own: it asks other MCP
//! servers, each in one function below.
#![forbid(unsafe_code)]

mod clients;
mod connections;
mod desk;
mod notes;

use bdk::prelude::*;

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
