//! 2026-07-28: a call that asks ends its request and waits; the request that repeats it with the answers takes it up again.

use bdk_tests::{
    Server,
    mcp::{Answer, Client, id, mark, marked, request, text},
};
use serde_json::{Value, json};

const TALKER: &str = env!("CARGO_BIN_EXE_talker");

fn asked(server: &Server) -> Client {
    Client::stateless(server, json!({ "elicitation": {} }))
}

fn yes() -> Value {
    json!({ "action": "accept", "content": {} })
}

/// Calls, with what comes beside the arguments.
fn send(client: &Client, tool: &str, arguments: &Value, beside: &Value) -> Answer {
    let mut params = json!({ "name": tool, "arguments": arguments });
    for (name, value) in beside.as_object().expect("an object") {
        params[name] = value.clone();
    }
    client.send(&request(id(), "tools/call", params)).whole()
}

/// What a call that was taken up says.
fn call(client: &Client, tool: &str, arguments: &Value, beside: &Value) -> Value {
    let answer = send(client, tool, arguments, beside);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

/// The state under which a call waits, and what it asks.
#[track_caller]
fn waits(result: &Value) -> (String, Vec<String>) {
    assert_eq!(result["resultType"], "input_required", "{result}");
    let keys = result["inputRequests"].as_object().expect("requests").keys().cloned().collect();
    (result["requestState"].as_str().expect("a state").to_owned(), keys)
}

/// The answers to all that is asked.
fn answers(keys: &[String], answer: &Value) -> Value {
    keys.iter().map(|key| (key.clone(), answer.clone())).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn a_call_that_asks_goes_on_where_it_was_with_the_answer() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let what = json!({ "what": "go" });
    let mut begun = 0;
    for (answer, read) in
        [(yes(), "yes"), (json!({ "action": "decline" }), "no"), (json!({ "action": "cancel" }), "dismissed")]
    {
        let result = call(&client, "confirm", &what, &json!({}));
        let (state, keys) = waits(&result);
        let asked = &result["inputRequests"][&keys[0]];
        assert_eq!((keys.len(), &asked["method"]), (1, &json!("elicitation/create")), "{result}");
        assert_eq!(asked["params"]["message"], "Really go?");
        let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &answer) });
        let done = call(&client, "confirm", &what, &beside);
        assert_eq!(done["resultType"], "complete");
        begun += 1;
        assert_eq!(done["structuredContent"], json!({ "answer": read, "begun": begun }), "it began once each");
    }
}

#[test]
fn a_state_is_good_for_one_request() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let what = json!({ "what": "go" });
    let (state, keys) = waits(&call(&client, "confirm", &what, &json!({})));
    let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
    assert_eq!(call(&client, "confirm", &what, &beside)["structuredContent"]["answer"], "yes");
    for _ in 0..2 {
        assert_eq!(send(&client, "confirm", &what, &beside).refusal().1, -32602);
    }
}

#[test]
fn a_state_that_is_none_or_another_caller_s_or_for_another_call_is_refused_and_the_call_still_waits() {
    let server = Server::start(TALKER, &[]);
    let ann = asked(&server).with("x-who", "ann");
    let bob = asked(&server).with("x-who", "bob");
    let what = json!({ "what": "go" });
    let (state, keys) = waits(&call(&ann, "confirm", &what, &json!({})));
    let with = |state: &str| json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
    let (first, rest) = state.split_at(1);
    let tampered = format!("{}{rest}", if first == "a" { "b" } else { "a" });
    for bad in [tampered.as_str(), "", "x", &state[1..], &state.to_uppercase(), &format!("{state} ")] {
        let answer = send(&ann, "confirm", &what, &with(bad));
        assert_eq!(answer.refusal().1, -32602, "{bad:?} {answer:?}");
    }
    for other in [&bob, &asked(&server)] {
        assert_eq!(send(other, "confirm", &what, &with(&state)).refusal().1, -32602);
    }
    for (tool, arguments) in [
        ("confirm", json!({ "what": "stay" })),
        ("confirm", json!({})),
        ("confirm", json!({ "what": "go", "more": 1 })),
        ("seat", json!({ "what": "go" })),
        ("silent", json!({})),
    ] {
        let answer = send(&ann, tool, &arguments, &with(&state));
        assert_eq!(answer.refusal().1, -32602, "{tool} {arguments} {answer:?}");
    }
    assert_eq!(call(&ann, "confirm", &what, &with(&state))["structuredContent"]["answer"], "yes");
}

