//! Mistakes in the options of `#[tool(…)]`.

use super::mistakes::mistakes;
use crate::tool::ToolAttribute;

#[track_caller]
fn tool(marked: &str, messages: &[&str]) {
    mistakes::<ToolAttribute>(&format!("/// A tool.\n{marked}"), messages);
}

#[test]
fn an_unknown_option_is_told_with_the_nearest() {
    tool("#[tool(«efect» = \"read\")] fn t() {}", &["unknown `#[tool]` option `efect`; did you mean `effect`?"]);
    tool(
        "#[tool(«colour»)] fn t() {}",
        &["unknown `#[tool]` option `colour`; there are `effect`, `name`, `title`, `description`, `dry_run_result`, \
            `check`, `time_args`, `output_schema`, `input_schema`, `unknown_fields`, `timeout`, `attempts`, `idempotent`, \
            `destructive`, `open_world`, `needs_approval`, `rename_all`, `execution`, `script`, `crate`"],
    );
}

#[test]
fn what_other_crates_call_it_is_told_with_what_to_write() {
    tool("#[tool(«read_only»)] fn t() {}", &["`#[tool]` has no option `read_only`: write `effect = \"read\"`"]);
    tool("#[tool(«confirm»)] fn t() {}", &["`#[tool]` has no option `confirm`: write `needs_approval`"]);
    tool(
        "#[tool(«retries» = 3)] fn t() {}",
        &["`#[tool]` has no option `retries`: write `attempts = 5`, which counts the first try too"],
    );
    tool(
        "#[tool(«annotations»(read_only_hint = true))] fn t() {}",
        &[
            "`#[tool]` has no option `annotations`: write `effect`, `idempotent`, `destructive`, `open_world` and `title` themselves",
        ],
    );
}

#[test]
fn an_option_is_given_once() {
    tool("#[tool(effect = \"read\", «effect» = \"write\")] fn t() {}", &["`effect` is given twice"]);
}

#[test]
fn what_is_no_option_is_told_with_an_example() {
    tool("#[tool(«\"read\"»)] fn t() {}", &["`#[tool]` takes options such as `effect = \"read\"`"]);
    tool(
        "#[tool(effect = \"read\", «=» 3, idempotent)] fn t() {}",
        &["`#[tool]` takes options such as `effect = \"read\"`"],
    );
}

#[test]
fn a_missing_comma_hides_nothing() {
    tool(
        "#[tool(effect = \"read\" «timeout» = «30»)] fn t() {}",
        &["expected a `,` before this", "`timeout` is written `timeout = \"30s\"`"],
    );
}

#[test]
fn an_unfinished_option_is_told_on_its_key() {
    tool("#[tool(«effect» =)] fn t() {}", &["`effect` needs a value, such as `effect = \"read\"`"]);
    tool("#[tool(«effect» =, idempotent)] fn t() {}", &["`effect` needs a value, such as `effect = \"read\"`"]);
    tool(
        "#[tool(«check» = |a|)] fn t(a: u8) {}",
        &["the value of `check` is not finished, such as `check = |since, until| …`"],
    );
    tool("#[tool(«timeout»)] fn t() {}", &["`timeout` is written `timeout = \"30s\"`"]);
}

#[test]
fn an_effect_is_one_of_two_words() {
    tool(
        "#[tool(effect = «\"reed\"»)] fn t() {}",
        &["an effect is `\"read\"` or `\"write\"`, not `\"reed\"`; did you mean `\"read\"`?"],
    );
    tool("#[tool(effect = «\"delete\"»)] fn t() {}", &["an effect is `\"read\"` or `\"write\"`, not `\"delete\"`"]);
    tool("#[tool(effect = «Effect::Read»)] fn t() {}", &["a fixed effect is written as a word: `effect = \"read\"`"]);
    tool(
        "#[tool(effect = «bdk::Effect::Write»)] fn t() {}",
        &["a fixed effect is written as a word: `effect = \"write\"`"],
    );
}

#[test]
fn what_an_effect_excludes_is_told_on_the_option() {
    tool(
        "#[tool(effect = \"read\", «dry_run_result» = |a| *a)] fn t(a: u8) -> u8 { a }",
        &["a tool that only reads runs in a dry run too, so it needs no `dry_run_result`"],
    );
    tool(
        "#[tool(effect = \"read\", «destructive»)] fn t() {}",
        &["a tool that only reads destroys nothing: leave out `destructive`, or say `effect = \"write\"`"],
    );
    let attempts = "only a read is tried again: add `effect = \"read\"`, or leave out `attempts`";
    tool("#[tool(effect = \"write\", «attempts» = 2)] fn t() {}", &[attempts]);
    tool("#[tool(«attempts» = 2)] fn t() {}", &[attempts]);
}

