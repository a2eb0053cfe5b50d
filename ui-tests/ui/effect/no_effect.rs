//! Predicates that give something else.
use bdk::prelude::*;

/// A bool.
#[tool(effect = |commit| *commit)] // MISTAKE
fn gives_bool(commit: bool) {
    let _ = commit;
}

/// In one branch only.
#[tool(effect = |commit| if *commit { Effect::Write } else { "read" })] // MISTAKE
fn in_a_branch(commit: bool) {
    let _ = commit;
}

/// A function that gives a bool.
#[tool(effect = is_write)] // MISTAKE
fn by_path(commit: bool) {
    let _ = commit;
}

fn is_write(commit: &bool) -> bool {
    *commit
}

/// A function over another type.
#[tool(effect = decide)] // MISTAKE
fn by_path_of_another_type(commit: bool) {
    let _ = commit;
}

fn decide(commit: &String) -> Effect {
    if commit.is_empty() { Effect::Read } else { Effect::Write }
}

/// A function over more.
#[tool(effect = decide_by_two)] // MISTAKE
fn by_path_of_more(commit: bool) {
    let _ = commit;
}

fn decide_by_two(commit: &bool, _: &bool) -> Effect {
    if *commit { Effect::Write } else { Effect::Read }
}

fn main() {}
