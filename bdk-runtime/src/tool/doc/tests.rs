//! What a document holds, and how it is read.

use super::{Doc, JsonRef, Lookup, Node};
use serde_json::{Value, json};

fn doc(text: &str) -> Doc<'_> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn read(doc: &Doc<'_>) -> Value {
    JsonRef::nodes(&doc.nodes).to_value()
}

#[test]
fn a_document_is_the_tree_that_serde_json_reads() {
    for text in [
        "null",
        "[]",
        "{}",
        "[1,-1,18446744073709551615,-9223372036854775808,9007199254740993,1.0,-0.0,2.5,1e300,1e25,-1e2]",
        r#"{"a":{"b":[{},[],{"c":null}],"d":"x\n\u00e9\ud83e\udd80"},"\u0061b":true,"":false}"#,
        r#"{"a":1,"b":2,"a":[3],"c":{"d":1,"d":2}}"#,
    ] {
        let tree: Value = serde_json::from_str(text).unwrap();
        assert_eq!(doc(text).to_value().to_string(), tree.to_string());
    }
}

#[test]
fn only_what_is_escaped_is_copied() {
    let doc = doc(r#"{"plain":"é","esc\taped":"\n"}"#);
    assert!(matches!(&doc.nodes[1..], [Node::Text("plain"), Node::Text("é"), Node::Owned(_), Node::Owned(_)]));
}

#[test]
fn a_text_is_refused_like_any_other_json() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for text in ["", "[", "[1,]", r#"{"a"}"#, r#"{"a":1"#, r#"{1:2}"#, "1e999", "01", &deep] {
        let ours = serde_json::from_str::<Doc<'_>>(text).map(drop).unwrap_err().to_string();
        let theirs = serde_json::from_str::<Value>(text).map(drop).unwrap_err().to_string();
        assert_eq!(ours, theirs);
    }
}

#[test]
fn an_integral_float_is_read_as_the_integer_that_it_is() {
    let numbers = doc("[3.0,-3.0,-0.0,9007199254740991.0,9007199254740992.0,2.5]");
    assert_eq!(read(&numbers).to_string(), "[3,-3,0,9007199254740991,9007199254740992.0,2.5]");
}

#[test]
fn what_is_marked_absent_is_not_read_but_still_known() {
    let mut doc = doc(r#"{"a":null,"b":[{"c":null}],"d":1}"#);
    doc.nodes[2] = Node::Absent;
    doc.nodes[7] = Node::Absent;
    assert_eq!(read(&doc), json!({ "b": [{}], "d": 1 }));
    assert_eq!(doc.to_value(), json!({ "a": null, "b": [{ "c": null }], "d": 1 }));
    assert!(Lookup::new(JsonRef::nodes(&doc.nodes)).get("a").is_none());
}

#[test]
fn json_is_written_as_the_tree_would_be() {
    let many: Vec<String> = (0..20).map(|i| format!("\"m{}\":{i}", i % 19)).collect();
    for text in [
        "null",
        "[]",
        r#"{"a":[1,-2,3.0,1e300,{}],"b\n":"\u00e9\"","":{"c":null,"d":[[true]]}}"#,
        r#"{"a":1,"b":2,"a":3}"#,
        &format!("{{{}}}", many.join(",")),
    ] {
        let mut doc = doc(text);
        assert_eq!(doc.to_json().get(), doc.to_value().to_string());
        if let Some(Node::Null) = doc.nodes.last() {
            *doc.nodes.last_mut().unwrap() = Node::Absent;
            assert_eq!(doc.to_json().get(), doc.to_value().to_string());
        }
    }
}

#[test]
fn members_are_found_in_any_order() {
    let text = r#"{"a":[1,2],"b":{"c":3},"d":4}"#;
    let (doc, tree) = (doc(text), serde_json::from_str::<Value>(text).unwrap());
    for json in [JsonRef::nodes(&doc.nodes), JsonRef::from(&tree)] {
        let mut lookup = Lookup::new(json);
        for (name, found) in [
            ("a", Some(json!([1, 2]))),
            ("b", Some(json!({ "c": 3 }))),
            ("x", None),
            ("d", Some(json!(4))),
            ("c", None),
            ("a", Some(json!([1, 2]))),
            ("d", Some(json!(4))),
        ] {
            assert_eq!(lookup.get(name).map(JsonRef::to_value), found, "{name}");
        }
    }
    let list = json!(["a"]);
    assert!(Lookup::new((&list).into()).get("a").is_none());
}

#[test]
fn a_member_is_added_at_the_end() {
    let mut doc = doc(r#"{"a":1}"#);
    let added = json!({ "x": [1, -2, 2.5, null, true, "y", {}] });
    doc.push_member("b", added.clone());
    doc.push_member("c", json!(1));
    assert_eq!(read(&doc), json!({ "a": 1, "b": added, "c": 1 }));
}
