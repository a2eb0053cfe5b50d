//! Sessions recorded by one bot, told, and replayed against another one.

use super::{
    recorded::Trace,
    replay::again,
    source::line,
    timeline,
    verdict::{Change, Replayed, ThenAndNow, Verdict},
};
use crate::{
    CallOptions, Effect, Principal, SessionOptions, ToolContext, ToolDefinition, ToolError, bot::Bot,
    registry::Registry,
};
use serde_json::{Value, json};
use std::{
    panic::Location,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio_util::sync::CancellationToken;

/// What a bot's tools do, and what they leave.
#[derive(Clone, Default)]
struct Behaviour {
    later: bool,
    written: Arc<AtomicUsize>,
}

fn tool(name: &str, effect: Effect) -> ToolDefinition {
    ToolDefinition::new(name).description("A tool.").effect(effect).input_schema(json!({ "type": "object" }))
}

/// The bot, as it was and as it is later.
fn bot(behaviour: &Behaviour) -> Bot {
    let later = behaviour.later;
    let written = behaviour.written.clone();
    let strict = match later {
        false => json!({ "type": "object" }),
        true => json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }),
    };
    let mut tools = vec![
        tool("looks", Effect::Read).handler(async |input: Value, ctx: ToolContext| {
            let of = ctx.session();
            Ok(json!({
                "input": input, "id": of.id, "title": of.title, "state": of.state, "at": of.created_at.to_string(),
                "who": of.auth.subject, "asOf": ctx.as_of().map(|t| t.to_string()), "call": ctx.call_id(),
            }))
        }),
        tool("lists", Effect::Read).handler(move |_: Value, _: ToolContext| async move {
            Ok(if later { json!({ "names": ["a", "new", "b"], "count": 3 }) } else { json!({ "names": ["a", "b"] }) })
        }),
        tool("fails", Effect::Read).handler(move |_: Value, _: ToolContext| async move {
            if later {
                Ok::<_, ToolError>(json!("mended"))
            } else {
                Err(ToolError::from(crate::Error::new("the index is gone")))
            }
        }),
        tool("breaks", Effect::Read).handler(move |_: Value, _: ToolContext| async move {
            if later { Err::<Value, _>(ToolError::from(crate::Error::new("broken"))) } else { Ok(json!("fine")) }
        }),
        tool("topples", Effect::Read)
            .handler(async |_: Value, _: ToolContext| -> Result<(), ToolError> { panic!("!") }),
        tool("strict", Effect::Read).input_schema(strict).handler(async |_: Value, _: ToolContext| Ok("fine")),
        tool("long", Effect::Read).handler(move |_: Value, _: ToolContext| async move {
            Ok("x".repeat(if later { 70_001 } else { 70_000 }))
        }),
        tool("long_as_before", Effect::Read).handler(async |_: Value, _: ToolContext| Ok("ä".repeat(70_000))),
        tool("relays", Effect::Read).handler(async |_: Value, ctx: ToolContext| {
            Ok(ctx.call_tool("lists", json!({})).await?.result["names"][0].clone())
        }),
        tool("writes", Effect::Write).handler(move |_: Value, _: ToolContext| {
            let written = written.clone();
            async move {
                written.fetch_add(1, Ordering::SeqCst);
                Ok("written")
            }
        }),
        tool("turns", if later { Effect::Write } else { Effect::Read })
            .handler(async |_: Value, _: ToolContext| Ok("turned")),
    ];
    tools.push(
        tool(if later { "renamed_tool" } else { "renamed_tol" }, Effect::Read)
            .handler(async |_: Value, _: ToolContext| Ok(1)),
    );
    Bot::with(Registry::linked().with_tools(tools, Location::caller()).expect("tools"))
}

async fn open(bot: &Bot, options: SessionOptions) -> String {
    bot.state().sessions.open(bot, options).await.map_err(crate::Error::from).expect("a session").id.to_string()
}

