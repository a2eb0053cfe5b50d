//! What a tool may return, and which errors `?` takes.
use bdk::prelude::*;
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// A result without a name.
#[tool(effect = "read")]
fn results_impl() -> impl Serialize {
    vec![1, 2]
}

/// A result without a name, later.
#[tool(effect = "read")]
async fn results_impl_async(fail: bool) -> Result<impl Serialize> {
    if fail { Err("asked to".into()) } else { Ok(BTreeMap::from([("a", 1)])) }
}

/// Every error.
#[tool(effect = "read")]
fn results_errors(kind: u8) -> Result<()> {
    match kind {
        0 => Err(std::io::Error::other("an io error"))?,
        1 => Err(anyhow::anyhow!("an anyhow error"))?,
        2 => Err("a static text")?,
        3 => Err(format!("a text {kind}"))?,
        4 => Err(Box::<dyn std::error::Error + Send + Sync>::from("a boxed error"))?,
        5 => return Err(ToolError::permanent("outright")),
        _ => {}
    }
    Ok(())
}

/// A static text as the error.
#[tool(effect = "read")]
fn results_static() -> std::result::Result<Cow<'static, str>, &'static str> {
    Ok("text".into())
}

/// The envelope.
#[tool(effect = "read")]
async fn results_envelope() -> Result<ToolOutput> {
    Ok(ToolOutput::text("shown").structured(json!({ "a": 1 })))
}

/// Nothing.
#[tool(effect = "read")]
fn results_nothing() {}

/// Shared.
#[tool(effect = "read")]
fn results_shared() -> Arc<[u32]> {
    Arc::new([1])
}

/// Borrowed of what was lent.
#[tool(effect = "read")]
fn results_borrowed(of: &Arc<str>) -> &str {
    of
}

/// Borrowed of one of two.
#[tool(effect = "read")]
async fn results_borrowed_async<'a>(of: &'a Arc<str>, ctx: &ToolContext) -> Result<&'a str> {
    if ctx.is_dry_run() { Err("dry".into()) } else { Ok(of) }
}

#[provide]
async fn text() -> std::result::Result<Arc<str>, std::fmt::Error> {
    Ok("lent".into())
}

#[bdk::test]
async fn results_are_json(bot: TestBot) {
    for (name, input, result) in [
        ("results_impl", json!({}), json!([1, 2])),
        ("results_impl_async", json!({ "fail": false }), json!({ "a": 1 })),
        ("results_static", json!({}), json!("text")),
        ("results_nothing", json!({}), Value::Null),
        ("results_shared", json!({}), json!([1])),
        ("results_borrowed", json!({}), json!("lent")),
        ("results_borrowed_async", json!({}), json!("lent")),
    ] {
        let outcome = bot.call_tool(name, input).await;
        assert_eq!(outcome.result, result, "{name}");
        assert!(!outcome.is_error, "{name}");
    }
    assert!(bot.call_tool("results_impl_async", json!({ "fail": true })).await.is_error);
}

#[bdk::test]
async fn question_marks_take_every_error(bot: TestBot) {
    for (kind, text) in
        ["an io error", "an anyhow error", "a static text", "a text 3", "a boxed error", "outright"].iter().enumerate()
    {
        let outcome = bot.call_tool("results_errors", json!({ "kind": kind })).await;
        assert!(outcome.is_error && outcome.result.to_string().contains(text), "{:?}", outcome.result);
    }
}
