use bdk::prelude::*;
use std::sync::Mutex;

/// Keeps a guard of std's over an await.
#[tool]
async fn keeps_guard(state: &Mutex<Vec<u32>>, more: u32) -> Result<usize> { // MISTAKE
    let mut list = state.lock().map_err(|_| "poisoned")?;
    std::future::ready(()).await;
    list.push(more);
    Ok(list.len())
}

fn main() {}
