use bdk::prelude::*;
use std::rc::Rc;

#[provide]
async fn keeps_rc() -> u32 { // MISTAKE
    let shared = Rc::new(7);
    std::future::ready(()).await;
    *shared
}

fn main() {}
