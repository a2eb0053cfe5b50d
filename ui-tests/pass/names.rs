//! Raw and non-ASCII identifiers, and one function name in two modules.
use bdk::prelude::*;

/// Raw.
#[tool(effect = |r#type, größe| if r#type.is_empty() && *größe == 0 { Effect::Read } else { Effect::Write })]
fn r#match(r#type: String, größe: u32) -> String {
    format!("{type}{größe}")
}

/// Named otherwise.
#[tool(name = "names-groesse", effect = "read")]
fn größe() {}

/// Properties in another case.
#[tool(name = "names_case", effect = "read", rename_all = "camelCase", time_args = ["sinceDay", "until_day"])]
fn case(since_day: Option<String>, until_day: Option<String>, #[arg(name = "ID")] id: u32) -> String {
    format!("{since_day:?}{until_day:?}{id}")
}

mod a {
    use bdk::prelude::*;

    /// In one module.
    #[tool(name = "names_a", effect = "read")]
    fn get() -> u32 {
        1
    }
}

mod b {
    use bdk::prelude::*;

    /// In another.
    #[tool(name = "names_b", effect = "read")]
    fn get() -> u32 {
        2
    }
}

#[bdk::test]
async fn names_are_what_was_written(bot: TestBot) {
    assert_eq!(bot.call_tool("match", json!({ "type": "t", "größe": 3 })).await.result, "t3");
    assert_eq!(bot.call_tool("names_case", json!({ "ID": 1 })).await.result, "NoneNone1");
    assert_eq!(bot.call_tool("names_a", json!({})).await.result, 1);
    assert_eq!(bot.call_tool("names_b", json!({})).await.result, 2);
}