async fn called(bot: &Bot, session: &str, calls: &[(&str, Value)]) -> Trace {
    for (tool, input) in calls {
        bot.call_bound(tool, input.clone(), CallOptions::new().session(session)).await.expect("a call");
    }
    recorded(bot, session).await
}

async fn recorded(bot: &Bot, session: &str) -> Trace {
    let events = bot.state().sessions.events(session, 0, 1000).await.expect("events");
    let lines: Vec<String> = events.iter().map(line).collect();
    Trace::read(session, &lines).expect("a trace")
}

async fn replayed(bot: &Bot, trace: &Trace) -> Vec<Replayed> {
    let mut all = Vec::new();
    let cancel = CancellationToken::new();
    let told = again(bot, trace, &cancel, |one| {
        all.push(one);
        Ok(())
    });
    told.await.expect("a replay");
    all
}

/// Without styles.
fn unstyled(text: &str) -> String {
    let mut out = anstream::StripStream::new(Vec::new());
    std::io::Write::write_all(&mut out, text.as_bytes()).expect("a Vec takes all");
    String::from_utf8(out.into_inner()).expect("text")
}

#[tokio::test]
async fn a_bot_that_has_not_changed_replays_everything_as_it_was() {
    let behaviour = Behaviour::default();
    let first = bot(&behaviour);
    let options = SessionOptions::new()
        .title("Audit")
        .state(json!({ "ticket": 7 }))
        .as_of("2026-01-01T00:00:00Z".parse().unwrap())
        .principal(Principal::new("bearer", "ci"));
    let session = open(&first, options).await;
    let names = ["looks", "lists", "fails", "topples", "strict", "long", "long_as_before", "relays", "writes", "turns"];
    let calls: Vec<(&str, Value)> = names.iter().map(|name| (*name, json!({ "n": 1 }))).collect();
    let trace = called(&first, &session, &calls).await;
    assert_eq!(behaviour.written.load(Ordering::SeqCst), 1);
    let all = replayed(&bot(&behaviour), &trace).await;
    // what a tool called is called by it again
    let told: Vec<(&str, Verdict)> = all.iter().map(|one| (&*one.tool_name, one.verdict)).collect();
    let expected: Vec<(&str, Verdict)> =
        names.iter().map(|name| (*name, if *name == "writes" { Verdict::Stubbed } else { Verdict::Same })).collect();
    assert_eq!(told, expected, "{all:#?}");
    assert_eq!(behaviour.written.load(Ordering::SeqCst), 1, "no write runs");
}

#[tokio::test]
async fn each_kind_of_change_is_told_where_it_is() {
    let first = bot(&Behaviour::default());
    let session = open(&first, SessionOptions::new()).await;
    let calls = ["lists", "fails", "breaks", "strict", "long", "renamed_tol", "turns", "writes", "looks"];
    let trace = called(&first, &session, &calls.map(|name| (name, json!({})))).await;
    let later = Behaviour { later: true, ..Behaviour::default() };
    let mut all = replayed(&bot(&later), &trace).await;
    // how long each took is told, and differs from run to run
    for one in &mut all {
        assert!(one.duration_ms.then.is_some());
        one.duration_ms = ThenAndNow::default();
    }
    let text = unstyled(&all.iter().map(|one| one.text(100)).collect::<String>());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "changed  lists",
            "         result.names[1]: nothing → \"new\"",
            "         result.count: nothing → 3",
            "changed  fails",
            "         error then: failed: Tool \"fails\" failed: the index is gone",
            "         error now:  none",
            "changed  breaks",
            "         error then: none",
            "         error now:  failed: Tool \"breaks\" failed: broken",
            "changed  strict",
            "         its input is not accepted any more (invalid_input):",
            "           n: required, but missing",
            "changed  long",
            "         result: 70002 bytes → 70003 bytes, differing at byte 65536 (only the beginning was kept)",
            "changed  renamed_tol",
            "         there is no such tool any more; renamed to `renamed_tool`?",
            "changed  turns",
            "         effect: read → write",
            "stubbed  writes",
            "same     looks",
        ],
        "{text}"
    );
    assert_eq!(later.written.load(Ordering::SeqCst), 0);
    let json = serde_json::to_value(&all[0]).unwrap();
    assert_eq!(json["changes"][0], json!({ "what": "result", "path": "result.names[1]", "after": "new" }));
    assert_eq!((&json["verdict"], &json["callId"]), (&json!("changed"), &json!(trace.calls().next().unwrap().id)));
}

