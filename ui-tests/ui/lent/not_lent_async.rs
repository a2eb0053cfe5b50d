//! An async tool that takes what cannot be lent is told twice: its future is not `Send` either.
use bdk::prelude::*;
use std::rc::Rc;

/// Not sent to threads.
#[tool]
async fn rc( // MISTAKE
    db: &Rc<u32>, // MISTAKE
) {
    let _ = db;
}

fn main() {}
