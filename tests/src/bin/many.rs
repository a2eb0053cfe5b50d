//! A bot of 2,500 tools.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs)]

use anyhow as _;
use axum as _;
use bdk::prelude::*;
use bdk_tests as _;
use reqwest as _;
use rmcp_old as _;
use schemars as _;
use serde as _;
use serde_json as _;
use tempfile as _;
use tokio as _;
use tracing as _;

#[tools]
fn many() -> Vec<ToolDefinition> {
    (0..2500)
        .map(|i| {
            ToolDefinition::new(format!("tool_{i:04}"))
                .description(format!("Tell the number {i}."))
                .effect(Effect::Read)
                .handler(move |_: Value, _: ToolContext| async move { Ok(i) })
        })
        .collect()
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