#[tokio::test]
async fn what_was_refused_and_is_accepted_now_is_told_and_the_other_way_round() {
    let later = bot(&Behaviour { later: true, ..Behaviour::default() });
    let session = open(&later, SessionOptions::new()).await;
    let trace = called(&later, &session, &[("strict", json!({})), ("strict", json!({ "n": 1 }))]).await;
    let all = replayed(&bot(&Behaviour::default()), &trace).await;
    assert!(
        matches!(&all[0].changes[..], [Change::Accepted { code, text }] if code == "invalid_input" && text.contains("\"strict\"")),
        "{all:?}"
    );
    assert_eq!(all[1].verdict, Verdict::Same);
    // refused then, refused now, in the same words
    let again = bot(&Behaviour { later: true, ..Behaviour::default() });
    assert!(replayed(&again, &trace).await.iter().all(|one| one.verdict == Verdict::Same));
}

#[tokio::test]
async fn what_the_log_does_not_have_whole_is_not_replayed_and_says_why() {
    let first = bot(&Behaviour::default());
    let session = open(&first, SessionOptions::new()).await;
    let calls = [("lists", json!({ "long": "x".repeat(70_000) })), ("lists", json!({ "key": "[redacted]" }))];
    let trace = called(&first, &session, &calls).await;
    let all = replayed(&first_again(), &trace).await;
    assert!(all.iter().all(|one| one.verdict == Verdict::Skipped && one.duration_ms.now.is_none()), "{all:?}");
    assert!(
        all[0].reason.is_some_and(|why| why.contains("64 KiB"))
            && all[1].reason.is_some_and(|why| why.contains("secret"))
    );
}

fn first_again() -> Bot {
    bot(&Behaviour::default())
}

#[tokio::test]
async fn a_call_without_an_end_or_cancelled_is_run_and_not_compared() {
    let first = bot(&Behaviour::default());
    let session = open(&first, SessionOptions::new()).await;
    called(&first, &session, &[("lists", json!({})), ("fails", json!({}))]).await;
    let mut lines: Vec<String> =
        first.state().sessions.events(&session, 0, 100).await.expect("events").iter().map(line).collect();
    lines.retain(|line| !(line.contains("action.result") && line.contains("\"lists\"")));
    let lines: Vec<String> = lines.iter().map(|line| line.replace("\"failed\"", "\"cancelled\"")).collect();
    let trace = Trace::read(&session, &lines).expect("a trace");
    let all = replayed(&first_again(), &trace).await;
    let told: Vec<_> = all.iter().map(|one| (one.verdict, one.reason.unwrap_or_default())).collect();
    assert!(
        matches!(&told[..], [(Verdict::Skipped, a), (Verdict::Skipped, b)] if a.contains("not in the log") && b.contains("cancelled")),
        "{told:?}"
    );
    let text = unstyled(&timeline::text(&trace, 100, false));
    assert!(text.contains("lists  read  running or cut off"), "{text}");
}

