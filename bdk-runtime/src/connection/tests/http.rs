//! What goes over the wire to a server that is in order.

use super::{
    fault::{Fault, Reply},
    *,
};
use crate::connection::{called::Hears, failed::Kind};
use std::sync::Mutex;

#[tokio::test]
async fn a_call_is_one_request_once_the_connection_is_open() {
    let (url, server) = Fault::serve(|_, _| None).await;
    let connections = at(&url);
    assert_eq!(said(&connections, "echo", json!({})).await.unwrap(), "done");
    let before = server.count();
    for _ in 0..5 {
        call(&connections, "echo", json!({})).await.unwrap();
    }
    assert_eq!(server.count() - before, 5);
    let last = server.asked("tools/call").pop().unwrap();
    assert_eq!(last.header("mcp-session-id"), Some("session-0"));
    assert_eq!(last.header("mcp-protocol-version"), Some("2025-11-25"));
    connections.close().await;
    assert!(call(&connections, "echo", json!({})).await.unwrap_err().kind == Kind::Closed);
}

#[tokio::test]
async fn whoever_comes_while_it_opens_waits_for_the_same_client() {
    let (url, server) = Fault::serve(|_, _| None).await;
    let connections = at(&url);
    let calls = (0..20).map(|_| call(&connections, "echo", json!({})));
    for called in futures_util::future::join_all(calls).await {
        called.unwrap();
    }
    assert_eq!(server.asked("initialize").len(), 1);
}

