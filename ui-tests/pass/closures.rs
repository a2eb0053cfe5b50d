//! What closures may hold: `return`, `?`, blocks, types, patterns, macros, other closures, and paths instead.
use bdk::prelude::*;

struct Rules;
#[allow(clippy::trivially_copy_pass_by_ref)] // what a path is called with are references
impl Rules {
    fn effect(commit: &bool, _: &String) -> Effect {
        if *commit { Effect::Write } else { Effect::Read }
    }
    fn check(_: &bool, text: &str) -> std::result::Result<(), &'static str> {
        if text.is_empty() { Err("empty") } else { Ok(()) }
    }
}

/// Paths to associated functions.
#[tool(effect = Rules::effect, check = Rules::check)]
fn closures_paths(commit: bool, text: String) -> String {
    format!("{commit} {text}")
}

/// Early returns and `?`.
#[tool(
    effect = |commit, texts| {
        if !*commit {
            return Effect::Read;
        }
        match texts.iter().any(|text| text == "x") {
            true => Effect::Write,
            false => Effect::Read,
        }
    },
    check = |texts: &Vec<String>| -> Result<()> {
        for text in texts {
            if text.is_empty() {
                return Err("a text is empty".into());
            }
            let n: u32 = text.parse()?;
            if n > 9 {
                return Err(format!("{n} is more than 9").into());
            }
        }
        Ok(())
    },
    dry_run_result = |texts| {
        let Some(first) = texts.first() else { return String::new() };
        format!("would do {first}")
    },
)]
fn closures_returns(commit: bool, texts: Vec<String>) -> Result<String> {
    Ok(format!("{commit} {}", texts.concat()))
}

/// References taken apart in the pattern.
#[tool(check = |&a, &b| if a > b { Err(format!("{a} is more than {b}")) } else { Ok(()) })]
fn closures_patterns(a: u32, b: u32) -> u32 {
    b - a
}

/// No names at all.
#[tool(effect = || Effect::Read, check = || Ok::<(), String>(()))]
fn closures_empty() {}

#[bdk::test]
async fn closures_see_what_was_sent(bot: TestBot) {
    let told = |outcome: bdk::Outcome| (outcome.is_error, outcome.result.to_string());
    let (failed, text) = told(bot.call_tool("closures_returns", json!({ "commit": false, "texts": ["12"] })).await);
    assert!(failed && text.contains("12 is more than 9"), "{text}");
    let (failed, text) = told(bot.call_tool("closures_returns", json!({ "commit": false, "texts": ["y"] })).await);
    assert!(failed && text.contains("invalid digit"), "{text}");
    let (failed, text) = told(bot.call_tool("closures_patterns", json!({ "a": 3, "b": 2 })).await);
    assert!(failed && text.contains("3 is more than 2"), "{text}");
    let (failed, text) = told(bot.call_tool("closures_paths", json!({ "commit": false, "text": "" })).await);
    assert!(failed && text.contains("empty"), "{text}");
    assert!(!bot.call_tool("closures_empty", json!({})).await.is_error);
}
