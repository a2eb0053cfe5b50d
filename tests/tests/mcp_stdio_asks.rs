//! MCP over stdin and stdout: a tool asks the caller, in either era, and gets an answer or learns that none comes.

use bdk_tests::{
    mcp::text,
    stdio::{Client, mark, says},
};
use serde_json::{Value, json};

const TALKER: &str = env!("CARGO_BIN_EXE_talker");
const COMPANION: &str = env!("CARGO_BIN_EXE_companion");
const NOISY: &str = env!("CARGO_BIN_EXE_noisy");

fn able() -> Value {
    json!({ "elicitation": {} })
}

fn sessions(exe: &str) -> [Client; 2] {
    ["2025-06-18", "2025-11-25"].map(|version| Client::session(exe, version, &able()))
}

/// What the bot asks next: the request's id and parameters.
#[track_caller]
fn asked(client: &mut Client) -> (Value, Value) {
    let mut message = client.message();
    assert_eq!(message["method"], "elicitation/create", "{message}");
    (message["id"].take(), message["params"].take())
}

fn answer(client: &Client, id: &Value, result: &Value) {
    client.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

/// Calls a tool that asks one thing, and answers that.
#[track_caller]
fn answered(client: &mut Client, tool: &str, arguments: Value, result: &Value) -> Value {
    if !client.is_stateless() {
        let call = client.begin(tool, arguments);
        let (id, _) = asked(client);
        answer(client, &id, result);
        return client.result(call);
    }
    let first = client.begin(tool, arguments.clone());
    let first = client.result(first);
    assert_eq!(first["resultType"], "input_required", "{first}");
    let requests = first["inputRequests"].as_object().expect("questions");
    let (key, request) = requests.iter().next().expect("a question");
    assert_eq!((requests.len(), &request["method"]), (1, &json!("elicitation/create")), "{first}");
    let id = client.request("tools/call", again(tool, &arguments, &first, &json!({ key: result })));
    client.result(id)
}

/// The parameters of a call that brings answers.
fn again(tool: &str, arguments: &Value, asked: &Value, answers: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments, "requestState": asked["requestState"], "inputResponses": answers })
}

#[test]
fn an_answer_is_taken_as_it_is_given() {
    for mut client in Client::of_every_era(TALKER, &able()) {
        let seat = json!({ "name": "Ada", "row": 7 });
        let result = answered(&mut client, "seat", json!({}), &json!({ "action": "accept", "content": seat }));
        assert_eq!(result["structuredContent"], seat, "{result}");
        for (action, expected) in [("accept", "yes"), ("decline", "no"), ("cancel", "dismissed")] {
            let arguments = json!({ "what": action });
            let content = if action == "accept" {
                json!({ "action": action, "content": {} })
            } else {
                json!({ "action": action })
            };
            let result = answered(&mut client, "confirm", arguments, &content);
            assert!(text(&result).contains(&format!("\"answer\":\"{expected}\"")), "{action}: {result}");
        }
        client.is_quiet();
    }
}

#[test]
fn a_client_that_answers_with_an_error_or_nonsense_ends_the_call_and_not_the_bot() {
    for mut client in sessions(TALKER) {
        let call = client.begin("seat", json!({}));
        let (id, _) = asked(&mut client);
        let error = json!({ "code": -32603, "message": "no window to ask in" });
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        let result = client.result(call);
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains("no window to ask in"), "{result}");
        for nonsense in
            [json!({}), json!([]), json!({ "action": "perhaps" }), json!({ "action": "accept", "content": 3 })]
        {
            let call = client.begin("seat", json!({}));
            let (id, _) = asked(&mut client);
            answer(&client, &id, &nonsense);
            assert_eq!(client.result(call)["isError"], true);
            // a second answer is one to nothing
            answer(&client, &id, &json!({ "action": "accept", "content": { "name": "Eve" } }));
            client.is_quiet();
        }
    }
}

#[test]
fn while_one_call_waits_for_an_answer_others_are_answered_and_it_can_be_cancelled() {
    for mut client in sessions(TALKER) {
        let mark = mark("asks");
        let call = client.begin("asks_and_marks", json!({ "mark": mark }));
        let (id, _) = asked(&mut client);
        assert_eq!(text(&client.call("list", json!({}))), "[1,2,3]");
        client.is_quiet();
        client.cancel(call);
        says(&mark, "dropped");
        answer(&client, &id, &json!({ "action": "accept", "content": {} }));
        client.is_quiet();
    }
}

#[test]
fn many_are_asked_at_once_and_each_answer_reaches_its_own_call() {
    for mut client in sessions(TALKER) {
        let calls: Vec<u64> = (0..20).map(|n| client.begin("confirm", json!({ "what": format!("do {n}") }))).collect();
        let questions: Vec<(Value, Value)> = calls.iter().map(|_| asked(&mut client)).collect();
        for (id, params) in questions.iter().rev() {
            let odd = params["message"]
                .as_str()
                .is_some_and(|m| m.trim_end_matches('?').ends_with(['1', '3', '5', '7', '9']));
            answer(&client, id, &json!({ "action": if odd { "decline" } else { "cancel" } }));
        }
        for (n, call) in calls.into_iter().enumerate() {
            let expected = if n % 2 == 1 { "no" } else { "dismissed" };
            let result = client.result(call);
            assert!(text(&result).contains(&format!("\"answer\":\"{expected}\"")), "{n}: {result}");
        }
    }
}

