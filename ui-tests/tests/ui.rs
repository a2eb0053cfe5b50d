//! What an author is told about a mistake: one error a mistake, on the author's own token, in words that the author knows.
//!
//! Every file under `ui` holds mistakes of one kind, each on a line that ends in [`MARK`]. The words are rustc's where
//! the types decide, so the expected outputs are those of one version. After a change:
//! `TRYBUILD=overwrite cargo test -p bdk-ui-tests --test ui`, then read the difference.

use std::{
    fs,
    path::{Path, PathBuf},
};

#[rustversion::attr(not(stable(1.95)), ignore = "the expected words are those of rustc 1.95")]
#[test]
fn mistakes_are_told_in_these_words() {
    let told = trybuild::TestCases::new();
    for case in cases() {
        told.compile_fail(case);
    }
}

/// A line that holds a mistake ends in this comment.
const MARK: &str = "// MISTAKE";

/// What rustc tells twice on the same token, and no macro can help: the function and its table name the same thing.
const TWICE: &[&str] = &["signature/associated.rs"];

#[test]
fn every_mistake_is_one_error_on_its_own_line() {
    let mut wrong = Vec::new();
    for case in cases() {
        let mistakes: Vec<String> =
            read(&case).lines().map(str::trim).filter(|l| l.ends_with(MARK)).map(str::to_owned).collect();
        assert!(!mistakes.is_empty(), "{}: no line is marked with `{MARK}`", case.display());
        let twice = TWICE.iter().any(|end| case.ends_with(end));
        let mut missing = if twice { [mistakes.clone(), mistakes].concat() } else { mistakes };
        for error in errors(&case) {
            let line = main_line(&error);
            match missing.iter().position(|mistake| *mistake == line) {
                Some(i) => drop(missing.remove(i)),
                None => wrong.push(format!("{}: an error too many, on `{line}`", case.display())),
            }
        }
        wrong.extend(missing.iter().map(|mistake| format!("{}: no error on `{mistake}`", case.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What only generated code and the runtime's insides name.
const INSIDES: &[&str] = &[
    "__",
    "ToolArg",
    "ToolValue",
    "IntoToolError",
    "ResultKind",
    "PlainKind",
    "Probe",
    "Slot",
    "CallCx",
    "`ToolDef`",
    "`Num`",
    "BoxFuture",
    "inventory::",
    "ConnectionDef",
    "Sealed",
    "in the attribute macro",
];

/// Where the words are as good as a `macro_rules!` can make them: `extension!` and `install!` meet in a static.
const NAMED: &[(&str, &str)] = &[("link/no_extension.rs", "__"), ("link/extension_name.rs", "__")];

#[test]
fn errors_speak_of_what_the_author_wrote() {
    let mut wrong = Vec::new();
    for case in cases() {
        for error in errors(&case) {
            // one `required by` note may show the runtime's own line, and rustc always says which trait is missing
            let words = error.lines().take_while(|line| !line.starts_with("note: required by"));
            for line in words.filter(|line| !line.contains(" is not implemented for ")) {
                let named = |inside: &str| NAMED.iter().any(|(end, known)| case.ends_with(end) && *known == inside);
                if let Some(inside) = INSIDES.iter().find(|inside| line.contains(**inside) && !named(inside)) {
                    wrong.push(format!("{}: `{inside}` in: {line}", case.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_error_stands_on_a_bare_attribute() {
    let mut wrong = Vec::new();
    for case in cases() {
        for error in errors(&case) {
            let bare = |line: &&str| {
                ["#[tool]", "#[tools]", "#[provide]", "#[connection]", "#[bdk::main]", "#[bdk::test]"]
                    .contains(&line.trim_matches([' ', '|']))
            };
            wrong.extend(error.lines().filter(bare).map(|line| format!("{}: {line}", case.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The errors of a case, as its `.stderr` has them.
fn errors(case: &Path) -> Vec<String> {
    let told = read(&case.with_extension("stderr"));
    let blocks = told.split("\n\n").filter(|block| !block.starts_with("warning"));
    blocks.map(str::to_owned).collect()
}

/// The author's line that an error underlines.
fn main_line(error: &str) -> &str {
    let mut lines: Vec<&str> = Vec::new();
    for line in error.lines().filter_map(|line| line.trim_start().strip_prefix('|')) {
        // under a line of source stand its marks, and the first with `^` marks the error's own
        let marks = line.trim_start();
        if marks.starts_with('^') || (marks.starts_with('-') && marks.contains('^')) {
            return lines.last().copied().map(str::trim).unwrap_or_default();
        }
        if !marks.starts_with(['-', '|']) && !marks.is_empty() {
            lines.push(line);
        }
    }
    panic!("an error without a place:\n{error}")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// Every case, sorted.
fn cases() -> Vec<PathBuf> {
    let mut cases = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                cases.push(path);
            }
        }
    }
    cases.sort();
    cases
}
