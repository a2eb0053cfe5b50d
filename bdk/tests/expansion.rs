//! What the attributes make of many kinds of functions: they compile in a crate that forbids and denies, beside names of
//! its own, and the tables hold what was written.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

mod other {
    //! Names that would get in the way of generated code that does not say where its own come from.
    #![allow(dead_code)]
    pub(crate) struct Option;
    pub(crate) struct Result;
    pub(crate) struct String;
    pub(crate) struct Vec;
    pub(crate) struct Some;
    pub(crate) struct Box;
    pub(crate) trait Into {}
    pub(crate) trait Default {}
}

use bdk::{
    __private::{
        Body, CallCx, EffectDef, Output, Param, Slot, Slots, Timeout, ToolDef, ToolRef, Value, inventory, json,
    },
    Effect, Input, Timestamp, ToolDefinition, ToolError, prompt, provide, tool, tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, rc::Rc, sync::Arc};

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
    std::future::ready(key).await;
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
#[tool(time_args = ["since", "untilDay", "at"], rename_all = "camelCase", unknown_fields = "ignore", timeout = "1m30s", idempotent, destructive, open_world, title = "Time travel")]
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

macro_rules! family {
    ($($name:ident: $ty:ty = $description:literal, $effect:expr;)*) => { $(
        #[doc = $description]
        #[bdk::tool(effect = $effect, name = $description, crate = ::bdk)]
        fn $name(value: $ty, db: &Db) -> $ty {
            let _ = db;
            value
        }
    )* };
}
family! {
    in_macro_a: String = "macro-a", "read";
    in_macro_b: Option<u32> = "macro-b", |value| if value.is_some() { Effect::Write } else { Effect::Read };
}

/// Stands for a renamed `bdk`, and for the parts of the runtime that `main` and tests start.
mod fake {
    use std::sync::atomic::{AtomicU32, Ordering};
    /// Counts the bots.
    pub(crate) struct TestBot(pub(crate) u32);
    static MADE: AtomicU32 = AtomicU32::new(0);
    impl Default for TestBot {
        fn default() -> Self {
            Self(MADE.fetch_add(1, Ordering::SeqCst))
        }
    }
    pub(crate) mod __private {
        pub(crate) use super::super::block as block_on;
        pub(crate) use std::env;
        pub(crate) fn begin(name: &'static str, version: &'static str) {
            assert_eq!((name, version), ("bdk", env!("CARGO_PKG_VERSION")));
        }
    }
}

#[bdk::test(crate = crate::fake)]
async fn a_test_is_given_a_bot_of_its_own(mut bot: fake::TestBot) {
    bot.0 += 1;
    std::future::ready(()).await;
    assert!(bot.0 > 0);
}

#[bdk::test(crate = crate::fake)]
#[should_panic(expected = "on purpose")]
async fn a_test_keeps_its_attributes() {
    std::future::ready(()).await;
    panic!("on purpose");
}

#[bdk::test(crate = crate::fake)]
async fn a_test_may_give_a_result(_: fake::TestBot) -> Res<()> {
    std::future::ready(()).await;
    let _: u32 = "7".parse()?;
    Ok(())
}

mod program {
    use super::Res;

    #[bdk::main(crate = crate::fake)]
    pub(crate) async fn main() -> Res<u32> {
        std::future::ready(()).await;
        Ok("7".parse()?)
    }
}

#[test]
fn main_records_who_it_is_and_runs_its_body() {
    assert_eq!(program::main().expect("it runs"), 7);
}

mod shadowed {
    #![allow(unused_imports)]
    use crate::other::{Box, Default, Into, Option, Result, Some, String, Vec};

    /// In a crate with names of its own.
    #[bdk::tool(effect = "read", check = |a| if *a > 3 { Err("more than 3") } else { Ok(()) })]
    async fn shadowed(#[arg(default = "x")] text: std::string::String, a: u8, db: &super::Db) -> u8 {
        std::future::ready((text, &db.0)).await;
        a
    }
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

fn tables() -> HashMap<&'static str, &'static ToolDef> {
    /// Inside of a function body.
    #[tool]
    fn inner_tool() {}
    inner_tool();
    inventory::iter::<ToolRef>.into_iter().map(|tool| (tool.0.name, tool.0)).collect()
}

fn table(name: &str) -> &'static ToolDef {
    tables().get(name).unwrap_or_else(|| panic!("no tool `{name}` is registered"))
}

