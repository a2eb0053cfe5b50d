//! Host and Origin, in front of every route.

use crate::client::{ask, call, raw, serve};
use bdk_runtime::Server;

const ROUTES: [&str; 10] = [
    "/",
    "/healthz",
    "/readyz",
    "/v1/agents",
    "/test-bot/v1/tools",
    "/test-bot/v1/tools/echo",
    "/test-bot/v1/info",
    "/test-bot/v1/openapi.json",
    "/nowhere",
    "/test-bot/v1/tools/nope",
];
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

#[tokio::test]
async fn a_foreign_host_is_refused_on_every_route_and_method() {
    let handle = serve(Server::new().allow_anonymous()).await;
    for path in ROUTES {
        for method in METHODS {
            let mut client = crate::client::Client::connect(handle.addr()).await;
            client.send(format!("{method} {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n")).await;
            let answer = if method == "HEAD" { client.read_head().await } else { client.read().await }.unwrap();
            assert_eq!(answer.status, 403, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_foreign_or_null_origin_is_refused_on_every_route_and_method() {
    let handle = serve(Server::new().allow_anonymous()).await;
    for path in ROUTES {
        for method in METHODS.iter().filter(|m| **m != "HEAD") {
            for origin in ["http://evil.example", "null", "http://localhost:1"] {
                let lines = format!("Origin: {origin}\r\nAccess-Control-Request-Method: POST\r\n");
                let answer = ask(handle.addr(), method, path, &lines).await;
                assert_eq!((answer.status, &*answer.error()), (403, "forbidden"), "{method} {path} {origin}");
                assert_eq!(answer.header("access-control-allow-origin"), None);
            }
        }
    }
}

#[tokio::test]
async fn a_request_has_one_host() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for head in ["", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost, evil.example\r\n", "Host: \r\n"] {
        let answer = raw(addr, format!("GET /healthz HTTP/1.1\r\n{head}\r\n")).await;
        assert_eq!((answer.status, &*answer.error()), (400, "invalid_request"), "{head}");
    }
    let answer = raw(addr, "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(answer.status, 403);
    let answer = raw(addr, "GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn allowed_hosts_and_the_public_url_pass() {
    let server = Server::new().allow_anonymous().allowed_host("bot.internal").public_url("https://bot.example.com");
    let handle = serve(server).await;
    for host in ["bot.internal", "BOT.internal:8080", "bot.example.com", "localhost"] {
        let answer = raw(handle.addr(), format!("GET /test-bot/v1/info HTTP/1.1\r\nHost: {host}\r\n\r\n")).await;
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[tokio::test]
async fn pages_of_an_allowed_origin_may_call_and_their_browser_is_told() {
    let handle = serve(Server::new().bearer_token("sesame").allowed_origin("https://app.example.com")).await;
    let addr = handle.addr();
    let origin = "Origin: https://app.example.com\r\n";
    // a browser asks first, without the token
    let lines =
        format!("{origin}Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n");
    let answer = ask(addr, "OPTIONS", "/test-bot/v1/tools/echo", &lines).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (204, Some("https://app.example.com")));
    assert!(answer.header("access-control-allow-headers").unwrap().contains("authorization"));

    let lines = format!("{origin}Authorization: Bearer sesame\r\n");
    let answer = raw(addr, call(addr, "echo", r#"{"input":{"nonce":"n"}}"#, &lines)).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some("https://app.example.com")));
    // a refusal can be read too
    let answer = raw(addr, call(addr, "echo", "{}", origin)).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (401, Some("https://app.example.com")));
}

#[tokio::test]
async fn the_bot_s_own_pages_may_call() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let answer =
        raw(addr, call(addr, "echo", r#"{"input":{"nonce":"n"}}"#, &format!("Origin: http://{addr}\r\n"))).await;
    assert_eq!(answer.status, 200);
}
