//! Mistakes in a tool's signature.

use super::mistakes::mistakes;
use crate::tool::ToolAttribute;

#[track_caller]
fn tool(marked: &str, messages: &[&str]) {
    mistakes::<ToolAttribute>(&format!("/// A tool.\n#[tool]\n{marked}"), messages);
}

#[test]
fn a_tool_is_a_plain_free_function() {
    tool("«const» fn t() {}", &["a tool cannot be `const`: remove it"]);
    tool("«unsafe» fn t() {}", &["a tool cannot be `unsafe`: keep the unsafe part inside of it"]);
    tool("«extern \"C\"» fn t() {}", &["a tool cannot be `extern`: remove it"]);
    tool("fn t(«&self», a: u8) {}", &["a tool is a free function, so it cannot take `self`"]);
    tool("fn t«<T: Tool>»(a: T) {}", &["a tool cannot be generic: its types must be known when the bot is built"]);
    tool(
        "fn t«<const N: usize>»(a: [u8; N]) {}",
        &["a tool cannot be generic: its types must be known when the bot is built"],
    );
    tool(
        "unsafe extern \"C\" fn t(a: u8, ...) {}"
            .replace("unsafe", "«unsafe»")
            .replace("extern \"C\"", "«extern \"C\"»")
            .replace("...", "«...»")
            .as_str(),
        &[
            "a tool cannot be `unsafe`: keep the unsafe part inside of it",
            "a tool cannot be `extern`: remove it",
            "a tool cannot take `...`: take a `Vec`",
        ],
    );
    tool("fn «t»(a: u8);", &["a tool needs a body: what it answers to the model"]);
}

#[test]
fn what_the_caller_sends_is_owned() {
    let lent = "a reference is lent by the runtime, and what the caller sends is owned: take";
    tool("fn t(a: «&str») {}", &[&format!("{lent} `String`")]);
    tool("fn t(a: «&'static str») {}", &[&format!("{lent} `String`")]);
    tool("fn t(a: «&String») {}", &[&format!("{lent} `String`")]);
    tool("fn t(a: «&[u8]») {}", &[&format!("{lent} `Vec<u8>`")]);
    tool("fn t(a: «&u32») {}", &[&format!("{lent} `u32`")]);
    tool("fn t(a: «&Input<Query>») {}", &[&format!("{lent} `Input<Query>`")]);
    tool("fn t(a: Option<«&str»>) {}", &["what the caller sends is owned: take a `String` here"]);
    tool("fn t(a: Vec<(u8, «&[u8]»)>) {}", &["what the caller sends is owned: take a `Vec` here"]);
    tool(
        "fn t(a: Option<«&Db»>) {}",
        &[
            "what the caller sends is owned, and what the runtime lends is a plain `&T`: there is no `&` inside of a parameter's type",
        ],
    );
}

#[test]
fn a_borrowed_name_is_still_known_to_the_other_rules() {
    mistakes::<ToolAttribute>(
        "/// A tool.\n#[tool(time_args = [\"since\"], check = |since| ok(since))] fn t(since: «&str») {}",
        &["a reference is lent by the runtime, and what the caller sends is owned: take `String`"],
    );
}

#[test]
fn what_has_a_self_stands_in_an_impl() {
    let message = "a tool is a free function, so it has no `Self`: move it out of the `impl`";
    tool("fn t(a: «Self») {}", &[message]);
    tool("fn t(a: u8) -> Result<«Self»> { Ok(Self) }", &[message]);
    tool("fn t(«self») -> Self { self }", &["a tool is a free function, so it cannot take `self`"]);
}

#[test]
fn what_is_lent_is_shared_and_has_a_concrete_type() {
    tool("fn t(db: «&&'static Map<String, u8>») {}", &["one reference is enough: take `&'static Map<String, u8>`"]);
    tool(
        "fn t(db: &(«dyn Store + Send»)) {}",
        &["the runtime lends by concrete type: take `&Arc<(dyn Store + Send)>`, and provide an `Arc` of it"],
    );
    tool(
        "fn t(db: &«mut» Db) {}",
        &["what the runtime lends is shared between calls, so it is never `&mut`: put a `Mutex` inside"],
    );
    tool(
        "fn t(db: &«dyn Store») {}",
        &["the runtime lends by concrete type: take `&Arc<dyn Store>`, and provide an `Arc` of it"],
    );
    tool("fn t(db: «&&Db») {}", &["one reference is enough: take `&Db`"]);
    tool(
        "fn t(db: &«impl Store») {}",
        &["the runtime lends by concrete type: write one with a name instead of `impl …`"],
    );
}

#[test]
fn a_parameter_has_a_type_with_a_name() {
    let message = "a tool's parameter needs a type with a name, not `impl …`: its schema must be known";
    tool("fn t(a: «impl Into<String>») {}", &[message]);
    tool("fn t(a: «Vec<impl Into<String>>») {}", &[message]);
}

#[test]
fn a_destructured_parameter_needs_a_name() {
    let message = "a destructured parameter needs a name: add `#[arg(name = \"…\")]`";
    tool("fn t(«Point { x, y }»: Point) {}", &[message]);
    tool("fn t(«(a, b)»: (u8, u8)) {}", &[message]);
    tool("fn t(«_»: u8) {}", &[message]);
}

#[test]
fn there_is_one_context_and_it_is_lent() {
    tool(
        "fn t(a: &ToolContext, b: «&bdk::ToolContext») {}",
        &["two contexts: a call has one, so take one `&ToolContext`"],
    );
    tool("fn t(ctx: «ToolContext») {}", &["the context is lent: take `&ToolContext`"]);
}

#[test]
fn the_whole_input_stands_alone() {
    tool(
        "fn t(Input(q): «Input<Query>», other: u8) {}",
        &["`Input` is the whole input, so no other owned parameter can stand beside it"],
    );
}
