use bdk::prelude::*;

/// There is no such function.
#[tool(effect = decide)] // MISTAKE
fn by_path(commit: bool) {
    let _ = commit;
}

/// Nor such a variable.
#[tool(effect = |commit| if *comit { Effect::Write } else { Effect::Read })] // MISTAKE
fn in_a_closure(commit: bool) {
    let _ = commit;
}

fn main() {}
