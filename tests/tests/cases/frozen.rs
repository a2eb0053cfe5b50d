//! 27: a session whose time is frozen, at every door.

use crate::{
    KITCHEN,
    doors::{In, essence, is_outcome, with_bot},
};
use bdk_tests::run;
use serde_json::json;

// ---- 27 ----

#[test]
fn case_27_in_a_frozen_session_every_door_bounds_the_named_arguments() {
    let frozen = "2026-01-01T00:00:00Z";
    let fine = "2025-12-01T00:00:00Z";
    with_bot(async |bot| {
        let session = bot.open(&json!({ "asOf": frozen }));
        for bad in [
            None,
            Some(json!(null)),
            Some(json!("yesterday")),
            Some(json!("2025-12-01")),
            Some(json!("2025-12-01T00:00:00")),
            Some(json!("2026-01-01T00:00:00.000000001Z")),
            Some(json!("2025-12-01 00:00:00Z")),
            Some(json!("2025-12-01T24:00:00Z")),
        ] {
            for (wrong, right) in [("since", "until"), ("until", "since")] {
                let mut input = json!({ right: fine });
                if let Some(bad) = &bad {
                    input[wrong] = bad.clone();
                }
                let (outcomes, results) = bot.everywhere("search", &input, In::Session(&session)).await;
                let words = outcomes[0]["result"]["content"][0]["text"].as_str().expect("words");
                assert_eq!(outcomes[0]["error"]["code"], "as_of", "{input}: {words}");
                assert!(words.contains(wrong) && words.contains("retry with absolute bounds"), "{words}");
                let path = outcomes[0]["error"]["issues"][0]["path"].as_str();
                assert_eq!(path, Some(wrong), "{}", outcomes[0]);
                results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
                // the same as for a call that has an asOf of its own
                let own = run(KITCHEN, &["call", "search", "--as-of", frozen, "--input", &input.to_string()]).json();
                let all = outcomes.into_iter().chain([own]).map(essence).collect::<Vec<_>>();
                assert!(all.iter().all(|outcome| *outcome == all[0]), "{all:#?}");
            }
        }
        for fine in ["2025-12-01t00:00:00z", "2025-12-01T00:00:00+00:00", "2026-01-01T02:00:00+02:00", frozen] {
            let input = json!({ "since": fine, "until": fine });
            let (outcomes, results) = bot.everywhere("search", &input, In::Session(&session)).await;
            assert!(outcomes.iter().all(|outcome| outcome["isError"] == false), "{fine}: {outcomes:#?}");
            results.iter().for_each(|told| is_outcome(told, &outcomes[0]));
        }
        assert_eq!(bot.http("now", &json!({}), In::Session(&session))["result"], frozen);
        let (free, _) = bot.everywhere("search", &json!({ "since": "yesterday" }), In::Nothing).await;
        assert!(free.iter().all(|outcome| outcome["isError"] == false), "{free:#?}");
    });
}
