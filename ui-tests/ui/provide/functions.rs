use bdk::prelude::*;

struct Db;

#[provide]
fn nothing() {} // MISTAKE

#[provide]
fn owned(
    path: String, // MISTAKE
) -> Db {
    let _ = path;
    Db
}

#[provide]
fn context(
    ctx: &ToolContext, // MISTAKE
) -> Db {
    let _ = ctx;
    Db
}

#[provide]
fn reference() -> &'static Db { // MISTAKE
    &Db
}

#[provide]
fn unnamed() -> impl Send { // MISTAKE
    Db
}

#[provide(name = "db")] // MISTAKE
fn named() -> Db {
    Db
}

fn main() {}
