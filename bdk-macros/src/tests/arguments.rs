//! Mistakes in `#[arg(…)]`.

use super::mistakes::mistakes;
use crate::tool::ToolAttribute;

#[track_caller]
fn tool(parameters: &str, messages: &[&str]) {
    mistakes::<ToolAttribute>(&format!("/// A tool.\n#[tool]\nfn t({parameters}) {{}}"), messages);
}

#[test]
fn an_unknown_option_is_told_with_what_to_write() {
    tool("#[arg(«defualt» = 3)] a: u8", &["unknown `#[arg]` option `defualt`; did you mean `default`?"]);
    tool("#[arg(«rename» = \"x\")] a: u8", &["`#[arg]` has no option `rename`: write `name = \"…\"`"]);
    tool(
        "#[arg(«description» = \"x\")] a: u8",
        &["`#[arg]` has no option `description`: write a doc comment on the parameter"],
    );
    tool(
        "#[arg(«min» = 1)] a: u8",
        &["`#[arg]` has no option `min`: write `range(min = …)` for a number, `length(min = …)` for a text or a list"],
    );
    tool("#[arg(«optional»)] a: u8", &["`#[arg]` has no option `optional`: take an `Option`"]);
}

#[test]
fn options_of_several_attributes_are_one_list() {
    tool("#[arg(default = 3)] #[arg(«default» = 4)] a: u8", &["`default` is given twice"]);
}

#[test]
fn an_attribute_without_options_says_how_it_is_written() {
    let message = "write `#[arg(…)]` with options in it, such as `#[arg(range(min = 1))]`";
    tool("#[«arg»] a: u8", &[message]);
    tool("#[«arg = 3»] a: u8", &[message]);
}

#[test]
fn rules_say_how_they_are_written() {
    tool("#[arg(«range»)] a: u8", &["`range` is written `range(min = 1, max = 14)`"]);
    tool("#[arg(«range»())] a: u8", &["`range` is written `range(min = 1, max = 14)`"]);
    tool("#[arg(range = «3»)] a: u8", &["`range` is written `range(min = 1, max = 14)`"]);
    tool("#[arg(range(«mim» = 3))] a: u8", &["unknown `range(…)` option `mim`; did you mean `min`?"]);
    tool("#[arg(range(min = «\"3\"»))] a: u8", &["`min` is written `min = 1`"]);
    tool("#[arg(length(min = «-1»))] a: String", &["a length is a whole number from 0"]);
    tool("#[arg(length(max = «1.5»))] a: String", &["a length is a whole number from 0"]);
    tool("#[arg(pattern = «3»)] a: String", &["`pattern` is written `pattern = \"^[a-z]+$\"`"]);
    tool("#[arg(«format»)] a: String", &["`format` is written `format = \"email\"`"]);
    tool(
        "#[arg(inner(«default» = 3))] a: Vec<u8>",
        &["unknown `inner(…)` option `default`; there are `range`, `length`, `pattern`, `format`, `inner`, `extend`"],
    );
    tool("#[arg(«coerce» = true)] a: u8", &["`coerce` is a flag: write `coerce` alone, or leave it out"]);
    tool("#[arg(preprocess = «\"trim\"»)] a: String", &["`preprocess` is written `preprocess = path::to::function`"]);
}

#[test]
fn an_empty_range_is_told() {
    tool("#[arg(range(«min = 5, max = 2»))] a: u8", &["no number is in this range"]);
    tool("#[arg(range(«exclusive_min = 5, max = 5»))] a: u8", &["no number is in this range"]);
    tool("#[arg(length(«min = 5, max = 2»))] a: String", &["nothing has such a length: `min` is more than `max`"]);
}

#[test]
fn extend_takes_strings_with_json() {
    tool("#[arg(«extend»())] a: u8", &["`extend` is written `extend(\"key\" = json)`"]);
    tool("#[arg(extend(«unit» = 3))] a: u8", &["`extend` takes strings with JSON, such as `extend(\"key\" = [1, 2])`"]);
    tool("#[arg(extend(«\"unit\"» = ))] a: u8", &["this key needs a value, such as `\"key\" = [1, 2]`"]);
    tool("#[arg(extend(\"unit\" = 1, «\"unit\"» = 2))] a: u8", &["`unit` is given twice"]);
}

#[test]
fn serde_s_and_schemars_attributes_are_told_in_our_words() {
    tool("«#[serde(rename = \"x\")]» a: u8", &["on a parameter this is written `#[arg(name = \"…\")]`"]);
    tool("«#[serde(default)]» a: u8", &["on a parameter this is written `#[arg(default = …)]`"]);
    tool("«#[schemars(range(min = 1))]» a: u8", &["on a parameter this is written `#[arg(range(…))]`"]);
    tool("«#[serde(flatten)]» a: u8", &["on a parameter this is written `#[arg(…)]`"]);
}

#[test]
fn options_behind_cfg_attr_are_refused() {
    tool(
        "«#[cfg_attr(unix, arg(default = 3))]» a: u8",
        &["`#[tool]` cannot see through `cfg_attr`: write `#[arg(…)]` without it"],
    );
}

#[test]
fn lent_parameters_and_whole_inputs_take_no_options() {
    tool(
        "«#[arg(name = \"x\")]» db: &Db",
        &["a reference is lent by the runtime and no part of the input, so `#[arg]` has nothing to say here"],
    );
    tool(
        "#[arg(«name» = \"x\")] Input(q): Input<Query>",
        &["`Input` is the whole input: write this on a field of its type, in serde's and schemars' words"],
    );
}

#[test]
fn property_names_are_unique_and_not_empty() {
    tool("a: u8, #[arg(name = «\"a\"»)] b: u8", &["two parameters have the property name `a`"]);
    tool("#[arg(name = «\"\"»)] b: u8", &["a property's name cannot be empty"]);
    mistakes::<ToolAttribute>(
        "/// A tool.\n#[tool(rename_all = \"camelCase\")] fn t(#[arg(name = \"prUrl\")] a: u8, «pr_url»: u8) {}",
        &["two parameters have the property name `prUrl`"],
    );
}
