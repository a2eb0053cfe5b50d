//! A bot that tells all its secrets wherever a tool can tell anything, with a word beside them that is no secret. Its secrets are
//! `CANARY_000` and on; a test looks for them in whatever comes out.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs)]

use anyhow as _;
use axum as _;
use bdk::{CallOptions, LogLevel, Question, prelude::*};
use bdk_tests as _;
use reqwest as _;
use rmcp_old as _;
use schemars as _;
use serde as _;
use serde_json::{Map, value::RawValue};
use std::fmt::Write;
use tempfile as _;

const COUNT: usize = 200;
/// What is no secret, and must come out.
const OPEN: &str = "in-the-open";

fn secrets() -> Result<Vec<String>, bdk::Error> {
    (0..COUNT).map(|n| bdk::secret(&format!("CANARY_{n:03}"))).collect()
}

/// All of them in a row.
fn all() -> Result<String, bdk::Error> {
    Ok(format!("{OPEN} {}", secrets()?.join(" | ")))
}

/// As a URL's query has it, with digits of either case.
fn percent(text: &str, kept: &[u8], lower: bool) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = match byte {
            b if b.is_ascii_alphanumeric() || kept.contains(&b) => write!(out, "{}", char::from(b)),
            b if lower => write!(out, "%{b:02x}"),
            b => write!(out, "%{b:02X}"),
        };
        out
    })
}

/// A text.
#[tool(effect = "read")]
async fn text() -> Result<String> {
    Ok(all()?)
}

/// Texts that hold texts, keys, numbers, links.
#[tool(effect = "read")]
async fn nested() -> Result<Value> {
    let mut keys = Map::new();
    let mut values = Vec::new();
    for secret in secrets()? {
        let json = serde_json::to_string(&json!({ "token": secret }))?;
        values.push(json!({
            "itself": secret,
            "inside": [[format!("<{secret}>")]],
            "number": secret.parse::<u64>().ok(),
            "as json": json,
            "as json in json": serde_json::to_string(&json!([json]))?,
            "as rust": format!("{secret:?} {:?}", Some(vec![&secret])),
            "as a component": percent(&secret, b"-_.!~*'()", false),
            "as a component in small letters": percent(&secret, b"-_.!~*'()", true),
            "as a form": percent(&secret, b"*-._ ", false).replace(' ', "+"),
            "as a form in small letters": percent(&secret, b"*-._ ", true).replace(' ', "+"),
            "in a link": Url::parse("https://example.com/").map(|mut url| {
                url.query_pairs_mut().append_pair("token", &secret);
                url.set_fragment(Some(&secret));
                url
            })?,
            "in a link in a link": percent(&format!("https://example.com/?token={}", percent(&secret, b"", false)), b"", true),
        }));
        keys.insert(secret, json!(OPEN));
    }
    Ok(json!({ "open": OPEN, "keys": keys, "values": values }))
}

/// JSON as somebody else wrote it.
#[tool(effect = "read")]
async fn raw() -> Result<Box<RawValue>> {
    let mut out = format!("{{ \"open\": \"{OPEN}\"");
    for (n, secret) in secrets()?.iter().enumerate() {
        let escaped = secret.encode_utf16().fold(String::new(), |mut out, unit| {
            let _ = write!(out, "\\u{unit:04X}");
            out
        });
        let _ = write!(out, ", \"{escaped}\": [\"{n}\", \"{escaped}\"]");
        if secret.bytes().all(|byte| byte.is_ascii_digit()) {
            let _ = write!(out, ", \"{n}\": -{secret}0.50e3");
        }
    }
    out.push('}');
    Ok(RawValue::from_string(out)?)
}

/// Files with secrets for names.
#[tool(effect = "read")]
async fn publishes(ctx: &ToolContext) -> Result<Value> {
    let mut told = Vec::new();
    for secret in secrets()? {
        told.push(match ctx.artifacts().publish(format!("{OPEN} {secret}"), "text/plain", OPEN).await {
            Ok(artifact) => json!(artifact),
            Err(error) => error.to_string().into(),
        });
    }
    Ok(told.into())
}

/// The envelope, with all that it can hold.
#[tool(effect = "read")]
async fn envelope() -> Result<ToolOutput> {
    let (all, secrets) = (all()?, secrets()?);
    let mut out = ToolOutput::text(all.clone()).resource(format!("file:///{}", secrets[0]), "text/plain", all.clone());
    for secret in &secrets {
        out = out.resource_link(format!("https://example.com/?t={}", percent(secret, b"", false)), secret);
    }
    let keys: Map<String, Value> = secrets.iter().map(|secret| (secret.clone(), json!([secret]))).collect();
    Ok(out.structured(json!({ "open": OPEN, "keys": keys })))
}

/// The envelope of an error.
#[tool(effect = "read")]
async fn envelope_of_an_error() -> Result<ToolOutput> {
    Ok(ToolOutput::text(all()?).error())
}

/// An error with sources.
#[tool(effect = "read")]
async fn fails() -> Result<()> {
    let mut error = anyhow::anyhow!("{OPEN}");
    // no more sources than are told
    for secrets in secrets()?.chunks(20) {
        let links: Vec<String> =
            secrets.iter().map(|secret| format!("GET /?t={}", percent(secret, b"", true))).collect();
        error = error.context(format!("{OPEN} refused {}", secrets.join(", "))).context(links.join(", "));
    }
    let error = error.context(OPEN);
    Err(error.into())
}

/// A fault that may pass.
#[tool(effect = "read", attempts = 2)]
async fn fails_again_and_again() -> Result<()> {
    Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, all()?).into())
}

