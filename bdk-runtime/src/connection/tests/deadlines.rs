//! Whose deadline ends a call of another server's tool, and what is known of it then.

use super::{
    fault::{Fault, Reply},
    *,
};
use crate::{
    Effect, ToolDefinition,
    bot::Bot,
    call::{CallInput, CallOptions, ErrorCode, Outcome, call_found},
    registry::{Registry, Remote, Tool},
};

/// A call of the tool `wait` through the bot, as of a write.
async fn call_of_bot(bot: &Bot, timeout: Duration) -> Outcome {
    let definition = ToolDefinition::new("wait").description("Waits.").effect(Effect::Write).timeout(timeout);
    let definition = definition.input_schema(json!({ "type": "object" }));
    let remote = Remote { connection: "it".into(), own: "wait".into(), said: Vec::new() };
    let tool = Tool::remote("wait".to_owned(), definition, remote, crate::__private::at!());
    let input = CallInput::from(json!({}));
    call_found(bot, Arc::new(tool), input, CallOptions::new()).await.into()
}

#[tokio::test]
async fn a_write_that_was_never_sent_is_not_of_unknown_outcome_when_its_time_is_over() {
    let (url, server) = Fault::serve(|asked, _| (asked.method() == "tools/call").then_some(Reply::Never)).await;
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let bot = Bot::with_connections(Registry::linked(), with(Connection::http(&url), limits));
    let first = async {
        let first = call_of_bot(&bot, Duration::from_millis(900)).await;
        let error = first.error.as_ref().unwrap();
        assert_eq!(error.code, ErrorCode::Timeout, "{first:?}");
        assert!(first.text().contains("timed out after 900ms. The outcome is unknown"), "{}", first.text());
        assert!(!error.retryable);
    };
    let second = async {
        until("the first is sent", || !server.asked("tools/call").is_empty()).await;
        let second = call_of_bot(&bot, Duration::from_millis(200)).await;
        let error = second.error.as_ref().unwrap();
        assert_eq!(error.code, ErrorCode::Timeout, "{second:?}");
        let text = second.text();
        assert!(text.contains("timed out after 200ms") && text.contains("1 calls were under way"), "{text}");
        assert!(text.contains("Nothing was run") && !text.contains("unknown") && error.retryable, "{second:?}");
    };
    tokio::join!(first, second);
}
