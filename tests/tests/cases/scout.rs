//! repo-scout in sessions: what its documentation says of dry runs and of a frozen time, over HTTP and MCP.

use crate::doors::is_outcome;
use bdk_tests::{
    Server,
    mcp::{Client, request},
    run_with, scout,
};
use serde_json::{Value, json};

/// What a call of repo-scout came to in a session, over HTTP and over MCP of every kind: the value, or the error's words.
#[track_caller]
fn scouted(bot: &Server, session: &str, tool: &str, input: &Value) -> Result<Value, String> {
    let (status, outcome) = bot.call(tool, &json!({ "input": input, "sessionId": session }));
    assert_eq!(status, 200, "{outcome}");
    for client in Client::bound_of_every_kind(bot, session, None) {
        is_outcome(&client.call(tool, input.clone()), &outcome);
    }
    match outcome["isError"] == true {
        false => Ok(outcome["result"].clone()),
        true => Err(outcome["result"]["content"][0]["text"].as_str().expect("words").to_owned()),
    }
}

const ADA: &str = "2025-06-01T12:00:00Z";
const BO: &str = "2026-03-01T12:00:00Z";

#[test]
fn repo_scout_in_a_dry_run_session_reads_and_tags_nothing() {
    let repository = scout::repository_of(ADA, BO);
    let bot = scout::serve(repository.path());
    let session = bot.anyone().open(&json!({ "dryRun": true }));
    let ask = |tool: &str, input: Value| scouted(&bot, &session, tool, &input);

    let history =
        ask("file_history", json!({ "path": "src/main.rs", "since": "2020-01-01T00:00:00Z" })).expect("a read");
    assert_eq!(history["commits"].as_array().map(Vec::len), Some(2), "{history}");
    let tag = ask("create_tag", json!({ "name": "v1.0.0" })).expect("a stub");
    assert_eq!(tag, json!({ "name": "v1.0.0", "target": "HEAD", "annotated": false, "created": false }));
    let annotated = ask("create_tag", json!({ "name": "v1.0.0", "annotated": true, "message": "The first." }));
    assert_eq!(annotated.expect("a stub")["created"], false);
    let words = ask("create_tag", json!({ "name": "v1", "annotated": true })).expect_err("no message");
    assert!(words.starts_with("Invalid input for \"create_tag\": "), "{words}");
    let tags = run_with("git", &["tag"], b"", |git| _ = git.current_dir(repository.path()));
    assert_eq!((tags.code, tags.stdout.as_str()), (0, ""), "nothing was tagged");

    let client = Client::at(&bot, &format!("?session={session}"), None);
    let listed = client.send(&request(1, "tools/list", json!({}))).whole().json();
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert!(
        tools.iter().all(|tool| tool["outputSchema"].is_object()),
        "its one write has a `dry_run_result`: {listed}"
    );
}

#[test]
fn repo_scout_in_a_frozen_session_sees_nothing_later() {
    let repository = scout::repository_of(ADA, BO);
    let bot = scout::serve(repository.path());
    let session = bot.anyone().open(&json!({ "asOf": "2026-01-01T00:00:00Z" }));
    let ask = |tool: &str, input: Value| scouted(&bot, &session, tool, &input);

    let blame = ask("blame_summary", json!({ "path": "src/main.rs" })).expect("a read");
    assert_eq!(blame["lines"], 1, "Bo's line is not there yet: {blame}");
    assert_eq!(ask("todos", json!({})).expect("a read")["total"], 0);
    let history =
        ask("file_history", json!({ "path": "src/main.rs", "since": "2020-01-01T00:00:00Z" })).expect("a read");
    assert_eq!(history["commits"].as_array().map(Vec::len), Some(1), "{history}");
    assert_eq!(history["commits"][0]["subject"], "Start");
    let words = ask("churn", json!({ "since": "2020-01-01T00:00:00Z" })).expect_err("no end");
    assert!(words.contains("until") && words.contains("retry with absolute bounds"), "{words}");
    let words = ask("file_history", json!({ "path": "src/main.rs", "since": BO })).expect_err("too late");
    assert!(words.contains("since") && words.contains("2026-01-01T00:00:00Z"), "{words}");
    let bounded = json!({ "since": "2020-01-01T00:00:00Z", "until": "2025-12-31T00:00:00Z" });
    let churn = ask("churn", bounded).expect("a read");
    assert_eq!((&churn["commits"], &churn["authors"][0]["author"]), (&json!(1), &json!("Ada <Ada@example.org>")));
}
