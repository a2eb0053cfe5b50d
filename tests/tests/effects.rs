//! cases.md 22–28: effects, dry runs, retries and frozen time.

use bdk_tests::{Server, run};
use serde_json::{Value, json};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_dry_run_runs_reads_and_stubs_everything_else() {
    let server = Server::start(KITCHEN, &[]);
    let dry = |tool: &str, input: Value| server.call(tool, &json!({ "input": input, "dryRun": true })).1;

    let read = dry("add", json!({ "a": 1, "b": 2 }));
    assert_eq!((&read["result"], &read["stubbed"], &read["attempts"]), (&json!(3), &json!(false), &json!(1)));
    let write = dry("publish", json!({ "version": "1.0", "key": "12345678" }));
    assert_eq!(write["result"], json!({ "published": false, "version": "1.0" }));
    assert_eq!((&write["stubbed"], &write["attempts"]), (&json!(true), &json!(0)));
    let unknown = dry("undeclared", json!({}));
    assert_eq!((&unknown["result"], &unknown["stubbed"]), (&json!("Operation acknowledged."), &json!(true)));
    let invalid = dry("publish", json!({ "version": "1.0", "key": "short" }));
    assert_eq!(invalid["error"]["code"], "invalid_input", "{invalid}");
    assert_eq!(server.call("writes", &json!({})).1["result"], 0, "nothing ran");

    server.call("publish", &json!({ "input": { "version": "1.0", "key": "12345678" } }));
    assert_eq!(server.call("writes", &json!({})).1["result"], 1, "without a dry run it does");
}