/// A panic.
#[tool(effect = "read")]
async fn panics() -> Result<()> {
    panic!("{}", all()?)
}

/// A panic in a task of the author's own.
#[tool(effect = "read")]
async fn panics_apart() -> Result<()> {
    let all = all()?;
    let ended = tokio::spawn(async move { panic!("apart, {all}") }).await;
    Ok(ended.map_err(|error| anyhow::anyhow!("{OPEN}: {error}"))?)
}

/// A panic in a thread for what blocks.
#[tool(effect = "read")]
fn panics_while_blocking() -> Result<()> {
    panic!("{}", all()?)
}

/// Says a lot, and never ends.
#[tool(effect = "read", timeout = "300ms")]
async fn times_out(ctx: &ToolContext) -> Result<()> {
    let all = all()?;
    ctx.progress(1, 2, &all).await;
    tracing::warn!(%all, "still there");
    std::future::pending().await
}

/// Progress, and words.
#[tool(effect = "read")]
async fn says(ctx: &ToolContext) -> Result<&'static str> {
    for (n, secret) in secrets()?.iter().enumerate() {
        ctx.progress(n, None, format!("{OPEN} {secret}")).await;
        ctx.log(LogLevel::Emergency, format!("{OPEN} {secret:?}")).await;
    }
    Ok(OPEN)
}

/// Questions; the answer is told as it came.
#[tool(effect = "read")]
async fn asks(ctx: &ToolContext) -> Result<Value> {
    let secrets = secrets()?;
    let question = Question::new(format!("{OPEN} {}?", all()?)).field(
        "answer",
        json!({ "type": "string", "title": secrets[1], "description": secrets[2], "default": secrets[3] }),
    );
    let second = Question::new(format!("And {}?", secrets[4])).id(&secrets[5]);
    let answers = ctx.ask_all([question, second]).await?;
    Ok(json!([OPEN, answers[0].value::<Value>()?]))
}

/// Something that a person looks at first.
#[tool(effect = "write", needs_approval)]
async fn approved(what: Vec<String>) -> String {
    format!("{OPEN} {}", what.len())
}

/// A write with a stub.
#[tool(effect = "write", dry_run_result = |what| format!("{what} {}", all().unwrap_or_default()))]
async fn stubbed(what: String) -> String {
    what
}

/// The bot's own log, at every level, in spans and events.
#[tool(effect = "read")]
async fn logs() -> Result<&'static str> {
    for secret in secrets()? {
        let span = tracing::info_span!("outer", token = %secret, again = ?secret, number = secret.parse::<u64>().ok());
        let _inside = span.enter();
        tracing::error!("{OPEN} {secret}");
        tracing::warn!(token = &*secret, "{OPEN}");
        tracing::info!(token = ?Some(vec![&secret]), "{OPEN}");
        tracing::debug!(token = %json!({ "token": secret }), "{OPEN}");
        tracing::trace!(number = secret.parse::<u64>().ok(), url = percent(&secret, b"", true), "{OPEN}");
    }
    Ok(OPEN)
}

/// What it was given.
#[tool(effect = "read")]
async fn logs_input(what: String) {
    tracing::info!(what, "{OPEN}");
}

/// Which of two.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Either {
    Left,
    Right,
}

/// Takes hardly anything; what it refuses is told.
#[tool(effect = "read", time_args = ["since"])]
async fn picky(either: Either, id: Uuid, at: Url, #[arg(pattern = "^x$")] pattern: String, since: Timestamp) -> String {
    let side = if matches!(either, Either::Left) { "left" } else { "right" };
    format!("{side} {id} {at} {pattern} {since}")
}

/// A tool that calls another.
#[tool(effect = "read")]
async fn calls(tool: String, ctx: &ToolContext) -> Result<String> {
    let outcome = ctx.call_tool(&tool, json!({})).await?;
    Ok(outcome.text())
}

/// The server's own token.
#[tool(effect = "read")]
async fn bearer() -> Result<String> {
    Ok(format!("{OPEN} {}", std::env::var("CANARY_BEARER")?))
}

/// A secret that came after the start.
#[tool(effect = "read")]
async fn late() -> Result<String> {
    Ok(format!("{OPEN} {}", bdk::secret("CANARY_LATE")?))
}

/// Calls all that is called in process, and prints what came of it.
#[allow(clippy::print_stdout)]
async fn in_process(tools: &str) -> ExitCode {
    let Ok(handle) = bdk::Server::new().port(0).state("memory:").start().await else { return ExitCode::FAILURE };
    let bot = TestBot::new().answering(|asked| asked.message().len() > 5);
    for tool in tools.split(' ') {
        let outcome = handle.call_tool(tool, json!({})).await;
        println!("{tool}: {}", outcome.map_or_else(|e| e.to_string(), |o| format!("{o:?}\n{}", json!(o))));
        if bot_has(tool) {
            let outcome = bot.call_tool(tool, json!({})).await;
            println!("{tool}: {outcome:?}\n{}\n{}", outcome.text(), json!(outcome));
        }
    }
    let dry = handle.call_tool_with("stubbed", json!({ "what": "x" }), CallOptions::new().dry_run(true)).await;
    println!("stubbed: {dry:?}");
    println!("heard: {:?}", bot.heard());
    handle.shutdown().await;
    ExitCode::SUCCESS
}

/// Whether it is a name at all: a test panics at another one.
fn bot_has(tool: &str) -> bool {
    tool.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[bdk::main]
async fn main() -> ExitCode {
    if secrets().is_err() {
        return ExitCode::from(3);
    }
    match std::env::var("CANARY_IN_PROCESS") {
        Ok(tools) => in_process(&tools).await,
        Err(_) => bdk::serve().await,
    }
}
