//! 22, 23: what runs in a dry-run session, at every door.

use crate::doors::{In, is_outcome, with_bot};
use serde_json::{Value, json};

// ---- 22, 23 ----

#[test]
fn case_22_in_a_dry_run_session_every_door_runs_reads_and_stubs_the_rest() {
    with_bot(async |bot| {
        let session = bot.open(&json!({ "dryRun": true }));
        let inside = In::Session(&session);
        let acknowledged = json!("Operation acknowledged.");
        let published = json!({ "published": false, "version": "1.0" });
        for (tool, input, result, stubbed) in [
            ("add", json!({ "a": 1, "b": 2 }), json!(3), false),
            ("publish", json!({ "version": "1.0", "key": "12345678" }), published, true),
            ("undeclared", json!({}), acknowledged.clone(), true),
            ("say_nothing", json!({}), acknowledged, true),
        ] {
            let (outcomes, results) = bot.everywhere(tool, &input, inside).await;
            for outcome in &outcomes {
                assert_eq!((&outcome["result"], &outcome["stubbed"]), (&result, &json!(stubbed)), "{outcome}");
                assert_eq!(outcome["attempts"], u32::from(!stubbed), "{outcome}");
            }
            results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        }
        let (outcomes, results) = bot.everywhere("publish", &json!({ "version": "1.0", "key": "short" }), inside).await;
        assert_eq!((&outcomes[0]["error"]["code"], &outcomes[0]["stubbed"]), (&json!("invalid_input"), &json!(false)));
        results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        let relayed = bot.http("relay", &json!({ "tool": "undeclared", "input": {} }), inside);
        assert_eq!(relayed["result"]["stubbed"], true, "also what a tool calls: {relayed}");

        let events = bot.events(&session).await;
        let stubbed = events.iter().filter(|e| e["type"] == "action.result" && e["data"]["stubbed"] == true);
        assert_eq!(stubbed.count(), 3 * 5 + 1, "recorded as what they are");
    });
}

#[test]
fn case_23_in_a_session_a_predicate_sees_validated_input_and_a_panic_is_a_write() {
    with_bot(async |bot| {
        let session = bot.open(&json!({ "dryRun": true }));
        for (tool, input, stubbed) in [
            ("berth", json!({ "berth": 1 }), true),
            ("berth", json!({ "berth": 1, "hold": null }), true),
            ("berth", json!({ "berth": 1, "hold": false }), false),
            ("berth", json!({ "berth": 0 }), false),
            ("panicky_effect", json!({ "n": 7 }), true),
            ("panicky_effect", json!({ "n": 8 }), false),
        ] {
            let (outcomes, results) = bot.everywhere(tool, &input, In::Session(&session)).await;
            assert!(outcomes.iter().all(|o| o["stubbed"] == stubbed), "{outcomes:#?}");
            results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        }
        let effect = |event: &Value| event["data"]["actions"][0]["effect"].as_str().map(str::to_owned);
        let effects: Vec<String> = bot.events(&session).await.iter().filter_map(effect).collect();
        let expected = ["write", "write", "read", "undecided", "write", "read"].map(|effect| vec![effect; 5]);
        assert_eq!(effects, expected.concat());
    });
}
