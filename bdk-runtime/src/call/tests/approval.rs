//! What `needs_approval` holds back.

use super::{ABLE, MINUTE, answered, call, code, said, yes};
use crate::{
    bot::Bot,
    call::{
        CallOptions, ErrorCode, Outcome,
        line::{Abilities, Line, Request, Speech},
    },
    registry::Registry,
};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn approval_is_asked_once_a_call_and_never_taken_from_what_came_with_it() {
    let given = ["approval", "held"].map(|key| (key.to_owned(), json!({ "action": "accept" })));
    let (line, mut heard) = Line::new(ABLE, false, None, Map::from_iter(given));
    let front = async {
        let Some(Speech::Ask(ask)) = heard.recv().await else { panic!("it asks") };
        let _ = ask.reply.send(Ok(vec![json!({ "action": "accept", "content": null })]));
        heard.recv().await
    };
    let (outcome, more) = tokio::join!(call("held", json!({ "fail": true }), Some(line)), front);
    assert_eq!(outcome.result, 3, "{outcome:?}");
    assert!(more.is_none(), "{more:?}");
}

#[tokio::test]
async fn what_was_not_approved_does_not_run_and_says_so() {
    for action in ["decline", "cancel"] {
        let outcome = answered("held", json!({}), Duration::ZERO, |_| json!({ "action": action })).await;
        let text = "Tool \"held\" failed: it was not approved: do not call it again unless you are asked to";
        assert_eq!((outcome.text().as_str(), code(&outcome), outcome.attempts), (text, Some(ErrorCode::Failed), 0));
    }
    let outcome = answered("held", json!({}), Duration::ZERO, |_| json!("yes")).await;
    assert_eq!((code(&outcome), outcome.attempts), (Some(ErrorCode::Unavailable), 0));
}

#[tokio::test]
async fn where_nobody_can_be_asked_approval_is_refused_at_once() {
    let alone = call("held", json!({}), None).await;
    let (line, mut heard) = Line::new(Abilities { sampling: true, ..Abilities::default() }, true, None, Map::new());
    let unable = call("held", json!({}), Some(line.clone())).await;
    for outcome in [alone, unable] {
        assert_eq!((code(&outcome), outcome.attempts), (Some(ErrorCode::Unavailable), 0));
        assert!(outcome.text().contains("needs the approval of a person") && outcome.text().contains("`elicitation`"));
    }
    assert_eq!(line.lacked(), Some("elicitation"));
    assert!(said(&mut heard).is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_approval_may_take_longer_than_the_call() {
    assert_eq!(answered("held", json!({}), 9 * MINUTE, yes).await.result, 1);
}

#[tokio::test]
async fn a_long_input_is_shown_in_part_and_says_so() {
    let check = |request: &Request| {
        let message = request.params["message"].as_str().expect("words");
        assert!(message.starts_with("Allow a call of `held` with this input?\n\n{\n  \"text\": \"ä"), "{message}");
        assert!(message.len() < 4300 && message.ends_with("bytes)"), "{message}");
        yes(request)
    };
    assert_eq!(answered("held", json!({ "text": "ä".repeat(5000) }), Duration::ZERO, check).await.result, 1);
}

#[tokio::test]
async fn nothing_of_the_input_is_hidden_or_reordered() {
    let check = |request: &Request| {
        let message = request.params["message"].as_str().expect("words");
        assert!(message.contains(r#""pay": "a\u202eb\u200bc\u001b❤""#), "{message}");
        assert!(message.contains(r#""k\u00ad": 1"#), "{message}");
        yes(request)
    };
    let input = json!({ "pay": "a\u{202e}b\u{200b}c\u{1b}❤", "k\u{ad}": 1 });
    assert_eq!(answered("held", input, Duration::ZERO, check).await.result, 1);
}

#[test]
fn only_a_tool_that_needs_approval_is_listed_so() {
    let registry = Registry::linked();
    let listed = |name: &str| registry.find(name).expect("a tool").listing("agent")["needsApproval"].clone();
    assert_eq!((listed("held"), listed("asks")), (json!(true), Value::Null));
}

#[tokio::test]
async fn a_yes_on_the_heels_of_the_cancellation_is_too_late() {
    let bot = Bot::with(Registry::linked());
    let (line, mut heard) = Line::new(ABLE, false, None, Map::new());
    let cancel = CancellationToken::new();
    let options = CallOptions { line: Some(line), cancel: Some(cancel.clone()), ..CallOptions::new() };
    let front = async {
        let Some(Speech::Ask(ask)) = heard.recv().await else { panic!("it asks") };
        // the call finds both at once
        cancel.cancel();
        let _ = ask.reply.send(Ok(vec![json!({ "action": "accept" })]));
    };
    let (outcome, ()) = tokio::join!(bot.call("held", json!({}), options), front);
    let outcome = Outcome::from(outcome.expect("a tool"));
    assert_eq!((code(&outcome), outcome.attempts), (Some(ErrorCode::Cancelled), 0), "{outcome:?}");
}
