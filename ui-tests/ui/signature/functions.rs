use bdk::prelude::*;

/// Generic.
#[tool]
fn generic<T>(x: T) { // MISTAKE
    let _ = x;
}

/// Const.
#[tool]
const fn constant() {} // MISTAKE

/// Unsafe.
#[tool]
unsafe fn not_safe() {} // MISTAKE

/// Foreign.
#[tool]
extern "C" fn foreign() {} // MISTAKE

/// Two contexts.
#[tool]
fn two(
    a: &ToolContext,
    b: &ToolContext, // MISTAKE
) {
    let _ = (a, b);
}

/// A pattern.
#[tool]
fn pattern(
    (a, b): (u32, u32), // MISTAKE
) {
    let _ = (a, b);
}

fn main() {}