#[tokio::test]
async fn a_timeline_tells_who_what_and_how_it_ended() {
    let first = bot(&Behaviour::default());
    let noon = "2026-05-01T12:00:00Z".parse().unwrap();
    first.set_now(noon);
    let options = SessionOptions::new()
        .title("Audit \u{1b}[31m")
        .purpose("find out")
        .dry_run(true)
        .as_of("2026-01-01T00:00:00Z".parse().unwrap())
        .state(json!({ "ticket": 7 }));
    let session = open(&first, options).await;
    first.set_now(noon + std::time::Duration::from_millis(65_250));
    let evil = json!({ "text": "\u{1b}[2J\u{202e}" });
    let trace = called(
        &first,
        &session,
        &[("relays", json!({})), ("writes", json!({})), ("fails", evil), ("long", json!({ "x": "y".repeat(300) }))],
    )
    .await;
    let text = unstyled(&timeline::text(&trace, 80, false));
    // a duration is what it is
    let timed = |line: &str| {
        let words: Vec<&str> = line.split("  ").collect();
        words.iter().map(|w| if w.ends_with(" ms") { "N ms" } else { *w }).collect::<Vec<_>>().join("  ")
    };
    let lines: Vec<String> = text.lines().map(timed).collect();
    assert_eq!(lines[0], format!("{session}  Audit \\u{{1b}}[31m"));
    assert!(lines[1].starts_with(&format!("  agent {}, chat, waiting, dry run, as of", first.slug())), "{}", lines[1]);
    assert_eq!(
        lines[1..9],
        [
            // it is called after the test's own program, and may be cut
            lines[1].clone(),
            "  opened 2026-05-01T12:00:00.000Z by local:process".to_owned(),
            "  purpose: find out".to_owned(),
            "  state: {\"ticket\":7}".to_owned(),
            String::new(),
            "2026-05-01T12:00:00.000Z   +0.000s  session.waiting".to_owned(),
            lines[7].clone(),
            "    input  {}".to_owned(),
        ]
    );
    for words in [
        "relays  read  N ms  ok",
        "    result  \"a\"",
        // called by the one before it
        "        input  {}",
        "writes  write  stubbed  N ms  ok",
        "    result  \"Operation acknowledged.\"",
        "fails  read  N ms  failed",
        "    input  {\"text\":\"\\u001b[2J\\u202e\"}",
        "    error  Tool \"fails\" failed: the index is gone",
    ] {
        assert!(lines.iter().any(|line| line.ends_with(words)), "{words:?} in {text}");
    }
    assert!(lines.iter().any(|line| line.starts_with("    2026-05-01T") && line.contains("lists  read")), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80) && text.contains('…'), "{text}");
    assert!(text.ends_with("\n5 calls: 3 ok, 1 failed, 1 stubbed; 12 events\n"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    let full = unstyled(&timeline::text(&trace, 80, true));
    assert!(full.contains(&"y".repeat(300)) && full.contains("(the beginning of 70002 bytes)"), "{full:.2000}");
}

#[test]
fn events_that_bdk_does_not_write_are_an_error_with_the_event_s_number() {
    let event = |index: usize, kind: &str, data: &str| {
        format!(r#"{{"index":{index},"type":"{kind}","at":"2026-01-01T00:00:00Z","data":{data}}}"#)
    };
    let facts = r#"{"agent":"a","mode":"chat","auth":{"kind":"k","subject":"s"},"state":{},"dryRun":false}"#;
    let read = |lines: &[String]| Trace::read("ses_a", lines).map(|trace| trace.entries.len());
    assert_eq!(read(&[event(0, "session.started", facts), event(1, "turn.started", r#"{"a":1}"#)]), Ok(1));
    for (lines, words) in [
        (vec![], "session.started"),
        (vec!["{".to_owned()], "cannot be read"),
        (vec![event(0, "session.started", "{}")], "event 0"),
        (
            vec![event(0, "session.started", facts), event(1, "action.result", "{}")],
            "event 1 of ses_a, `action.result`",
        ),
    ] {
        assert!(read(&lines).is_err_and(|why| why.contains(words)), "{words}");
    }
}
