//! The future that is not `Send` is another function's.
use bdk::prelude::*;
use std::rc::Rc;

async fn inner() -> u32 {
    let shared = Rc::new(7);
    std::future::ready(()).await;
    *shared
}

/// Awaits it.
#[tool]
async fn awaits() -> u32 { // MISTAKE
    inner().await
}

fn main() {}
