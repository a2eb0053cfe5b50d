//! What a provider may make.
use bdk::prelude::*;
use std::{cell::RefCell, rc::Rc};

struct NoError;
struct Db;

#[provide]
fn rc() -> Rc<u32> { // MISTAKE
    Rc::new(7)
}

#[provide]
fn cell() -> Result<RefCell<u32>> { // MISTAKE
    Ok(RefCell::new(7))
}

#[provide]
fn no_error() -> Result<Db, NoError> { // MISTAKE
    Err(NoError)
}

#[provide]
fn needs(
    counter: &RefCell<u32>, // MISTAKE
) -> u32 {
    *counter.borrow()
}

fn main() {}
