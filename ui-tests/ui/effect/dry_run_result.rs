//! A dry run answers with the tool's success type.
use bdk::prelude::*;

#[derive(Serialize)]
struct Published {
    version: String,
}

/// Another type.
#[tool(effect = "write", dry_run_result = |version| version.clone())] // MISTAKE
fn another(version: String) -> Published {
    Published { version }
}

/// The `Result` of it.
#[tool(effect = "write", dry_run_result = |version| Ok(Published { version: version.clone() }))] // MISTAKE
async fn in_a_result(version: String) -> Result<Published> {
    Ok(Published { version })
}

/// What was lent, not a value.
#[tool(effect = "write", dry_run_result = |version| version)] // MISTAKE
fn lent(version: String) -> String {
    version
}

/// Nothing.
#[tool(effect = "write", dry_run_result = |version| { version.len(); })] // MISTAKE
fn nothing(version: String) -> Result<String> {
    Ok(version)
}

/// A function that gives another type.
#[tool(effect = "write", dry_run_result = stub)] // MISTAKE
fn by_path(version: String) -> Published {
    Published { version }
}

fn stub(version: &String) -> usize {
    version.len()
}

fn main() {}
