//! A bot whose tools talk while they run: they say how far they are, log, ask, and break off in the middle. Callers say
//! who they are in a header.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs)]

use anyhow as _;
use axum as _;
use bdk::{Answer, AuthFuture, AuthRequest, Authenticator, LogLevel, Principal, Question, Server, Verdict, prelude::*};
use bdk_tests as _;
use reqwest as _;
use rmcp_old as _;
use schemars as _;
use serde as _;
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use tempfile as _;
use tracing as _;

/// Says that its call is under way, and when it is dropped that it is not any more.
struct Mark(PathBuf);

impl Mark {
    fn new(path: PathBuf) -> Result<Self> {
        std::fs::write(&path, "running")?;
        Ok(Self(path))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.0, "dropped");
    }
}

// ---- saying ----

/// Count, and say so.
#[tool(effect = "read")]
async fn steps(n: u32, ctx: &ToolContext) -> u32 {
    for i in 1..=n {
        ctx.progress(i, n, format!("step {i}")).await;
    }
    n
}

/// Count far, without a break.
#[tool(effect = "read")]
async fn flood(n: u32, ctx: &ToolContext) -> u32 {
    for i in 0..n {
        ctx.log(LogLevel::Info, i).await;
    }
    n
}

/// Say something at every level.
#[tool(effect = "read")]
async fn logs(ctx: &ToolContext) -> &'static str {
    use LogLevel::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
    for level in [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency] {
        ctx.log(level, format!("this is {}:\n\"so\"", level.as_str())).await;
    }
    "logged"
}

/// Say something, wait, and say more.
#[tool(effect = "read")]
async fn slowly(ctx: &ToolContext) -> &'static str {
    ctx.progress(1, 2, "begun").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    ctx.progress(2, 2, "").await;
    "slow"
}

/// Say nothing, though it could.
#[tool(effect = "read")]
async fn silent(ctx: &ToolContext) -> String {
    ctx.tool_name().to_owned()
}

/// Show the caller's trace.
#[tool(effect = "read")]
async fn trace(ctx: &ToolContext) -> Option<String> {
    ctx.traceparent().map(str::to_owned)
}

/// Show who calls.
#[tool(effect = "read")]
async fn whoami(ctx: &ToolContext) -> Value {
    json!(ctx.session().auth)
}

/// Return a list.
#[tool(effect = "read")]
async fn list() -> Vec<u32> {
    vec![1, 2, 3]
}

/// Return JSON that is laid out for people.
#[tool(effect = "read")]
async fn laid_out(ctx: &ToolContext) -> Result<Box<RawValue>> {
    ctx.log(LogLevel::Info, "line\nbreak\r\n\n").await;
    Ok(RawValue::from_string("{\n  \"a\": [\r\n    1\n  ]\n}".to_owned())?)
}

/// Take an argument that callers repeat in a header.
#[tool(effect = "read", timeout = "1s", input_schema = json!({
    "type": "object",
    "properties": { "region": { "type": "string", "x-mcp-header": "Region" }, "ask": { "type": "boolean" } },
    "required": ["region"]
}))]
async fn regional(input: Value, ctx: &ToolContext) -> Result<String> {
    ctx.log(LogLevel::Info, "looking").await;
    if input["ask"] == true {
        let _ = ctx.ask("There?").await?;
    }
    Ok(format!("in {}", input["region"].as_str().unwrap_or_default()))
}

// ---- breaking off ----

/// Panic, after a word or without one.
#[tool(effect = "read")]
async fn panics(say: bool, ctx: &ToolContext) -> u32 {
    if say {
        ctx.log(LogLevel::Warning, "hold on").await;
    }
    std::panic::panic_any("the secret is hunter2hunter2")
}

/// Never end, without a word.
#[tool(effect = "read", timeout = "none")]
async fn hangs(mark: PathBuf) -> Result<u32> {
    let _mark = Mark::new(mark)?;
    std::future::pending().await
}

/// Never end, after a word.
#[tool(effect = "read", timeout = "none")]
async fn says_and_hangs(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    let _mark = Mark::new(mark)?;
    ctx.log(LogLevel::Info, "this takes long").await;
    std::future::pending().await
}

/// Say much, and never end before the deadline.
#[tool(effect = "read", timeout = "1s")]
async fn says_much_and_hangs(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    let _mark = Mark::new(mark)?;
    for _ in 0..500 {
        ctx.log(LogLevel::Info, "much ".repeat(20_000)).await;
    }
    std::future::pending().await
}

/// Never end before the deadline, after a word.
#[tool(effect = "read", timeout = "1s")]
async fn endless(mark: PathBuf, say: bool, ctx: &ToolContext) -> Result<u32> {
    let _mark = Mark::new(mark)?;
    if say {
        ctx.log(LogLevel::Info, "this takes too long").await;
    }
    std::future::pending().await
}

/// Never rest: there is always something ready, be it only that nobody wants to hear of it.
#[tool(effect = "read", timeout = "1s")]
async fn never_rests(mark: PathBuf, say: bool, ctx: &ToolContext) -> Result<u32> {
    let _mark = Mark::new(mark)?;
    loop {
        if say {
            ctx.progress(1, None, "").await;
        } else {
            tokio::task::coop::consume_budget().await;
        }
    }
}

/// Block the thread, as no `async` tool should.
#[tool(effect = "read")]
async fn blocks(mark: PathBuf, seconds: u64) -> Result<&'static str> {
    let _mark = Mark::new(mark)?;
    std::thread::sleep(Duration::from_secs(seconds));
    Ok("blocked")
}

// ---- asking ----

static CONFIRMED: AtomicU32 = AtomicU32::new(0);

