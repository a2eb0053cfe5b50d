//! Owned parameters of many types, the whole input, and plain schemas.
use bdk::prelude::*;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    num::NonZeroU8,
    sync::Arc,
};

/// What to do.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Order {
    /// Buy.
    Buy { amount: u32 },
    /// Sell.
    Sell { amount: u32, at: Option<f64> },
}

type Whole = Input<Order>;

/// A tagged enum as the whole input.
#[tool(effect = |order| match order { Order::Buy { .. } => Effect::Write, Order::Sell { .. } => Effect::Read })]
async fn inputs_tagged(Input(order): Input<Order>) -> u32 {
    amount(&order)
}

/// The same by another name, taken apart in the closure and in the body.
#[tool(effect = "read", check = |order| if amount(&order.0) == 0 { Err("nothing") } else { Ok(()) })]
fn inputs_tagged_alias(order: Whole) -> u32 {
    amount(&order.0)
}

fn amount(order: &Order) -> u32 {
    match order {
        Order::Buy { amount } => *amount,
        Order::Sell { amount, at } => amount + u32::from(at.is_some()),
    }
}

/// A plain schema.
#[tool(effect = "read", input_schema = json!({ "type": "object", "properties": { "x": { "type": "number" } } }))]
fn inputs_raw(input: Value) -> Value {
    input
}

/// A plain schema from a function.
#[tool(effect = "read", input_schema = schema(), output_schema = schema())]
async fn inputs_raw_typed(Input(input): Input<HashMap<String, Value>>) -> HashMap<String, Value> {
    input
}

fn schema() -> Value {
    json!({ "type": "object" })
}

/// Many types.
#[allow(clippy::many_single_char_names, clippy::option_option, clippy::unnecessary_debug_formatting)]
#[tool(effect = "read")]
fn inputs_many(
    a: (u8, String),
    b: [u8; 2],
    c: Box<str>,
    d: Arc<str>,
    e: NonZeroU8,
    f: Option<Option<u8>>,
    g: HashSet<char>,
    h: BTreeMap<String, Vec<Option<i64>>>,
    i: PathBuf,
    j: Option<Url>,
    k: Option<Uuid>,
    l: Option<Timestamp>,
    m: Value,
    n: std::borrow::Cow<'static, str>,
    o: f32,
    p: i128,
) -> String {
    format!("{a:?}{b:?}{c}{d}{e}{f:?}{g:?}{h:?}{i:?}{j:?}{k:?}{l:?}{m}{n}{o}{p}")
}

/// Patterns.
#[tool(effect = "read", check = |order| if amount(order) == 0 { Err("nothing") } else { Ok(()) })]
fn inputs_patterns(#[arg(name = "pair")] (a, b): (u32, u32), mut count: u32, _unused: Option<u8>, order: Order) -> u32 {
    count += 1;
    a + b + count + amount(&order)
}

#[bdk::test]
async fn the_whole_input_is_the_author_s_type(bot: TestBot) {
    let buy = json!({ "kind": "buy", "amount": 3 });
    assert_eq!(bot.call_tool("inputs_tagged", buy.clone()).await.result, 3);
    assert_eq!(bot.call_tool("inputs_tagged_alias", buy).await.result, 3);
    let nothing = json!({ "kind": "buy", "amount": 0 });
    assert!(bot.call_tool("inputs_tagged_alias", nothing).await.is_error);
}

#[bdk::test]
async fn beside_a_plain_schema_the_input_arrives_untouched(bot: TestBot) {
    let input = json!({ "x": 1.5, "y": [null] });
    assert_eq!(bot.call_tool("inputs_raw", input.clone()).await.result, input);
    assert_eq!(bot.call_tool("inputs_raw_typed", input.clone()).await.result, input);
}

#[bdk::test]
async fn types_are_read_as_serde_reads_them(bot: TestBot) {
    let input = json!({
        "a": [1, "x"], "b": [1, 2], "c": "c", "d": "d", "e": 1, "g": ["g"], "h": { "k": [null, -1] }, "i": "/tmp",
        "m": { "any": [1] }, "n": "n", "o": 0.5, "p": -1,
    });
    let outcome = bot.call_tool("inputs_many", input).await;
    assert!(!outcome.is_error, "{:?}", outcome.result);
    let order = json!({ "kind": "sell", "amount": 1 });
    let patterns = json!({ "pair": [1, 2], "count": 3, "order": order });
    assert_eq!(bot.call_tool("inputs_patterns", patterns).await.result, 8);
}
