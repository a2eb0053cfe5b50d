//! Mistakes under the other attributes, and in `prompt!`.

use super::mistakes::mistakes;
use crate::{
    main_fn::MainAttribute, prompt::prompt, provide::ProvideAttribute, test_fn::TestAttribute, tools::ToolsAttribute,
};

#[test]
fn a_provider_gives_a_value_of_a_type_with_a_name() {
    mistakes::<ProvideAttribute>(
        "#[provide] fn «db»() {}",
        &["a provider gives what it makes: name its type, such as `-> Result<Database>`"],
    );
    mistakes::<ProvideAttribute>(
        "#[provide] fn db() -> «impl Store» { Memory }",
        &["what is provided is found by its type, so it needs one with a name, not `impl …`"],
    );
    mistakes::<ProvideAttribute>(
        "#[provide] fn db() -> «&'static Db» { &DB }",
        &["a provider gives its value, and the runtime lends references to it: return it without `&`"],
    );
}

#[test]
fn a_provider_takes_what_other_providers_make() {
    mistakes::<ProvideAttribute>(
        "#[provide] fn db(url: «String») -> Db { Db }",
        &["a provider takes only what the runtime lends, references: `&String`"],
    );
    mistakes::<ProvideAttribute>(
        "#[provide] fn db(ctx: «&ToolContext», url: «&str») -> Db { Db }",
        &[
            "what a provider makes outlives the call that asked for it, so it takes no context",
            "a reference is lent by the runtime, and what the caller sends is owned: take `String`",
        ],
    );
    mistakes::<ProvideAttribute>(
        "#[provide(«name» = \"db\")] fn db«<T>»() -> Db { Db }",
        &[
            "`#[provide]` has no option `name`: what is provided is found by its type",
            "a provider cannot be generic: its types must be known when the bot is built",
        ],
    );
}

#[test]
fn tools_are_made_by_a_plain_function_without_parameters() {
    mistakes::<ToolsAttribute>(
        "#[tools] «async» fn «make»(«a: u8») {}",
        &[
            "tools are made when the bot loads, so this function cannot be async",
            "this function gives the tools it makes: write `-> Vec<ToolDefinition>`",
            "tools are made when the bot loads, so this function takes nothing",
        ],
    );
}

#[test]
fn main_is_async_and_takes_nothing() {
    mistakes::<MainAttribute>(
        "#[bdk::main] «fn» main(«args: Args») {}",
        &[
            "`#[bdk::main]` starts the runtime for an async function: write `async fn main`",
            "`main` takes nothing: `bdk::serve()` reads the command line",
        ],
    );
    mistakes::<MainAttribute>(
        "#[bdk::main(«flavor» = \"current_thread\")] async fn main() {}",
        &["`#[bdk::main]` has no option `flavor`: the runtime has several threads; `#[tokio::main]` works too"],
    );
}

#[test]
fn a_test_is_async_and_takes_a_bot_or_nothing() {
    mistakes::<TestAttribute>(
        "#[bdk::test] «fn» t(bot: «&TestBot», «other: u8») {}",
        &[
            "`#[bdk::test]` runs an async function: write `async fn`, or `#[test]` alone",
            "a test owns its bot: write `bot: TestBot`",
            "a test takes nothing, or one `bot: TestBot`",
        ],
    );
    mistakes::<TestAttribute>(
        "#[bdk::test] «#[test]» async fn t() {}",
        &["`#[bdk::test]` makes it a test already: remove `#[test]`"],
    );
}

#[test]
fn prompt_takes_a_literal_with_doubled_braces() {
    let usage = "takes a string literal";
    for (input, expected) in [
        ("", usage),
        ("TEXT", usage),
        ("3", usage),
        ("\"a\" b", "expected a `,` between the text and its arguments"),
        ("\"{ \\\"a\\\": 1 }\"", "is nothing to fill in: write `{{` for a brace"),
        ("\"a } b\"", "a `}` alone: write `}}` for a brace"),
    ] {
        let emitted = prompt(input.parse().expect("tokens")).to_string();
        assert!(emitted.contains("compile_error") && emitted.contains(expected), "{input}: {emitted}");
    }
}

#[test]
fn prompt_is_a_literal_when_nothing_is_filled_in() {
    let emitted = |input: &str| prompt(input.parse().expect("tokens")).to_string();
    assert_eq!(emitted("\"\n    a\n      {{b}}\n\""), "\"a\\n  {b}\"");
    assert_eq!(emitted("\"a\","), "\"a\"");
    assert!(emitted("\"a {b}\"").contains("format"));
    assert!(emitted("\"a {}\", b").contains("format"));
}
