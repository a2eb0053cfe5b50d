//! What the MCP inspector's command line makes of a bot. With `--strict` it names what some client or model would stumble over
//! in the tools' schemas, and ends with 6 where that is an error.

use bdk_tests::{Ran, Server, peers, scout};
use serde_json::Value;
use std::{path::Path, time::Duration};

const ERAS: [&str; 2] = ["legacy", "modern"];

/// How the inspector is told where a bot is.
fn at(target: &[&str]) -> Vec<String> {
    target.iter().map(|part| (*part).to_owned()).collect()
}

/// Over stdio, repo-scout for this repository.
fn scout_on(repository: &Path) -> Vec<String> {
    let dir = format!("REPO_SCOUT_DIR={}", repository.display());
    at(&[&scout::exe(), "mcp", "serve", "-e", &dir])
}

#[track_caller]
fn inspector(target: &[String], more: &[&str]) -> Ran {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = peers::npm("mcp-inspector");
    command.arg("--cli").args(target).args(more).args(["--format", "json", "--quiet"]).env("HOME", home.path());
    peers::finish(&mut command, Duration::from_secs(120))
}

#[test]
fn the_strict_listing_of_repo_scout_finds_no_error_and_nothing_to_say_of_inputs() {
    let repo = scout::repository();
    let bot = scout::serve(repo.path());
    for target in [at(&[&bot.mcp()]), scout_on(repo.path())] {
        for era in ERAS {
            // without `--quiet`, which leaves the advice out
            let home = tempfile::tempdir().expect("a folder");
            let mut command = peers::npm("mcp-inspector");
            command.arg("--cli").args(&target).args(["--method", "tools/list", "--strict", "--protocol-era", era]);
            let ran = peers::finish(command.env("HOME", home.path()), Duration::from_secs(120));
            assert_eq!(ran.code, 0, "{ran:?}");
            // what it says of output schemas is that some model provider knows no null; a result is read by no provider
            for word in ["Error: ", "Path: inputSchema"] {
                assert!(!ran.stderr.contains(word), "{ran:?}");
            }
            assert_eq!(ran.json()["tools"].as_array().map(Vec::len), Some(6), "{ran:?}");
        }
    }
}

#[test]
fn the_strict_listing_finds_no_error_in_any_kind_of_tool() {
    for exe in [env!("CARGO_BIN_EXE_kitchen"), env!("CARGO_BIN_EXE_suite"), env!("CARGO_BIN_EXE_companion")] {
        let bot = Server::start(exe, &[]);
        let ran = inspector(&at(&[&bot.mcp()]), &["--method", "tools/list", "--strict"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[test]
fn a_call_ends_with_0_and_an_error_result_with_5() {
    let repo = scout::repository();
    let bot = scout::serve(repo.path());
    for target in [at(&[&bot.mcp()]), scout_on(repo.path())] {
        for era in ERAS {
            let call = |arguments: &str| {
                let more = ["--method", "tools/call", "--tool-name", "todos", "--tool-args-json", arguments];
                inspector(&target, &[&more[..], &["--protocol-era", era]].concat())
            };
            let ran = call(r#"{"path":"src/"}"#);
            assert_eq!(ran.code, 0, "{ran:?}");
            assert_eq!(ran.json()["result"]["structuredContent"]["todos"][0]["text"], "do something", "{ran:?}");

            let ran = call(r#"{"limit":501}"#);
            assert_eq!(ran.code, 5, "{ran:?}");
            let answer: Value = ran.json();
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            assert!(text.starts_with("Invalid input for \"todos\":"), "{ran:?}");
        }
    }
}
