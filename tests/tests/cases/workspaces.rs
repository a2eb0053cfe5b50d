//! 30: whose a workspace is, and how long it is there; which session is meant.

use crate::{
    KITCHEN,
    doors::{In, with_bot},
};
use bdk::{CallOptions, SessionOptions};
use bdk_tests::{
    mcp::{mark, request},
    run,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

// ---- 30 ----

#[test]
fn case_30_without_a_session_a_workspace_goes_with_its_call_at_every_door() {
    with_bot(async |bot| {
        let (outcomes, results) = bot.everywhere("workspace", &json!({ "panic": false }), In::Nothing).await;
        let dirs = outcomes.iter().map(|o| &o["result"]["dir"]);
        let dirs: Vec<&str> =
            dirs.chain(results.iter().map(|r| &r["structuredContent"]["dir"])).filter_map(Value::as_str).collect();
        assert_eq!(dirs.len(), 5, "{outcomes:#?} {results:#?}");
        assert!(dirs.iter().all(|dir| !Path::new(dir).exists()), "{dirs:?}");
        let ran = run(KITCHEN, &["call", "workspace", "--input", r#"{"panic":false}"#]).json();
        assert!(!Path::new(ran["result"]["dir"].as_str().expect("a folder")).exists(), "{ran}");

        let mark = mark("cases-workspace");
        let input = json!({ "mark": mark });
        for door in 0..5 {
            let code = match door {
                0 => bot.http("waits_in_workspace", &input, In::Nothing)["error"]["code"].clone(),
                1 => bot.in_process("waits_in_workspace", &input, In::Nothing).await["error"]["code"].clone(),
                n => {
                    bot.mcp(In::Nothing)[n - 2].call("waits_in_workspace", input.clone())["_meta"]["bdk/error"]["code"]
                        .clone()
                }
            };
            assert_eq!(code, "timeout");
            let dir = fs::read_to_string(&mark).expect("it ran");
            assert!(dir.contains("bdk-") && !Path::new(&dir).exists(), "{dir}");
            fs::remove_file(&mark).expect("read");
        }
    });
}

#[test]
fn case_30_in_a_session_every_door_has_the_one_workspace_until_the_session_goes() {
    with_bot(async |bot| {
        let session = bot.open(&json!({}));
        let (outcomes, results) = bot.everywhere("workspace", &json!({ "panic": false }), In::Session(&session)).await;
        let dirs = outcomes.iter().map(|o| &o["result"]["dir"]);
        let dirs: Vec<&Value> = dirs.chain(results.iter().map(|r| &r["structuredContent"]["dir"])).collect();
        assert!(dirs.iter().all(|dir| *dir == dirs[0]), "{dirs:?}");
        let dir = Path::new(dirs[0].as_str().expect("a folder"));
        assert!(dir.join("note").exists(), "{dir:?}");
        bot.http("workspace", &json!({ "panic": true }), In::Session(&session));
        assert!(dir.join("note").exists(), "also behind a panic");
        bot.handle.session(session.as_str()).delete().await.expect("deleted");
        assert!(!dir.exists(), "{dir:?}");
    });
}

#[test]
fn case_30_both_ids_are_400_naming_both_and_an_unknown_session_is_404() {
    with_bot(async |bot| {
        let post = |body: Value| bot.at("tools/add").post(&[], body.to_string().as_bytes()).whole();
        let both = post(json!({ "sessionId": "ses_a", "continuationToken": "http:b" }));
        let message = both.json()["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!((both.status, both.json()["error"].as_str()), (400, Some("invalid_request")));
        assert!(message.contains("`sessionId`") && message.contains("`continuationToken`"), "{message}");
        for body in [json!({ "sessionId": "ses_aaaaaaaaaaaaaaaaaaaa" }), json!({ "continuationToken": "http:b" })] {
            let unknown = post(body);
            assert_eq!((unknown.status, unknown.json()["error"].as_str()), (404, Some("unknown_session")));
        }
        let unknown = bot.at("mcp?session=ses_aaaaaaaaaaaaaaaaaaaa").send(&request(1, "tools/list", json!({}))).whole();
        assert_eq!((unknown.status, unknown.json()["error"].as_str()), (404, Some("unknown_session")));
        let options = CallOptions::new().session("ses_aaaaaaaaaaaaaaaaaaaa");
        let unknown = bot.handle.call_tool_with("add", json!({}), options).await.expect_err("unknown");
        assert!(unknown.to_string().contains("ses_aaaaaaaaaaaaaaaaaaaa"), "{unknown}");
    });
}

#[test]
fn a_session_opened_in_process_is_not_there_for_callers_over_the_network() {
    with_bot(async |bot| {
        let session = bot.handle.open_session(SessionOptions::new()).await.expect("opened");
        let body = json!({ "sessionId": session.id(), "input": { "a": 1, "b": 2 } });
        assert_eq!(bot.at("tools/add").post(&[], body.to_string().as_bytes()).whole().status, 404);
        let mcp = bot.at(&format!("mcp?session={}", session.id())).send(&request(1, "tools/list", json!({}))).whole();
        assert_eq!(mcp.status, 404);
        assert_eq!(session.call_tool("add", json!({ "a": 1, "b": 2 })).await.expect("its own").result, 3);
    });
}
