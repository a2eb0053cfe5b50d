//! `Result` and `Option` by other names: what a type is decides, not what it is called.
use bdk::prelude::*;

type Answer<T> = std::result::Result<T, String>;
type Maybe = Option<u32>;
type Fine = anyhow::Result<u32>;

/// An alias of `Result`.
#[tool(effect = "read")]
async fn aliases_result(a: u32) -> Answer<u32> {
    if a == 0 { Err("zero".to_owned()) } else { Ok(a) }
}

/// An alias of `Option`.
#[tool(effect = "read")]
fn aliases_option(a: Maybe) -> Maybe {
    a
}

/// An alias of anyhow's.
#[tool(effect = "read")]
fn aliases_anyhow(text: String) -> Fine {
    Ok(text.trim().parse()?)
}

/// A `Result` with its own error type spelt out, by its path.
#[tool(effect = "read")]
fn aliases_path(text: String) -> std::result::Result<u32, std::num::ParseIntError> {
    text.parse()
}

#[bdk::test]
async fn an_err_is_an_error_whatever_its_type_is_called(bot: TestBot) {
    assert!(bot.call_tool("aliases_result", json!({ "a": 0 })).await.is_error);
    assert_eq!(bot.call_tool("aliases_result", json!({ "a": 3 })).await.result, 3);
    assert!(bot.call_tool("aliases_anyhow", json!({ "text": "x" })).await.is_error);
    assert!(bot.call_tool("aliases_path", json!({ "text": "x" })).await.is_error);
}

#[bdk::test]
async fn an_option_by_another_name_may_be_left_out(bot: TestBot) {
    assert_eq!(bot.call_tool("aliases_option", json!({})).await.result, Value::Null);
}
