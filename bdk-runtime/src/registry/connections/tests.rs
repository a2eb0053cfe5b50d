use super::*;
use crate::{
    Effect, ToolContext, ToolDefinition,
    connection::{Access, Connection},
};
use serde_json::Value;

const fn at(line: u32, module: &'static str) -> At {
    At { file: "src/main.rs", line, module, krate: "bot" }
}
const fn def(name: &'static str, make: fn() -> Connection, at: At) -> ConnectionDef {
    ConnectionDef { name, description: "", host: false, make, at }
}
fn http() -> Connection {
    Connection::http("https://mcp.example.com/mcp").into()
}
fn authored() -> Connection {
    Connection::authored().into()
}
fn declare(defs: impl IntoIterator<Item = ConnectionDef>) -> (Connections, Vec<Problem>) {
    let mut problems = Vec::new();
    let defs = defs.into_iter().map(|def| &*Box::leak(Box::new(def)));
    let connections = Connections::declare(defs, |name, _| name.to_owned(), &mut problems);
    (connections, problems)
}
fn tool(name: &str, module: &'static str) -> Tool {
    let mut definition = ToolDefinition::new(name)
        .description("Say yes.")
        .effect(Effect::Read)
        .handler(async |_input: Value, _ctx: ToolContext| Ok("yes"));
    let body = definition.body.take().unwrap();
    Tool::data(name.to_owned(), definition, body, at(1, module))
}
fn names<'a>(tools: impl IntoIterator<Item = &'a Arc<Tool>>) -> Vec<&'a str> {
    tools.into_iter().map(|tool| tool.name()).collect()
}
fn codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|p| p.code).collect()
}

#[test]
fn connections_are_found_by_name_whatever_their_order_in_the_binary() {
    let (connections, problems) = declare(["m", "a", "z"].map(|name| def(name, http, at(1, "bot"))));
    assert!(problems.is_empty());
    assert!(connections.all().iter().map(|one| &*one.name).eq(["a", "m", "z"]));
    assert_eq!(connections.find("m").map(|one| one.access()), Some(Access::Attached));
    assert!(connections.find("b").is_none());
}

#[test]
fn the_doc_comment_describes_where_the_author_says_nothing_else() {
    let of = |description: &'static str, make| {
        let (connections, _) = declare([ConnectionDef { description, ..def("c", make, at(1, "bot")) }]);
        connections.all()[0].spec.description.clone()
    };
    assert_eq!(of(" Issues.\n\n  - and more\n", http).as_deref(), Some("Issues.\n\n - and more"));
    assert_eq!(of(" Issues.", || http().description("Better.")).as_deref(), Some("Better."));
    assert_eq!(of(" ", http), None);
    assert_eq!(of(" Issues.", || http().description("")), None);
}

#[test]
fn a_function_that_panics_is_told_and_the_others_are_there() {
    let (connections, problems) =
        declare([def("bad", || panic!("told"), at(7, "bot")), def("good", http, at(9, "bot"))]);
    assert_eq!(codes(&problems), ["connection_panicked"]);
    assert_eq!(problems[0].place.as_deref(), Some("src/main.rs:7"));
    assert!(problems[0].message.contains("`bad`"));
    assert!(connections.find("good").is_some() && connections.find("bad").is_none());
}

#[test]
fn two_of_one_name_are_told_with_both_places() {
    let (_, problems) = declare([def("c", http, at(9, "bot::b")), def("c", authored, at(7, "bot::a"))]);
    assert_eq!(codes(&problems), ["duplicate_connection"]);
    assert_eq!(problems[0].place.as_deref(), Some("src/main.rs:7"));
    assert!(problems[0].message.contains("src/main.rs:9"), "{}", problems[0].message);
}

#[test]
fn an_extension_s_connection_bears_its_name_within_the_limit() {
    let long = "c".repeat(60).leak();
    let defs = ["decide", long].map(|name| &*Box::leak(Box::new(def(name, http, at(1, "jev")))));
    let mut problems = Vec::new();
    let connections = Connections::declare(defs, |name, _| format!("jev__{name}"), &mut problems);
    assert!(connections.find("jev__decide").is_some());
    assert_eq!(codes(&problems), ["illegal_name"]);
}

#[test]
fn what_an_author_said_wrongly_stands_at_the_function() {
    let (_, problems) = declare([def("c", || Connection::http("nowhere").into(), at(7, "bot"))]);
    assert_eq!(codes(&problems), ["connection_url"]);
    assert_eq!(problems[0].place.as_deref(), Some("src/main.rs:7"));
}

#[test]
fn the_innermost_authored_connection_around_an_item_owns_it() {
    let (connections, _) = declare([
        def("outer", authored, at(1, "bot::work")),
        def("inner", authored, at(2, "bot::work::deep")),
        def("other", http, at(3, "bot")),
    ]);
    for (module, owner) in [
        ("bot", None),
        ("bot::workshop", None),
        ("bot::work", Some("outer")),
        ("bot::work::a", Some("outer")),
        ("bot::work::deep", Some("inner")),
        ("bot::work::deep::er", Some("inner")),
    ] {
        assert_eq!(connections.owner(module), owner, "{module}");
    }
}

#[test]
fn a_name_is_one_tool_s_among_those_of_one_owner() {
    let (mut connections, mut problems) = declare([def("work", authored, at(1, "bot::work"))]);
    let all = ["bot::work", "bot", "bot::work::deep", "bot::side"].map(|module| tool("twin", module));
    let bots = connections.share(all, &mut problems);
    assert_eq!(names(&bots), ["twin"]);
    assert_eq!(names(connections.tools_of("work")), ["twin"]);
    assert_eq!(codes(&problems), ["duplicate_tool"; 2]);
    assert!(connections.tools_of("nobody").is_empty());
}

#[test]
fn a_module_has_one_authored_connection_and_tools_for_it() {
    let (mut connections, mut problems) = declare([
        def("a", authored, at(9, "bot::work")),
        def("b", authored, at(7, "bot::work")),
        def("idle", authored, at(8, "bot::idle")),
    ]);
    connections.share([tool("x", "bot::work")], &mut problems);
    assert_eq!(names(connections.tools_of("a")), ["x"]);
    assert_eq!(codes(&problems), ["authored_twice", "authored_empty"]);
    assert_eq!(problems[0].place.as_deref(), Some("src/main.rs:7"));
    assert!(problems[0].message.contains("src/main.rs:9"), "{}", problems[0].message);
    assert!(problems[1].message.contains("`bot::idle`"), "{}", problems[1].message);
}