#[test]
fn a_wrong_effect_brings_no_second_error() {
    tool(
        "#[tool(effect = «\"reed\"», attempts = 2)] fn t() {}",
        &["an effect is `\"read\"` or `\"write\"`, not `\"reed\"`; did you mean `\"read\"`?"],
    );
}

#[test]
fn attempts_are_a_number_from_1() {
    tool(
        "#[tool(effect = \"read\", attempts = «0»)] fn t() {}",
        &["`attempts` counts the first try too, so the least is 1"],
    );
    tool(
        "#[tool(effect = \"read\", attempts = «-1»)] fn t() {}",
        &["`attempts` counts the first try too, so the least is 1"],
    );
    tool(
        "#[tool(effect = \"read\", attempts = «5000000000»)] fn t() {}",
        &["`attempts` is a small whole number, such as `attempts = 5`"],
    );
    tool("#[tool(effect = \"read\", attempts = «\"3\"»)] fn t() {}", &["`attempts` is written `attempts = 5`"]);
}

#[test]
fn a_timeout_is_a_duration_or_none() {
    let bad =
        |text: &str| format!("`{text}` is no duration: write `\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"` or `\"none\"`");
    tool("#[tool(timeout = «\"30 seconds\"»)] fn t() {}", &[&bad("30 seconds")]);
    tool("#[tool(timeout = «\"30\"»)] fn t() {}", &[&bad("30")]);
    tool(
        "#[tool(timeout = «\"0s\"»)] fn t() {}",
        &["`0s` would end every call at once: write `\"none\"` for no deadline"],
    );
}

#[test]
fn a_flag_stands_alone() {
    tool(
        "#[tool(«idempotent» = false)] fn t() {}",
        &["`idempotent` is a flag: write `idempotent` alone, or leave it out"],
    );
    tool(
        "#[tool(«open_world»(true))] fn t() {}",
        &["`open_world` is a flag: write `open_world` alone, or leave it out"],
    );
    tool(
        "#[tool(«needs_approval» = true)] fn t() {}",
        &["`needs_approval` is a flag: write `needs_approval` alone, or leave it out"],
    );
}

#[test]
fn a_name_is_short_and_plain() {
    let long = "a".repeat(65);
    let message = "this name has 65 characters, a tool's has at most 64: give it a shorter one";
    tool(&format!("#[tool(name = «\"{long}\"»)] fn t() {{}}"), &[message]);
    let otherwise = "; `#[tool(name = \"…\")]` names a tool otherwise than its function";
    tool(&format!("#[tool] fn «{long}»() {{}}"), &[&format!("{message}{otherwise}")]);
    tool(
        "#[tool(name = «\"find orders\"»)] fn t() {}",
        &["` ` cannot stand in a tool's name: write 1 to 64 of `A-Z a-z 0-9 _ -`"],
    );
    tool("#[tool(name = «\"\"»)] fn t() {}", &["a tool's name is empty: write 1 to 64 of `A-Z a-z 0-9 _ -`"]);
    tool(
        "#[tool] fn «größe»() {}",
        &[&format!("`ö` cannot stand in a tool's name: write 1 to 64 of `A-Z a-z 0-9 _ -`{otherwise}")],
    );
    tool("#[tool(name = «3»)] fn t() {}", &["`name` is written `name = \"find_orders\"`"]);
}

#[test]
fn a_tool_says_what_it_does() {
    let message = "`t` has no description, and the model chooses tools by it: write a doc comment, or `#[tool(description = \"…\")]`";
    mistakes::<ToolAttribute>("#[tool] fn «t»() {}", &[message]);
    mistakes::<ToolAttribute>("///\n///  \n#[tool] #[doc(hidden)] fn «t»() {}", &[message]);
    tool(
        "#[tool(description = «\" \"»)] fn t() {}",
        &["the description is empty, and the model chooses tools by it: say what the tool does"],
    );
}

