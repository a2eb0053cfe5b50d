//! A bot with one tool of every kind that the contract speaks of. The whole-bot tests call it through every door.
#![forbid(unsafe_code)]
#![warn(unused_crate_dependencies)]
#![allow(missing_docs)]

use anyhow as _;
use axum as _;
use bdk::prelude::*;
use bdk_tests as _;
use rmcp_old as _;
use serde_json as _;
use std::{
    collections::HashMap,
    io,
    sync::atomic::{AtomicU32, Ordering::SeqCst},
};
use tempfile as _;
use tracing as _;

// ---- schemas ----

/// Add two numbers.
#[tool(effect = "read")]
async fn add(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// What a temperature is given in.
#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// Degrees Celsius.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
}

/// Say which unit was asked for.
#[tool(effect = "read")]
async fn unit_of(
    /// The unit, if it matters.
    unit: Option<Unit>,
) -> String {
    match unit {
        Some(Unit::Celsius) => "celsius".into(),
        Some(Unit::Fahrenheit) => "fahrenheit".into(),
        None => "none".into(),
    }
}

/// Answer without being asked anything.
#[tool(effect = "read")]
async fn nothing_asked() -> String {
    "pong".into()
}

/// Do something and say nothing.
#[tool(effect = "write")]
fn say_nothing() {}

/// A figure.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Shape {
    /// A circle.
    Circle {
        /// Its radius.
        radius: f64,
    },
    /// A box.
    Rect { w: u32, h: u32 },
}

/// Tell a figure's area.
#[tool(effect = "read")]
async fn area(Input(shape): Input<Shape>) -> f64 {
    match shape {
        Shape::Circle { radius } => (std::f64::consts::PI * radius * radius * 100.0).round() / 100.0,
        Shape::Rect { w, h } => f64::from(w) * f64::from(h),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    #[expect(dead_code, reason = "only counted")]
    name: String,
    #[serde(default)]
    children: Vec<Node>,
}

fn count(node: &Node) -> usize {
    1 + node.children.iter().map(count).sum::<usize>()
}

/// Count the nodes of a tree.
#[tool(effect = "read")]
async fn tree_size(root: Node) -> usize {
    count(&root)
}

/// Take the children of a tree apart.
///
/// Lists stay lists:
///
/// - one
/// - two
///
///     indented code
#[tool(effect = "read")]
async fn anything(
    /// Whatever there is.
    data: Value,
) -> Value {
    data
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    note: Value,
}

/// Take a note of anything.
#[tool(effect = "read")]
async fn note(Input(note): Input<Note>) -> Value {
    note.note
}

#[derive(Deserialize, JsonSchema)]
struct Crate {
    mass: u32,
    label: Option<String>,
}

/// Weigh crates.
#[tool(effect = "read")]
async fn weigh(crates: Vec<Crate>, #[arg(range(min = 1, max = 14))] days: Option<u32>) -> u64 {
    let labelled = crates.iter().filter(|c| c.label.is_some()).count() as u64;
    crates.iter().map(|c| u64::from(c.mass)).sum::<u64>() * u64::from(days.unwrap_or(1)) + labelled
}

/// Echo every kind of rule.
#[tool(effect = "read", rename_all = "camelCase")]
async fn rules(
    #[arg(default = "hello")] first_word: String,
    #[arg(length(min = 1, max = 2), inner(pattern = "^[a-z]+$"))] tags: Option<Vec<String>>,
    #[arg(coerce)] count: Option<i64>,
    #[arg(coerce)] loud: Option<bool>,
    #[arg(preprocess = trimmed)] name: Option<String>,
    site: Option<Url>,
) -> Value {
    json!({ "firstWord": first_word, "tags": tags, "count": count, "loud": loud, "name": name, "site": site })
}

fn trimmed(value: Value) -> Value {
    match value {
        Value::String(text) => text.trim().into(),
        other => other,
    }
}

/// Take plain JSON Schema.
#[tool(effect = "read", input_schema = json!({"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}))]
async fn raw(input: Value) -> Value {
    input
}

/// Take the number, whatever else there is.
#[tool(effect = "read", unknown_fields = "ignore")]
async fn lenient(n: i64) -> i64 {
    n
}

/// Check that the window is one.
#[tool(effect = "read", check = |lo, hi| if lo <= hi { Ok(()) } else { Err(format!("lo ({lo}) is above hi ({hi})")) })]
async fn window(lo: i64, hi: i64) -> i64 {
    hi - lo
}

// ---- results and errors ----

#[derive(Debug)]
struct Upstream(io::Error);

impl std::fmt::Display for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the upstream answered nothing")
    }
}

