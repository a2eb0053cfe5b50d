//! What a check gives.
use bdk::prelude::*;

struct NoDisplay;

/// A bool.
#[tool(check = |a| *a > 3)] // MISTAKE
fn gives_bool(a: u32) {
    let _ = a;
}

/// Nothing.
#[tool(check = |a| assert!(*a > 3))] // MISTAKE
fn nothing(a: u32) {
    let _ = a;
}

/// A value.
#[tool(check = |a| if *a > 3 { Err("more than 3") } else { Ok(*a) })] // MISTAKE
fn value(a: u32) {
    let _ = a;
}

/// An error that cannot be shown.
#[tool(check = |a| if *a > 3 { Err(NoDisplay) } else { Ok(()) })] // MISTAKE
fn not_shown(a: u32) {
    let _ = a;
}

/// A function that gives a bool.
#[tool(check = small)] // MISTAKE
fn by_path(a: u32) {
    let _ = a;
}

fn small(a: &u32) -> bool {
    *a < 3
}

fn main() {}