#[test]
fn a_dry_run_reaches_into_what_a_tool_calls() {
    let ran = run(KITCHEN, &["call", "relay", "--dry-run", "--input", r#"{"tool":"undeclared","input":{}}"#]);
    let result = &ran.json()["result"];
    assert_eq!(result, &json!({ "isError": false, "result": "Operation acknowledged.", "stubbed": true }));
}

#[test]
fn a_predicate_sees_validated_input_with_defaults_and_one_that_panics_counts_as_a_write() {
    let dry = |tool: &str, input: &str| run(KITCHEN, &["call", tool, "--dry-run", "--input", input]).json();
    assert_eq!(dry("berth", r#"{"berth":1}"#)["stubbed"], true, "`hold` is true by default");
    assert_eq!(dry("berth", r#"{"berth":1,"hold":null}"#)["stubbed"], true, "null is absent");
    assert_eq!(dry("berth", r#"{"berth":1,"hold":false}"#)["stubbed"], false);
    assert_eq!(dry("berth", r#"{"berth":0}"#)["error"]["code"], "invalid_input");
    assert_eq!(dry("panicky_effect", r#"{"n":7}"#)["stubbed"], true);
    assert_eq!(dry("panicky_effect", r#"{"n":8}"#)["result"], 8);
}

#[test]
fn a_read_that_fails_twice_and_then_works_is_one_success() {
    let answer = run(KITCHEN, &["call", "flaky_read"]).json();
    assert_eq!((&answer["result"], &answer["attempts"], &answer["isError"]), (&json!(3), &json!(3), &json!(false)));
}

#[test]
fn a_read_that_always_fails_says_after_how_many_attempts() {
    let answer = run(KITCHEN, &["call", "dead_read"]).json();
    assert!(text(&answer).contains("failed after 3 attempts"), "{answer}");
    assert!(text(&answer).contains("asking the index"), "{answer}");
    assert_eq!((&answer["attempts"], &answer["error"]["retryable"]), (&json!(3), &json!(true)));
}

#[test]
fn a_failure_that_will_stay_is_tried_once() {
    let answer = run(KITCHEN, &["call", "no_such_user"]).json();
    assert_eq!(answer["attempts"], 1);
    assert_eq!(text(&answer), "Tool \"no_such_user\" failed: no such user");
}

#[test]
fn a_write_is_tried_once_and_says_that_its_outcome_is_unknown() {
    let answer = run(KITCHEN, &["call", "flaky_write"]).json();
    assert_eq!(answer["attempts"], 1);
    assert!(text(&answer).contains("outcome is unknown: verify"), "{answer}");
}

#[test]
fn a_write_that_never_ran_says_nothing_of_an_unknown_outcome() {
    let answer = run(KITCHEN, &["call", "writes_unreachable"]).json();
    assert!(!text(&answer).contains("outcome is unknown"), "{answer}");
    assert_eq!(answer["error"], json!({ "code": "failed", "retryable": true }));
}

#[test]
fn a_retry_after_is_honoured_up_to_ten_seconds() {
    let start = std::time::Instant::now();
    let answer = run(KITCHEN, &["call", "later", "--input", r#"{"seconds":1}"#]).json();
    assert_eq!(answer["attempts"], 2);
    assert!(start.elapsed().as_secs() >= 1, "it waited as asked");
    let answer = run(KITCHEN, &["call", "later", "--input", r#"{"seconds":11}"#]).json();
    assert_eq!(answer["attempts"], 1, "it did not wait for so long");
}

#[test]
fn frozen_time_bounds_the_named_arguments() {
    let frozen = "2026-01-01T00:00:00Z";
    let search = |since: Value, until: Value| {
        let mut input = json!({});
        for (name, value) in [("since", since), ("until", until)] {
            if value != json!("absent") {
                input[name] = value;
            }
        }
        run(KITCHEN, &["call", "search", "--as-of", frozen, "--input", &input.to_string()]).json()
    };
    let good = || json!("2025-12-01T00:00:00Z");
    for bad in [
        json!("absent"),
        json!(null),
        json!("yesterday"),
        json!("2025-12-01"),
        json!("2025-12-01T00:00:00"),
        json!("2026-01-01T00:00:00.000000001Z"),
        json!("2025-12-01 00:00:00Z"),
        json!("2025-12-01T24:00:00Z"),
    ] {
        for (since, until, name) in [(bad.clone(), good(), "since"), (good(), bad.clone(), "until")] {
            let answer = search(since, until);
            assert_eq!(answer["error"]["code"], "as_of", "{bad}: {answer}");
            assert!(text(&answer).contains(name), "{answer}");
            assert!(
                answer["error"]["issues"].as_array().is_some_and(|i| i.iter().any(|i| i["path"] == name)),
                "{answer}"
            );
        }
    }
    for fine in ["2025-12-01t00:00:00z", "2025-12-01T00:00:00+00:00", "2026-01-01T02:00:00+02:00", frozen] {
        let answer = search(json!(fine), json!(fine));
        assert_eq!(answer["isError"], false, "{fine}: {answer}");
    }
    let free = run(KITCHEN, &["call", "search", "--input", r#"{"since":"yesterday"}"#]).json();
    assert_eq!(free["isError"], false, "without asOf nothing is bounded: {free}");
    let now = run(KITCHEN, &["call", "now", "--as-of", frozen]).json();
    assert_eq!(now["result"], frozen);
}

#[test]
fn a_listing_says_what_is_known_of_the_effect() {
    let tools = run(KITCHEN, &["tools", "--json"]).json();
    let of = |name: &str| {
        let tool =
            tools.as_array().expect("a list").iter().find(|t| t["name"] == name).unwrap_or_else(|| panic!("{name}"));
        (tool["effect"].clone(), tool["annotations"].get("readOnlyHint").cloned())
    };
    assert_eq!(of("add"), (json!("read"), Some(json!(true))));
    assert_eq!(of("publish"), (json!("write"), Some(json!(false))));
    assert_eq!(of("berth"), (json!("predicate"), None));
    assert_eq!(of("undeclared"), (json!("undeclared"), None));
}

#[test]
fn tools_call_each_other_eight_deep_at_most() {
    let answer = run(KITCHEN, &["call", "dive", "--input", r#"{"depth":1}"#]).json();
    assert_eq!(answer["result"], 8, "{answer}");
}

#[test]
fn a_provider_that_fails_fails_the_call_and_is_tried_again_by_the_next() {
    let server = Server::start(KITCHEN, &[]);
    let ask = || server.call("query", &json!({ "input": { "sql": "q" } })).1;
    let first = ask();
    assert_eq!(text(&first), "Tool \"query\" failed: the database is starting");
    assert_eq!(ask()["result"], "q on main 1");
    assert_eq!(ask()["result"], "q on main 1", "made once, and kept");
}
