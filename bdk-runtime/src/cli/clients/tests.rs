use super::*;
use crate::connection::lock::Lock;
use serde_json::{Value, json};

/// The lock that a server makes which says these of its tools.
fn lock(connections: &[(&str, Value)]) -> Lock {
    Lock::listed(connections)
}

/// A server that means no good, or does not know Rust.
fn nasty() -> Value {
    let long =
        "a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more";
    json!([
        {
            "name": "type", "title": "Types",
            "description": "Ends */ here?\r\n\n\n```rust\nstd::process::exit(1)\n```\n    let indented = 1;\n\"# [`std`] <script>\u{202e}",
            "inputSchema": { "type": "object", "required": ["type", "self", "kind", "size"], "properties": {
                "type": { "type": "string", "description": "A keyword.\n*/ \"#\\" },
                "self": { "type": ["string", "null"], "description": "Must be there, and may be null." },
                "Type": { "type": "boolean" },
                "maxResults": { "type": "integer", "minimum": 0 },
                "max_results": { "type": "integer" },
                "kind": { "enum": ["self", "a-b", "a_b", "", "1st", "\"#\n"] },
                "": { "type": "number" },
                "größe": { "type": "number" },
                "size": { "type": "object", "required": ["w"], "properties": { "w": { "type": "number" }, "h": { "type": "number" } } },
                "rows": { "type": "array", "items": { "type": "object", "properties": { "cell": { "type": "string" } } } },
                "tree": { "$ref": "#/$defs/tree" },
                "one": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
                "maybe": { "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "null" }] },
                "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            }, "$defs": { "tree": { "type": "object", "properties": { "next": { "$ref": "#/$defs/tree" } } } } },
            "outputSchema": { "type": "object", "required": ["result"], "properties": {
                "result": { "type": "array", "items": { "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "integer" }, "state": { "type": ["string", "null"], "enum": ["open", "closed", null] },
                } } },
            } },
        },
        { "name": "get-stock", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object" } },
        { "name": "get_stock", "description": " ", "inputSchema": { "type": "object", "properties": { "ab": { "type": "array" } }, "required": ["ab"] } },
        { "name": "getStock", "inputSchema": { "$ref": "#" }, "outputSchema": { "$ref": "#" } },
        { "name": "String", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object", "properties": { "s": { "type": "string" } } } },
        { "name": "値段\"#", "inputSchema": { "type": "object", "properties": { "a": { "type": "boolean" } } } },
        { "name": long, "inputSchema": { "type": "object", "required": [long], "properties": { long: { "type": "boolean" } } } },
    ])
}

/// The fixture is compiled in `tests/tests/typed_clients`, by a crate that denies every warning, and called there.
#[test]
fn a_client_of_a_nasty_server_is_the_one_that_is_compiled_and_called_elsewhere() {
    let lock = lock(&[("nasty", nasty())]);
    let files = files(&lock, "bdk");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tests/typed_clients/clients");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        put(&folder, &files).unwrap();
    }
    assert_eq!(files.iter().map(|client| &*client.file).collect::<Vec<_>>(), ["mod.rs", "nasty.rs"]);
    for client in &files {
        assert!(client.text.starts_with(WRITTEN), "{}", client.file);
        let there = fs::read_to_string(folder.join(&client.file)).unwrap_or_default();
        assert!(there == client.text, "{}: read the new one, and run this with INSTA_UPDATE=always", client.file);
    }
}

#[test]
fn a_tool_of_two_hundred_arguments_has_them_all() {
    let many: serde_json::Map<String, Value> =
        (0..200).map(|n| (format!("property-{n}"), json!({ "type": "string" }))).collect();
    let tool = json!({ "name": "many", "inputSchema": { "type": "object", "properties": many } });
    let files = files(&lock(&[("a", json!([tool]))]), "bdk");
    assert_eq!(files[1].text.matches("skip_serializing_if").count(), 200);
    assert!(files[1].text.contains("    #[serde(rename = \"property-17\")]\n"), "{}", files[1].text);
}

#[test]
fn modules_are_named_as_rust_can_and_each_once() {
    let none = || json!([]);
    let lock =
        lock(&[("a-b", none()), ("a_b", none()), ("mod", none()), ("self", none()), ("type", none()), ("--", none())]);
    let files = files(&lock, "kit");
    let names: Vec<&str> = files.iter().map(|client| &*client.file).collect();
    assert_eq!(names, ["mod.rs", "connection.rs", "a_b_2.rs", "a_b.rs", "mod_2.rs", "self_.rs", "type.rs"]);
    assert!(files[0].text.contains("pub mod r#type;") && files[0].text.contains("pub mod self_;"));
}

#[test]
fn what_is_by_hand_stays_and_what_is_not_follows_the_lock() {
    let place = tempfile::tempdir().unwrap();
    assert_eq!(folder(place.path()), None);
    fs::create_dir(place.path().join("src")).unwrap();
    let folder = folder(place.path()).unwrap();
    let two = files(&lock(&[("a", json!([])), ("b", json!([]))]), "bdk");
    assert_eq!(stale(&folder, &two), [""; 0]);
    assert_eq!(put(&folder, &two).unwrap().written, ["mod.rs", "a.rs", "b.rs"]);
    assert_eq!((stale(&folder, &two), put(&folder, &two).unwrap()), (Vec::new(), Done::default()));

    let one = files(&lock(&[("a", json!([]))]), "bdk");
    assert_eq!(stale(&folder, &one), ["mod.rs", "b.rs"]);
    fs::write(folder.join("hand.rs"), "fn mine() {}\n").unwrap();
    let done = put(&folder, &one).unwrap();
    assert_eq!((done.written, done.removed), (vec!["mod.rs".to_owned()], vec!["b.rs".to_owned()]));
    assert!(folder.join("hand.rs").exists());

    fs::write(folder.join("a.rs"), "fn mine() {}\n").unwrap();
    fs::write(folder.with_extension("rs"), "fn mine() {}\n").unwrap();
    assert_eq!(by_hand(&folder, &one), [folder.join("a.rs"), folder.with_extension("rs")]);
}
