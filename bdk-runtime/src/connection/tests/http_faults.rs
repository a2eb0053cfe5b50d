//! Servers over HTTP that go wrong.

use super::{
    fault::{Fault, Reply, discovery},
    *,
};
use crate::connection::failed::Kind;
use tokio_util::sync::CancellationToken;

/// Answers calls of the tool `fault` so, and is sound else.
async fn faulty(reply: impl Fn() -> Reply + Send + Sync + 'static) -> (Connections, Fault) {
    let (url, server) = Fault::serve(move |asked, _| (asked.body["params"]["name"] == "fault").then(&reply)).await;
    (at(&url), server)
}
async fn failure(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Failed {
    let (connections, _) = faulty(reply).await;
    let failed = call(&connections, "fault", json!({})).await.unwrap_err();
    // it is none of the whole connection
    call(&connections, "echo", json!({})).await.unwrap();
    failed
}

#[tokio::test]
async fn a_lost_session_is_had_anew_once_and_only_what_was_never_done_is_repeated() {
    let (url, server) = Fault::serve(|asked, before| {
        let gone = asked.method() == "tools/call" && asked.header("mcp-session-id") == Some("session-0") && before > 0;
        gone.then(|| Reply::Status(404, &[], "session not found".to_owned()))
    })
    .await;
    let connections = at(&url);
    call(&connections, "echo", json!({})).await.unwrap();
    call(&connections, "echo", json!({})).await.unwrap();
    assert_eq!((server.asked("initialize").len(), server.asked("tools/call").len()), (2, 3));
    // and one that is gone as soon as it is there is no loop
    let (url, server) =
        Fault::serve(|asked, _| (asked.method() == "tools/call").then(|| Reply::Status(404, &[], String::new()))).await;
    let failed = call(&at(&url), "echo", json!({})).await.unwrap_err();
    assert!(failed.never_ran() && failed.words.contains("session is gone"), "{failed:?}");
    assert_eq!((server.asked("initialize").len(), server.asked("tools/call").len()), (2, 2));
}

#[tokio::test]
async fn what_was_repeated_in_a_new_session_and_then_lost_is_not_taken_for_never_done() {
    let (url, _) = Fault::serve(|asked, before| match (asked.method(), before) {
        ("tools/call", 0) => Some(Reply::Status(404, &[], String::new())),
        ("tools/call", 1) => Some(Reply::Stream(": it begins\n\n".to_owned())),
        _ => None,
    })
    .await;
    let failed = call(&at(&url), "echo", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Lost && !failed.never_ran(), "{failed:?}");
}

#[tokio::test]
async fn what_cannot_be_followed_or_unpacked_is_told() {
    const PACKED: &[(&str, &str)] = &[("content-type", "application/json"), ("content-encoding", "gzip")];
    let failed = failure(|| Reply::Status(302, &[("location", "/other")], String::new())).await;
    assert!(failed.words.contains("points to \"/other\"") && failed.never_ran(), "{failed:?}");
    let failed = failure(|| Reply::Status(301, &[], String::new())).await;
    assert!(failed.words.contains("does not say where it is now"), "{failed:?}");
    let failed = failure(|| Reply::Status(200, PACKED, "\u{1f}".to_owned())).await;
    assert!(failed.kind == Kind::Unreadable && failed.words.contains("compressed (\"gzip\")"), "{failed:?}");
}

#[tokio::test]
async fn a_session_that_a_server_forgot_in_words_of_its_own_is_had_anew_too() {
    let bad = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "Bad Request: No valid session ID provided" } });
    for (status, body) in [(400, bad.to_string()), (401, "Unauthorized: Session not found".to_owned())] {
        let (url, server) = Fault::serve(move |asked, before| {
            let gone = asked.method() == "tools/call" && before == 1;
            gone.then(|| Reply::Status(status, if status == 400 { JSON } else { &[] }, body.clone()))
        })
        .await;
        let connections = at(&url);
        for _ in 0..2 {
            call(&connections, "echo", json!({})).await.unwrap();
        }
        assert_eq!((server.asked("initialize").len(), server.asked("tools/call").len()), (2, 3), "{status}");
    }
}
const JSON: &[(&str, &str)] = &[("content-type", "application/json")];

