//! What the people who use a bot use: the client libraries of others, in both transports and both eras of the protocol, each
//! with all that a call can do. `peers/` has the clients.

use bdk_tests::{
    Server, eventually,
    peers::{Client, Done},
    scout,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// The eras that a client can be told to speak, and the version that comes of it.
fn eras(client: Client) -> &'static [(&'static str, &'static str)] {
    match client {
        Client::SdkV1 => &[("legacy", "2025-11-25")],
        // not told, they find out by themselves that the bot speaks the new one
        Client::SdkV2 | Client::Mcp | Client::FastMcp => &[("legacy", "2025-11-25"), ("auto", "2026-07-28")],
    }
}

/// Carries out the same in every era and both transports.
#[track_caller]
fn everywhere(client: Client, bot: &Server, stdio: &Value, plan: &Value, expect: impl Fn(&Done, &str)) {
    for (era, version) in eras(client) {
        for over in [json!({ "http": bot.mcp() }), stdio.clone()] {
            let mut plan = plan.clone();
            let fields = plan.as_object_mut().expect("an object");
            fields.insert("era".into(), json!(era));
            fields.extend(over.as_object().expect("an object").clone());
            let done = client.run(&plan);
            done.came_through();
            assert_eq!(done.protocol.as_deref(), Some(*version), "{done:#?}");
            expect(&done, version);
        }
    }
}

// ---- repo-scout ----

