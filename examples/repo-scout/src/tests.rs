//! The bot as its callers see it: the whole runtime in process, on a small repository made for the test.

use crate::{
    checkout::Checkout,
    git::fixture::{Fixture, at},
};
use bdk::prelude::*;

const DAY: i64 = 24 * 60 * 60;

/// Ada starts at 1970-01-02, Bo adds a TODO at 1970-01-05.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.commit_by("Ada", DAY, "Start", &[("src/main.rs", "fn main() {}\n")]);
    fixture.commit_by("Bo", 4 * DAY, "Ask for work", &[("src/main.rs", "fn main() {}\n// TODO: do something\n")]);
    fixture
}

fn on(bot: TestBot, fixture: &Fixture) -> TestBot {
    bot.provide(Checkout::at(fixture.dir()))
}

#[bdk::test]
async fn a_files_history_is_told_newest_first(bot: TestBot) {
    let fixture = fixture();

    let outcome = on(bot, &fixture)
        .call_tool("file_history", json!({ "path": "src/main.rs", "since": "1970-01-01T00:00:00Z" }))
        .await;

    assert!(!outcome.is_error, "{:?}", outcome.result);
    assert_eq!(outcome.result["commits"][0]["subject"], "Ask for work");
    assert_eq!(outcome.result["commits"][0]["author"], "Bo <bo@example.org>");
    assert_eq!(outcome.result["commits"][1]["committed_at"], "1970-01-02T00:00:00Z");
}

#[bdk::test]
async fn a_file_that_is_not_tracked_is_answered_with_what_to_ask_for(bot: TestBot) {
    let fixture = fixture();

    let outcome = on(bot, &fixture).call_tool("blame_summary", json!({ "path": "main.rs" })).await;

    assert!(outcome.is_error);
    let text = outcome.result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "Tool \"blame_summary\" failed: `main.rs` is not tracked; did you mean `src/main.rs`?");
}

#[bdk::test]
async fn a_limit_out_of_range_is_refused_before_the_tool_runs(bot: TestBot) {
    let fixture = fixture();

    let outcome = on(bot, &fixture).call_tool("todos", json!({ "limit": 501 })).await;

    assert!(outcome.is_error);
    let text = outcome.result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Invalid input for \"todos\":") && text.contains("500"), "{text}");
}

#[bdk::test]
async fn churn_refuses_an_end_before_its_start(bot: TestBot) {
    let fixture = fixture();
    let bot = on(bot, &fixture);

    let swapped = json!({ "since": "1970-01-05T00:00:00Z", "until": "1970-01-02T00:00:00Z" });
    let outcome = bot.call_tool("churn", swapped).await;
    assert!(outcome.is_error);
    assert!(outcome.result["content"][0]["text"].as_str().unwrap().contains("swap them"));

    let outcome = bot.call_tool("churn", json!({ "since": "1970-01-02T00:00:00Z" })).await;
    assert!(!outcome.is_error, "{:?}", outcome.result);
    assert_eq!(outcome.result["commits"], 2);
}

#[bdk::test]
async fn from_a_frozen_instant_later_commits_are_not_there(bot: TestBot) {
    let fixture = fixture();
    let bot = on(bot, &fixture).as_of(at(3 * DAY));

    let outcome = bot.call_tool("blame_summary", json!({ "path": "src/main.rs" })).await;
    assert_eq!(outcome.result["lines"], 1);
    let outcome = bot.call_tool("todos", json!({})).await;
    assert_eq!(outcome.result["total"], 0);
}

#[bdk::test]
async fn under_a_frozen_instant_churn_needs_both_bounds(bot: TestBot) {
    let fixture = fixture();
    let bot = on(bot, &fixture).as_of(at(3 * DAY));

    let outcome = bot.call_tool("churn", json!({ "since": "1970-01-01T00:00:00Z" })).await;
    assert!(outcome.is_error);
    assert!(outcome.result["content"][0]["text"].as_str().unwrap().contains("until"));

    let bounded = json!({ "since": "1970-01-01T00:00:00Z", "until": "1970-01-04T00:00:00Z" });
    let outcome = bot.call_tool("churn", bounded).await;
    assert!(!outcome.is_error, "{:?}", outcome.result);
    assert_eq!(outcome.result["authors"][0]["author"], "Ada <ada@example.org>");
}

#[bdk::test]
async fn ages_count_to_the_bots_clock(bot: TestBot) {
    let fixture = fixture();

    let outcome = on(bot, &fixture).now(at(10 * DAY)).call_tool("todos", json!({})).await;

    assert_eq!(outcome.result["todos"][0]["text"], "do something");
    assert_eq!(outcome.result["todos"][0]["age_days"], 6);
}

#[bdk::test]
async fn a_diff_goes_up_to_head_by_itself(bot: TestBot) {
    let fixture = fixture();

    let outcome = on(bot, &fixture).call_tool("diff_summary", json!({ "from": "HEAD~1" })).await;

    assert!(!outcome.is_error, "{:?}", outcome.result);
    assert_eq!(outcome.result["files"][0]["path"], "src/main.rs");
    assert_eq!(outcome.result["added"], 1);
}

#[bdk::test]
async fn a_tag_is_created(bot: TestBot) {
    let fixture = fixture();

    let input = json!({ "name": "v1.0.0", "annotated": true, "message": "The first." });
    let outcome = on(bot, &fixture).call_tool("create_tag", input).await;

    assert!(!outcome.is_error, "{:?}", outcome.result);
    assert_eq!(outcome.result["created"], true);
    assert!(fixture.git.find_reference("refs/tags/v1.0.0").is_ok());
}

#[bdk::test]
async fn a_dry_run_creates_no_tag_and_says_so(bot: TestBot) {
    let fixture = fixture();

    let outcome = on(bot, &fixture).dry_run().call_tool("create_tag", json!({ "name": "v1.0.0" })).await;

    assert!(outcome.stubbed && !outcome.is_error);
    assert_eq!(outcome.result, json!({ "name": "v1.0.0", "target": "HEAD", "annotated": false, "created": false }));
    assert!(fixture.git.find_reference("refs/tags/v1.0.0").is_err());
}

#[bdk::test]
async fn a_dry_run_refuses_what_the_real_call_would(bot: TestBot) {
    let fixture = fixture();
    let bot = on(bot, &fixture).dry_run();

    for input in [
        json!({ "name": "v1", "annotated": true }),
        json!({ "name": "v1", "message": "for a lightweight tag" }),
        json!({ "name": "not a name" }),
    ] {
        let outcome = bot.call_tool("create_tag", input.clone()).await;
        assert!(outcome.is_error && !outcome.stubbed, "{input}");
    }
}