#[tokio::test]
async fn a_server_that_never_answers_costs_the_call_its_time_and_other_connections_nothing() {
    let (url, server) = Fault::serve(|asked, _| (asked.method() == "tools/call").then_some(Reply::Never)).await;
    let (sound, _) = Fault::serve(|_, _| None).await;
    let slow = Connection::http(&url).timeout(Duration::from_millis(300));
    let connections =
        Connections::new(&[declared("it", slow), declared("other", Connection::http(&sound))], Arc::default(), None);
    let input = to_raw_value(&json!({})).unwrap();
    let other = async {
        for _ in 0..20 {
            connections.call("other", "echo", &input, &CallInfo::default()).await.unwrap();
        }
    };
    let (failed, ()) = tokio::join!(call(&connections, "x", json!({})), other);
    let failed = failed.unwrap_err();
    assert_eq!(failed.kind, Kind::TimedOut { sent: true });
    assert!(!failed.never_ran() && failed.words.starts_with("connection `it`: it did not answer in time"), "{failed}");
    until("it was told", || !server.asked("notifications/cancelled").is_empty()).await;
    // a caller may have less patience, or none any more
    let token = CancellationToken::new();
    let info = CallInfo { cancelled: Some(token.clone()), ..CallInfo::default() };
    let cancelling = async {
        until("it came", || server.asked("tools/call").len() == 2).await;
        token.cancel();
    };
    let (failed, ()) = tokio::join!(connections.call("it", "x", &input, &info), cancelling);
    assert_eq!(failed.unwrap_err().kind, Kind::Cancelled { sent: true });
}

#[tokio::test]
async fn an_answer_that_breaks_off_leaves_open_whether_it_was_done() {
    let failed = failure(|| Reply::Half(r#"{"jsonrpc":"2.0","#)).await;
    assert!(failed.kind == Kind::Lost && failed.transient && !failed.never_ran(), "{failed:?}");
    let failed = failure(|| Reply::Stream("data: {\"jsonr".to_owned())).await;
    assert!(failed.kind == Kind::Lost && !failed.never_ran(), "{failed:?}");
}

#[tokio::test]
async fn a_status_is_told_with_what_the_server_says_of_it() {
    let failed = failure(|| Reply::Status(500, &[], "oh no".to_owned())).await;
    assert!(
        failed.kind == Kind::Refused { status: 500 } && !failed.transient && failed.words.contains("\"oh no\""),
        "{failed:?}"
    );
    let failed = failure(|| Reply::Status(429, &[("retry-after", "7")], String::new())).await;
    assert!(failed.transient && failed.never_ran() && failed.retry_after == Some(Duration::from_secs(7)), "{failed:?}");
    let failed =
        failure(|| Reply::Status(503, &[("retry-after", "Wed, 21 Oct 2065 07:28:00 GMT")], String::new())).await;
    assert!(failed.transient && !failed.never_ran() && failed.retry_after.unwrap().as_secs() > 1_000, "{failed:?}");
    let failed = failure(|| Reply::Status(302, &[("location", "http://127.0.0.1:9/elsewhere")], String::new())).await;
    assert!(failed.words.contains("/elsewhere") && failed.words.contains("not followed"), "{failed:?}");
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32602, "message": "no such tool" } });
    let failed = failure(move || Reply::Json(error.clone())).await;
    assert!(matches!(failed.kind, Kind::Server { code: -32602, .. }), "{failed:?}");
}

#[tokio::test]
async fn an_error_of_the_servers_own_is_an_answer() {
    let (url, _) =
        Fault::serve(|asked, _| (asked.method() == "tools/call").then(|| asked.error(-32602, "no tool x"))).await;
    let failed = call(&at(&url), "x", json!({})).await.unwrap_err();
    assert_eq!(failed.kind, Kind::Server { code: -32602, message: "no tool x".to_owned() });
    assert!(!failed.transient && !failed.never_ran(), "{failed:?}");
}

