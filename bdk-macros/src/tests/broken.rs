//! Broken input: what an editor sees while its user types. The item always comes out again.

use super::mistakes::split;
use crate::{run::attribute, tool::ToolAttribute};

fn expand(source: &str) -> String {
    let (args, item) = split(source);
    attribute::<ToolAttribute>(args, item).to_string()
}

#[test]
fn a_half_typed_body_is_not_parsed() {
    let out = expand("/// A tool.\n#[tool(effect = \"read\")] async fn t(query: String) -> String { let n = query. }");
    assert!(out.contains("let n = query . }"), "{out}");
    assert!(out.contains("submit"), "it is a tool all the same: {out}");
    assert!(!out.contains("compile_error"), "{out}");
}

#[test]
fn a_half_typed_signature_is_given_back_without_our_attributes() {
    let out = expand("/// A tool.\n#[tool] fn t(/// Docs.\n#[arg(default = 3)] a: u8, b:) { body() }");
    assert!(out.contains("fn t (a : u8 , b :) { body () }"), "{out}");
    assert!(out.contains("A tool."), "the function's own docs stay: {out}");
    assert!(!out.contains("arg") && !out.contains("Docs."), "{out}");
    assert_eq!(out.matches("compile_error").count(), 1, "{out}");
}

#[test]
fn a_half_typed_attribute_gives_the_function_back() {
    for args in ["eff", "effect =", "effect = |", "check = |a| a.", "time_args = [\"a\"", "name = ", ","] {
        let item = "/// A tool.\nfn t(/// Docs.\n #[arg(coerce)] a: u8) { body() }".parse().expect("tokens");
        let Ok(args) = args.parse() else { continue };
        let out = attribute::<ToolAttribute>(args, item).to_string();
        assert!(out.contains("fn t (a : u8) { body () }"), "{out}");
        assert_eq!(out.matches("compile_error").count(), 1, "{out}");
    }
}

#[test]
fn a_half_typed_parameter_attribute_gives_the_function_back() {
    for arg in
        ["#[arg(def)]", "#[arg(default =)]", "#[arg(range(min))]", "#[arg(range(min =))]", "#[arg(extend(\"a\"))]"]
    {
        let out = expand(&format!("/// A tool.\n#[tool] fn t({arg} a: u8) {{ body() }}"));
        assert!(out.contains("fn t (a : u8) { body () }"), "{out}");
        assert_eq!(out.matches("compile_error").count(), 1, "{arg}: {out}");
    }
}

#[test]
fn what_is_no_function_is_told_and_given_back() {
    for item in ["pub struct Tool;", "impl X { fn a(&self) {} }", "mod tools { fn a() {} }", "enum A { B }"] {
        let out = expand(&format!("#[tool] {item}"));
        assert!(out.contains("`#[tool]` goes on a function"), "{out}");
        assert_eq!(out.matches("compile_error").count(), 1, "{out}");
    }
}

#[test]
fn a_function_without_a_body_is_an_item_still() {
    let out = expand("/// A tool.\n#[tool] fn t(a: u8) -> u8;");
    assert!(out.contains("fn t (a : u8) -> u8 { :: core :: unimplemented !"), "{out}");
}
