use bdk::prelude::*;
use std::rc::Rc;

/// Keeps what is not `Send` over an await.
#[tool]
async fn keeps_rc() -> impl Serialize { // MISTAKE
    let shared = Rc::new(7);
    std::future::ready(()).await;
    *shared
}

fn main() {}