impl std::error::Error for Upstream {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Fail with a source.
#[tool(effect = "read")]
async fn fails(why: String) -> Result<u32, Upstream> {
    Err(Upstream(io::Error::other(why)))
}

/// Panic with a secret.
#[tool(effect = "read")]
async fn panics(secret: Option<String>) -> String {
    match secret {
        Some(secret) => std::panic::panic_any(format!("the secret is {secret}")),
        None => "calm".into(),
    }
}

/// Panic on a thread of the blocking pool.
#[tool(effect = "read")]
fn panics_blocking(secret: String) -> String {
    std::panic::panic_any(format!("the secret is {secret}"))
}

#[derive(Serialize)]
struct Readings {
    readings: Vec<Reading>,
}

#[derive(Serialize)]
struct Reading {
    value: f64,
}

/// Return a number that is none.
#[tool(effect = "read")]
async fn not_a_number() -> Readings {
    Readings { readings: vec![Reading { value: 1.0 }, Reading { value: f64::NAN }] }
}

/// Return a number beyond 64 bits.
#[tool(effect = "read")]
async fn too_big() -> HashMap<&'static str, u128> {
    HashMap::from([("big", u128::MAX)])
}

/// Return a map whose keys are no text.
#[tool(effect = "read")]
async fn odd_keys() -> HashMap<(u8, u8), u8> {
    HashMap::from([((1, 2), 3)])
}

/// Return a list in a list in a list.
#[tool(effect = "read")]
async fn deep(levels: u32) -> Value {
    (0..levels).fold(json!(0), |inner, _| json!([inner]))
}

/// Return an envelope.
#[tool(effect = "read")]
async fn envelope(bad: bool) -> ToolOutput {
    let out = ToolOutput::text("a picture").image([1, 2, 3], "image/png").structured(json!({ "pictures": 1 }));
    if bad { out.error() } else { out }
}

/// Return a value that only looks like an envelope.
#[tool(effect = "read")]
async fn lookalike() -> Value {
    json!({ "content": [{ "type": "text", "text": "data" }], "isError": true })
}

// ---- time ----

/// Sleep on a thread.
#[tool(effect = "read")]
fn sleeps(ms: u64) -> u64 {
    std::thread::sleep(Duration::from_millis(ms));
    ms
}

/// Leaves a mark in a file when it is dropped.
struct Mark(PathBuf, &'static str);

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.0, self.1);
    }
}

/// Never end.
#[tool(effect = "read", timeout = "1s")]
async fn endless(mark: PathBuf) -> u32 {
    let _mark = Mark(mark, "dropped");
    std::future::pending().await
}

/// Wait for a long time, and leave a mark when given up.
#[tool(effect = "write", timeout = "none")]
async fn long_wait(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    let dir = ctx.workspace_dir()?;
    std::fs::write(&mark, dir.display().to_string())?;
    let _mark = Mark(mark, "given up");
    std::future::pending().await
}

/// Block until told that nobody waits.
#[tool(effect = "read", timeout = "1s")]
fn blocks_until_cancelled(mark: PathBuf, ctx: &ToolContext) -> Result<String> {
    while !ctx.is_cancelled() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::write(mark, "noticed")?;
    Ok("noticed".into())
}

/// Block beyond the deadline, and ask only then.
#[tool(effect = "read", timeout = "200ms")]
fn asks_late(mark: PathBuf, ctx: &ToolContext) -> Result<()> {
    std::thread::sleep(Duration::from_millis(600));
    let calls = ctx.block_on(ctx.call_tool("nothing_asked", json!({}))).is_ok();
    std::fs::write(mark, format!("cancelled: {}, calls: {calls}", ctx.is_cancelled()))?;
    Ok(())
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        std::panic::panic_any(PanicsAgain);
    }
}

