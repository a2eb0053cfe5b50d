//! What a tool says and asks, against a front that is scripted. Time is tokio's own, and stands unless everything waits.

mod approval;
mod blocking;
#[cfg(feature = "commands")]
mod spans;

use super::{
    CallOptions, ErrorCode, LogLevel, Outcome, Question, ToolContext,
    line::{Abilities, Line, Request, Speech},
};
use crate::{
    Effect, ToolDefinition, ToolError,
    bot::Bot,
    registry::Registry,
    tool::{At, ToolsDef},
};
use serde_json::{Map, Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::Instant};

const ABLE: Abilities = Abilities { form: true, url: true, sampling: true, roots: true };

inventory::submit! {
    ToolsDef { make: tools, at: At { file: file!(), line: 0, module: module_path!(), krate: "bdk-runtime" } }
}

fn tools() -> Vec<ToolDefinition> {
    let open = || json!({ "type": "object" });
    let read = |name: &str| ToolDefinition::new(name).description("A tool.").effect(Effect::Read).input_schema(open());
    let five = Duration::from_secs(5);
    vec![
        read("asks").timeout(five).handler(asks),
        read("asks_without_limit").no_timeout().handler(asks),
        // its own clock is of no use: the tool below it is the one that asks
        read("calls").timeout(five).handler(async |input: Value, ctx: ToolContext| {
            let name = input["name"].as_str().unwrap_or("asks_without_limit").to_owned();
            Ok(serde_json::to_value(ctx.call_tool(&name, input).await?)?)
        }),
        // one call below it asks, another sleeps on
        read("calls_two").timeout(five).handler(async |input: Value, ctx: ToolContext| {
            let (asked, slept) = tokio::join!(
                ctx.call_tool("asks_without_limit", json!({})),
                ctx.call_tool("sleeps", json!({ "ms": input["ms"] }))
            );
            Ok(json!([asked?.text(), slept?.text()]))
        }),
        read("sleeps").no_timeout().handler(async |input: Value, _: ToolContext| {
            tokio::time::sleep(ms(&input["ms"])).await;
            Ok("slept")
        }),
        read("panics").handler(async |_: Value, ctx: ToolContext| -> Result<(), ToolError> {
            let answer = ctx.ask("Panic?").await?;
            panic!("{answer:?}")
        }),
        read("asks_this").handler(async |input: Value, ctx: ToolContext| {
            let question = match input["kind"].as_str() {
                Some("url") => Question::url("Sign in", "https://example.com/"),
                Some("sampling") => Question::request("sampling/createMessage", json!({ "maxTokens": 1 })),
                Some("roots") => Question::request("roots/list", json!({})),
                _ => Question::new("Who?").text("name").integer("age").optional().id("who"),
            };
            let answer = ctx.ask(question).await?;
            Ok(json!({ "accepted": answer.accepted(), "content": answer.content() }))
        }),
        read("asks_many").handler(async |input: Value, ctx: ToolContext| {
            let words: Vec<String> = serde_json::from_value(input["words"].clone())?;
            let answers = ctx.ask_all(words).await?;
            Ok(answers.iter().map(super::Answer::accepted).collect::<Vec<_>>())
        }),
        read("says").handler(async |input: Value, ctx: ToolContext| {
            for done in input["done"].as_array().into_iter().flatten() {
                ctx.progress(done.as_f64().unwrap_or(f64::NAN), 10, "on the way").await;
            }
            if input["twice"] == true {
                ctx.call_tool("says", json!({ "done": [8] })).await?;
            }
            ctx.log(LogLevel::Info, "fine").await;
            ctx.log(LogLevel::Error, "broken").await;
            Ok(json!([ctx.can_ask(), ctx.traceparent()]))
        }),
        read("held").needs_approval().handler(async |input: Value, ctx: ToolContext| {
            if ctx.attempt() < 3 && input["fail"] == true {
                return Err(ToolError::transient("busy"));
            }
            Ok(ctx.attempt())
        }),
        read("blocks").handler(async |_: Value, ctx: ToolContext| Ok(ctx.block_on(ctx.ask("Go on?"))?.accepted())),
        read("blocks_elsewhere").handler(async |input: Value, ctx: ToolContext| {
            let asks = move || ctx.block_on(ctx.ask("Go on?"));
            let answer = if input["place"] == "a thread" {
                let (done, answered) = tokio::sync::oneshot::channel();
                std::thread::spawn(move || done.send(asks()));
                answered.await?
            } else {
                tokio::task::spawn_blocking(asks).await?
            };
            Ok(answer?.accepted())
        }),
        read("hands_on").handler(async |input: Value, ctx: ToolContext| {
            Ok(ctx.call_tool("says", input).await?.value::<Value>()?)
        }),
    ]
}