fn names(tool: &ToolDef) -> Vec<&'static str> {
    tool.params.iter().map(|p| p.name).collect()
}

fn slots(tool: &ToolDef, values: Vec<Slot>) -> Slots {
    assert_eq!(tool.params.len(), values.len());
    Slots::new(tool.params, values)
}

fn slot<T: Send + 'static>(value: T) -> Slot {
    bdk::__private::slot(value)
}

fn block<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
    }
}

fn call(name: &str, values: Vec<Slot>) -> Output {
    let tool = table(name);
    let mut cx = CallCx::default();
    cx.put(std::any::TypeId::of::<Db>(), Arc::new(Db("db".into())));
    let store: Arc<dyn Store> = Arc::new(Memory);
    cx.put(std::any::TypeId::of::<Arc<dyn Store>>(), Arc::new(store));
    let slots = slots(tool, values);
    let result = match tool.body {
        Body::Async(run) => block(run(&cx, slots)),
        Body::Blocking(run) => run(&cx, slots),
    };
    result.unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn every_tool_is_registered_by_its_name() {
    let mut names: Vec<&str> = tables().into_keys().collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "aliased",
            "berth",
            "blocking",
            "borrowed",
            "borrowed_sync",
            "checked",
            "conditional",
            "destructured",
            "inner_tool",
            "instants",
            "lent",
            "macro-a",
            "macro-b",
            "named-by-a-constant",
            "nothing",
            "old",
            "opaque",
            "plain",
            "prompted",
            "publish",
            "question",
            "raw",
            "rules",
            "shadowed",
            "whole"
        ]
    );
}

#[test]
fn descriptions_are_the_doc_comments() {
    assert_eq!(table("plain").description, " Check whether a pull request is ready.\n\n   - indented");
    assert_eq!(table("plain").params[0].doc, " The pull request.\n\n Its URL.");
    assert_eq!(table("plain").params[1].doc, "");
    assert_eq!(table("plain").params[2].doc, "The tags.");
    assert_eq!(table("named-by-a-constant").description, DESCRIPTION);
    assert_eq!(table("named-by-a-constant").title, Some(NAME));
    assert_eq!(table("prompted").description, "Say hello.\n\n  {indented}");
}

#[test]
fn parameters_are_properties_in_order() {
    assert_eq!(names(table("plain")), ["pr_url", "limit", "tags"]);
    assert_eq!(names(table("blocking")), ["count", "type"]);
    assert_eq!(names(table("instants")), ["since", "untilDay", "at", "notOne"]);
    assert_eq!(names(table("conditional")), ["here", "when"]);
    assert_eq!(names(table("destructured")), ["point", "_unused"]);
    assert_eq!(names(table("lent")), ["extra"]);
    let required: Vec<bool> = table("rules").params.iter().map(Param::required).collect();
    assert_eq!(required, [true, true, false, false, false, false]);
    assert_eq!(table("plain").params.iter().map(|p| p.optional).collect::<Vec<_>>(), [false, true, false]);
    assert!(table("rules").params[4].optional, "an alias of `Option` is one");
}

#[test]
fn whole_inputs_are_known_by_type_or_by_schema() {
    for name in ["whole", "aliased", "raw"] {
        assert!(table(name).params[0].whole, "{name}");
    }
    assert!(!table("plain").params[0].whole);
    let schema = table("raw").input_schema.expect("a schema was given")();
    assert_eq!(schema["properties"]["x"]["type"], "number");
    assert!(table("raw").output_schema_value.is_some());
    assert!(table("checked").output_schema.is_some());
}