#[test]
fn answers_that_are_missing_are_asked_for_again_and_those_to_nothing_passed_over() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let none = json!({});
    let first = call(&client, "both", &none, &none);
    let (mut state, keys) = waits(&first);
    assert_eq!(keys, ["tea", "cake"]);
    for responses in [
        json!({}),
        json!({ "tea": yes() }),
        json!({ "coffee": yes() }),
        json!({ "tea": yes(), "cake": "yes" }),
        json!({ "tea": yes(), "cake": null }),
    ] {
        let again = call(&client, "both", &none, &json!({ "requestState": state, "inputResponses": responses }));
        let (next, keys) = waits(&again);
        assert!(keys.contains(&"cake".to_owned()), "{responses} {again}");
        assert_ne!(next, state);
        state = next;
    }
    // without any at all
    let (next, _) = waits(&call(&client, "both", &none, &json!({ "requestState": state })));
    let all = json!({ "tea": { "action": "decline" }, "cake": yes(), "coffee": yes() });
    let done = call(&client, "both", &none, &json!({ "requestState": next, "inputResponses": all }));
    assert_eq!(text(&done), r#"["no","yes"]"#);
}

#[test]
fn answers_that_come_with_the_call_are_not_asked_for() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let none = json!({});
    let seat = json!({ "action": "accept", "content": { "name": "Ann" } });
    let done = call(&client, "seat", &none, &json!({ "inputResponses": { "seat": seat, "other": yes() } }));
    assert_eq!(done["structuredContent"]["name"], "Ann");
    // one that does not fit is as good as none
    for bad in [json!({ "action": "accept", "content": { "row": 1 } }), json!("yes"), json!({})] {
        let asked = call(&client, "seat", &none, &json!({ "inputResponses": { "seat": bad } }));
        assert_eq!(waits(&asked).1, ["seat"], "{asked}");
    }
    let (_, keys) = waits(&call(&client, "both", &none, &json!({ "inputResponses": { "tea": yes() } })));
    assert_eq!(keys, ["cake"]);
    let done = call(&client, "both", &none, &json!({ "inputResponses": { "tea": yes(), "cake": yes() } }));
    assert_eq!(text(&done), r#"["yes","yes"]"#);
}

#[test]
fn a_call_may_ask_again_and_again() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let n = json!({ "n": 12 });
    let mut result = call(&client, "rounds", &n, &json!({}));
    let mut states = Vec::new();
    for i in 1..=12 {
        let (state, keys) = waits(&result);
        assert_eq!(keys, [format!("round{i}")]);
        assert!(!states.contains(&state));
        let responses = answers(&keys, &json!({ "action": "accept", "content": { "number": i } }));
        result = call(&client, "rounds", &n, &json!({ "requestState": state, "inputResponses": responses }));
        states.push(state);
    }
    assert_eq!(text(&result), "[1,2,3,4,5,6,7,8,9,10,11,12]");
}

#[test]
fn what_the_resumed_call_says_comes_with_the_request_that_took_it_up() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let params = |beside: Value| {
        let mut params = json!({ "name": "rounds", "arguments": { "n": 2 }, "_meta": { "io.modelcontextprotocol/logLevel": "info" } });
        for (name, value) in beside.as_object().expect("an object") {
            params[name] = value.clone();
        }
        params
    };
    let mut beside = json!({});
    for i in 1..=2 {
        let (said, response) = client.send(&request(1, "tools/call", params(beside))).said();
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(said[0]["params"]["data"], format!("round {i}"));
        let (state, keys) = waits(&response["result"]);
        beside = json!({ "requestState": state, "inputResponses": answers(&keys, &json!({ "action": "accept", "content": { "number": i } })) });
    }
    let (said, response) = client.send(&request(1, "tools/call", params(beside))).said();
    assert_eq!((said.len(), text(&response["result"])), (0, "[1,2]"));
}

