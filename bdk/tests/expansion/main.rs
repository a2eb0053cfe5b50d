//! What the attributes make of many kinds of functions: they compile in a crate that forbids and denies, beside names of
//! its own, and the tables hold what was written.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]
#![deny(rust_2018_idioms, single_use_lifetimes, unused_lifetimes, unused_qualifications, unused_results)]
#![deny(trivial_casts, trivial_numeric_casts, unreachable_pub, missing_debug_implementations, let_underscore_drop)]

mod names;
mod starts;
mod tables;

use bdk::{
    __private::{Value, json},
    Effect, Input, Timestamp, ToolDefinition, ToolError, prompt, provide, tool, tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::Arc};

type Res<T, E = ToolError> = Result<T, E>;
type Maybe = Option<u32>;

/// What tools share.
struct Db(Arc<str>);
/// What the database needs.
struct Config(&'static str);
/// Found as a trait object.
trait Store: Send + Sync {
    fn get(&self) -> u32;
}
struct Memory;
impl Store for Memory {
    fn get(&self) -> u32 {
        7
    }
}

#[derive(Serialize, Deserialize, JsonSchema, Debug, Clone, PartialEq)]
struct Published {
    version: String,
    published: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    text: String,
    since: Option<String>,
}

#[provide]
fn config() -> Config {
    Config("memory:")
}

#[provide]
async fn database(config: &Config) -> Res<Db> {
    std::future::ready(()).await;
    Ok(Db(config.0.into()))
}

#[provide]
fn store() -> Result<Arc<dyn Store>, String> {
    Ok(Arc::new(Memory))
}

/// Check whether a pull request is ready.
///
///   - indented
#[tool(effect = "read")]
async fn plain(
    /// The pull request.
    ///
    /// Its URL.
    pr_url: String,
    limit: Option<u32>,
    #[doc = "The tags."] tags: Vec<String>,
) -> Res<Published> {
    std::future::ready(()).await;
    Ok(Published { version: format!("{pr_url}{limit:?}{tags:?}"), published: true })
}

/// A blocking one.
#[tool]
fn blocking(mut count: u32, r#type: String) -> String {
    count += 1;
    format!("{count}") + &r#type
}

/// Nothing in, nothing out.
#[tool]
fn nothing() {}

/// Publish a release.
#[tool(effect = "write", dry_run_result = |version| Published { published: false, version: version.clone() })]
async fn publish(version: String, #[arg(length(min = 8))] key: String) -> Res<Published> {
    std::future::ready(()).await;
    drop(key);
    Ok(Published { version, published: true })
}

/// Take a berth.
#[tool(effect = |hold, commit| if *hold || *commit { Effect::Write } else { Effect::Read }, attempts = 2)]
async fn berth(
    #[arg(range(exclusive_min = 0))] berth: i64,
    #[arg(default = true)] hold: bool,
    #[arg(default = false)] commit: bool,
) -> Value {
    std::future::ready(()).await;
    json!({ "berth": berth, "hold": hold, "commit": commit })
}

fn both(owner: &str, period: u32) -> Result<(), String> {
    if owner.is_empty() && period > 0 { Err("owner and period".into()) } else { Ok(()) }
}

/// Rules across fields.
#[tool(check = |owner, period| both(owner, *period), effect = decide, output_schema)]
fn checked(owner: String, period: u32) -> Result<Published, anyhow::Error> {
    if period > 9 {
        anyhow::bail!("too long");
    }
    Ok(Published { version: owner, published: false })
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn decide(owner: &str, period: &u32) -> Effect {
    if owner.is_empty() || *period > 0 { Effect::Write } else { Effect::Read }
}

/// With `?` and `return`, block and types.
#[tool(check = |a: &String, b| -> Res<()> {
    if a.is_empty() {
        return Err("empty".into());
    }
    let n: u32 = a.parse()?;
    if n > **b { Err(format!("{n} is more than {b}").into()) } else { Ok(()) }
})]
fn question(a: String, b: Box<u32>) -> String {
    format!("{a}{b}")
}