/// A panic's payload that panics itself.
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        std::panic::panic_any("again");
    }
}

/// Never end, and panic when given up.
#[tool(effect = "read", timeout = "200ms")]
async fn panics_when_dropped() -> u32 {
    let _guard = PanicsWhenDropped;
    std::future::pending().await
}

/// Panic with what panics.
#[tool(effect = "read")]
async fn panics_twice(now: bool) -> u32 {
    if now {
        std::panic::panic_any(PanicsAgain);
    }
    0
}

// ---- effects ----

static WRITES: AtomicU32 = AtomicU32::new(0);

#[derive(Serialize, JsonSchema)]
struct Published {
    published: bool,
    version: String,
}

/// Publish a release.
#[tool(effect = "write", output_schema, dry_run_result = |version| Published { published: false, version: version.clone() })]
async fn publish(version: String, #[arg(length(min = 8))] key: String) -> Result<Published> {
    WRITES.fetch_add(key.len().min(1) as u32, SeqCst);
    Ok(Published { published: true, version })
}

/// Do who knows what.
#[tool]
async fn undeclared() -> u32 {
    WRITES.fetch_add(1, SeqCst) + 1
}

/// Count how often a write ran.
#[tool(effect = "read")]
async fn writes() -> u32 {
    WRITES.load(SeqCst)
}

/// Take a berth.
#[tool(effect = |hold, commit| if *hold || *commit { Effect::Write } else { Effect::Read })]
async fn berth(
    #[arg(range(exclusive_min = 0))] berth: i64,
    #[arg(default = true)] hold: bool,
    #[arg(default = false)] commit: bool,
) -> Value {
    json!({ "berth": berth, "hold": hold, "commit": commit })
}

/// Decide badly.
#[tool(effect = |n| if *n == 7 { std::panic::panic_any("seven") } else { Effect::Read })]
async fn panicky_effect(n: u32) -> u32 {
    n
}

static TRIES: AtomicU32 = AtomicU32::new(0);

fn reset() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

/// Fail twice, then work.
#[tool(effect = "read")]
async fn flaky_read(ctx: &ToolContext) -> Result<u32> {
    if TRIES.fetch_add(1, SeqCst) % 3 < 2 {
        Err(reset())?;
    }
    Ok(ctx.attempt())
}

/// Fail always.
#[tool(effect = "read")]
async fn dead_read() -> anyhow::Result<u32> {
    Err(anyhow::Error::new(reset()).context("asking the index"))
}

/// Fail for good.
#[tool(effect = "read")]
async fn no_such_user() -> Result<u32, String> {
    Err("no such user".into())
}

/// Fail in a write.
#[tool(effect = "write")]
async fn flaky_write() -> Result<u32> {
    Err(reset())?
}

/// Ask to be tried later.
#[tool(effect = "read", attempts = 2)]
async fn later(seconds: u64) -> Result<u32> {
    Err(ToolError::transient("busy").retry_after(Duration::from_secs(seconds)))
}

/// Ask to be tried later than there is time for.
#[tool(effect = "read", timeout = "1s")]
async fn too_late(seconds: u64) -> Result<u32> {
    Err(ToolError::transient("busy").retry_after(Duration::from_secs(seconds)))
}

/// Fetch a page.
#[tool(effect = "read")]
async fn fetch(url: Url) -> Result<String> {
    let client = reqwest::Client::builder().timeout(Duration::from_millis(300)).build()?;
    Ok(client.get(url).send().await?.error_for_status()?.text().await?)
}

/// Search in a time window.
#[tool(effect = "read", time_args = ["since", "until"])]
async fn search(since: String, until: Option<Timestamp>) -> Value {
    json!({ "since": since, "until": until })
}

/// Tell what time it is.
#[tool(effect = "read")]
async fn now(ctx: &ToolContext) -> Timestamp {
    ctx.now()
}

// ---- the context ----

