//! The error stands on the author's function and shows the line that does it.
use bdk::prelude::*;
use std::rc::Rc;

/// Keeps what is not `Send` over an await.
#[tool]
async fn keeps_rc(text: String) -> String { // MISTAKE
    let shared = Rc::new(text);
    std::future::ready(()).await;
    shared.to_string()
}

fn main() {}
