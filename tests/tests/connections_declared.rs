//! What a binary says of its connections before any is opened: `validate`, `info`, and whose the tools are.

use bdk_tests::{Ran, run, run_with};
use serde_json::{Value, json};
use std::fs;

const DECLARING: &str = env!("CARGO_BIN_EXE_declaring");

/// The warnings of `validate` in this folder, of variables that are nowhere.
fn unset(folder: &tempfile::TempDir, environment: &[(&str, &str)]) -> Vec<String> {
    let ran = run_with(DECLARING, &["validate", "--json"], b"", |command| {
        command.current_dir(folder).env_remove("DECLARING_TOKEN").env_remove("DECLARING_OTHER");
        command.envs(environment.iter().copied());
    });
    let report = ran.json();
    assert_eq!((ran.code, &report["ok"], &report["connections"]), (0, &json!(true), &json!(4)), "{report}");
    let problems = report["problems"].as_array().expect("problems").iter();
    let unset = problems.filter(|p| p["code"] == "variable_unset");
    unset.map(|p| format!("{} {}", p["severity"], p["message"])).collect()
}

fn has_no_secret(ran: &Ran) {
    assert!(!ran.stdout.contains("hunter2") && !ran.stderr.contains("hunter2"), "{ran:?}");
}

#[test]
fn a_bot_may_have_connections_and_no_tool_of_its_own() {
    let ran = run(DECLARING, &["validate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("2 tools from bdk-tests (2), 4 connections: no errors"), "{ran:?}");
    has_no_secret(&ran);
    // those of its authored connection stand among the bot's
    let tools = run(DECLARING, &["tools", "--json"]).json();
    let names: Vec<_> = tools.as_array().into_iter().flatten().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["pause", "whereabouts"]);
}

#[test]
fn validate_warns_of_each_variable_that_is_nowhere_by_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = unset(&folder, &[]);
    assert_eq!(told.len(), 3, "{told:?}");
    for (connection, variable) in
        [("chat", "DECLARING_TOKEN"), ("chat", "DECLARING_OTHER"), ("tracker", "DECLARING_TOKEN")]
    {
        let words = format!("the connection `{connection}` needs `{variable}`");
        assert!(told.iter().any(|line| line.contains("warning") && line.contains(&words)), "{words}: {told:?}");
    }
    assert_eq!(unset(&folder, &[("DECLARING_TOKEN", "a"), ("DECLARING_OTHER", "b")]), [""; 0]);
    fs::write(folder.path().join(".env.local"), "DECLARING_TOKEN=a\n").expect("an env file");
    fs::write(folder.path().join(".env"), "DECLARING_OTHER=b\n").expect("an env file");
    assert_eq!(unset(&folder, &[]), [""; 0]);
}

#[test]
fn info_shows_how_each_connection_is_reached_and_by_whom_without_a_value() {
    let ran = run(DECLARING, &["info", "--json"]);
    has_no_secret(&ran);
    let info = ran.json();
    let mut connections = info["connections"].as_array().expect("connections").clone();
    for one in &mut connections {
        let source = one["source"].take();
        assert!(source["file"].as_str().is_some_and(|file| file.ends_with("declaring.rs")), "{source}");
        assert!(source["line"].is_u64() && source["crate"] == "bdk-tests", "{source}");
    }
    let expected = json!([
        {
            "name": "chat", "kind": "stdio", "program": "chat-server", "access": "advertised",
            "tools": ["post", "read"], "disallowedTools": ["delete"], "source": null,
        },
        {
            "name": "stock", "kind": "http", "url": "http://127.0.0.1:9/mcp", "access": "host",
            "description": "Only the bot's own code calls it.", "onlyReads": true, "source": null,
        },
        {
            "name": "tracker", "kind": "http", "url": "https://tracker.example.com/mcp", "access": "attached",
            "description": "The team's issues and projects.\n\nIssues have comments.", "optional": true, "source": null,
        },
        {
            "name": "workspace", "kind": "authored", "access": "advertised", "description": "Tools where the agent runs.",
            "owns": ["pause", "whereabouts"], "source": null,
        },
    ]);
    assert_eq!(Value::from(connections), expected);
    assert_eq!(ran.stdout, run(DECLARING, &["info", "--json"]).stdout);

    let text = run(DECLARING, &["info"]);
    has_no_secret(&text);
    for line in [
        "chat  stdio chat-server  advertised  ",
        "only post, read; not delete",
        "stock  http http://127.0.0.1:9/mcp  host  ",
        "tracker  http https://tracker.example.com/mcp  attached  ",
        "    The team's issues and projects.\n    optional\n",
        "workspace  authored pause, whereabouts  advertised  ",
    ] {
        assert!(text.stdout.contains(line), "{line}: {text:?}");
    }
}
