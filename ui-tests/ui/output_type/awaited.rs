//! What an async tool gives.
use bdk::prelude::*;

struct Report;

/// Not `Serialize`.
#[tool]
async fn later() -> Report { // MISTAKE
    std::future::ready(()).await;
    Report
}

/// A raw pointer.
#[tool]
async fn pointer() -> *const u8 { // MISTAKE
    std::ptr::null()
}

fn main() {}