#[test]
fn a_client_that_takes_json_alone_can_be_asked_too() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server).accepting("application/json");
    let (state, keys) = waits(&call(&client, "confirm", &json!({ "what": "go" }), &json!({})));
    let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
    assert_eq!(call(&client, "confirm", &json!({ "what": "go" }), &beside)["structuredContent"]["answer"], "yes");
}

#[test]
fn a_call_that_ended_while_it_waited_gives_its_end_until_it_is_forgotten() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let none = json!({});
    let park = || {
        let (state, keys) = waits(&call(&client, "impatient", &none, &none));
        json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) })
    };
    let beside = park();
    std::thread::sleep(std::time::Duration::from_millis(800));
    assert_eq!(text(&call(&client, "impatient", &none, &beside)), "too late");
    // the next call that waits clears away those that wait no more
    let beside = park();
    std::thread::sleep(std::time::Duration::from_millis(800));
    park();
    assert_eq!(send(&client, "impatient", &none, &beside).refusal().1, -32602);
}

#[test]
fn whoever_took_a_call_up_and_goes_away_ends_it() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mark = mark("resumed");
    let arguments = json!({ "mark": mark });
    let (state, keys) = waits(&call(&client, "asks_and_hangs", &arguments, &json!({})));
    let params = json!({
        "name": "asks_and_hangs", "arguments": arguments, "requestState": state, "inputResponses": answers(&keys, &yes())
    });
    let reading = client.send(&request(id(), "tools/call", params));
    marked(&mark, "answered");
    drop(reading);
    marked(&mark, "dropped");
}

#[test]
fn of_two_who_come_with_one_state_one_is_answered() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let what = json!({ "what": "go" });
    for _ in 0..5 {
        let (state, keys) = waits(&call(&client, "confirm", &what, &json!({})));
        let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
        let both: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| send(&client, "confirm", &what, &beside))).collect();
            threads.into_iter().map(|t| t.join().expect("answered")).collect()
        });
        let answered = both.iter().filter(|a| a.json()["result"]["structuredContent"]["answer"] == "yes").count();
        let refused = both.iter().filter(|a| a.json()["error"]["code"] == -32602).count();
        assert_eq!((answered, refused), (1, 1), "{both:?}");
    }
}

#[test]
fn an_approval_is_asked_for_with_the_input_and_comes_from_nobody_but_the_one_asked() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let five = json!({ "amount": 5 });
    let result = call(&client, "pay", &five, &json!({}));
    let (state, keys) = waits(&result);
    let message = result["inputRequests"][&keys[0]]["params"]["message"].as_str().expect("words");
    assert!(message.contains("pay") && message.contains("\"amount\": 5"), "{message}");
    // a no
    let no = json!({ "requestState": state, "inputResponses": answers(&keys, &json!({ "action": "decline" })) });
    let refused = call(&client, "pay", &five, &no);
    assert_eq!(refused["isError"], true, "{refused}");
    // a yes that comes with the call is none
    let (state, keys) = waits(&call(&client, "pay", &five, &json!({ "inputResponses": answers(&keys, &yes()) })));
    // and one is for this input alone
    let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
    assert_eq!(send(&client, "pay", &json!({ "amount": 500 }), &beside).refusal().1, -32602);
    assert_eq!(text(&call(&client, "pay", &five, &beside)), "5", "paid once");
    // an input that is none asks nobody
    assert_eq!(
        call(&client, "pay", &json!({ "amount": "x" }), &json!({}))["_meta"]["bdk/error"]["code"],
        "invalid_input"
    );
    let unable = Client::stateless(&server, json!({}));
    let answer = send(&unable, "pay", &five, &json!({}));
    assert_eq!((answer.refusal().0, answer.refusal().1), (400, -32021), "{answer:?}");
    let told = answer.json()["error"]["message"].take();
    let told = told.as_str().expect("words");
    assert!(told.starts_with("Tool \"pay\" failed: it needs the approval of a person"), "{told}");
    assert!(told.ends_with("the client capability `elicitation`, which the request did not declare"), "{told}");
    assert!(Client::new(&server).call("pay", json!({ "amount": 5 }))["isError"] == true);
}

