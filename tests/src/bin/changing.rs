//! A bot whose tools come and go while it runs, as calls of its own tools tell it; and it stops when told.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs)]

use anyhow as _;
use axum as _;
use bdk::{Server, prelude::*};
use bdk_tests as _;
use reqwest as _;
use rmcp_old as _;
use schemars as _;
use serde as _;
use serde_json as _;
use std::sync::{Mutex, PoisonError, mpsc};
use tempfile as _;
use tracing as _;

enum Order {
    Add(String),
    Remove(String),
    Stop,
}

static ORDERS: Mutex<Option<mpsc::Sender<Order>>> = Mutex::new(None);

fn order(order: Order) -> Result<()> {
    let orders = ORDERS.lock().unwrap_or_else(PoisonError::into_inner);
    orders.as_ref().ok_or("nobody takes orders")?.send(order)?;
    Ok(())
}

/// Add a tool.
#[tool(effect = "write")]
async fn add_tool(name: String) -> Result<()> {
    order(Order::Add(name))
}

/// Remove a tool that was added.
#[tool(effect = "write")]
async fn remove_tool(name: String) -> Result<()> {
    order(Order::Remove(name))
}

/// Shut down.
#[tool(effect = "write")]
async fn stop() -> Result<()> {
    order(Order::Stop)
}

#[bdk::main]
async fn main() -> Result<()> {
    let handle = Server::new().port(0).state("memory:").drain(Duration::from_secs(5)).start().await?;
    let (sender, orders) = mpsc::channel();
    *ORDERS.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    {
        use std::io::Write;
        writeln!(std::io::stdout(), "{}", handle.url())?;
    }
    let handle = tokio::task::spawn_blocking(move || -> Result<bdk::ServeHandle> {
        while let Ok(order) = orders.recv() {
            match order {
                Order::Add(name) => handle.add_tool(
                    ToolDefinition::new(name)
                        .description("Come and go.")
                        .effect(Effect::Read)
                        .handler(async |_: Value, _: ToolContext| Ok("here")),
                )?,
                Order::Remove(name) => drop(handle.remove_tool(&name)?),
                Order::Stop => break,
            }
        }
        Ok(handle)
    })
    .await??;
    handle.shutdown().await;
    Ok(())
}
