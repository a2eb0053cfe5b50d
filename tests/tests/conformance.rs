//! The conformance suite of the Model Context Protocol, every scenario that it has for servers, in each version of the protocol.
//! `src/bin/suite.rs` has the tools that it calls; `peers/conformance-baseline.yml` names what a server of tools does not serve.

use bdk_tests::{Server, peers};
use serde_json::Value;
use std::{fs, path::Path, time::Duration};

#[test]
fn the_suite_of_2025_06_18_passes() {
    passes("2025-06-18", 44);
}

#[test]
fn the_suite_of_2025_11_25_passes() {
    passes("2025-11-25", 68);
}

#[test]
fn the_suite_of_2026_07_28_passes() {
    passes("2026-07-28", 133);
}

/// All that is not in the baseline passes, and that is at least so many checks: one that is left out fails nothing by itself.
#[track_caller]
fn passes(version: &str, least: usize) {
    let bot = Server::start(env!("CARGO_BIN_EXE_suite"), &[]);
    let results = tempfile::tempdir().expect("a folder");
    let baseline = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/conformance-baseline.yml");
    let mut suite = peers::npm("conformance");
    suite.args(["server", "--url", &bot.mcp(), "--suite", "all", "--spec-version", version]);
    suite.arg("--expected-failures").arg(baseline).arg("--output-dir").arg(results.path()).current_dir(results.path());
    suite.env("NO_COLOR", "1");
    let ran = peers::finish(&mut suite, Duration::from_secs(300));

    let checks = checks(results.path());
    let passed = checks.iter().filter(|(_, check)| check["status"] == "SUCCESS").count();
    let summary = ran.stdout.find("=== SUMMARY").map_or(&*ran.stdout, |at| &ran.stdout[at..]);
    assert!(ran.code == 0 && passed >= least, "{passed} checks passed\n{}\n{summary}", told(&checks, summary));
}

/// Every check that was made, with the name of its folder.
fn checks(results: &Path) -> Vec<(String, Value)> {
    let mut checks = Vec::new();
    for folder in fs::read_dir(results).expect("a folder") {
        let folder = folder.expect("a folder");
        let file = folder.path().join("checks.json");
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let made: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        checks.extend(made.into_iter().map(|check| (folder.file_name().to_string_lossy().into_owned(), check)));
    }
    checks
}

/// What failed in the scenarios that the summary marks, and why.
fn told(checks: &[(String, Value)], summary: &str) -> String {
    let marked = |name: &str| {
        let unexpected = summary.lines().filter_map(|line| line.trim().strip_prefix("✗ "));
        unexpected.filter(|scenario| !scenario.contains(' ')).any(|scenario| {
            let scenario = scenario.split(':').next().unwrap_or_default();
            name.strip_prefix("server-")
                .and_then(|n| n.strip_prefix(scenario))
                .is_some_and(|rest| rest.starts_with("-2"))
        })
    };
    let failed = checks
        .iter()
        .filter(|(name, check)| (check["status"] == "FAILURE" || check["status"] == "WARNING") && marked(name));
    failed.map(|(name, check)| format!("{name}: {}: {}\n", check["id"], check["errorMessage"])).collect()
}