fn ms(value: &Value) -> Duration {
    Duration::from_millis(value.as_u64().unwrap_or_default())
}

async fn asks(input: Value, ctx: ToolContext) -> Result<bool, ToolError> {
    let answer = ctx.ask("Go on?").await?;
    tokio::time::sleep(ms(&input["then"])).await;
    Ok(answer.accepted())
}

async fn call(name: &str, input: Value, line: Option<Arc<Line>>) -> Outcome {
    let bot = Bot::with(Registry::linked());
    let options = CallOptions { line, ..CallOptions::new().traceparent("00-trace") };
    bot.call(name, input, options).await.unwrap_or_else(|unknown| panic!("{unknown}")).into()
}

/// Calls a tool, and answers each of its questions after so long.
async fn answered(name: &str, input: Value, after: Duration, answer: impl Fn(&Request) -> Value) -> Outcome {
    let (line, mut heard) = Line::new(ABLE, false, None, Map::new());
    let front = async {
        while let Some(speech) = heard.recv().await {
            let Speech::Ask(ask) = speech else { panic!("{speech:?}") };
            tokio::time::sleep(after).await;
            let _ = ask.reply.send(Ok(ask.requests.iter().map(&answer).collect()));
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        outcome = call(name, input, Some(line)) => outcome,
        () = front => unreachable!("it waits for ever"),
    }
}

fn yes(_: &Request) -> Value {
    json!({ "action": "accept" })
}

fn code(outcome: &Outcome) -> Option<ErrorCode> {
    outcome.error.as_ref().map(|e| e.code)
}

fn said(heard: &mut mpsc::Receiver<Speech>) -> Vec<String> {
    let all = std::iter::from_fn(|| heard.try_recv().ok());
    all.map(|speech| match speech {
        Speech::Progress { done, total, message } => format!("{done} {total:?} {message:?}"),
        Speech::Log { level, message } => format!("{} {message}", level.as_str()),
        Speech::Ask(ask) => panic!("{ask:?}"),
    })
    .collect()
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_stops_the_deadlines_clock() {
    let outcome = answered("asks", json!({ "then": 4900 }), MINUTE, yes).await;
    assert_eq!(outcome.result, true, "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn the_clock_goes_on_after_the_answer() {
    let began = Instant::now();
    let outcome = answered("asks", json!({ "then": 60_000 }), MINUTE, yes).await;
    assert_eq!(outcome.text(), "Tool \"asks\" failed: timed out after 5s");
    let took = began.elapsed();
    assert!(took >= MINUTE + Duration::from_secs(5) && took < MINUTE + Duration::from_secs(6), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_the_call_above_stands_too() {
    let outcome = answered("calls", json!({ "then": 4900 }), MINUTE, yes).await;
    assert_eq!(outcome.result["result"], true, "{outcome:?}");
    let outcome = answered("calls", json!({ "then": 60_000 }), MINUTE, yes).await;
    assert_eq!(outcome.text(), "Tool \"calls\" failed: timed out after 5s");
}

#[tokio::test(start_paused = true)]
async fn a_call_beside_the_one_that_asks_may_run_as_long_as_the_one_above_both() {
    let outcome = answered("calls_two", json!({ "ms": 64_000 }), MINUTE, yes).await;
    assert_eq!(outcome.result, json!(["true", "slept"]), "{outcome:?}");
    let outcome = answered("calls_two", json!({ "ms": 66_000 }), MINUTE, yes).await;
    assert_eq!(code(&outcome), Some(ErrorCode::Timeout), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_waited_for_longer_than_ten_minutes() {
    let began = Instant::now();
    let outcome = answered("asks", json!({}), Duration::from_secs(3600), yes).await;
    assert_eq!(outcome.text(), "Tool \"asks\" failed: nobody answered within 10 minutes");
    assert_eq!((code(&outcome), outcome.attempts), (Some(ErrorCode::Unavailable), 1));
    assert!(began.elapsed() < 11 * MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_once_answered_panics_as_any_other() {
    assert_eq!(code(&answered("panics", json!({}), MINUTE, yes).await), Some(ErrorCode::Panicked));
}

#[tokio::test]
async fn a_no_and_a_dismissal_are_answers() {
    for (action, accepted) in [("accept", true), ("decline", false), ("cancel", false)] {
        let outcome = answered("asks", json!({}), Duration::ZERO, |_| json!({ "action": action })).await;
        assert_eq!(outcome.result, accepted, "{outcome:?}");
    }
}

#[tokio::test]
async fn without_a_line_nobody_can_be_asked() {
    let outcome = call("asks", json!({}), None).await;
    assert!(outcome.text().starts_with("Tool \"asks\" failed: nobody can be asked over this way of calling"));
    assert!(outcome.text().contains("over MCP") && outcome.text().contains("a terminal"), "{outcome:?}");
    assert_eq!((code(&outcome), outcome.attempts), (Some(ErrorCode::Unavailable), 1));
    assert_eq!(call("says", json!({}), None).await.result[0], false);
}

#[tokio::test]
async fn what_the_client_did_not_declare_is_named_and_remembered() {
    for (kind, lacked) in
        [("form", "elicitation"), ("url", "elicitation"), ("sampling", "sampling"), ("roots", "roots")]
    {
        let (line, mut heard) = Line::new(Abilities::default(), true, None, Map::new());
        let outcome = call("asks_this", json!({ "kind": kind }), Some(line.clone())).await;
        assert_eq!(code(&outcome), Some(ErrorCode::Unavailable));
        assert!(outcome.text().contains(&format!("does not declare the capability `{lacked}`")), "{}", outcome.text());
        assert_eq!(line.lacked(), Some(lacked));
        assert!(said(&mut heard).is_empty());
    }
}

#[tokio::test]
async fn an_answer_that_came_with_the_call_is_taken_and_anything_else_is_asked() {
    let given = |given: Value| Map::from_iter([("who".to_owned(), given)]);
    let right = json!({ "action": "accept", "content": { "name": "Ada", "age": 3.0 } });
    let (line, mut heard) = Line::new(ABLE, false, None, given(right));
    let outcome = call("asks_this", json!({}), Some(line)).await;
    assert_eq!(outcome.result["content"], json!({ "name": "Ada", "age": 3 }));
    assert!(said(&mut heard).is_empty());

    for wrong in [json!("yes"), json!({}), json!({ "action": "accept", "content": { "name": 1 } })] {
        let (line, mut heard) = Line::new(ABLE, false, None, given(wrong));
        let front = async {
            let Some(Speech::Ask(ask)) = heard.recv().await else { panic!("it asks") };
            assert_eq!(ask.requests[0].key, "who");
            let _ = ask.reply.send(Ok(vec![json!({ "action": "decline" })]));
        };
        let (outcome, ()) = tokio::join!(call("asks_this", json!({}), Some(line)), front);
        assert_eq!(outcome.result, json!({ "accepted": false, "content": null }), "{outcome:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_its_form_is_told_with_every_fault() {
    let content = json!({ "age": "old" });
    let outcome =
        answered("asks_this", json!({}), Duration::ZERO, |_| json!({ "action": "accept", "content": content })).await;
    assert_eq!(code(&outcome), Some(ErrorCode::Unavailable));
    let text = outcome.text();
    assert!(text.contains("does not fit the form") && text.contains("`name`") && text.contains("`age`"), "{text}");
}

#[tokio::test]
async fn a_front_that_gives_no_answer_ends_the_question() {
    for told in [None, Some("the client said no such method")] {
        let (line, mut heard) = Line::new(ABLE, false, None, Map::new());
        let front = async {
            let Some(Speech::Ask(ask)) = heard.recv().await else { panic!("it asks") };
            if let Some(why) = told {
                let _ = ask.reply.send(Err(why.to_owned()));
            }
        };
        let (outcome, ()) = tokio::join!(call("asks", json!({}), Some(line)), front);
        let why = told.unwrap_or("the caller went away without an answer");
        assert_eq!(outcome.text(), format!("Tool \"asks\" failed: no answer came: {why}"));
        assert_eq!(code(&outcome), Some(ErrorCode::Unavailable));
    }
}

#[tokio::test]
async fn any_other_request_goes_and_comes_as_it_is() {
    let answer = |request: &Request| json!({ "method": request.method, "params": request.params });
    for (kind, method, params) in
        [("sampling", "sampling/createMessage", json!({ "maxTokens": 1 })), ("roots", "roots/list", json!({}))]
    {
        let outcome = answered("asks_this", json!({ "kind": kind }), Duration::ZERO, answer).await;
        assert_eq!(outcome.result["content"], json!({ "method": method, "params": params }));
    }
}

#[tokio::test]
async fn what_is_asked_together_is_answered_in_order_under_keys_of_its_own() {
    let words = ["a", "b", "a"];
    let (line, mut heard) = Line::new(ABLE, false, None, Map::new());
    let front = async {
        let Some(Speech::Ask(ask)) = heard.recv().await else { panic!("it asks") };
        let keys: std::collections::HashSet<_> = ask.requests.iter().map(|r| &r.key).collect();
        assert_eq!(keys.len(), 3);
        let answers = ask.requests.iter().map(|r| match r.params["message"].as_str() {
            Some("a") => json!({ "action": "accept" }),
            _ => json!({ "action": "decline" }),
        });
        let _ = ask.reply.send(Ok(answers.collect()));
    };
    let (outcome, ()) = tokio::join!(call("asks_many", json!({ "words": words }), Some(line)), front);
    assert_eq!(outcome.result, json!([true, false, true]));
}

#[tokio::test]
async fn progress_only_goes_up_and_only_to_whom_asked_for_it() {
    let input = json!({ "done": [1, 3, 2, 3, "NaN", 4.5] });
    let (line, mut heard) = Line::new(ABLE, true, None, Map::new());
    call("says", input.clone(), Some(line)).await;
    let line = |done| format!("{done} Some(10.0) Some(\"on the way\")");
    assert_eq!(said(&mut heard), [line("1"), line("3"), line("4.5")]);

    let (line, mut heard) = Line::new(ABLE, false, None, Map::new());
    call("says", input, Some(line)).await;
    assert!(said(&mut heard).is_empty());
}

#[tokio::test]
async fn a_slow_caller_holds_up_nobody() {
    let done: Vec<u32> = (1..=1000).collect();
    let (line, mut heard) = Line::new(ABLE, true, Some(LogLevel::Debug), Map::new());
    assert!(!call("says", json!({ "done": done }), Some(line)).await.is_error);
    assert_eq!(said(&mut heard).len(), 64);
}

#[tokio::test]
async fn messages_below_the_level_asked_for_go_nowhere() {
    for (from, told) in [
        (None, vec![]),
        (Some(LogLevel::Warning), vec!["error broken"]),
        (Some(LogLevel::Debug), vec!["info fine", "error broken"]),
    ] {
        let (line, mut heard) = Line::new(ABLE, false, from, Map::new());
        call("says", json!({}), Some(line)).await;
        assert_eq!(said(&mut heard), told);
    }
}

#[tokio::test]
async fn a_call_below_has_the_line_and_the_trace_but_not_the_progress() {
    let (line, mut heard) = Line::new(ABLE, true, Some(LogLevel::Error), Map::new());
    let outcome = call("hands_on", json!({ "done": [1] }), Some(line)).await;
    assert_eq!(outcome.result, json!([true, "00-trace"]));
    assert_eq!(said(&mut heard), ["error broken"]);
}

#[cfg(feature = "commands")]
#[tokio::test]
async fn the_trace_stands_in_the_calls_span_and_in_its_record() {
    use std::{io::Write, sync::Mutex};
    use tracing_subscriber::fmt::format::FmtSpan;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("the log").write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_span_events(FmtSpan::NEW)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    call("says", json!({}), None).await;
    drop(guard);
    let log = String::from_utf8(log.0.lock().expect("the log").clone()).expect("a text");
    for of in ["execute_tool{", "tool=\"says\""] {
        let line = log.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("no {of} in {log}"));
        assert!(line.contains("traceparent=\"00-trace\""), "{line}");
    }
}