#[test]
fn a_client_that_closes_its_end_while_it_is_asked_ends_the_call_as_unanswered() {
    let (none, able) = (json!({}), able());
    let bot = |args: &[&str]| Client::start(NOISY, args);
    // its grace time plays no part
    let mut client = bot(&["--drain", "10m"]).initialized("2025-11-25", &able);
    let call = client.begin("insists", none.clone());
    asked(&mut client);
    client.close();
    let result = client.result(call);
    assert_eq!(text(&result).matches("went away").count(), 2, "{result}");
    assert_eq!((client.wait(), client.next_message()), (Some(0), None));

    let mut client = Client::start(TALKER, &["--drain", "10m"]).initialized("2025-11-25", &able);
    let call = client.begin("seat", none.clone());
    asked(&mut client);
    client.close();
    let result = client.result(call);
    assert_eq!((&result["isError"], text(&result).contains("went away")), (&json!(true), true), "{result}");
    assert_eq!(client.wait(), Some(0));

    // a call that lies parked
    let mut client = bot(&["--drain", "10m"]).saying_all(&able);
    let call = client.begin("insists", none);
    assert_eq!(client.result(call)["resultType"], "input_required");
    client.close();
    assert_eq!(client.wait(), Some(0));
}

#[test]
fn a_call_that_asks_after_the_client_closed_its_end_ends_as_unanswered_too() {
    let bot = || Client::start(NOISY, &["--drain", "10m"]);
    for mut client in [bot().initialized("2025-11-25", &able()), bot().saying_all(&able())] {
        let call = client.begin("asks_later", json!({ "ms": 300 }));
        client.is_quiet();
        client.close();
        let result = client.result(call);
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains("no answer came"), "{result}");
        assert_eq!((client.wait(), client.next_message()), (Some(0), None));
    }
}

#[test]
fn who_cannot_be_asked_is_told_so_at_once() {
    for mut client in Client::of_every_era(TALKER, &json!({})) {
        assert_eq!(text(&client.call("can_ask", json!({}))), "false");
        assert!(text(&client.call("asks_if_it_can", json!({}))).starts_with("unasked: "));
        let id = client.begin("seat", json!({}));
        let response = client.response(id);
        if client.is_stateless() {
            assert_eq!(response["error"]["code"], -32021, "{response}");
            let message = response["error"]["message"].as_str().expect("words");
            assert!(message.starts_with("Tool \"seat\" failed: ") && message.contains("`elicitation`"), "{message}");
        } else {
            assert_eq!(response["result"]["isError"], true, "{response}");
        }
    }
}

#[test]
fn a_parked_call_goes_on_once_and_only_as_it_was_begun() {
    let mut client = Client::stateless(TALKER, &able());
    let arguments = json!({ "what": "go" });
    let id = client.begin("confirm", arguments.clone());
    let first = client.result(id);
    let key = first["inputRequests"].as_object().and_then(|r| r.keys().next().cloned()).expect("a question");
    let yes = json!({ key: { "action": "accept", "content": {} } });
    let other = client.request("tools/call", again("confirm", &json!({ "what": "stop" }), &first, &yes));
    assert_eq!(client.response(other)["error"]["code"], -32602);
    let same = client.request("tools/call", again("confirm", &arguments, &first, &yes));
    assert_eq!(client.result(same)["structuredContent"], json!({ "answer": "yes", "begun": 1 }));
    let used = client.request("tools/call", again("confirm", &arguments, &first, &yes));
    assert_eq!(client.response(used)["error"]["code"], -32602);
}

#[test]
fn a_tool_that_needs_approval_runs_after_a_yes_and_never_else() {
    for mut client in Client::of_every_era(COMPANION, &able()) {
        let disk = json!({ "disk": "sda" });
        let yes = answered(&mut client, "wipe", disk.clone(), &json!({ "action": "accept", "content": {} }));
        assert_eq!(text(&yes), "Wiped sda.", "{yes}");
        for action in ["decline", "cancel"] {
            let no = answered(&mut client, "wipe", disk.clone(), &json!({ "action": action }));
            assert_eq!(no["isError"], true, "{no}");
            assert!(!no.to_string().contains("Wiped"), "{no}");
        }
    }
    for mut client in Client::of_every_era(COMPANION, &json!({})) {
        let id = client.begin("wipe", json!({ "disk": "sda" }));
        let response = client.response(id).to_string();
        assert!(!response.contains("Wiped") && response.contains("rror"), "{response}");
    }
}

#[test]
fn an_async_tool_that_blocks_on_a_question_fails_at_once_at_its_authors_line() {
    for mut client in Client::of_every_era(NOISY, &able()) {
        let result = client.call("blocks", json!({}));
        assert_eq!(
            (&result["isError"], &result["_meta"]["bdk/error"]["code"]),
            (&json!(true), &json!("panicked")),
            "{result}"
        );
        let log = client.told("`.await` the future");
        let line = log.lines().find(|line| line.contains("`.await` the future")).expect("it was told");
        assert!(line.contains("src/bin/noisy.rs:") && line.contains("for plain `fn` tools"), "{line}");
        client.is_quiet();
    }
}
