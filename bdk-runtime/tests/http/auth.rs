//! Who may call.

use crate::client::{Client, ask, call, get, raw, serve};
use bdk_runtime::{AuthFuture, AuthRequest, Authenticator, Principal, Server, Verdict};
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};

async fn who(addr: SocketAddr, lines: &str) -> serde_json::Value {
    let answer = raw(addr, call(addr, "who", "{}", lines)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

async fn refused(addr: SocketAddr, lines: &str) -> (u16, String) {
    let answer = raw(addr, call(addr, "who", "{}", lines)).await;
    (answer.status, answer.message())
}

#[tokio::test]
async fn by_default_this_machine_s_direct_callers_come_in() {
    let handle = serve(Server::new()).await;
    assert_eq!(who(handle.addr(), "").await["kind"], "local");
}

#[tokio::test]
async fn by_default_nothing_that_a_proxy_forwards_comes_in() {
    let handle = serve(Server::new()).await;
    for line in
        ["Forwarded: for=1.2.3.4", "X-Forwarded-For: 127.0.0.1", "X-FORWARDED-HOST: a", "Via: 1.1 a", "X-Real-IP: ::1"]
    {
        let (status, message) = refused(handle.addr(), &format!("{line}\r\n")).await;
        assert_eq!(status, 403, "{line}");
        assert!(message.contains("--bearer-token-env") && message.contains("--allow-anonymous"), "{message}");
        // the host routes are for everybody
        assert_eq!(ask(handle.addr(), "GET", "/healthz", &format!("{line}\r\n")).await.status, 200);
    }
}

#[tokio::test]
async fn by_default_callers_of_this_machine_come_under_loopback_names_and_those_the_operator_allows() {
    let handle = serve(Server::new().allowed_host("bot.internal")).await;
    let ask = async |host: &str| {
        raw(handle.addr(), &format!("GET /test-bot/v1/info HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
            .await
    };
    assert_eq!(ask("bot.internal").await.status, 200);
    let refused = ask("other.internal").await;
    assert_eq!((refused.status, &*refused.error()), (403, "forbidden"));
    assert!(refused.message().contains("--allowed-host"), "{refused:?}");
}

#[tokio::test]
async fn a_bearer_token_lets_in_whoever_shows_it_and_nobody_else() {
    let handle = serve(Server::new().bearer_token("sesame").bearer_token("another")).await;
    let addr = handle.addr();
    let one = who(addr, "Authorization: Bearer sesame\r\n").await;
    let other = who(addr, "authorization: bEARER another\r\n").await;
    assert_eq!((one["kind"].as_str(), other["kind"].as_str()), (Some("bearer"), Some("bearer")));
    assert_ne!(one["subject"], other["subject"]);
    for line in [
        "",
        "Authorization: Bearer wrong\r\n",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer \r\n",
        "Authorization: Basic sesame\r\n",
        "Authorization: sesame\r\n",
        "Authorization: Bearer sesam\r\n",
        "Authorization: Bearer sesame2\r\n",
        "Authorization: Bearer Sesame\r\n",
        "Authorization: Bearer sesame\r\nAuthorization: Bearer wrong\r\n",
    ] {
        let answer = raw(addr, call(addr, "who", "{}", line)).await;
        assert_eq!((answer.status, &*answer.error()), (401, "unauthorized"), "{line}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert!(!answer.body.contains("sesame"));
    }
}

#[tokio::test]
async fn every_route_but_the_host_routes_wants_credentials() {
    let handle = serve(Server::new().bearer_token("sesame")).await;
    let addr = handle.addr();
    for path in [
        "/v1/agents",
        "/test-bot/v1/tools",
        "/test-bot/v1/info",
        "/test-bot/v1/openapi.json",
        "/nowhere",
        "/test-bot/v1/tools/echo",
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            assert_eq!(ask(addr, method, path, "").await.status, 401, "{method} {path}");
        }
    }
    for path in ["/", "/healthz", "/readyz"] {
        assert_eq!(get(addr, path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn credentials_are_judged_before_a_body_is_read() {
    let handle = serve(Server::new().bearer_token("sesame")).await;
    let addr = handle.addr();
    for line in ["", "Expect: 100-continue\r\n"] {
        let mut client = Client::connect(addr).await;
        // the body is announced, and never sent
        client
            .send(format!("POST /test-bot/v1/tools/who HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\n{line}Content-Length: 500\r\n\r\n"))
            .await;
        assert_eq!(client.read().await.unwrap().status, 401, "{line}");
    }
}

#[tokio::test]
async fn a_body_is_asked_for_once_its_sender_is_known() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let mut client = Client::connect(addr).await;
    client
        .send(format!("POST /test-bot/v1/tools/who HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"))
        .await;
    client.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
    client.send("{}").await;
    assert_eq!(client.read().await.unwrap().status, 200);
}

#[tokio::test]
async fn anonymous_callers_come_in_where_that_is_said_but_not_with_a_wrong_token() {
    let handle = serve(Server::new().allow_anonymous().bearer_token("sesame")).await;
    let addr = handle.addr();
    assert_eq!(who(addr, "X-Forwarded-For: 1.2.3.4\r\n").await["kind"], "anonymous");
    assert_eq!(who(addr, "Authorization: Bearer sesame\r\n").await["kind"], "bearer");
    assert_eq!(refused(addr, "Authorization: Bearer wrong\r\n").await.0, 401);
}

/// Knows a caller by a header of its own.
struct Badge(&'static str);

impl Authenticator for Badge {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            match request.header("x-badge") {
                Some("banned") => Verdict::forbidden("this badge was taken back"),
                Some("forged") => Verdict::unauthorized("this badge is not real"),
                Some("broken") => panic!("the authenticator has a fault"),
                Some(badge) if badge == self.0 => {
                    let seen = json!({ "peer": request.peer().to_string(), "secure": request.is_secure() });
                    Verdict::Accept(Principal::new("badge", badge).attribute("seen", seen))
                }
                _ => Verdict::Skip,
            }
        })
    }
}

#[tokio::test]
async fn the_author_s_own_authenticators_come_first_and_in_order() {
    let boxed: Vec<Box<dyn Authenticator>> = vec![Box::new(Badge("one")), Box::new(Arc::new(Badge("two")))];
    let handle = serve(Server::new().auth(boxed).bearer_token("sesame")).await;
    let addr = handle.addr();
    assert_eq!(who(addr, "X-Badge: one\r\nAuthorization: Bearer wrong\r\n").await["subject"], "one");
    assert_eq!(who(addr, "X-Badge: two\r\n").await["subject"], "two");
    assert_eq!(who(addr, "X-Badge: three\r\nAuthorization: Bearer sesame\r\n").await["kind"], "bearer");
    assert_eq!(refused(addr, "X-Badge: banned\r\n").await, (403, "this badge was taken back".into()));
    assert_eq!(
        refused(addr, "X-Badge: forged\r\nAuthorization: Bearer sesame\r\n").await,
        (401, "this badge is not real".into())
    );
    assert_eq!(refused(addr, "").await.0, 401);
}

#[tokio::test]
async fn an_authenticator_that_panics_refuses_and_the_bot_goes_on() {
    let handle = serve(Server::new().auth([Badge("one")])).await;
    let addr = handle.addr();
    let mut client = Client::connect(addr).await;
    client.send(call(addr, "who", "{}", "X-Badge: broken\r\n")).await;
    let answer = client.read().await.unwrap();
    assert_eq!((answer.status, &*answer.error()), (500, "internal"));
    assert!(!answer.body.contains("fault"));
    assert_eq!(who(addr, "X-Badge: one\r\n").await["subject"], "one");
}

#[tokio::test]
async fn a_trusted_proxy_says_whose_request_it_is() {
    let lines = "X-Badge: one\r\nX-Forwarded-For: 6.6.6.6, 203.0.113.9\r\nX-Forwarded-Proto: https\r\n";
    let trusting = serve(Server::new().auth([Badge("one")]).trust_proxy(true)).await;
    let seen = who(trusting.addr(), lines).await["attributes"]["seen"].clone();
    assert_eq!(seen, json!({ "peer": "203.0.113.9", "secure": true }));
    let other = serve(Server::new().auth([Badge("one")])).await;
    let seen = who(other.addr(), lines).await["attributes"]["seen"].clone();
    assert_eq!(seen, json!({ "peer": "127.0.0.1", "secure": false }));
}

#[tokio::test]
async fn a_bot_that_would_be_open_to_others_says_who_may_call_or_does_not_start() {
    for server in [
        Server::new().host("0.0.0.0"),
        Server::new().host("::"),
        Server::new().public_url("https://bot.example.com"),
        Server::new().trust_proxy(true),
    ] {
        let error = server.port(0).state("memory:").start().await.expect_err("no start").to_string();
        assert!(error.contains("--bearer-token-env") && error.contains("--allow-anonymous"), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
    let handle = serve(Server::new().host("0.0.0.0").bearer_token("sesame")).await;
    assert_eq!(get(SocketAddr::from(([127, 0, 0, 1], handle.addr().port())), "/healthz").await.status, 200);
    assert!(handle.url().starts_with("http://127.0.0.1:"), "{}", handle.url());
}

#[tokio::test]
async fn an_empty_token_is_no_token() {
    let error = Server::new().bearer_token("").state("memory:").start().await.expect_err("no start").to_string();
    assert!(error.contains("empty"), "{error}");
}
