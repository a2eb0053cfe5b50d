//! 24, 25, 26: what is tried again, in a session and at every door.

use crate::{
    KITCHEN,
    doors::{In, is_outcome, with_bot},
};
use bdk_tests::{
    Server, eventually,
    mcp::{Client, notification, request},
};
use serde_json::json;

// ---- 24, 25, 26 ----

#[test]
fn case_24_a_read_that_fails_twice_is_one_record_with_three_attempts_at_every_door() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let (outcomes, results) = bot.everywhere("flaky_read", &json!({}), In::Session(&session)).await;
        for outcome in &outcomes {
            assert_eq!((&outcome["result"], &outcome["attempts"]), (&json!(3), &json!(3)), "{outcome}");
        }
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let (outcomes, results) = bot.everywhere("dead_read", &json!({}), In::Session(&session)).await;
        let words = outcomes[0]["result"]["content"][0]["text"].as_str().expect("words");
        assert!(words.contains("failed after 3 attempts"), "{words}");
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let (outcomes, _) = bot.everywhere("no_such_user", &json!({}), In::Session(&session)).await;
        assert!(outcomes.iter().all(|outcome| outcome["attempts"] == 1), "{outcomes:#?}");

        let events = bot.events(&session).await;
        let attempts: Vec<u64> = events.iter().filter_map(|event| event["data"]["attempts"].as_u64()).collect();
        assert_eq!(attempts, [3; 10].into_iter().chain([1; 5]).collect::<Vec<u64>>());
        assert_eq!(events.len(), 2 * 15);
    });
}

#[test]
fn case_25_a_write_is_tried_once_and_its_record_says_that_the_outcome_is_unknown() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let (outcomes, results) = bot.everywhere("flaky_write", &json!({}), In::Session(&session)).await;
        let words = outcomes[0]["result"]["content"][0]["text"].as_str().expect("words");
        assert!(words.contains("outcome is unknown: verify"), "{words}");
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let results = bot.events(&session).await.into_iter().filter(|event| event["type"] == "action.result");
        for record in results {
            assert_eq!((&record["data"]["attempts"], &record["data"]["isError"]), (&json!(1), &json!(true)));
            assert_eq!(record["data"]["result"]["content"][0]["text"], words);
        }
    });
}

#[test]
fn case_26_a_wait_for_the_next_attempt_ends_with_the_deadline() {
    with_bot(async |bot| {
        let (outcomes, results) = bot.everywhere("too_late", &json!({ "seconds": 9 }), In::Nothing).await;
        for outcome in &outcomes {
            assert_eq!((&outcome["error"]["code"], &outcome["attempts"]), (&json!("timeout"), &json!(1)), "{outcome}");
        }
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let given_up = bot.http("later", &json!({ "seconds": 11 }), In::Nothing);
        assert_eq!((&given_up["error"]["code"], &given_up["attempts"]), (&json!("failed"), &json!(1)), "{given_up}");
    });
}

#[test]
fn case_26_a_wait_for_the_next_attempt_ends_with_cancellation() {
    let server = Server::start_with(KITCHEN, &[], |c| {
        c.env("RUST_LOG", "bdk::call=debug");
    });
    let waits = |n: usize| {
        eventually(|| (server.stderr().matches("is tried again").count() == n).then_some(())).expect("it waits");
    };
    let ended = |n: usize| {
        let ended = |line: &&str| line.contains("outcome=\"cancelled\"") || line.contains("outcome=cancelled");
        eventually(|| (server.stderr().lines().filter(ended).count() == n).then_some(())).expect("it ends");
        assert!(server.stderr().lines().filter(ended).all(|line| line.contains("attempts=1")), "{}", server.stderr());
    };
    // a caller that goes away
    let body = json!({ "input": { "seconds": 10 } }).to_string();
    let http = Client { path: format!("{}/tools/later", server.prefix), ..Client::new(&server) };
    let call = http.post(&[], body.as_bytes());
    waits(1);
    drop(call);
    ended(1);
    // one that says so
    let client = Client::session(&server, json!({}));
    let call = client.send(&request(777, "tools/call", json!({ "name": "later", "arguments": { "seconds": 10 } })));
    waits(2);
    let cancel = notification("notifications/cancelled", json!({ "requestId": 777 }));
    assert_eq!(client.send(&cancel).whole().status, 202);
    ended(2);
    assert_eq!(call.whole().json()["result"]["_meta"]["bdk/error"]["code"], "cancelled");
    // a session that is deleted
    let opened = Client { path: format!("{}/session", server.prefix), ..Client::new(&server) }.post(&[], b"{}").whole();
    let session = opened.json()["sessionId"].as_str().expect("an id").to_owned();
    let body = json!({ "input": { "seconds": 10 }, "sessionId": session }).to_string();
    let call = http.post(&[], body.as_bytes());
    waits(3);
    let gone = Client { path: format!("{}/session/{session}", server.prefix), ..Client::new(&server) }.bare("DELETE");
    assert_eq!(gone.whole().status, 200);
    ended(3);
    assert_eq!(call.whole().json()["error"]["code"], "cancelled");
}
