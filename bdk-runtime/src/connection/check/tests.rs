use super::Fault;
use crate::{
    Effect,
    connection::{Connection, ConnectionDef, Declared, IntoConnection},
    tool::At,
};
use std::time::Duration;

const AT: At = At { file: "src/main.rs", line: 3, module: "bot", krate: "bot" };

fn declared(host: bool, description: &'static str, made: impl IntoConnection) -> Declared {
    // only its name, its words and its place are looked at
    let def = ConnectionDef { name: "c", description, host, make: || unreachable!(), at: AT };
    Declared::new("c".to_owned(), &def, made.into_connection())
}

/// Asserts that there is one fault, of this kind, and that its words hold these.
#[track_caller]
fn one(declared: &Declared, code: &str, words: &[&str]) {
    let faults = declared.faults();
    let [Fault { code: found, message }] = &faults[..] else { panic!("not one fault: {faults:?}") };
    assert_eq!(*found, code, "{message}");
    for words in words.iter().chain(&["the connection `c`: "]) {
        assert!(message.contains(words), "{words}: {message}");
    }
}
#[track_caller]
fn faulty(made: impl IntoConnection, code: &str, words: &[&str]) {
    one(&declared(false, "", made), code, words);
}
fn http() -> Connection<crate::HttpConnection> {
    Connection::http("https://mcp.example.com/mcp")
}
fn stdio() -> Connection<crate::StdioConnection> {
    Connection::stdio("server")
}

#[test]
fn what_is_sound_has_no_faults() {
    let everything = http()
        .header("authorization", "Bearer ${TOKEN}")
        .header("x-team", "a\tb $${literal")
        .timeout(Duration::from_secs(1))
        .only_reads()
        .advertise_tools()
        .tools(["a"])
        .disallowed_tools(["b"])
        .effect_of("a", Effect::Read)
        .effect_of("a", Effect::Read)
        .optional();
    let process = stdio().args(["--flag", "a=b", ""]).env("A", "${B}").env("a", "").cwd("folder").only_reads();
    let of_the_host = Connection::http("http://[::1]:8080/mcp?q=1#f").tools(["a"]).only_reads();
    for (host, made) in [
        (false, everything.into_connection()),
        (false, process.into_connection()),
        (false, Connection::authored().into_connection()),
        (true, of_the_host.into_connection()),
    ] {
        assert_eq!(declared(host, " Doc.", made).faults(), []);
    }
}

#[test]
fn a_url_is_one_of_http_without_credentials() {
    for (url, words) in [
        ("", "cannot be read"),
        ("mcp.example.com/mcp", "cannot be read"),
        ("https://", "cannot be read"),
        ("localhost:8080/mcp", "begins with `localhost:`"),
        ("ws://example.com", "begins with `ws:`"),
        ("https://user@example.com", "a user or a password"),
        ("https://:hunter2@example.com", "authorization"),
    ] {
        let made = Connection::http(url);
        one(&declared(false, "", made), "connection_url", &[words]);
    }
}

#[test]
fn a_template_stands_in_the_values_of_headers_and_variables_alone() {
    for (made, place) in [
        (Connection::http("https://example.com/${PATH}").into_connection(), "its URL"),
        (http().header("x-${NAME}", "a").into_connection(), "the name of header 1"),
        (http().description("Of ${TEAM}.").into_connection(), "its description"),
        (Connection::stdio("${HOME}/server").into_connection(), "the name of its program"),
        (stdio().args(["a", "--token=$${TOKEN}"]).into_connection(), "argument 2 of its program"),
        (stdio().cwd("${HOME}").into_connection(), "its folder"),
        (stdio().env("${NAME}", "a").into_connection(), "the name of variable 1"),
    ] {
        faulty(made, "connection_template", &[&format!("`${{` in {place}, "), "`.header(…)`"]);
    }
    one(&declared(false, " Of ${TEAM}.", http()), "connection_template", &["its description"]);
}

