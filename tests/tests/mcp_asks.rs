//! Up to 2025-11-25 a call asks by requests of the bot's own, in the stream of its answer; the answers come with later
//! requests of the same session.

use bdk_tests::{
    Server,
    mcp::{Client, Era, Reading, request, text},
};
use serde_json::{Value, json};

const TALKER: &str = env!("CARGO_BIN_EXE_talker");

fn asked(server: &Server) -> Client {
    Client::session(server, json!({ "elicitation": {} }))
}

/// The question that comes next.
#[track_caller]
fn question(reading: &mut Reading) -> Value {
    let message = reading.message();
    assert_eq!(message["method"], "elicitation/create", "{message}");
    assert!(message["id"].is_string(), "{message}");
    message
}

/// Sends a response.
#[track_caller]
fn respond(client: &Client, id: &Value, with: &str, what: &Value) {
    let answer = client.send(&json!({ "jsonrpc": "2.0", "id": id, with: what })).whole();
    assert_eq!((answer.status, answer.body.as_str()), (202, ""), "{answer:?}");
}

/// The result, which is all that is left.
#[track_caller]
fn result(mut reading: Reading) -> Value {
    let mut messages = reading.messages();
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0]["result"].take()
}

#[test]
fn yes_no_and_neither_reach_the_tool() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    for (answer, read) in [
        (json!({ "action": "accept", "content": {} }), "yes"),
        (json!({ "action": "accept" }), "yes"),
        (json!({ "action": "accept", "content": null, "_meta": {} }), "yes"),
        (json!({ "action": "decline" }), "no"),
        (json!({ "action": "cancel" }), "dismissed"),
    ] {
        let mut reading = client.begin("confirm", json!({ "what": "go" }));
        let question = question(&mut reading);
        assert_eq!(question["params"]["message"], "Really go?");
        assert_eq!(question["params"]["requestedSchema"]["type"], "object");
        respond(&client, &question["id"], "result", &answer);
        assert_eq!(result(reading)["structuredContent"]["answer"], read, "{answer}");
    }
}

#[test]
fn a_form_is_asked_with_its_fields_and_read_as_its_type() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mut reading = client.begin("seat", json!({}));
    let question = question(&mut reading);
    let schema = &question["params"]["requestedSchema"];
    assert_eq!(schema["properties"]["name"]["description"], "As it stands in the passport.", "{question}");
    assert_eq!(schema["required"], json!(["name"]));
    let content = json!({ "name": "Ann", "row": 3 });
    respond(&client, &question["id"], "result", &json!({ "action": "accept", "content": content }));
    assert_eq!(result(reading)["structuredContent"], content);
}

#[test]
fn an_answer_that_does_not_fit_is_an_error_that_says_where() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    for (answer, words) in [
        (json!({ "action": "accept", "content": { "name": "Ann", "row": 1000 } }), "row"),
        (json!({ "action": "accept", "content": {} }), "name"),
        (json!({ "action": "accept", "content": [] }), "object"),
        (json!({ "action": "perhaps" }), "action"),
        (json!({}), "action"),
        (json!("yes"), "action"),
        (json!({ "action": "decline" }), "declined"),
    ] {
        let mut reading = client.begin("seat", json!({}));
        let id = question(&mut reading)["id"].clone();
        respond(&client, &id, "result", &answer);
        let result = result(reading);
        assert_eq!(result["isError"], true, "{answer}: {result}");
        assert!(text(&result).contains(words), "{answer}: {result}");
    }
}

#[test]
fn an_error_of_the_client_is_told_with_its_words() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    for (error, words) in [
        (json!({ "code": -32601, "message": "no window is open" }), "no window is open"),
        (json!({}), "error"),
        (json!({ "code": 1, "message": null }), "error"),
    ] {
        let mut reading = client.begin("seat", json!({}));
        let id = question(&mut reading)["id"].clone();
        respond(&client, &id, "error", &error);
        let result = result(reading);
        assert_eq!(result["_meta"]["bdk/error"]["code"], "unavailable", "{result}");
        assert!(text(&result).contains(words), "{result}");
    }
    assert_eq!(text(&client.call("silent", json!({}))), "silent");
}

