//! What the runtime can lend.
use bdk::prelude::*;
use std::{cell::RefCell, rc::Rc};

struct Counter(RefCell<u32>);

/// Not shared by threads.
#[tool]
fn cell(
    db: &Counter, // MISTAKE
) {
    db.0.replace(7);
}

/// Not sent to threads.
#[tool]
fn rc(
    db: &Rc<u32>, // MISTAKE
) {
    let _ = db;
}

fn main() {}
