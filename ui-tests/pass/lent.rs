//! References: the context in any position, providers that need others, trait objects, lifetimes with names.
use bdk::prelude::*;
use std::sync::Arc;

trait Store: Send + Sync {
    fn get(&self) -> u32;
}
struct Memory(u32);
impl Store for Memory {
    fn get(&self) -> u32 {
        self.0
    }
}

/// What a library calls generic.
struct Pool<T>(T);

#[provide]
fn store(pool: &Pool<u32>) -> Arc<dyn Store> {
    Arc::new(Memory(pool.0))
}

#[provide]
async fn pool() -> anyhow::Result<Pool<u32>> {
    Ok(Pool(7))
}

/// Lent in any position.
#[tool(effect = "read")]
async fn lent_anywhere(a: u32, ctx: &ToolContext, store: &Arc<dyn Store>, b: u32, pool: &Pool<u32>) -> u32 {
    let _ = ctx.as_of();
    a + b + store.get() + pool.0
}

/// Lifetimes with names.
#[tool(effect = "read")]
fn lent_lifetimes<'a, 'b>(a: &'a Pool<u32>, b: &'b Arc<dyn Store>) -> u32
where
    'b: 'a,
{
    let longer: &'a Arc<dyn Store> = b;
    longer.get() + a.0
}

/// By a path, and not used.
#[tool(effect = "read")]
fn lent_paths(_ctx: &bdk::ToolContext, _: &self::Pool<u32>) {}

#[bdk::test]
async fn providers_lend(bot: TestBot) {
    assert_eq!(bot.call_tool("lent_anywhere", json!({ "a": 1, "b": 2 })).await.result, 17);
    assert_eq!(bot.call_tool("lent_lifetimes", json!({})).await.result, 14);
    assert!(!bot.call_tool("lent_paths", json!({})).await.is_error);
}

#[bdk::test]
async fn a_test_lends_its_own(bot: TestBot) {
    let bot = bot.provide(Pool(1_u32));
    assert_eq!(bot.call_tool("lent_lifetimes", json!({})).await.result, 2);
}