#[test]
fn two_things_asked_at_once_are_two_requests_answered_in_any_order() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mut reading = client.begin("both", json!({}));
    let (tea, cake) = (question(&mut reading), question(&mut reading));
    assert_eq!((&tea["params"]["message"], &cake["params"]["message"]), (&json!("Tea?"), &json!("Cake?")));
    assert_ne!(tea["id"], cake["id"]);
    respond(&client, &cake["id"], "result", &json!({ "action": "decline" }));
    respond(&client, &tea["id"], "result", &json!({ "action": "accept" }));
    assert_eq!(text(&result(reading)), r#"["yes","no"]"#);
    // an error to one of them is the end of both, whichever it is
    for first in [0, 1] {
        let mut reading = client.begin("both", json!({}));
        let both = [question(&mut reading), question(&mut reading)];
        respond(&client, &both[first]["id"], "error", &json!({ "code": 1, "message": "closed" }));
        assert!(text(&result(reading)).contains("closed"));
        respond(&client, &both[1 - first]["id"], "result", &json!({ "action": "accept" }));
    }
}

#[test]
fn one_question_after_the_other_with_words_between_them() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mut reading = client.begin("rounds", json!({ "n": 3 }));
    for i in 1..=3 {
        assert_eq!(reading.message()["params"]["data"], format!("round {i}"));
        let id = question(&mut reading)["id"].clone();
        respond(&client, &id, "result", &json!({ "action": "accept", "content": { "number": i * 10 } }));
    }
    assert_eq!(text(&result(reading)), "[10,20,30]");
}

#[test]
fn only_the_session_that_was_asked_can_answer() {
    let server = Server::start(TALKER, &[]);
    let ann = Client::new(&server).with("x-who", "ann").initialized("2025-11-25", json!({ "elicitation": {} }));
    let own_other =
        Client { era: Era::NoSession, ..ann.clone() }.initialized("2025-11-25", json!({ "elicitation": {} }));
    let bob = Client { headers: Vec::new(), ..ann.clone() }.with("x-who", "bob");
    let bobs_own =
        Client { era: Era::NoSession, ..bob.clone() }.initialized("2025-11-25", json!({ "elicitation": {} }));
    let mut reading = ann.begin("confirm", json!({ "what": "pay" }));
    let id = question(&mut reading)["id"].clone();
    let yes = json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept" } });
    // another session has no such question, another caller no such session, and without one nothing can be answered
    for client in [&own_other, &bobs_own] {
        assert_eq!(client.send(&yes).whole().status, 202);
    }
    assert_eq!(bob.send(&yes).whole().refusal().0, 404);
    assert_eq!(Client { era: Era::NoSession, ..ann.clone() }.send(&yes).whole().status, 400);
    respond(&ann, &id, "result", &json!({ "action": "decline" }));
    assert_eq!(result(reading)["structuredContent"]["answer"], "no");
}

#[test]
fn answers_to_nothing_are_passed_over() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let yes = json!({ "action": "accept" });
    for id in [json!("bdk-99"), json!("bdk-1"), json!(1), json!("x"), json!("bdk-99999999999999999999999")] {
        respond(&client, &id, "result", &yes);
    }
    let mut reading = client.begin("confirm", json!({ "what": "go" }));
    let id = question(&mut reading)["id"].clone();
    respond(&client, &json!("bdk-98"), "result", &yes);
    respond(&client, &id, "result", &json!({ "action": "decline" }));
    // the second answer to one question comes too late
    respond(&client, &id, "result", &yes);
    assert_eq!(result(reading)["structuredContent"]["answer"], "no");
    // and so does one to a question that its call has given up
    let mut reading = client.begin("impatient", json!({}));
    let id = question(&mut reading)["id"].clone();
    assert_eq!(text(&result(reading)), "too late");
    respond(&client, &id, "result", &yes);
    assert_eq!(text(&client.call("silent", json!({}))), "silent");
}

#[test]
fn whoever_waits_for_a_person_is_not_timed_out() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    // the tools have a second each; the second one asks through another tool
    for tool in ["confirm", "relays"] {
        let mut reading = client.begin(tool, if tool == "confirm" { json!({ "what": "go" }) } else { json!({}) });
        let id = question(&mut reading)["id"].clone();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        respond(&client, &id, "result", &json!({ "action": "accept", "content": { "name": "Ann" } }));
        let result = result(reading);
        assert_eq!(result.get("isError"), None, "{tool} {result}");
    }
}

#[test]
fn two_calls_that_ask_at_once_get_their_own_answers() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mut calls: Vec<(Reading, u32, Value)> = (0..10)
        .map(|i| {
            let mut reading = client.begin("confirm", json!({ "what": format!("do {i}") }));
            let question = question(&mut reading);
            assert_eq!(question["params"]["message"], format!("Really do {i}?"));
            (reading, i, question["id"].clone())
        })
        .collect();
    for (_, i, id) in calls.iter().rev() {
        respond(&client, id, "result", &json!({ "action": if i % 3 == 0 { "accept" } else { "decline" } }));
    }
    for (reading, i, _) in calls.drain(..) {
        assert_eq!(result(reading)["structuredContent"]["answer"], if i % 3 == 0 { "yes" } else { "no" }, "{i}");
    }
}

