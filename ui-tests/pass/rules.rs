//! Every rule of `#[arg]`, with literals and constants.
use bdk::prelude::*;
use std::collections::HashMap;

const MAX: usize = 9;
const LEAST: i64 = -4;
const PATTERN: &str = "^[a-z]*$";

#[derive(Serialize, Deserialize, JsonSchema, Default)]
struct Unit {
    name: String,
}

/// Every rule.
#[tool(effect = "read")]
fn rules(
    #[arg(range(min = 0, max = 18_446_744_073_709_551_615), coerce)] big: u64,
    #[arg(range(min = LEAST, exclusive_max = 1.5), default = -1)] small: i64,
    #[arg(length(max = MAX), pattern = PATTERN, format = "hostname", default = "abc")] text: String,
    #[arg(inner(length(min = 1), pattern = "^a"), length(equal = 2))] list: Option<Vec<String>>,
    #[arg(extend("x-unit" = "cm", "examples" = [1, { "a": null }]), default)] unit: HashMap<String, u32>,
    #[arg(default)] own: Unit,
    #[arg(default = vec![Unit::default()])] units: Vec<Unit>,
    #[arg(preprocess = trimmed, default = String::from("b"))] trimmed: String,
    #[arg(default = Some(3))] some: Option<u32>,
    #[arg(default = "https://example.com".parse().expect("a URL"))] url: Url,
) -> String {
    format!("{big}{small}{text}{list:?}{}{}{}{trimmed}{some:?}{url}", unit.len(), own.name, units.len())
}

fn trimmed(value: Value) -> Value {
    match value {
        Value::String(text) => text.trim().into(),
        other => other,
    }
}

#[bdk::test]
async fn rules_hold_and_defaults_fill_in(bot: TestBot) {
    let outcome = bot.call_tool("rules", json!({ "big": "7", "trimmed": " t " })).await;
    assert_eq!(outcome.result, "7-1abcNone01tSome(3)https://example.com/");
    for bad in [
        json!({ "big": 1, "small": 2 }),
        json!({ "big": 1, "text": "UPPER" }),
        json!({ "big": 1, "list": ["a"] }),
        json!({ "big": 1, "list": ["a", "b"] }),
    ] {
        assert!(bot.call_tool("rules", bad.clone()).await.is_error, "{bad}");
    }
}