#[tokio::test]
async fn arguments_and_results_are_passed_on_to_the_letter() {
    let (url, server) = Fault::serve(|asked, before| {
        let result = r#"{"content":[{"type":"novelty","pi":3.10}],"structuredContent":{"n":1234567890123456789012},"isError":false}"#;
        let id = &asked.body["id"];
        match (asked.method(), before) {
            ("tools/call", 0) => Some(Reply::Json(serde_json::from_str(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#)).unwrap())),
            ("tools/call", _) => Some(Reply::Stream(format!("id: 7\nretry: 10\ndata: \n\nevent: message\ndata: {{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{result}}}\n\n"))),
            _ => None,
        }
    })
    .await;
    let connections = at(&url);
    assert_eq!(call(&connections, "echo", json!({})).await.unwrap().content.get(), "[]");
    let input = r#"{"z": 1.50, "a": [12345678901234567890123]}"#.to_owned();
    let input = serde_json::value::RawValue::from_string(input).unwrap();
    let called = connections.call("it", "weird \"name\"", &input, &CallInfo::default()).await.unwrap();
    assert_eq!(called.content.get(), r#"[{"type":"novelty","pi":3.10}]"#);
    assert_eq!(called.structured.unwrap().get(), r#"{"n":1234567890123456789012}"#);
    let asked = server.asked("tools/call").pop().unwrap();
    assert_eq!(asked.body["params"]["name"], "weird \"name\"");
    assert_eq!(asked.body["params"]["arguments"].as_object().unwrap().keys().collect::<Vec<_>>(), ["z", "a"]);
}

#[tokio::test]
async fn the_trace_goes_with_the_call_in_the_header_and_in_the_message() {
    let (url, server) = Fault::serve(|_, _| None).await;
    let connections = at(&url);
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let info = CallInfo { traceparent: Some(parent.to_owned()), ..CallInfo::default() };
    connections.call("it", "echo", &to_raw_value(&json!({})).unwrap(), &info).await.unwrap();
    call(&connections, "echo", json!({})).await.unwrap();
    let asked = server.asked("tools/call");
    assert_eq!(asked[0].header("traceparent"), Some(parent));
    assert_eq!(asked[0].body["params"]["_meta"]["traceparent"], parent);
    assert_eq!(asked[1].header("traceparent"), None);
}

/// What it was told, in words.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl Hears for Notes {
    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        self.0.lock().unwrap().push(format!("{done} {total:?} {message}"));
    }
}

#[tokio::test]
async fn whoever_wants_to_hear_how_far_a_call_is_is_told_and_nobody_else() {
    let (url, server) = Fault::serve(|asked, _| {
        let told = |token: &Value, params: Value| {
            let mut params = params;
            params["progressToken"] = token.clone();
            let message = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
            format!("data: {message}\n\n")
        };
        (asked.method() == "tools/call").then(|| {
            let id = &asked.body["id"];
            let stream = [
                told(id, json!({ "progress": 1, "total": 4, "message": "begun" })),
                told(&json!(4711), json!({ "progress": 2, "message": "somebody else's" })),
                told(&json!("4711"), json!({ "progress": 2 })),
                told(id, json!({ "progress": "far" })),
                told(id, json!({ "progress": 2.5, "message": "\u{1F389}" })),
                format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": id, "result": text("done") })),
                told(id, json!({ "progress": 3, "message": "too late" })),
            ];
            Reply::Stream(stream.concat())
        })
    })
    .await;
    let connections = at(&url);
    let notes = Arc::new(Notes::default());
    let info = CallInfo { hears: Some(notes.clone()), ..CallInfo::default() };
    connections.call("it", "echo", &to_raw_value(&json!({})).unwrap(), &info).await.unwrap();
    assert_eq!(*notes.0.lock().unwrap(), ["1 Some(4.0) begun", "2.5 None \u{1F389}"]);
    call(&connections, "echo", json!({})).await.unwrap();
    let asked = server.asked("tools/call");
    assert_eq!(asked[0].body["params"]["_meta"]["progressToken"], asked[0].body["id"]);
    assert_eq!(asked[1].body["params"]["_meta"], json!({}));
}

#[tokio::test]
async fn declared_headers_are_in_every_request_and_their_values_in_no_word() {
    let (url, server) = Fault::serve(|asked, _| {
        let token = asked.header("authorization").unwrap_or_default().to_owned();
        (asked.method() == "tools/call").then(|| Reply::Status(500, &[], format!("bad token {token}")))
    })
    .await;
    let connection = Connection::http(&url).header("Authorization", "Bearer 5d1f-not-for-logs").header("x-team", "a");
    let connections = only(connection);
    let failed = call(&connections, "echo", json!({})).await.unwrap_err();
    assert!(failed.words.contains("500") && failed.words.contains("bad token Bearer [redacted]"), "{failed}");
    assert!(!format!("{failed:?} {:?}", connections.held("it").unwrap().declared).contains("5d1f"), "{failed:?}");
    for method in ["server/discover", "initialize", "notifications/initialized", "tools/call"] {
        let asked = server.asked(method).pop().unwrap();
        assert_eq!(asked.header("authorization"), Some("Bearer 5d1f-not-for-logs"), "{method}");
        assert_eq!(asked.header("x-team"), Some("a"), "{method}");
    }
}

#[tokio::test]
async fn only_so_many_calls_are_under_way_and_the_others_wait_within_their_deadline() {
    let (url, server) = Fault::serve(|asked, _| {
        let waits = asked.body["params"]["name"] == "wait";
        waits.then_some(Reply::Never)
    })
    .await;
    let limits = Limits { in_flight: 2, ..Limits::default() };
    let connections = Arc::new(with(Connection::http(&url).timeout(Duration::from_secs(60)), limits));
    call(&connections, "echo", json!({})).await.unwrap();
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            let connections = connections.clone();
            tokio::spawn(async move { call(&connections, "wait", json!({})).await })
        })
        .collect();
    until("both came", || server.asked("tools/call").len() == 3).await;
    let info = CallInfo { deadline: Some(Instant::now() + Duration::from_millis(50)), ..CallInfo::default() };
    let failed = connections.call("it", "echo", &to_raw_value(&json!({})).unwrap(), &info).await.unwrap_err();
    assert!(failed.never_ran() && failed.words.contains("2 calls were under way"), "{failed}");
    waiting[0].abort();
    call(&connections, "echo", json!({})).await.unwrap();
    // whoever left is taken back
    until("it was told", || !server.asked("notifications/cancelled").is_empty()).await;
}

#[tokio::test]
async fn a_name_that_is_none_is_told_with_the_nearest() {
    let connections =
        Connections::new(&[declared("linear", Connection::http("http://127.0.0.1:9"))], Arc::default(), None);
    let failed = connections.list("linea").await.unwrap_err();
    assert!(failed.kind == Kind::Unknown && failed.words.contains("`linear`"), "{failed}");
}
