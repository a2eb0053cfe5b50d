//! Requests that are no call.

use crate::client::{Client, ask, call, get, post, raw, serve};
use bdk_runtime::Server;

#[tokio::test]
async fn a_body_that_is_no_call_is_invalid() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let deep = format!(r#"{{"input":{}{}}}"#, "[".repeat(400), "]".repeat(400));
    for (body, words) in [
        ("{", "line 1 column 1"),
        ("[]", "an object such as"),
        ("{\n\"input\": oops}", "line 2 column"),
        (deep.as_str(), "recursion limit"),
        (r#"{"nonce":"n"}"#, "`nonce`"),
        (r#"{"sessionId":"ses_a","continuationToken":"c:k"}"#, "`sessionId` and `continuationToken`"),
        (r#"{"sessionId":"ses_a","dryRun":true}"#, "`dryRun` cannot stand beside `sessionId`"),
        (r#"{"asOf":"2026-01-01"}"#, "`asOf`"),
        (r#"{"dryRun":1}"#, "`dryRun` must be"),
    ] {
        let answer = post(addr, "who", body).await;
        assert_eq!((answer.status, &*answer.error()), (400, "invalid_request"), "{body}");
        assert!(answer.message().contains(words), "{answer:?}");
    }
    let answer = post(addr, "who", b"{\"input\":\"\xff\"}").await;
    assert_eq!((answer.status, &*answer.error()), (400, "invalid_request"));
}

#[tokio::test]
async fn a_session_that_is_not_there_is_unknown() {
    let handle = serve(Server::new()).await;
    for body in [r#"{"sessionId":"ses_a"}"#, r#"{"continuationToken":"chan:key","input":{}}"#] {
        let answer = post(handle.addr(), "who", body).await;
        assert_eq!((answer.status, &*answer.error()), (404, "unknown_session"), "{body}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_told_with_near_names() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let answer = post(addr, "ecko", "{}").await;
    assert_eq!((answer.status, &*answer.error()), (404, "unknown_tool"));
    assert!(answer.message().contains("\"ecko\"") && answer.message().contains("\"echo\""), "{answer:?}");
    // whatever its body
    let answer = raw(addr, format!("POST /test-bot/v1/tools/no%20pe HTTP/1.1\r\nHost: {addr}\r\n\r\n")).await;
    assert_eq!((answer.status, &*answer.error()), (404, "unknown_tool"));
    assert!(answer.message().contains("\"no pe\""), "{answer:?}");
}

#[tokio::test]
async fn a_body_that_is_not_declared_json_is_unsupported() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for line in ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"] {
        let answer = raw(
            addr,
            format!("POST /test-bot/v1/tools/who HTTP/1.1\r\nHost: {addr}\r\n{line}Content-Length: 2\r\n\r\n{{}}"),
        )
        .await;
        assert_eq!((answer.status, &*answer.error()), (415, "unsupported_media_type"), "{line}");
        assert!(answer.message().contains("application/json"), "{answer:?}");
    }
    let answer = raw(addr, call(addr, "who", "{}", "Content-Encoding: gzip\r\n")).await;
    assert_eq!((answer.status, &*answer.error()), (415, "unsupported_media_type"));
}

#[tokio::test]
async fn an_unknown_route_is_told_with_near_ones() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for (path, near) in [
        ("/v1/tools", "`/test-bot/v1/tools`"),
        ("/test-bot/v1/tolls", "`/test-bot/v1/tools`"),
        ("/info", "`/test-bot/v1/info`"),
        ("/test-bot/v1/tools/a/b", "there is no route"),
        ("/test-bot/v1/tools/", "`/test-bot/v1/tools`"),
        ("/tool/about", "`/test-bot/v1/tools/{name}`"),
        ("/test-bot/v1/tool/about", "`/test-bot/v1/tools/{name}`"),
        ("/test-bot/v1/session/ses_x/evnts", "`/test-bot/v1/session/{id}/events`"),
        ("/..%2f..%2fetc/passwd", "there is no route"),
    ] {
        let answer = get(addr, path).await;
        assert_eq!((answer.status, &*answer.error()), (404, "unknown_route"), "{path}");
        assert!(answer.message().contains(near), "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn a_method_that_a_route_does_not_take_is_refused_naming_those_it_takes() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let answer = ask(addr, method, "/test-bot/v1/tools/echo", "").await;
        assert_eq!((answer.status, &*answer.error(), answer.header("allow")), (405, "invalid_request", Some("POST")));
    }
    for path in ["/test-bot/v1/tools", "/test-bot/v1/info", "/healthz", "/"] {
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let answer = ask(addr, method, path, "").await;
            assert_eq!(
                (answer.status, &*answer.error(), answer.header("allow")),
                (405, "invalid_request", Some("GET,HEAD"))
            );
        }
    }
}

#[tokio::test]
async fn what_is_no_http_is_answered_and_the_bot_goes_on() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for garbage in
        ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
    {
        let mut client = Client::connect(addr).await;
        client.send(garbage).await;
        if let Some(answer) = client.read().await {
            assert_eq!(answer.status, 400, "{garbage:?}");
        }
    }
    assert_eq!(get(addr, "/healthz").await.status, 200);
}
