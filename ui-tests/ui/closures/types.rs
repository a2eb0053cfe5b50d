//! Types in a closure.
use bdk::prelude::*;

/// Another type than the parameter's.
#[tool(check = |a: &u64| if *a > 3 { Err("more than 3") } else { Ok(()) })] // MISTAKE
fn another(a: u32) {
    let _ = a;
}

/// The owned type.
#[tool(check = |a: String| if a.is_empty() { Err("empty") } else { Ok(()) })] // MISTAKE
fn owned(a: String) {
    let _ = a;
}

/// No such method.
#[tool(check = |a| if a.is_emty() { Err("empty") } else { Ok(()) })] // MISTAKE
fn method(a: String) {
    let _ = a;
}

/// Compared with a reference.
#[tool(check = |a, b| if a > *b { Err("more") } else { Ok(()) })] // MISTAKE
fn reference(a: u32, b: u32) {
    let _ = (a, b);
}

fn main() {}