#[tokio::test]
async fn an_answer_without_an_end_is_an_error() {
    for kind in ["application/json", "text/event-stream"] {
        let (url, _) = Fault::serve(move |asked, _| {
            (asked.body["params"]["name"] == "fault").then_some(Reply::Endless(kind, "data: {\"jsonrpc\":\"2.0\","))
        })
        .await;
        let connections = at(&url);
        let failed = call(&connections, "fault", json!({})).await.unwrap_err();
        assert!(failed.kind == Kind::Unreadable && failed.words.contains("longer than 16 MiB"), "{kind}: {failed:?}");
        call(&connections, "echo", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_no_answer_is_quoted() {
    let page = |_: &str| Reply::Status(200, &[("content-type", "text/html")], "<html>".to_owned());
    let failed = failure(move || page("x")).await;
    assert!(failed.kind == Kind::Unreadable && failed.words.contains("text/html"), "{failed:?}");
    let failed = failure(|| Reply::Json(json!({ "hello": "world" }))).await;
    assert!(failed.kind == Kind::Unreadable && failed.words.contains("hello"), "{failed:?}");
}

#[tokio::test]
async fn credentials_that_are_not_valid_any_more_are_read_again_and_the_client_opened_again_once() {
    let (url, server) = Fault::serve(|asked, before| {
        (asked.method() == "tools/call" && before == 0).then(|| Reply::Status(401, &[], String::new()))
    })
    .await;
    let templated = |url: &str| only(Connection::http(url).header("authorization", "Bearer ${BDK_TEST_NO_SUCH_TOKEN}"));
    let connections = templated(&url);
    call(&connections, "echo", json!({})).await.unwrap();
    assert_eq!((server.asked("initialize").len(), server.asked("tools/call").len()), (2, 2));
    let refused = |asked: &super::fault::Asked, _| {
        (asked.method() == "tools/call").then(|| Reply::Status(401, &[("www-authenticate", "Bearer")], String::new()))
    };
    let (url, server) = Fault::serve(refused).await;
    let failed = call(&templated(&url), "echo", json!({})).await.unwrap_err();
    assert!(
        failed.kind == Kind::Refused { status: 401 } && failed.never_ran() && failed.words.contains("credentials"),
        "{failed:?}"
    );
    assert_eq!(server.asked("tools/call").len(), 2);
    // without any, there is nothing to read again
    let (url, server) = Fault::serve(refused).await;
    call(&at(&url), "echo", json!({})).await.unwrap_err();
    assert_eq!(server.asked("tools/call").len(), 1);
}

#[tokio::test]
async fn a_server_of_the_first_transport_is_named_as_such() {
    let (url, _) = Fault::serve(|asked, _| match asked.http.as_str() {
        "GET" => Some(Reply::Stream("event: endpoint\ndata: /messages?session=1\n\n".to_owned())),
        _ => Some(Reply::Status(405, &[], String::new())),
    })
    .await;
    let failed = at(&url).list("it").await.unwrap_err();
    assert!(failed.words.contains("HTTP+SSE") && failed.never_ran() && !failed.transient, "{failed:?}");
    let (url, _) = Fault::serve(|_, _| Some(Reply::Status(404, &[], "not here".to_owned()))).await;
    let failed = at(&url).list("it").await.unwrap_err();
    assert!(failed.words.contains("404") && failed.words.contains("not here"), "{failed:?}");
}

#[tokio::test]
async fn an_opening_that_gets_no_answer_ends_and_a_probe_that_gets_none_is_passed_over() {
    let short = || Limits { open: Duration::from_millis(400), probe: Duration::from_millis(100), ..Limits::default() };
    let (url, _) = Fault::serve(|_, _| Some(Reply::Never)).await;
    let failed = call(&with(Connection::http(&url), short()), "echo", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Open && failed.transient && failed.words.contains("400ms"), "{failed:?}");
    let (url, _) = Fault::serve(|asked, _| (asked.method() == "server/discover").then_some(Reply::Never)).await;
    let limits = Limits { probe: Duration::from_millis(100), ..Limits::default() };
    call(&with(Connection::http(&url), limits), "echo", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_server_that_refuses_the_newest_version_is_spoken_to_in_one_it_has() {
    let unsupported = |supported: Value| json!({ "requested": "2026-07-28", "supported": supported });
    let error =
        |data: Value| json!({ "error": { "code": -32022, "message": "Unsupported protocol version", "data": data } });
    let discovered = |supported: Value| json!({ "result": discovery(&supported) });
    let refusing = |status: u16, answer: Value| async move {
        let (url, server) = Fault::serve(move |asked, _| {
            (asked.method() == "server/discover").then(|| {
                let mut answer = answer.clone();
                (answer["jsonrpc"], answer["id"]) = (json!("2.0"), asked.body["id"].clone());
                Reply::Status(status, &[("content-type", "application/json")], answer.to_string())
            })
        })
        .await;
        let said = said(&at(&url), "echo", json!({})).await;
        (said, server.asked("initialize").len())
    };
    let old = json!(["2025-06-18", "2025-11-25"]);
    for (status, answer) in [
        (400, error(unsupported(old.clone()))),
        (200, error(unsupported(old.clone()))),
        (400, error(Value::Null)),
        (200, discovered(old)),
    ] {
        let (said, begun) = refusing(status, answer.clone()).await;
        assert_eq!((said.unwrap(), begun), (json!("done"), 1), "{status} {answer}");
    }
    let new = json!(["2027-01-01", "2028-02-02"]);
    for answer in [error(unsupported(new.clone())), discovered(new)] {
        let (said, begun) = refusing(200, answer.clone()).await;
        let failed = said.unwrap_err();
        assert!(
            failed.words.contains("no version of MCP that bdk speaks, but 2027-01-01, 2028-02-02") && begun == 0,
            "{answer}: {failed:?}"
        );
    }
}

#[tokio::test]
async fn a_handshake_asks_for_a_version_that_has_one_and_then_for_what_the_server_names() {
    // a server may fall over a request that it does not know
    for probed in [500, 501, 400] {
        let (url, server) = Fault::serve(move |asked, _| match asked.method() {
            "server/discover" => Some(Reply::Status(probed, &[], "oh".to_owned())),
            "initialize" if asked.body["params"]["protocolVersion"] != "2025-06-18" => {
                let data =
                    json!({ "supported": ["2025-03-26", "2025-06-18", "1999-01-01"], "requested": "2025-11-25" });
                let error = json!({ "code": -32602, "message": "Unsupported protocol version", "data": data });
                let answer = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "error": error });
                Some(Reply::Status(200, &[("content-type", "application/json")], answer.to_string()))
            }
            _ => None,
        })
        .await;
        assert_eq!(said(&at(&url), "echo", json!({})).await.unwrap(), "done");
        let asked = server.asked("initialize");
        let versions: Vec<_> = asked.iter().map(|asked| &asked.body["params"]["protocolVersion"]).collect();
        assert_eq!(versions, ["2025-11-25", "2025-06-18"]);
    }
}

#[tokio::test]
async fn a_server_that_wants_to_be_asked_again_later_is() {
    let (url, server) = Fault::serve(|asked, before| match asked.method() {
        "server/discover" => Some(asked.result(discovery(&json!(["2026-07-28"])))),
        "tools/call" if asked.body["params"]["name"] == "never" || before < 2 => Some(asked.result(json!({
            "resultType": "input_required", "requestState": format!("\u{e4}{before}"),
        }))),
        _ => None,
    })
    .await;
    let connections = at(&url);
    assert_eq!(said(&connections, "echo", json!({ "a": 1 })).await.unwrap(), "done");
    let asked = server.asked("tools/call");
    let states: Vec<_> = asked.iter().map(|asked| &asked.body["params"]["requestState"]).collect();
    assert_eq!(states, [&Value::Null, &json!("\u{e4}0"), &json!("\u{e4}1")]);
    assert!(asked.iter().all(|asked| asked.body["params"]["arguments"] == json!({ "a": 1 })));
    let info = CallInfo { deadline: Some(Instant::now() + Duration::from_millis(500)), ..CallInfo::default() };
    let failed = connections.call("it", "never", &to_raw_value(&json!({})).unwrap(), &info).await.unwrap_err();
    assert_eq!(failed.kind, Kind::TimedOut { sent: true });
}

#[tokio::test]
async fn what_a_server_had_once_is_not_said_to_be_unsent_whatever_comes_later() {
    let (url, _) = Fault::serve(|asked, before| match (asked.method(), before) {
        ("server/discover", _) => Some(asked.result(discovery(&json!(["2026-07-28"])))),
        ("tools/call", 0) => Some(asked.result(json!({ "resultType": "input_required", "requestState": "s" }))),
        ("tools/call", _) => Some(Reply::Status(429, &[], "later".to_owned())),
        _ => None,
    })
    .await;
    let failed = call(&at(&url), "echo", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Lost && !failed.never_ran(), "{failed:?}");
    assert!(failed.words.contains("what it did is not known") && failed.words.contains("429"), "{failed:?}");
}

#[tokio::test]
async fn what_a_server_asks_though_nobody_said_that_it_may_is_an_error_and_no_answer() {
    let (url, server) = Fault::serve(|asked, _| {
        (asked.method() == "tools/call").then(|| {
            let asks = |id: &str, method: &str, params: Value| {
                format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            };
            let schema = json!({ "type": "object", "properties": {} });
            let done = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": text("done") });
            Reply::Stream(
                [
                    asks("q1", "elicitation/create", json!({ "message": "?", "requestedSchema": schema })),
                    asks("q2", "roots/list", json!({})),
                    asks("q3", "sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })),
                    format!("data: {done}\n\n"),
                ]
                .concat(),
            )
        })
    })
    .await;
    let connections = at(&url);
    assert_eq!(said(&connections, "echo", json!({})).await.unwrap(), "done");
    let answered = || server.asked("").into_iter().filter(|asked| asked.body["id"].is_string());
    until("all were answered", || answered().count() == 3).await;
    for answer in answered() {
        assert_eq!(answer.body["error"]["code"], -32601, "{:?}", answer.body);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_left_alone_after_five_tries_and_found_when_it_is_back() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let limits = Limits { pause: Duration::from_millis(200), ..Limits::default() };
    let connections = with(Connection::http(format!("http://{address}/mcp")), limits);
    for _ in 0..5 {
        let failed = call(&connections, "echo", json!({})).await.unwrap_err();
        assert!(failed.kind == Kind::Open && failed.transient && failed.words.contains("refused"), "{failed:?}");
    }
    let failed = call(&connections, "echo", json!({})).await.unwrap_err();
    assert!(
        failed.kind == Kind::Paused && failed.retry_after.is_some() && failed.words.contains("refused"),
        "{failed:?}"
    );
    let router = axum::Router::new().fallback(|body: String| async move {
        let body = serde_json::from_str(&body).unwrap_or_default();
        let asked = super::fault::Asked { http: axum::http::Method::POST, headers: Default::default(), body };
        match super::fault::sound(&asked) {
            Reply::Json(value) => (axum::http::StatusCode::OK, axum::Json(value)),
            _ => (axum::http::StatusCode::ACCEPTED, axum::Json(json!(null))),
        }
    });
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    tokio::time::sleep(Duration::from_millis(250)).await;
    call(&connections, "echo", json!({})).await.unwrap();
    call(&connections, "echo", json!({})).await.unwrap();
}

#[tokio::test]
async fn an_address_that_is_none_is_told() {
    for (url, words) in [("nowhere", "its URL"), ("ftp://x.example/", "neither of http"), ("http://", "its URL")] {
        let failed = at(url).list("it").await.unwrap_err();
        assert!(failed.words.contains(words) && !failed.transient, "{url}: {failed:?}");
    }
    let reserved = only(Connection::http("http://127.0.0.1:9").header("Mcp-Session-Id", "x"));
    assert!(reserved.list("it").await.unwrap_err().words.contains("protocol sets itself"));
}
