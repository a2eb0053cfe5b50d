//! The store against real servers: see `tests/postgres`.

mod processes;
mod refusals;
mod server;

use super::Postgres;
use crate::store::conformance;
use server::database;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn it_does_what_every_store_does() {
    let store = Postgres::connect(&database().await).await.unwrap();
    conformance::holds(Arc::new(store)).await;
}