#[test]
fn time_args_name_parameters() {
    tool(
        "#[tool(time_args = [«\"sinse\"»])] fn t(since: String) {}",
        &["`time_args` names `sinse`, but `t` has no such parameter; did you mean `since`?"],
    );
    tool(
        "#[tool(time_args = [\"since\", «\"nope\"»])] fn t(since: String, until: String) {}",
        &["`time_args` names `nope`, but `t` has no such parameter; its parameters are `since`, `until`"],
    );
    tool(
        "#[tool(time_args = [«\"since\"»])] fn t() {}",
        &["`time_args` names `since`, but `t` has no such parameter; it has no parameters"],
    );
    tool(
        "#[tool(time_args = [«\"since\"»])] fn t(query: Whole) {}",
        &[
            "`time_args` names `since`, but `t` has no such parameter; its parameters are `query`; if `Whole` is another \
            name of `Input`, write `Input(query): Whole`",
        ],
    );
    tool("#[tool(time_args = [\"a\", «\"a\"»])] fn t(a: String) {}", &["`time_args` names `a` twice"]);
    tool(
        "#[tool(time_args = «\"a\"»)] fn t(a: String) {}",
        &["`time_args` is written `time_args = [\"since\", \"until\"]`"],
    );
    tool(
        "#[tool(time_args = [«a»])] fn t(a: String) {}",
        &["`time_args` takes the names of parameters as strings, such as `\"since\"`"],
    );
}

#[test]
fn schemas_stand_where_they_can() {
    let one = "`input_schema` describes one owned parameter, `input: Value`, and this tool takes";
    tool("#[tool(«input_schema» = json!({}))] fn t() {}", &[&format!("{one} none")]);
    tool("#[tool(«input_schema» = json!({}))] fn t(a: Value, b: u8) {}", &[&format!("{one} more")]);
    tool(
        "#[tool(input_schema = json!({}))] fn t(#[arg(«default» = json!({}))] a: Value) {}",
        &["beside `input_schema` the input arrives untouched, so `#[arg]` has nothing to say"],
    );
    tool("#[tool(«input_schema»)] fn t(a: Value) {}", &["`input_schema` is written `input_schema = json!({ … })`"]);
    tool(
        "#[tool(«output_schema»)] fn t() -> impl Serialize { 1 }",
        &["`output_schema` needs a result type with a name, not `impl …`, or a schema: `output_schema = …`"],
    );
    tool(
        "#[tool(«dry_run_result» = || 1)] fn t() -> Result<impl Serialize> { Ok(1) }",
        &["`dry_run_result` needs a result type with a name, not `impl …`"],
    );
}

#[test]
fn the_rest_of_the_options_say_how_they_are_written() {
    tool(
        "#[tool(unknown_fields = «\"deny\"»)] fn t() {}",
        &["unknown properties are refused by default; the one other thing to say is `unknown_fields = \"ignore\"`"],
    );
    tool("#[tool(rename_all = «\"camelcase\"»)] fn t() {}", &["unknown case `camelcase`; did you mean `camelCase`?"]);
    tool("#[tool(crate = «bdk»)] fn t() {}", &["`crate` takes an absolute path: write `::bdk` or `crate::bdk`"]);
    tool("#[tool(crate = «\"::bdk\"»)] fn t() {}", &["`crate` takes a path without quotes, such as `crate = ::bdk`"]);
}

#[test]
fn agent_tools_are_refused_once() {
    tool(
        "#[tool(«execution» = \"agent\", script = include_str!(\"echo.sh\"))] fn t(message: String);",
        &["agent tools are not yet there: leave out `execution` and `script`, and it runs in the bot"],
    );
}

#[test]
fn many_mistakes_are_told_at_once() {
    tool(
        "#[tool(«efect» = \"read\", timeout = «\"1x\"», «attempts» = 2, time_args = [«\"b\"»])]\n\
         fn t(a: String, db: &«mut» Db, #[arg(«rename» = \"x\")] c: u8) {}",
        &[
            "unknown `#[tool]` option `efect`; did you mean `effect`?",
            "`1x` is no duration: write `\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"` or `\"none\"`",
            "only a read is tried again: add `effect = \"read\"`, or leave out `attempts`",
            "`time_args` names `b`, but `t` has no such parameter; did you mean `a`?",
            "what the runtime lends is shared between calls, so it is never `&mut`: put a `Mutex` inside",
            "`#[arg]` has no option `rename`: write `name = \"…\"`",
        ],
    );
}