#[test]
fn options_are_as_written() {
    let tool = table("instants");
    assert_eq!(tool.time_args, ["since", "untilDay", "at"]);
    assert!(tool.ignore_unknown);
    assert_eq!(tool.timeout, Timeout::After(std::time::Duration::from_secs(90)));
    assert!(tool.hints.idempotent && tool.hints.destructive && tool.hints.open_world);
    assert_eq!(tool.title, Some("Time travel"));
    assert_eq!(table("lent").timeout, Timeout::Never);
    assert_eq!(table("berth").attempts, Some(2));
    assert_eq!(table("plain").attempts, None);
    assert_eq!(table("plain").timeout, Timeout::Default);
    assert_eq!(table("whole").time_args, ["since"]);
    assert_eq!(table("conditional").time_args, ["when"]);
}

#[test]
fn every_table_says_where_its_function_stands() {
    let source = include_str!("expansion.rs");
    for name in ["plain", "lent", "shadowed"] {
        let at = table(name).at;
        assert!(at.file.ends_with("expansion.rs"), "{}", at.file);
        assert_eq!(at.krate, "bdk");
        let line = source.lines().nth(at.line as usize - 1).expect("the line exists");
        assert!(line.contains(&format!("fn {name}")), "{name} is said to stand at `{line}`");
    }
    assert_eq!(table("shadowed").at.module, "expansion::shadowed");
    let need = &table("lent").needs[1];
    assert_eq!(need.at.line, table("lent").at.line);
}

#[test]
fn effects_are_words_or_predicates_over_the_input() {
    assert!(matches!(table("plain").effect, EffectDef::Read));
    assert!(matches!(table("publish").effect, EffectDef::Write));
    assert!(matches!(table("nothing").effect, EffectDef::Undeclared));
    let effect = |name: &str, values: Vec<Slot>| match table(name).effect {
        EffectDef::By(predicate) => predicate(&slots(table(name), values)),
        _ => panic!("{name} has no predicate"),
    };
    assert_eq!(effect("berth", vec![slot(1i64), slot(false), slot(false)]), Effect::Read);
    assert_eq!(effect("berth", vec![slot(1i64), slot(false), slot(true)]), Effect::Write);
    assert_eq!(effect("checked", vec![slot("x".to_owned()), slot(0u32)]), Effect::Read);
    assert_eq!(effect("macro-b", vec![slot(Some(1u32))]), Effect::Write);
    assert_eq!(effect("raw", vec![slot(json!({ "x": 1 }))]), Effect::Read);
    let query = |text: &str| slot(Input(Query { text: text.to_owned(), since: None }));
    assert_eq!(effect("whole", vec![query("")]), Effect::Read);
    assert_eq!(effect("whole", vec![query("y")]), Effect::Write);
}

#[test]
fn checks_see_the_input_by_name() {
    let check = |name: &str, values: Vec<Slot>| table(name).check.expect("it has a check")(&slots(table(name), values));
    assert_eq!(check("question", vec![slot("7".to_owned()), slot(Box::new(9u32))]), Ok(()));
    assert_eq!(check("question", vec![slot("7".to_owned()), slot(Box::new(5u32))]), Err("7 is more than 5".to_owned()));
    assert_eq!(check("question", vec![slot(String::new()), slot(Box::new(5u32))]), Err("empty".to_owned()));
    assert_eq!(check("checked", vec![slot(String::new()), slot(1u32)]), Err("owner and period".to_owned()));
    let query = slot(Input(Query { text: "x".to_owned(), since: None }));
    assert_eq!(check("whole", vec![query]), Err("no".to_owned()));
}

