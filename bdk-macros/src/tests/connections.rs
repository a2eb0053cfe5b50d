//! Mistakes under `#[connection]`.

use super::mistakes::{mistakes, split};
use crate::{connection::ConnectionAttribute, run::attribute};

#[track_caller]
fn connection(marked: &str, messages: &[&str]) {
    mistakes::<ConnectionAttribute>(marked, messages);
}

const NOTHING: &str = "a connection is declared when the bot loads, so this function takes nothing: a credential is named \
                       where it goes, such as `.header(\"authorization\", \"Bearer ${TOKEN}\")`";

#[test]
fn a_connection_is_a_plain_function_without_parameters() {
    connection(
        "#[connection] «async» fn «c»(«token: String», «n: u8») { body() }",
        &[
            "a connection is declared when the bot loads, and opened later, so this function cannot be async: remove it",
            "this function gives the connection: write `-> impl IntoConnection`",
            NOTHING,
            NOTHING,
        ],
    );
    connection(
        "#[connection] fn c«<T>»() -> Connection<T> { body() }",
        &["a connection cannot be generic: its types must be known when the bot is built"],
    );
    connection(
        "#[connection] fn c(«&self») -> Connection { body() }",
        &["a connection is a free function, so it cannot take `self`"],
    );
    connection("#[connection] «const» fn c() -> Connection { body() }", &["a connection cannot be `const`: remove it"]);
    connection(
        "#[connection] fn «c»() -> Connection;",
        &["a connection needs a body: how its server is reached, such as `Connection::http(\"https://…\")`"],
    );
}

#[test]
fn an_unknown_option_is_told_with_what_to_write() {
    connection(
        "#[connection(«hots»)] fn c() -> Connection { body() }",
        &["unknown `#[connection]` option `hots`; did you mean `host`?"],
    );
    connection(
        "#[connection(«name» = \"linear\", «advertise_tools»)] fn c() -> Connection { body() }",
        &[
            "`#[connection]` has no option `name`: a connection is named as its function",
            "`#[connection]` has no option `advertise_tools`: write `.advertise_tools()` on what the function returns",
        ],
    );
    connection(
        "#[connection(«host» = true)] fn c() -> Connection { body() }",
        &["`host` is a flag: write `host` alone, or leave it out"],
    );
    connection("#[connection(host, «host»)] fn c() -> Connection { body() }", &["`host` is given twice"]);
    connection(
        "#[connection(crate = «sdk»)] fn c() -> Connection { body() }",
        &["`crate` takes an absolute path: write `::sdk` or `crate::sdk`"],
    );
    connection(
        "#[connection(«\"https://example.com\"»)] fn c() -> Connection { body() }",
        &["`#[connection]` takes options such as `host`"],
    );
}

#[test]
fn its_function_s_name_is_a_connection_s() {
    connection(
        "#[connection] fn «größe»() -> Connection { body() }",
        &[
            "`ö` cannot stand in a connection's name: write 1 to 64 of `A-Z a-z 0-9 _ -`; a connection is named as its function",
        ],
    );
    let long = "c".repeat(65);
    connection(
        &format!("#[connection] fn «{long}»() -> Connection {{ body() }}"),
        &[
            "this name has 65 characters, a connection's has at most 64: give it a shorter one; a connection is named as its function",
        ],
    );
}

#[test]
fn a_half_typed_one_gives_the_function_back() {
    let expand = |source: &str| {
        let (args, item) = split(source);
        attribute::<ConnectionAttribute>(args, item).to_string()
    };
    let out = expand("#[connection] fn c() -> impl IntoConnection { Connection::http(\"https://a\"). }");
    assert!(out.contains("Connection :: http (\"https://a\") . }"), "{out}");
    assert!(out.contains("submit") && !out.contains("compile_error"), "it is a connection all the same: {out}");
    for source in [
        "#[connection(hos)] fn c() -> Connection { body() }",
        "#[connection(crate =)] fn c() -> Connection { body() }",
        "#[connection(host =)] fn c() -> Connection { body() }",
    ] {
        let out = expand(source);
        assert!(out.contains("fn c () -> Connection { body () }"), "{out}");
        assert_eq!(out.matches("compile_error").count(), 1, "{source}: {out}");
    }
    let out = expand("#[connection] static C: u8 = 3;");
    assert!(out.contains("`#[connection]` goes on a function"), "{out}");
}