#[test]
fn a_broken_template_is_told_by_the_name_of_its_place() {
    faulty(
        http().header("x-a", "${A").into_connection(),
        "connection_template",
        &["the header `x-a`", "without its `}`"],
    );
    faulty(stdio().env("A", "${}"), "connection_template", &["the variable `A`", "names no environment variable"]);
}

#[test]
fn a_header_is_legal_the_author_s_and_there_once() {
    for name in ["", "a b", "a:", "ä", "a\n"] {
        faulty(http().header("x", "a").header(name, "b"), "connection_header", &["the name of header 2 is none"]);
    }
    for name in ["Accept", "content-type", "HOST", "Mcp-Session-Id", "last-event-id", "transfer-encoding"] {
        faulty(http().header(name, "a"), "connection_header", &[&format!("`{name}` is set by bdk itself")]);
    }
    faulty(http().header("x-a", "1").header("X-A", "2"), "connection_header", &["`X-A` is given twice"]);
    for value in ["a\nb", "a\r", "ü", "\0"] {
        faulty(http().header("x-a", value), "connection_header", &["`x-a` has a character"]);
    }
}

#[test]
fn a_variable_has_a_name_and_is_there_once() {
    for name in ["", "A=B", "A\0"] {
        faulty(stdio().env(name, "b"), "connection_env", &["the name of variable 1 is none"]);
    }
    faulty(stdio().env("A", "1").env("A", "2"), "connection_env", &["`A` is given twice"]);
    faulty(stdio().env("A", "1\0"), "connection_env", &["`A` holds a NUL byte"]);
}

#[test]
fn a_process_can_be_started_as_it_is_written() {
    faulty(Connection::stdio(" "), "connection_process", &["no name"]);
    faulty(Connection::stdio("a\0b"), "connection_process", &["the name of its program holds a NUL byte"]);
    faulty(stdio().args(["a", "b\0"]), "connection_process", &["argument 2"]);
    faulty(stdio().cwd(""), "connection_process", &["`.cwd(\"\")`"]);
    faulty(stdio().cwd("a\0"), "connection_process", &["its folder holds"]);
}

#[test]
fn names_are_filtered_only_where_the_model_sees_names() {
    faulty(http().tools(["a"]), "connection_filter", &["`.tools(…)`", "`.advertise_tools()`"]);
    faulty(http().tools([""; 0]), "connection_filter", &["`.tools(…)`"]);
    faulty(http().disallowed_tools(["a"]), "connection_filter", &["`.disallowed_tools(…)`"]);
    one(&declared(true, "", http().advertise_tools()), "connection_access", &["`host`", "`.advertise_tools()`"]);
}

#[test]
fn a_tool_has_one_effect_and_a_call_some_time() {
    let made = http().effect_of("a", Effect::Read).effect_of("b", Effect::Read).effect_of("a", Effect::Write);
    faulty(made.effect_of("a", Effect::Read), "connection_effect", &["`.effect_of(\"a\", …)`"]);
    faulty(http().timeout(Duration::ZERO), "connection_timeout", &["`.timeout(…)` is zero"]);
}

#[test]
fn no_fault_repeats_a_value_or_what_may_be_one() {
    let secret = "hunter2";
    let header = |name: String, value: String| http().header(name, value).into_connection();
    let variable = |name: String, value: String| stdio().env(name, value).into_connection();
    for made in [
        header("x".into(), format!("{secret}\n")),
        header("x".into(), format!("${{{secret}-}}")),
        header("accept".into(), format!("${{{secret}")),
        header(format!("Bearer {secret}"), "authorization".into()),
        header(format!("${{{secret}}}"), "authorization".into()),
        variable(format!("TOKEN={secret}"), "TOKEN".into()),
        variable("TOKEN".into(), format!("{secret}\0")),
        Connection::http(format!("https://{secret}:{secret}@example.com")).into_connection(),
        Connection::http(format!("https://exa mple.com/?key={secret}")).into_connection(),
        stdio().args([format!("--token={secret}\0")]).into_connection(),
    ] {
        let faults = declared(false, "", made).faults();
        assert!(!faults.is_empty());
        assert!(!format!("{faults:?}").contains(secret), "{faults:?}");
    }
}