#[track_caller]
fn uses_repo_scout(client: Client) {
    let repo = scout::repository();
    let bot = scout::serve(repo.path());
    let stdio = json!({
        "stdio": [scout::exe(), "mcp", "serve"],
        "env": { "REPO_SCOUT_DIR": repo.path() },
    });
    let since = "1970-01-01T00:00:00Z";
    let plan = json!({ "steps": [
        { "list": true },
        { "call": "file_history", "arguments": { "path": "src/main.rs", "since": since } },
        { "call": "churn", "arguments": { "since": since } },
        { "call": "blame_summary", "arguments": { "path": "src/main.rs" } },
        { "call": "todos", "arguments": { "path": null } },
        { "call": "todos" },
        { "call": "diff_summary", "arguments": { "from": "HEAD~1" } },
        { "call": "create_tag", "arguments": { "name": "no name" } },
        { "call": "todos", "arguments": { "limit": 501 } },
        { "call": "todo", "arguments": {} },
    ] });
    everywhere(client, &bot, &stdio, &plan, |done, _| {
        let tools = done.result(0)["tools"].as_array().expect("tools");
        let mut names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["blame_summary", "churn", "create_tag", "diff_summary", "file_history", "todos"]);
        for tool in tools {
            let reads = tool["name"] != "create_tag";
            assert_eq!(tool["annotations"]["readOnlyHint"], json!(reads), "{tool}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        }

        let structured = |n| &done.result(n)["structuredContent"];
        assert_eq!(structured(1)["commits"][0]["subject"], "Ask for work");
        assert_eq!(structured(2)["commits"], 2);
        assert_eq!(structured(3)["lines"], 2);
        for n in [4, 5] {
            assert_eq!(structured(n)["todos"][0]["text"], "do something", "{done:#?}");
            let (text, _) = done.text(n);
            assert_eq!(serde_json::from_str::<Value>(text).ok().as_ref(), Some(structured(n)), "the same as text");
        }
        assert_eq!(structured(6)["added"], 1);

        let (text, failed) = done.text(7);
        assert!(failed && text.contains("create_tag"), "{text}");
        let (text, failed) = done.text(8);
        assert!(failed && text.starts_with("Invalid input for \"todos\":") && text.contains("500"), "{text}");
        let unknown = &done.step(9).error;
        assert!(unknown["code"] == -32602 && unknown["message"].to_string().contains("todos"), "{unknown}");
    });
}

#[test]
fn the_first_typescript_sdk_uses_repo_scout() {
    uses_repo_scout(Client::SdkV1);
}

#[test]
fn the_second_typescript_sdk_uses_repo_scout() {
    uses_repo_scout(Client::SdkV2);
}

#[test]
fn the_python_sdk_uses_repo_scout() {
    uses_repo_scout(Client::Mcp);
}

#[test]
fn fastmcp_uses_repo_scout() {
    uses_repo_scout(Client::FastMcp);
}

// ---- a bot that talks ----

const COMPANION: &str = env!("CARGO_BIN_EXE_companion");

/// Whether the tool that left its mark there was dropped; the mark is taken away.
#[track_caller]
fn given_up(mark: &Path) {
    eventually(|| fs::read_to_string(mark).ok().filter(|text| text == "given up"))
        .unwrap_or_else(|| panic!("the tool goes on: no {}", mark.display()));
    let _ = fs::remove_file(mark);
}

#[track_caller]
fn talks(client: Client) {
    let dir = tempfile::tempdir().expect("a folder");
    let (unwanted, late) = (dir.path().join("unwanted"), dir.path().join("late"));
    let bot = Server::start(COMPANION, &[]);
    let plan = json!({
        "answers": [
            { "action": "accept", "content": { "name": "Ann" } },
            { "action": "accept", "content": { "name": "Bo", "age": 5 } },
            { "action": "decline" },
            { "action": "accept", "content": {} },
            { "action": "decline" },
        ],
        "steps": [
            { "call": "count", "arguments": { "to": 3 } },
            { "call": "greet", "arguments": {} },
            { "call": "greet", "arguments": {} },
            { "call": "greet", "arguments": {} },
            { "call": "wipe", "arguments": { "disk": "sda1" } },
            { "call": "wipe", "arguments": { "disk": "sdb2" } },
            { "call": "panics", "arguments": {} },
            { "call": "endless", "arguments": { "mark": late } },
            { "call": "count_on", "arguments": { "mark": unwanted }, "cancel": "on_progress" },
            { "call": "count", "arguments": { "to": 1 } },
        ],
    });
    let stdio = json!({ "stdio": [COMPANION, "mcp", "serve"] });
    everywhere(client, &bot, &stdio, &plan, |done, version| {
        assert_eq!(done.text(0), ("Counted to 3.", false));
        let said: Vec<_> =
            done.step(0).progress.iter().map(|p| (p["progress"].as_f64(), p["total"].as_f64())).collect();
        assert_eq!(said, [1.0, 2.0, 3.0].map(|n| (Some(n), Some(3.0))), "{done:#?}");
        assert_eq!(done.step(0).progress[1]["message"], "at 2");

        assert_eq!(done.text(1), ("Hello, Ann!", false));
        assert_eq!(done.text(2), ("Hello, Bo of 5!", false));
        assert_eq!(done.text(3), ("Hello, whoever you are.", false));
        assert_eq!(done.text(4), ("Wiped sda1.", false));
        let (text, failed) = done.text(5);
        assert!(failed && !text.contains("Wiped"), "{text}");

        assert_eq!(done.asked.len(), 5, "{done:#?}");
        assert_eq!(done.asked[0]["message"], "Who are you?");
        let form = &done.asked[0]["requestedSchema"];
        assert_eq!(form["properties"]["name"]["description"], "As friends say it.", "{form}");
        assert_eq!(form["required"], json!(["name"]), "{form}");
        for (n, disk) in [(3, "sda1"), (4, "sdb2")] {
            let message = done.asked[n]["message"].as_str().unwrap_or_default();
            assert!(message.contains("wipe") && message.contains(disk), "who says yes knows to what: {message}");
        }

        let (text, failed) = done.text(6);
        assert!(failed && !text.contains("hunter2"), "{text}");
        let (text, failed) = done.text(7);
        assert!(failed && text.contains("timed out after 300ms"), "{text}");
        given_up(&late);
        let cancelled = done.step(8);
        assert!(!cancelled.error.is_null() && !cancelled.progress.is_empty(), "{version}: {cancelled:#?}");
        given_up(&unwanted);
        assert_eq!(done.text(9), ("Counted to 1.", false), "the connection is as good as before");

        let logs: Vec<_> = done.logs.iter().map(|log| (log["level"].as_str(), log["data"].as_str())).collect();
        assert_eq!(logs, [(Some("warning"), Some("nothing left to count")); 2], "one each time it counted: {done:#?}");
    });
}

#[test]
fn the_first_typescript_sdk_hears_answers_and_cancels() {
    talks(Client::SdkV1);
}

#[test]
fn the_second_typescript_sdk_hears_answers_and_cancels() {
    talks(Client::SdkV2);
}

#[test]
fn the_python_sdk_hears_answers_and_cancels() {
    talks(Client::Mcp);
}

#[test]
fn fastmcp_hears_answers_and_cancels() {
    talks(Client::FastMcp);
}

/// A client that did not say that it can be asked is told so at once.
#[track_caller]
fn cannot_be_asked(client: Client) {
    let bot = Server::start(COMPANION, &[]);
    let steps = json!([
        { "call": "greet", "arguments": {} },
        { "call": "wipe", "arguments": { "disk": "sda1" } },
        { "call": "count", "arguments": { "to": 1 } },
    ]);
    let stdio = json!({ "stdio": [COMPANION, "mcp", "serve"] });
    everywhere(client, &bot, &stdio, &json!({ "steps": steps }), |done, version| {
        for n in 0..2 {
            if version == "2026-07-28" {
                assert_eq!(done.step(n).error["code"], -32021, "{done:#?}");
            } else {
                let (text, failed) = done.text(n);
                assert!(failed && !text.contains("Wiped") && text.contains("elicitation"), "{text}");
            }
        }
        assert_eq!(done.text(2), ("Counted to 1.", false));
    });
}

#[test]
fn the_first_typescript_sdk_is_told_that_it_cannot_be_asked() {
    cannot_be_asked(Client::SdkV1);
}

#[test]
fn the_second_typescript_sdk_is_told_that_it_cannot_be_asked() {
    cannot_be_asked(Client::SdkV2);
}

#[test]
fn the_python_sdk_is_told_that_it_cannot_be_asked() {
    cannot_be_asked(Client::Mcp);
}

#[test]
fn fastmcp_is_told_that_it_cannot_be_asked() {
    cannot_be_asked(Client::FastMcp);
}

// ---- results whose schema is no object's ----

/// Clients refuse a result that lacks what its advertised schema describes.
#[track_caller]
fn takes_what_schemas_describe(client: Client) {
    let bot = Server::start(COMPANION, &[]);
    let stdio = json!({ "stdio": [COMPANION, "mcp", "serve"] });
    let plan = json!({ "steps": [
        { "list": true },
        { "call": "planets", "arguments": {} },
        { "call": "planet_count", "arguments": {} },
        { "call": "largest_planet", "arguments": {} },
        { "call": "smallest_planet", "arguments": { "of": 1 } },
        { "call": "smallest_planet", "arguments": { "of": 0 } },
    ] });
    everywhere(client, &bot, &stdio, &plan, |done, version| {
        for (n, text) in [(1, "[\"Mercury\",\"Venus\"]"), (2, "8"), (3, "Jupiter"), (4, "Mercury"), (5, "null")] {
            assert_eq!(done.text(n), (text, false), "{version}");
        }
        let schema = |name: &str| {
            let tools = done.result(0)["tools"].as_array().expect("tools");
            tools.iter().find(|tool| tool["name"] == name).map(|tool| tool["outputSchema"]["type"].clone())
        };
        // clients of the older era know objects alone
        let new = version == "2026-07-28";
        assert_eq!(schema("planets"), Some(if new { json!("array") } else { json!(null) }), "{version}");
    });
}

#[test]
fn the_typescript_sdks_take_results_of_every_type() {
    takes_what_schemas_describe(Client::SdkV1);
    takes_what_schemas_describe(Client::SdkV2);
}

#[test]
fn the_python_sdks_take_results_of_every_type() {
    takes_what_schemas_describe(Client::Mcp);
    takes_what_schemas_describe(Client::FastMcp);
}
