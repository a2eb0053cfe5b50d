//! The listing, page by page, and that it changed: told on the session's stream and, in 2026-07-28, to those who subscribe.

use bdk_tests::{
    Server,
    mcp::{Client, Reading, is_change, request, text},
};
use serde_json::{Value, json};
use std::time::Duration;

const CHANGING: &str = env!("CARGO_BIN_EXE_changing");
const MANY: &str = env!("CARGO_BIN_EXE_many");

fn quiet(reading: &mut Reading) {
    assert!(reading.is_quiet_for(Duration::from_millis(300)), "something came: {reading:?}");
}

#[test]
fn whoever_listens_is_told_that_tools_came_and_went() {
    let server = Server::start(CHANGING, &[]);
    let client = Client::session(&server, json!({}));
    let stateless = Client::stateless(&server, json!({}));
    let mut listening = client.listen();
    let mut subscribed = stateless.subscribe(&json!({ "toolsListChanged": true }));
    let mut other = stateless.subscribe(&json!({ "promptsListChanged": true }));
    quiet(&mut listening);
    for (order, there) in [("add_tool", true), ("remove_tool", false), ("add_tool", true)] {
        client.call(order, json!({ "name": "guest" }));
        assert!(is_change(&listening.message()) && is_change(&subscribed.message()), "{order}");
        for client in [&client, &stateless, &Client::new(&server)] {
            assert_eq!(client.names().contains(&"guest".to_owned()), there, "{order}");
        }
    }
    assert_eq!(text(&stateless.call("guest", json!({}))), "here");
    quiet(&mut other);
}

#[test]
fn a_second_stream_takes_the_place_of_the_first() {
    let server = Server::start(CHANGING, &[]);
    let client = Client::session(&server, json!({}));
    let mut first = client.listen();
    let mut second = client.listen();
    assert_eq!(first.more(), None);
    assert!(first.ended_well());
    // the first one's end does not end the second
    drop(first);
    client.call("add_tool", json!({ "name": "guest" }));
    assert!(is_change(&second.message()));
    drop(second);
    let mut third = client.listen();
    client.call("remove_tool", json!({ "name": "guest" }));
    assert!(is_change(&third.message()));
}

#[test]
fn the_stream_of_a_session_ends_with_it_and_no_other_does() {
    let server = Server::start(CHANGING, &[]);
    let (one, two) = (Client::session(&server, json!({})), Client::session(&server, json!({})));
    let (mut first, mut second) = (one.listen(), two.listen());
    assert_eq!(one.bare("DELETE").whole().status, 204);
    assert_eq!(first.more(), None);
    assert!(first.ended_well());
    two.call("add_tool", json!({ "name": "guest" }));
    assert!(is_change(&second.message()));
}

#[test]
fn every_stream_ends_at_the_shutdown() {
    let mut server = Server::start(CHANGING, &[]);
    let client = Client::session(&server, json!({}));
    let mut listening = client.listen();
    let mut subscribed = Client::stateless(&server, json!({})).subscribe(&json!({ "toolsListChanged": true }));
    assert_eq!(text(&client.call("stop", json!({}))), "Done.");
    assert_eq!(listening.messages(), Vec::<Value>::new());
    subscribed.messages();
    assert_eq!(server.ends(), Some(0));
}

#[test]
fn a_tool_can_be_called_from_when_it_came_to_when_it_went() {
    let server = Server::start(CHANGING, &[]);
    let teller = Client::session(&server, json!({}));
    let mut listening = teller.listen();
    for client in Client::of_every_kind(&server, &json!({})) {
        let refused = || client.begin("guest", json!({})).whole().json()["error"]["code"] == -32602;
        assert!(refused());
        teller.call("add_tool", json!({ "name": "guest" }));
        assert!(is_change(&listening.message()));
        assert_eq!(text(&client.call("guest", json!({}))), "here");
        teller.call("remove_tool", json!({ "name": "guest" }));
        assert!(is_change(&listening.message()));
        assert!(refused());
    }
}

#[test]
fn a_long_listing_comes_in_pages_that_hold_every_tool_once() {
    let server = Server::start(MANY, &[]);
    let expected: Vec<String> = (0..2500).map(|i| format!("tool_{i:04}")).collect();
    for client in Client::of_every_kind(&server, &json!({})) {
        let (mut all, mut pages, mut cursor) = (Vec::new(), 0, None::<Value>);
        loop {
            let params = cursor.map_or(json!({}), |c| json!({ "cursor": c }));
            let listing = client.send(&request(1, "tools/list", params)).whole().json();
            let tools = listing["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listing}"));
            all.extend(tools.iter().map(|t| t["name"].as_str().expect("a name").to_owned()));
            pages += 1;
            assert!(pages < 100, "the pages have an end");
            cursor = listing["result"].get("nextCursor").cloned();
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(all, expected);
        assert!(pages > 1, "more than one page");
        assert_eq!(text(&client.call("tool_2499", json!({}))), "2499");
    }
}

#[test]
fn a_cursor_that_no_page_gave_is_a_wrong_parameter() {
    let server = Server::start(MANY, &[]);
    for client in Client::of_every_kind(&server, &json!({})) {
        for cursor in [json!("nonsense"), json!(""), json!("2"), json!("AAAA"), json!(5), json!({})] {
            let answer = client.send(&request(9, "tools/list", json!({ "cursor": cursor }))).whole();
            assert_eq!((answer.refusal().1, answer.refusal().2), (-32602, json!(9)), "{cursor} {answer:?}");
        }
        let answer = client.send(&request(9, "tools/list", json!({ "cursor": null }))).whole();
        assert!(answer.json()["result"]["tools"].is_array(), "{answer:?}");
    }
}