#[test]
fn a_dry_run_answers_with_the_success_type() {
    let tool = table("publish");
    let stub = tool.dry_run_result.expect("it has one");
    let output = stub(&slots(tool, vec![slot("1.2".to_owned()), slot("k".to_owned())])).expect("it is a success");
    let Output::Json(json) = output else { panic!("{output:?} is no JSON") };
    assert_eq!(json.text, r#"{"version":"1.2","published":false}"#);
}

#[test]
fn defaults_are_made_from_what_was_written() {
    let params = table("rules").params;
    let json = |i: usize| {
        let param: &Param = &params[i];
        let value = param.default.expect("it has a default")();
        param.default_json.expect("its type is `Serialize`")(&value)
    };
    assert_eq!(json(2), Some(json!({})));
    assert_eq!(json(3), Some(json!("hello")));
    assert_eq!(json(4), Some(json!(3)));
    assert_eq!(json(5), Some(json!([{ "version": "", "published": true }])));
    assert!(params[0].coerce && !params[1].coerce);
    assert_eq!(params[3].preprocess.expect("it has one")(json!(" a ")), json!("a"));
    assert_eq!(params.iter().map(|p| p.rules.len()).collect::<Vec<_>>(), [2, 3, 2, 0, 0, 0]);
}

#[test]
fn the_shims_call_the_functions() {
    let text = |output: Output| match output {
        Output::Text(text) => text,
        Output::Json(json) => json.text.trim_matches('"').to_owned(),
        other => panic!("{other:?} is no text"),
    };
    assert_eq!(text(call("blocking", vec![slot(1u32), slot("t".to_owned())])), "2t");
    call("nothing", vec![]);
    assert_eq!(text(call("lent", vec![slot(3u8)])), "db37");
    assert_eq!(text(call("borrowed", vec![])), "db");
    assert_eq!(text(call("borrowed_sync", vec![])), "db");
    assert_eq!(text(call("opaque", vec![])), "[1]");
    assert_eq!(text(call("prompted", vec![])), "[1,2]");
    assert_eq!(text(call("macro-a", vec![slot("v".to_owned())])), "v");
    assert_eq!(text(call("shadowed", vec![slot("v".to_owned()), slot(2u8)])), "2");
    let published = Published { version: "1".to_owned(), published: true };
    assert_eq!(text(call("destructured", vec![slot(published), slot(0u8)])), "1true");
}

#[test]
fn providers_make_what_is_lent() {
    use bdk::__private::ProviderRef;
    let of = |key: std::any::TypeId| {
        let mut all = inventory::iter::<ProviderRef>.into_iter().map(|p| p.0);
        all.find(|p| (p.key)() == key).expect("it is registered")
    };
    let config = of(std::any::TypeId::of::<Config>());
    let database = of(std::any::TypeId::of::<Db>());
    let store = of(std::any::TypeId::of::<Arc<dyn Store>>());
    assert!((config.type_name)().ends_with("Config"));
    assert_eq!((database.needs[0].key)(), (config.key)());
    let mut cx = CallCx::default();
    let made = block((config.make)(&cx)).expect("it is made");
    cx.put((config.key)(), made);
    let db = block((database.make)(&cx)).expect("it is made").downcast::<Db>().expect("it is a database");
    assert_eq!(&*db.0, "memory:");
    let made = block((store.make)(&cx)).expect("it is made").downcast::<Arc<dyn Store>>().expect("it is a store");
    assert_eq!(made.get(), 7);
}

#[test]
fn tools_from_data_are_made_by_their_function() {
    let def = inventory::iter::<bdk::__private::ToolsDef>.into_iter().next().expect("it is registered");
    assert_eq!((def.make)().len(), 1);
    assert!(def.at.file.ends_with("expansion.rs"));
}

#[test]
fn the_functions_stay_as_written() {
    assert_eq!(blocking(1, "x".to_owned()), "2x");
    assert_eq!(block(publish("1".to_owned(), "12345678".to_owned())).expect("it publishes").version, "1");
}

#[test]
fn prompts_are_dedented_and_filled_in() {
    const STATIC: &str = prompt!(
        "
        One:

          - two {{x}}
    "
    );
    assert_eq!(STATIC, "One:\n\n  - two {x}");
    let (name, items) = ("Ada", Rc::new(vec![1, 2]));
    assert_eq!(prompt!("Hello {name}"), "Hello Ada");
    assert_eq!(
        prompt!(
            "
        {name:>5}
          {0:?} {last}",
            items,
            last = 3
        ),
        "  Ada\n  [1, 2] 3"
    );
}