/// Instants.
#[tool(time_args = ["since", "untilDay", "at"], rename_all = "camelCase", unknown_fields = "ignore", timeout = "1m30s", idempotent, destructive, open_world, needs_approval, title = "Time travel")]
fn instants(since: Option<String>, until_day: Timestamp, #[arg(name = "at")] instant: String, not_one: u32) -> String {
    format!("{since:?}{until_day}{instant}{not_one}")
}

/// Lent things.
#[tool(effect = "read", timeout = "none")]
async fn lent(db: &Db, extra: u8, store: &Arc<dyn Store>) -> String {
    std::future::ready(()).await;
    format!("{}{extra}{}", db.0, store.get())
}

/// Gives back what it was lent.
#[tool]
async fn borrowed<'a>(db: &'a Db, _store: &Arc<dyn Store>) -> &'a str {
    std::future::ready(()).await;
    &db.0
}

/// The same, blocking.
#[tool]
fn borrowed_sync(db: &Db) -> &str {
    &db.0
}

/// The whole input.
#[tool(time_args = ["since"], effect = |q| if q.text.is_empty() { Effect::Read } else { Effect::Write }, check = |Input(q)| if q.text == "x" { Err("no") } else { Ok(()) })]
async fn whole(Input(q): Input<Query>) -> String {
    std::future::ready(()).await;
    q.text + q.since.as_deref().unwrap_or_default()
}

/// Plain JSON Schema.
#[tool(input_schema = json!({ "type": "object", "properties": { "x": { "type": "number" } } }), output_schema = json!({ "type": "object" }), effect = |input| if input["x"] == 1 { Effect::Read } else { Effect::Write })]
fn raw(input: Value) -> Value {
    input
}

const NAME: &str = "named-by-a-constant";
const DESCRIPTION: &str = "Described by a constant.";

#[tool(name = NAME, description = DESCRIPTION, title = NAME)]
fn constants(
    #[arg(length(max = MAX), range(min = -MIN, max = 1.5), pattern = "^[a-z]+$", format = "email")] x: String,
) -> String {
    x
}
const MAX: usize = 9;
const MIN: i64 = 4;

#[tool(name = "prompted", description = prompt!("
    Say hello.

      {{indented}}
"))]
fn prompted_tool() -> impl Serialize {
    vec![1, 2]
}

/// An async one without a name for its result.
#[tool]
async fn opaque() -> Result<impl Serialize, String> {
    std::future::ready(()).await;
    Ok(vec![1])
}

/// Every rule.
#[tool]
fn rules(
    #[arg(range(min = 0, max = 18_446_744_073_709_551_615), coerce)] big: u64,
    #[arg(inner(length(min = 1), pattern = "^a"), length(equal = 2))] list: Vec<String>,
    #[arg(extend("x-unit" = "cm", "examples" = [1, { "a": null }]), default)] unit: HashMap<String, u32>,
    #[arg(default = "hello", preprocess = trimmed)] text: String,
    #[arg(default = Some(3))] some: Maybe,
    #[arg(default = vec![Published { version: String::new(), published: true }])] typed: Vec<Published>,
) -> String {
    format!("{big}{list:?}{unit:?}{text}{some:?}{typed:?}")
}

#[allow(clippy::needless_pass_by_value)]
fn trimmed(value: Value) -> Value {
    value.as_str().map_or(value.clone(), |text| text.trim().into())
}

/// Some parameters are not there.
#[tool(effect = |here| if *here { Effect::Read } else { Effect::Write }, time_args = ["when"])]
fn conditional(
    here: bool,
    #[cfg(any())] gone: NoSuchType,
    #[cfg(any())] lost: &NoSuchType,
    #[cfg(not(any()))] when: String,
) -> String {
    format!("{here}{when}")
}

/// Patterns.
#[tool(check = |point| if point.published { Ok(()) } else { Err("unpublished") })]
fn destructured(#[arg(name = "point")] Published { version, published }: Published, _unused: u8) -> String {
    format!("{version}{published}")
}

/// Was replaced.
#[tool]
#[deprecated = "use another"]
fn old() -> u8 {
    1
}

/// The whole input by another name.
#[tool]
fn aliased(query: Aliased) -> String {
    query.0.text
}
type Aliased = Input<Query>;

#[tools]
fn generated() -> Vec<ToolDefinition> {
    vec![ToolDefinition::new("from_data").description("Made from data.")]
}