fn spoken(answer: &Answer) -> &'static str {
    match answer {
        Answer::Accepted(_) => "yes",
        Answer::Declined => "no",
        _ => "dismissed",
    }
}

/// Ask for yes or no, and count how often it began.
#[tool(effect = "write", timeout = "1s")]
async fn confirm(what: String, ctx: &ToolContext) -> Result<Value> {
    let begun = CONFIRMED.fetch_add(1, SeqCst) + 1;
    let answer = ctx.ask(format!("Really {what}?")).await?;
    Ok(json!({ "answer": spoken(&answer), "begun": begun }))
}

/// Where to sit.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Seat {
    /// As it stands in the passport.
    name: String,
    row: Option<u8>,
}

/// Ask for a seat.
#[tool(effect = "read")]
async fn seat(ctx: &ToolContext) -> Result<Seat> {
    Ok(ctx.ask(Question::of::<Seat>("Where do you want to sit?").id("seat")).await?.value()?)
}

/// Ask two things at once.
#[tool(effect = "read")]
async fn both(ctx: &ToolContext) -> Result<Vec<&'static str>> {
    let answers = ctx.ask_all([Question::new("Tea?").id("tea"), Question::new("Cake?").id("cake")]).await?;
    Ok(answers.iter().map(spoken).collect())
}

/// Ask one thing after the other.
#[tool(effect = "read")]
async fn rounds(n: u32, ctx: &ToolContext) -> Result<Vec<Value>> {
    let mut answers = Vec::new();
    for i in 1..=n {
        ctx.log(LogLevel::Info, format!("round {i}")).await;
        let question = Question::new(format!("Number {i}?")).integer("number").id(format!("round{i}"));
        answers.push(ctx.ask(question).await?.value::<Value>()?["number"].clone());
    }
    Ok(answers)
}

/// Say whether the caller can be asked.
#[tool(effect = "read")]
async fn can_ask(ctx: &ToolContext) -> bool {
    ctx.can_ask()
}

/// Ask where that is possible, and go on where it is not.
#[tool(effect = "read")]
async fn asks_if_it_can(ctx: &ToolContext) -> String {
    match ctx.ask("May I?").await {
        Ok(answer) => spoken(&answer).to_owned(),
        Err(error) => format!("unasked: {error}"),
    }
}

/// Ask for what folders the caller has.
#[tool(effect = "read")]
async fn roots(ctx: &ToolContext) -> Result<Value> {
    Ok(ctx.ask(Question::request("roots/list", json!({}))).await?.value()?)
}

/// Ask to open a link.
#[tool(effect = "read")]
async fn link(ctx: &ToolContext) -> Result<&'static str> {
    Ok(spoken(&ctx.ask(Question::url("Sign in.", "https://example.com/")).await?))
}

/// Ask, and leave a mark when nobody waits any more.
#[tool(effect = "read")]
async fn asks_and_marks(mark: PathBuf, ctx: &ToolContext) -> Result<&'static str> {
    let _mark = Mark::new(mark)?;
    Ok(spoken(&ctx.ask("Still there?").await?))
}

/// Ask, and lose patience.
#[tool(effect = "read")]
async fn impatient(ctx: &ToolContext) -> Result<&'static str> {
    tokio::select! {
        answer = ctx.ask("Quick!") => Ok(spoken(&answer?)),
        () = tokio::time::sleep(Duration::from_millis(300)) => Ok("too late"),
    }
}

/// Ask, and never end.
#[tool(effect = "read", timeout = "none")]
async fn asks_and_hangs(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    let mark = Mark::new(mark)?;
    let _ = ctx.ask("Go on?").await?;
    std::fs::write(&mark.0, "answered")?;
    std::future::pending().await
}

/// Ask once a file is there.
#[tool(effect = "read", timeout = "none")]
async fn asks_when_told(mark: PathBuf, ctx: &ToolContext) -> Result<&'static str> {
    std::fs::write(&mark, "running")?;
    while !mark.with_extension("go").exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(spoken(&ctx.ask("Now?").await?))
}

/// Ask for a yes, then for folders.
#[tool(effect = "read")]
async fn asks_more(ctx: &ToolContext) -> Result<Value> {
    let _ = ctx.ask("May I look?").await?;
    Ok(ctx.ask(Question::request("roots/list", json!({}))).await?.value()?)
}

static PAID: AtomicU32 = AtomicU32::new(0);

/// Pay, when a person says so.
#[tool(effect = "write", needs_approval)]
async fn pay(amount: u32) -> u32 {
    PAID.fetch_add(amount, SeqCst) + amount
}

/// Ask, then say something, then panic.
#[tool(effect = "read")]
async fn asks_and_panics(ctx: &ToolContext) -> Result<u32> {
    let _ = ctx.ask("Go on?").await?;
    std::panic::panic_any("after the answer")
}

/// Call another tool, which asks.
#[tool(effect = "read", timeout = "1s")]
async fn relays(ctx: &ToolContext) -> Result<Value> {
    Ok(ctx.call_tool("seat", json!({})).await?.result)
}

/// Callers say who they are; whoever does not is nobody in particular.
struct Names(AtomicU32);

impl Authenticator for Names {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
        Box::pin(async move {
            match request.header("x-who") {
                None => Verdict::Skip,
                Some("nobody") => Verdict::unauthorized("nobody is not let in"),
                // what is known of somebody may be another thing each time: how long a token is good, say
                Some(who) => {
                    Verdict::Accept(Principal::new("name", who).attribute("request", self.0.fetch_add(1, SeqCst)))
                }
            }
        })
    }
}

#[bdk::main]
async fn main() -> ExitCode {
    Server::new().auth([Names(AtomicU32::new(0))]).allow_anonymous().main().await
}
