//! cases.md 1, 3–8, 14: what a bot says of its tools.

use bdk_tests::{Server, run};
use serde_json::{Value, json};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

fn tools() -> Vec<Value> {
    serde_json::from_value(run(KITCHEN, &["tools", "--json"]).json()).expect("a list")
}

fn tool(name: &str) -> Value {
    tools().into_iter().find(|t| t["name"] == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn a_function_is_listed_with_its_name_its_comment_and_what_its_types_say() {
    let add = tool("add");
    assert_eq!(add["description"], "Add two numbers.");
    let number = json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u64 });
    assert_eq!(
        add["inputSchema"],
        json!({
            "type": "object",
            "properties": { "a": number, "b": number },
            "required": ["a", "b"],
            "additionalProperties": false
        })
    );
}

#[test]
fn a_client_that_ignores_references_and_unions_still_sees_the_allowed_strings() {
    let unit = &tool("unit_of")["inputSchema"]["properties"]["unit"];
    assert_eq!(unit["enum"], json!(["celsius", "fahrenheit"]));
    let told = unit["description"].as_str().expect("a description");
    assert!(told.contains("The unit, if it matters.") && told.contains("Degrees Celsius."), "{told}");
}

#[test]
fn a_tool_without_arguments_takes_the_empty_object_however_it_is_sent() {
    for name in ["nothing_asked", "say_nothing"] {
        let schema = tool(name)["inputSchema"].clone();
        assert_eq!(schema, json!({ "type": "object", "properties": {}, "additionalProperties": false }), "{name}");
    }
    let server = Server::start(KITCHEN, &[]);
    for body in [json!({}), json!({ "input": null }), json!({ "input": {} })] {
        assert_eq!(server.call("nothing_asked", &body).1["result"], "pong", "{body}");
    }
}

#[test]
fn a_tagged_enum_as_the_input_has_an_object_root_and_keeps_every_branch() {
    let schema = &tool("area")["inputSchema"];
    assert_eq!(schema["type"], "object");
    let kinds: Vec<&Value> =
        schema["anyOf"].as_array().expect("branches").iter().map(|b| &b["properties"]["kind"]["enum"][0]).collect();
    assert_eq!(kinds, ["circle", "rect"]);
}

#[test]
fn a_recursive_type_has_a_schema_that_ends_and_validate_warns_of_it() {
    let ran = run(KITCHEN, &["validate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.lines().any(|l| l.contains("tree_size") && l.contains("recursi")), "{all}");
}

#[test]
fn a_comment_is_dedented_and_otherwise_untouched() {
    assert_eq!(
        tool("anything")["description"],
        "Take the children of a tree apart.\n\nLists stay lists:\n\n- one\n- two\n\n    indented code"
    );
}

#[test]
fn no_schema_is_a_boolean_and_none_has_a_numeric_format() {
    fn walk(name: &str, key: &str, value: &Value) {
        match value {
            // what closes an object is the one place where every client knows a boolean
            Value::Bool(b) => assert!(!b && key.ends_with("Properties") || key == "default", "{name}: {key}: {value}"),
            Value::Object(o) => {
                assert!(
                    !o.get("format").is_some_and(|f| f.as_str().is_some_and(|f| f.contains("int"))),
                    "{name}: {value}"
                );
                o.iter().for_each(|(key, value)| walk(name, key, value));
            }
            Value::Array(a) => a.iter().for_each(|value| walk(name, key, value)),
            _ => {}
        }
    }
    for tool in tools() {
        walk(tool["name"].as_str().expect("a name"), "", &tool["inputSchema"]);
    }
}

#[test]
fn every_door_lists_the_same_tools_from_run_to_run() {
    let first = run(KITCHEN, &["tools", "--json"]);
    assert_eq!(first.stdout, run(KITCHEN, &["tools", "--json"]).stdout);
    let server = Server::start(KITCHEN, &[]);
    let listed = server.get(&format!("{}/tools", server.prefix)).json();
    assert_eq!(listed["tools"], first.json());
    let names: Vec<String> = tools().iter().map(|t| t["name"].as_str().expect("a name").to_owned()).collect();
    assert!(names.is_sorted(), "{names:?}");
}
