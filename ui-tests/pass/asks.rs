//! What tools say and ask.
use bdk::{Answer, Heard, LogLevel, Question, Reply, prelude::*};

/// Says how far it is, in whatever numbers are at hand.
#[tool(effect = "read")]
async fn asks_progress(files: Vec<String>, size: Option<u32>, ctx: &ToolContext) -> usize {
    for (i, file) in files.iter().enumerate() {
        ctx.progress(i, files.len(), file).await;
    }
    ctx.progress(3, 10, "three of ten").await;
    ctx.progress(4.5, 10, String::from("in halves")).await;
    ctx.progress(0.5, None, "").await;
    ctx.progress(5_u64, size.map(f64::from), format!("{} files", files.len())).await;
    ctx.log(LogLevel::Notice, "done").await;
    files.len()
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Seat {
    /// As in the passport.
    name: String,
    row: Option<u8>,
}

/// Asks for a seat.
#[tool(effect = "read")]
async fn asks_seat(ctx: &ToolContext) -> Result<String> {
    let seat: Seat = ctx.ask(Question::of::<Seat>("Where do you sit?")).await?.value()?;
    let [meal, sure] =
        &ctx.ask_all([Question::new("What?").choice("meal", ["pasta", "rice"]), "Sure?".into()]).await?[..]
    else {
        return Err("two answers are to come".into());
    };
    let meal = match meal {
        Answer::Accepted(content) => content["meal"].to_string(),
        _ => "nothing".to_owned(),
    };
    Ok(format!("{} {:?} {meal} {}", seat.name, seat.row, sure.accepted()))
}

/// A thread may ask too.
#[tool(effect = "read")]
fn asks_blocking(ctx: &ToolContext) -> Result<bool> {
    ctx.block_on(ctx.progress(1, 2, "about to ask"));
    Ok(ctx.can_ask() && ctx.block_on(ctx.ask("Go on?"))?.accepted())
}

/// Needs a yes.
#[tool(effect = "write", needs_approval, title = "Remove it", dry_run_result = |path| format!("would remove {path}"))]
async fn asks_first(path: String) -> String {
    format!("removed {path}")
}

/// A read may need one too, and a blocking one.
#[tool(effect = "read", needs_approval)]
fn asks_before_it_reads() -> &'static str {
    "secret"
}

#[bdk::test]
async fn numbers_are_taken_as_they_come(bot: TestBot) {
    assert_eq!(bot.call_tool("asks_progress", json!({ "files": ["a"] })).await.result, 1);
}

#[bdk::test]
async fn answers_are_read(bot: TestBot) {
    let bot = bot.answering(|asked| match asked.message() {
        "Where do you sit?" => Reply::from(json!({ "name": "Ada", "row": 3.0 })),
        "What?" => json!({ "meal": "rice" }).into(),
        _ => false.into(),
    });
    assert_eq!(bot.call_tool("asks_seat", json!({})).await.result, "Ada Some(3) \"rice\" false");
}

#[bdk::test]
async fn a_declined_form_is_the_tools_own_failure(bot: TestBot) {
    let outcome = bot.answering(|_| Reply::Decline).call_tool("asks_seat", json!({})).await;
    assert_eq!(outcome.text(), "Tool \"asks_seat\" failed: the question was declined");
    assert_eq!(outcome.error.map(|e| e.code), Some(bdk::ErrorCode::Failed));
}

#[bdk::test]
async fn a_blocking_tool_asks(bot: TestBot) {
    assert_eq!(bot.call_tool("asks_blocking", json!({})).await.result, false);
    let bot = bot.answering(|asked| asked.message() == "Go on?");
    assert_eq!(bot.call_tool("asks_blocking", json!({})).await.result, true);
}

#[bdk::test]
async fn an_approval_shows_what_will_be_done(bot: TestBot) {
    let bot = bot.answering(|asked| {
        let shown = "Allow a call of \"Remove it\" (`asks_first`) with this input?\n\n{\n  \"path\": \"/\"\n}";
        assert_eq!(asked.message(), shown);
        true
    });
    assert_eq!(bot.call_tool("asks_first", json!({ "path": "/" })).await.result, "removed /");
}

#[bdk::test]
async fn without_a_yes_nothing_runs(bot: TestBot) {
    let alone = bot.call_tool("asks_before_it_reads", json!({})).await;
    assert!(alone.text().contains("nobody can be asked over this way of calling"), "{alone:?}");
    assert_eq!(alone.error.map(|e| e.code), Some(bdk::ErrorCode::Unavailable));
    let declined = bot.answering(|_| false).call_tool("asks_before_it_reads", json!({})).await;
    assert_eq!((declined.is_error, declined.attempts), (true, 0));
}

#[bdk::test]
async fn a_script_of_answers_may_be_used_up(bot: TestBot) {
    let mut script = vec![Reply::from(true), json!({ "meal": "pasta" }).into(), json!({ "name": "Bo" }).into()];
    let bot = bot.answering(move |_| script.pop().unwrap_or(Reply::Cancel));
    assert_eq!(bot.call_tool("asks_seat", json!({})).await.result, "Bo None \"pasta\" true");
}

#[bdk::test]
async fn what_tools_say_is_heard_to_the_last_word(bot: TestBot) {
    bot.call_tool("asks_progress", json!({ "files": ["a"] })).await;
    let heard = bot.heard();
    let said: Vec<String> = heard.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["[0/1] a", "[3/10] three of ten", "[4.5/10] in halves", "[5] 1 files", "notice: done"]);
    assert_eq!(heard[0], Heard::Progress { done: 0.0, total: Some(1.0), message: "a".into() });
    assert_eq!(heard[4], Heard::Log { level: LogLevel::Notice, message: "done".into() });
    bot.call_tool("asks_blocking", json!({})).await;
    assert_eq!(bot.heard().last().map(ToString::to_string).as_deref(), Some("[1/2] about to ask"));
}

#[bdk::test]
async fn a_dry_run_asks_nobody(bot: TestBot) {
    let outcome = bot.dry_run().call_tool("asks_first", json!({ "path": "/" })).await;
    assert_eq!((outcome.result, outcome.stubbed), (json!("would remove /"), true));
}