#[test]
fn an_approval_is_a_question_with_the_input_and_a_no_is_an_error() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    for (action, paid) in [("decline", None), ("cancel", None), ("accept", Some("7"))] {
        let mut reading = client.begin("pay", json!({ "amount": 7 }));
        let question = question(&mut reading);
        let words = question["params"]["message"].as_str().expect("words");
        assert!(words.contains("pay") && words.contains("\"amount\": 7"), "{words}");
        respond(&client, &question["id"], "result", &json!({ "action": action }));
        let result = result(reading);
        assert_eq!(result["isError"] == true, paid.is_none(), "{action} {result}");
        assert!(paid.is_none_or(|paid| text(&result) == paid), "{action} {result}");
    }
    for unable in [Client::session(&server, json!({})), Client::new(&server)] {
        let result = unable.call("pay", json!({ "amount": 7 }));
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains("approval"), "{result}");
    }
}

#[test]
fn what_the_newer_protocol_has_for_answers_means_nothing_here() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let yes = json!({ "seat": { "action": "accept", "content": { "name": "Eve" } } });
    let params = json!({ "name": "seat", "arguments": {}, "inputResponses": yes, "requestState": "x" });
    let mut reading = client.send(&request(1, "tools/call", params));
    let id = question(&mut reading)["id"].clone();
    respond(&client, &id, "result", &json!({ "action": "accept", "content": { "name": "Ann" } }));
    assert_eq!(result(reading)["structuredContent"]["name"], "Ann");
}

#[test]
fn whoever_cannot_be_asked_is_told_what_is_lacking_and_is_not_asked() {
    let server = Server::start(TALKER, &[]);
    let clients = [
        (Client::session(&server, json!({})), "elicitation"),
        (Client::session(&server, json!({ "sampling": {}, "roots": {} })), "elicitation"),
        (Client::session(&server, json!({ "elicitation": { "url": {} } })), "elicitation"),
        (Client::new(&server), "elicitation"),
        (asked(&server).accepting("application/json"), "elicitation"),
    ];
    for (client, words) in clients {
        let result = client.call("confirm", json!({ "what": "go" }));
        assert_eq!(result["_meta"]["bdk/error"]["code"], "unavailable", "{:?} {result}", client.era);
        assert!(text(&result).contains(words), "{result}");
        assert_eq!(text(&client.call("can_ask", json!({}))), "false");
        assert!(text(&client.call("asks_if_it_can", json!({}))).starts_with("unasked: "));
    }
    assert_eq!(text(&asked(&server).call("can_ask", json!({}))), "true");
    // and nobody can be asked over plain HTTP
    let (_, answer) = server.call("confirm", &json!({ "input": { "what": "go" } }));
    assert_eq!(answer["error"]["code"], "unavailable", "{answer}");
}

#[test]
fn links_and_other_requests_go_to_clients_that_declare_them() {
    let server = Server::start(TALKER, &[]);
    let able = Client::session(&server, json!({ "elicitation": { "form": {}, "url": {} }, "roots": {} }));
    let mut reading = able.begin("link", json!({}));
    let asked_link = question(&mut reading);
    assert_eq!(
        (&asked_link["params"]["mode"], &asked_link["params"]["url"]),
        (&json!("url"), &json!("https://example.com/"))
    );
    respond(&able, &asked_link["id"], "result", &json!({ "action": "accept" }));
    assert_eq!(text(&result(reading)), "yes");
    let mut reading = able.begin("roots", json!({}));
    let asked_roots = reading.message();
    assert_eq!(asked_roots["method"], "roots/list");
    respond(&able, &asked_roots["id"], "result", &json!({ "roots": [] }));
    assert_eq!(result(reading)["structuredContent"], json!({ "roots": [] }));
    let unable = asked(&server);
    assert!(text(&unable.call("link", json!({}))).contains("url"));
    assert!(text(&unable.call("roots", json!({}))).contains("roots"));
}

#[test]
fn a_client_that_goes_on_calling_while_it_is_asked_is_served() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mut reading = client.begin("confirm", json!({ "what": "go" }));
    let id = question(&mut reading)["id"].clone();
    assert_eq!(text(&client.call("silent", json!({}))), "silent");
    assert_eq!(client.send(&request(1, "ping", json!({}))).whole().json()["result"], json!({}));
    respond(&client, &id, "result", &json!({ "action": "accept" }));
    assert_eq!(result(reading)["structuredContent"]["answer"], "yes");
}