/// Show the call's own folder and session.
#[tool(effect = "read")]
async fn workspace(ctx: &ToolContext, panic: bool) -> Result<Value> {
    let dir = ctx.workspace_dir()?.to_owned();
    std::fs::write(dir.join("note"), "x")?;
    if panic {
        std::panic::panic_any("with a folder");
    }
    let session = ctx.session();
    Ok(json!({ "dir": dir, "session": session, "callId": ctx.call_id(), "dryRun": ctx.is_dry_run() }))
}

/// Wait for ever in the call's own folder, whose path goes into a file.
#[tool(effect = "read", timeout = "500ms")]
async fn waits_in_workspace(mark: PathBuf, ctx: &ToolContext) -> Result<u32> {
    std::fs::write(mark, ctx.workspace_dir()?.display().to_string())?;
    std::future::pending().await
}

/// Call another tool, or oneself.
#[tool(effect = "read")]
async fn relay(tool: String, input: Value, ctx: &ToolContext) -> Result<Value> {
    let outcome = ctx.call_tool(&tool, input).await?;
    Ok(json!({ "isError": outcome.is_error, "result": outcome.result, "stubbed": outcome.stubbed }))
}

/// Call oneself until it is too deep.
#[tool(effect = "read")]
async fn dive(depth: u32, ctx: &ToolContext) -> Result<u32> {
    let outcome = ctx.call_tool("dive", json!({ "depth": depth + 1 })).await;
    match outcome {
        Ok(outcome) => Ok(outcome.value()?),
        Err(_) => Ok(depth),
    }
}

// ---- what the bot lends ----

static MADE: AtomicU32 = AtomicU32::new(0);

struct Config {
    name: String,
}

struct Database {
    name: String,
    serial: u32,
}

#[provide]
fn config() -> Config {
    Config { name: "main".into() }
}

/// Fails the first time, as a database does that is still starting.
#[provide]
async fn database(config: &Config) -> Result<Database> {
    tokio::time::sleep(Duration::from_millis(10)).await;
    let serial = MADE.fetch_add(1, SeqCst);
    if serial == 0 {
        Err("the database is starting")?;
    }
    Ok(Database { name: config.name.clone(), serial })
}

/// Ask the database.
#[tool(effect = "write")]
async fn query(sql: String, db: &Database) -> String {
    format!("{sql} on {} {}", db.name, db.serial)
}

struct Slow;
struct Failing;

/// Blocks, as a plain `fn` may.
#[provide]
fn slow() -> Slow {
    std::thread::sleep(Duration::from_millis(1500));
    Slow
}

struct Unreachable;

/// Finds no server, as a pool does whose database is away.
#[provide]
fn unreachable() -> Result<Unreachable> {
    Err(io::Error::from(io::ErrorKind::ConnectionRefused))?
}

/// Write to what cannot be reached.
#[tool(effect = "write")]
async fn writes_unreachable(_server: &Unreachable) -> u32 {
    1
}

static FAILED: AtomicU32 = AtomicU32::new(0);

#[provide]
async fn failing() -> Result<Failing> {
    tokio::time::sleep(Duration::from_millis(300)).await;
    Err(format!("failure {}", FAILED.fetch_add(1, SeqCst)))?
}

/// Need what takes long to make.
#[tool(effect = "read", timeout = "200ms")]
async fn needs_slow(_slow: &Slow) -> u32 {
    1
}

/// Need what cannot be made.
#[tool(effect = "read", timeout = "1s")]
async fn needs_failing(_failing: &Failing) -> u32 {
    1
}

// ---- tools from data ----

#[tools]
fn generated() -> Vec<ToolDefinition> {
    ["red", "green"]
        .into_iter()
        .map(|colour| {
            ToolDefinition::new(format!("paint_{colour}"))
                .description(format!("Paint it {colour}."))
                .input_schema(json!({
                    "type": "object",
                    "properties": { "what": { "type": "string" }, "since": { "type": "string" } },
                    "required": ["what"]
                }))
                .effect(Effect::Read)
                .time_args(["since"])
                .handler(move |input: Value, ctx: ToolContext| async move {
                    Ok(json!({ "painted": input["what"], "colour": colour, "tool": ctx.tool_name() }))
                })
        })
        .collect()
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
