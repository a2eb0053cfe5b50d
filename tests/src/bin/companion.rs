//! A bot whose tools talk with their caller while they run, and that end in every way a call can end. The tests of the MCP
//! clients call it.
#![allow(missing_docs)]

use bdk::{Answer, LogLevel, Question, prelude::*};
use std::fs;
use tokio::time::sleep;

/// Count, and say how far it is.
#[tool(effect = "read")]
async fn count(to: u32, ctx: &ToolContext) -> String {
    for n in 1..=to {
        ctx.progress(n, to, format!("at {n}")).await;
        sleep(Duration::from_millis(10)).await;
    }
    ctx.log(LogLevel::Warning, "nothing left to count").await;
    format!("Counted to {to}.")
}

/// Leaves a mark in a file when it is dropped.
struct Mark(PathBuf);

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = fs::write(&self.0, "given up");
    }
}

/// Count without end, and leave a mark when nobody wants to hear more.
#[tool(effect = "read", timeout = "none")]
async fn count_on(mark: PathBuf, ctx: &ToolContext) -> u64 {
    let _mark = Mark(mark);
    let mut n = 0_u64;
    loop {
        n += 1;
        ctx.progress(n, None, "").await;
        sleep(Duration::from_millis(50)).await;
    }
}

/// Ask for a name, and greet.
#[tool(effect = "read")]
async fn greet(ctx: &ToolContext) -> Result<String> {
    #[derive(Deserialize, JsonSchema)]
    struct Person {
        /// As friends say it.
        name: String,
        age: Option<u8>,
    }
    match ctx.ask(Question::of::<Person>("Who are you?")).await? {
        Answer::Declined => Ok("Hello, whoever you are.".to_owned()),
        answer => {
            let Person { name, age } = answer.value()?;
            Ok(age.map_or_else(|| format!("Hello, {name}!"), |age| format!("Hello, {name} of {age}!")))
        }
    }
}

/// Wipe a disk, when a person agrees.
#[tool(effect = "write", needs_approval)]
async fn wipe(disk: String) -> String {
    format!("Wiped {disk}.")
}

/// Name the planets.
#[tool(effect = "read", output_schema)]
async fn planets() -> Vec<String> {
    ["Mercury", "Venus"].map(Into::into).into()
}

/// Count the planets.
#[tool(effect = "read", output_schema)]
async fn planet_count() -> u32 {
    8
}

/// Name the largest planet.
#[tool(effect = "read", output_schema)]
async fn largest_planet() -> String {
    "Jupiter".to_owned()
}

/// Name the smallest planet, if there is one.
#[tool(effect = "read", output_schema)]
async fn smallest_planet(of: u32) -> Option<String> {
    (of > 0).then(|| "Mercury".to_owned())
}

/// Panic with a secret.
#[tool(effect = "read")]
async fn panics() -> String {
    std::panic::panic_any("the secret is hunter2hunter2")
}

/// Never end.
#[tool(effect = "read", timeout = "300ms")]
async fn endless(mark: PathBuf) -> u32 {
    let _mark = Mark(mark);
    std::future::pending().await
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
