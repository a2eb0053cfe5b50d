//! cases.md 10: what is wrong with a bot stops its start, and `validate` tells all of it with file and line.

use bdk_tests::{Ran, run};

const BROKEN: &str = env!("CARGO_BIN_EXE_broken");
const EMPTY: &str = env!("CARGO_BIN_EXE_empty");

/// What each line must say, beside its place in `broken.rs`.
const PROBLEMS: [&[&str]; 26] = [
    &["`panicking_schema`", "panics"],
    &["`misfit`", "`range`", "string"],
    &["`misfit`", "`coerce`"],
    &["`misfit`", "default", "7"],
    &["`#[tools]`", "panicked"],
    &["`twin`", "two tools", "broken.rs:"],
    &["`Twice`", "provided twice", "broken.rs:"],
    &["`unmet`", "`&Arc<dyn Store>`", "#[provide]"],
    &["circle", "`Chicken`", "`Egg`"],
    &["`bounds`", "`sinse`", "`since`"],
    &["`bounds`", "`count`"],
    &["`no_object`", "object"],
    &["`no_schema`", "JSON Schema"],
    &["`no name`"],
    &["`wordless`", "description"],
    &["`idle`", "handler"],
    &["`again`", "attempts"],
    &["broken.rs:9", "broken.rs:16"],
    &["two connections are named `doubled`", "broken.rs:"],
    &["`without_tools`", "`#[tool]`", "::elsewhere::idle`"],
    &["`leaky`", "a user or a password"],
    &["`leaky`", "`authorization`", "without its `}`"],
    &["`leaky`", "`.tools(…)`", "`.advertise_tools()`"],
    &["`templated`", "the name of its program"],
    &["`templated`", "argument 1"],
    &["`falls`", "panicked"],
];

fn told(ran: &Ran) -> String {
    format!("{}{}", ran.stdout, ran.stderr)
}

#[test]
fn validate_tells_every_problem_with_its_place() {
    let ran = run(BROKEN, &["validate"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = told(&ran);
    for words in PROBLEMS {
        let line = told.lines().find(|l| words.iter().all(|w| l.contains(w)));
        assert!(line.is_some_and(|l| l.contains("broken.rs:")), "{words:?} in:\n{told}");
    }
    assert!(!told.contains("hunter2"), "{told}");
}

#[test]
fn a_broken_bot_neither_serves_nor_calls() {
    for args in [&["serve", "--port", "0"] as &[&str], &["call", "bounds"]] {
        let ran = run(BROKEN, args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.stderr.contains("two tools are named `twin`"), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_bot_without_tools_does_not_start_and_says_what_may_be_missing() {
    for args in [&["serve", "--port", "0"] as &[&str], &["validate"]] {
        let ran = run(EMPTY, args);
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(told(&ran).contains("bdk::link!"), "{args:?}: {ran:?}");
    }
}
