//! A check with `?` names its return type: nothing else says what `?` turns an error into.
use bdk::prelude::*;

/// `?`.
#[tool(check = |a| { a.parse::<u32>()?; Ok(()) })] // MISTAKE
fn question(a: String) {
    let _ = a;
}

/// No error at all.
#[tool(check = |_a| Ok(()))] // MISTAKE
fn never(_a: String) {}

/// An error of another type than it names.
#[tool(check = |a| -> Result<(), std::fmt::Error> { a.parse::<u32>()?; Ok(()) })] // MISTAKE
fn another(a: String) {
    let _ = a;
}

fn main() {}