#[test]
fn an_answer_that_does_not_fit_the_form_is_an_error_of_the_call() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let none = json!({});
    let (state, _) = waits(&call(&client, "seat", &none, &none));
    let bad = json!({ "seat": { "action": "accept", "content": { "row": "x" } } });
    let done = call(&client, "seat", &none, &json!({ "requestState": state, "inputResponses": bad }));
    assert_eq!((&done["resultType"], &done["isError"]), (&json!("complete"), &json!(true)), "{done}");
    assert!(text(&done).contains("name") && text(&done).contains("row"), "{done}");
}

#[test]
fn whoever_waits_for_a_person_is_not_timed_out() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let what = json!({ "what": "go" });
    let (state, keys) = waits(&call(&client, "confirm", &what, &json!({})));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
    assert_eq!(call(&client, "confirm", &what, &beside)["structuredContent"]["answer"], "yes");
    // through a tool that another one calls, too
    let (state, keys) = waits(&call(&client, "relays", &json!({}), &json!({})));
    assert_eq!(keys, ["seat"]);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let seat = json!({ "action": "accept", "content": { "name": "Ann" } });
    let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &seat) });
    assert_eq!(call(&client, "relays", &json!({}), &beside)["structuredContent"]["name"], "Ann");
}

#[test]
fn a_capability_that_was_not_declared_is_told_and_the_request_is_wrong() {
    let server = Server::start(TALKER, &[]);
    for (capabilities, tool, lacking) in [
        (json!({}), "confirm", "elicitation"),
        (json!({ "sampling": {} }), "confirm", "elicitation"),
        (json!({ "elicitation": {} }), "roots", "roots"),
        (json!({ "elicitation": {} }), "link", "elicitation"),
    ] {
        let client = Client::stateless(&server, capabilities);
        let arguments = if tool == "confirm" { json!({ "what": "go" }) } else { json!({}) };
        let answer = send(&client, tool, &arguments, &json!({}));
        assert_eq!((answer.refusal().0, answer.refusal().1), (400, -32021), "{tool} {answer:?}");
        assert!(answer.json()["error"]["data"]["requiredCapabilities"][lacking].is_object(), "{answer:?}");
    }
    // also when it is found out only after an answer
    let client = asked(&server);
    let (state, keys) = waits(&call(&client, "asks_more", &json!({}), &json!({})));
    let beside = json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) });
    let answer = send(&client, "asks_more", &json!({}), &beside);
    assert_eq!((answer.refusal().0, answer.refusal().1), (400, -32021), "{answer:?}");
    // one that goes on without an answer has a result
    let client = Client::stateless(&server, json!({}));
    assert!(text(&client.call("asks_if_it_can", json!({}))).starts_with("unasked: "));
    assert_eq!(text(&client.call("can_ask", json!({}))), "false");
}

#[test]
fn a_panic_after_the_answer_is_told_and_other_calls_go_on() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let none = json!({});
    let (state, keys) = waits(&call(&client, "asks_and_panics", &none, &none));
    let done = call(
        &client,
        "asks_and_panics",
        &none,
        &json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) }),
    );
    assert_eq!(done["_meta"]["bdk/error"]["code"], "panicked", "{done}");
    assert_eq!(waits(&call(&client, "asks_and_panics", &none, &none)).1, keys);
}

#[test]
fn a_connection_that_ends_does_not_end_the_call_that_waits() {
    let server = Server::start(TALKER, &[]);
    let client = asked(&server);
    let mark = mark("waits");
    let arguments = json!({ "mark": mark });
    // each request has a connection of its own, which is closed after it
    let (state, keys) = waits(&call(&client, "asks_and_marks", &arguments, &json!({})));
    marked(&mark, "running");
    let done = call(
        &client,
        "asks_and_marks",
        &arguments,
        &json!({ "requestState": state, "inputResponses": answers(&keys, &yes()) }),
    );
    assert_eq!(text(&done), "yes");
    marked(&mark, "dropped");
}
