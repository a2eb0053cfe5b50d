//! What tools publish, as their callers fetch it.

use crate::client::{Answer, Client, ask, call, get, raw, serve};
use bdk_runtime::{ServeMode, Server};
use serde_json::{Value, json};
use std::net::SocketAddr;

const ADA: &str = "Authorization: Bearer ada\r\n";
const BOB: &str = "Authorization: Bearer bob\r\n";

/// Publishes, and gives what the tool gave.
async fn publish(addr: SocketAddr, name: &str, mime: &str, content: &str, lines: &str) -> Value {
    let input = json!({ "input": { "name": name, "mime": mime, "content": content } });
    raw(addr, call(addr, "publish", input.to_string(), lines)).await.json()
}

/// The path of a URL.
fn path(artifact: &Value) -> String {
    let url = url::Url::parse(artifact["url"].as_str().unwrap()).unwrap();
    url.path().to_owned()
}

#[tokio::test]
async fn an_artifact_is_a_download_of_the_bytes_and_the_type_that_were_published() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let published = publish(addr, "Übersicht 1.html", "text/html; charset=utf-8", "<script>ä</script>", "").await;
    let artifact = &published["result"];
    assert_eq!(
        artifact["url"],
        format!("{}/test-bot/v1/artifacts/{}/content", handle.url(), artifact["id"].as_str().unwrap())
    );
    assert_eq!((&artifact["name"], &artifact["size"]), (&json!("Übersicht 1.html"), &json!(19)));
    let answer = get(addr, &path(artifact)).await;
    assert_eq!((answer.status, &*answer.body), (200, "<script>ä</script>"));
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-disposition", "attachment; filename=\"_bersicht 1.html\"; filename*=UTF-8''%C3%9Cbersicht%201.html"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "private, no-cache"),
        ("content-length", "19"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}: {answer:?}");
    }
    assert_eq!(publish(addr, "empty", "text/plain", "", "").await["result"]["size"], 0);
}

#[tokio::test]
async fn head_gives_its_head_and_what_the_asker_has_is_not_sent_again() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let path = path(&publish(addr, "a.txt", "text/plain", "hello", "").await["result"]);
    let full = get(addr, &path).await;
    let mut client = Client::connect(addr).await;
    client.send(format!("HEAD {path} HTTP/1.1\r\nHost: {addr}\r\n\r\n")).await;
    let head = client.read_head().await.unwrap();
    let heads = |answer: &Answer| {
        let lines = answer.head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("date:"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(heads(&head), heads(&full));

    let tag = full.header("etag").unwrap().to_owned();
    client.send(format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nIf-None-Match: \"x\", W/{tag}\r\n\r\n")).await;
    let unchanged = client.read_head().await.unwrap();
    assert_eq!((unchanged.status, unchanged.header("etag")), (304, Some(&*tag)));
    assert_ne!(unchanged.header("content-length"), Some("0"), "that of the bytes, or none");
    // the connection goes on: there was no body
    client.send(format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nIf-None-Match: \"x\"\r\n\r\n")).await;
    assert_eq!(client.read().await.unwrap().body, "hello");
}

#[tokio::test]
async fn to_all_but_its_owner_an_artifact_does_not_exist() {
    let handle = serve(Server::new().bearer_token("ada").bearer_token("bob")).await;
    let addr = handle.addr();
    let artifact = publish(addr, "a.txt", "text/plain", "Ada's", ADA).await["result"].clone();
    let path = path(&artifact);
    assert_eq!(ask(addr, "GET", &path, ADA).await.body, "Ada's");
    assert_eq!(ask(addr, "GET", &path, "").await.status, 401);

    let id = artifact["id"].as_str().unwrap();
    let last = if id.ends_with('a') { "b" } else { "a" };
    let other = format!("{}{last}", &id[..id.len() - 1]);
    let theirs = ask(addr, "GET", &path, BOB).await;
    let missing = ask(addr, "GET", &path.replace(id, &other), BOB).await;
    assert_eq!((theirs.status, &*theirs.error()), (404, "unknown_route"));
    assert_eq!(theirs.body, missing.body.replace(&other, id));
    // also with the tag, which is no secret of Ada's alone
    let tag = format!("{BOB}If-None-Match: \"{id}\"\r\n");
    assert_eq!(ask(addr, "GET", &path, &tag).await.status, 404);
    let all = ask(addr, "GET", &path, &format!("{BOB}If-None-Match: *\r\n")).await;
    assert_eq!(all.status, 404);
}

#[tokio::test]
async fn what_is_no_artifact_is_told_so_whatever_it_looks_like() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for id in ["art_abcdefghij0123450123", "art_", "a", "..", "%2e%2e%2fa", "art_%00", "%ff", &"a".repeat(2000)] {
        let answer = get(addr, &format!("/test-bot/v1/artifacts/{id}/content")).await;
        assert_eq!((answer.status, &*answer.error()), (404, "unknown_route"), "{id}: {answer:?}");
        assert!(answer.body.len() < 400, "{answer:?}");
    }
    let answer = get(addr, "/test-bot/v1/artifacts/art_abcdefghij0123450123/content").await;
    assert!(answer.message().contains("no artifact \"art_abcdefghij0123450123\""), "{answer:?}");
    assert_eq!(ask(addr, "DELETE", "/test-bot/v1/artifacts/art_a/content", "").await.status, 405);
    assert_eq!(get(addr, "/test-bot/v1/artifacts/art_a").await.error(), "unknown_route");
}

#[tokio::test]
async fn no_name_or_type_becomes_a_header_of_its_own() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for (name, mime) in [
        ("a\r\nX-Injected: yes", "text/plain"),
        ("a\nb", "text/plain"),
        ("a/b", "text/plain"),
        ("a", "text/plain\r\nX-Injected: yes"),
        ("a", "text"),
        ("", "text/plain"),
    ] {
        let answer = publish(addr, name, mime, "x", "").await;
        assert_eq!(answer["error"]["code"], "failed", "{answer}");
    }
    let name = "a\"; filename=\"evil.exe\u{202e};%0d%0aX-Injected: yes";
    let answer = get(addr, &path(&publish(addr, name, "text/plain", "x", "").await["result"])).await;
    let disposition = answer.header("content-disposition").unwrap();
    assert_eq!(answer.header("x-injected"), None);
    assert_eq!(disposition.matches('"').count(), 2, "{disposition}");
    let (_, encoded) = disposition.split_once("UTF-8''").unwrap();
    let decoded = url::form_urlencoded::parse(format!("n={}", encoded.replace('+', "%2B")).as_bytes())
        .next()
        .unwrap()
        .1
        .into_owned();
    assert_eq!(decoded, name);
}

#[tokio::test]
async fn its_url_is_the_public_one_where_there_is_one() {
    let server = Server::new().allow_anonymous().public_url("https://bot.example.com/").mode(ServeMode::Single);
    let handle = serve(server).await;
    let input = json!({ "name": "a", "mime": "text/plain", "content": "x" });
    let artifact = handle.call_tool("publish", input).await.unwrap().result;
    let url = format!("https://bot.example.com/v1/artifacts/{}/content", artifact["id"].as_str().unwrap());
    assert_eq!(artifact["url"], url);
}

#[tokio::test]
async fn the_route_is_listed_and_pages_of_other_origins_may_read_its_name() {
    let handle = serve(Server::new().allow_anonymous().allowed_origin("https://app.example.com")).await;
    let addr = handle.addr();
    let routes = get(addr, "/").await.json()["routes"].clone();
    assert!(routes.as_array().unwrap().contains(&json!("/test-bot/v1/artifacts/{id}/content")), "{routes}");
    let document = get(addr, "/test-bot/v1/openapi.json").await.json();
    let operation = &document["paths"]["/artifacts/{id}/content"]["get"];
    assert_eq!(
        (&operation["parameters"][0]["name"], &operation["parameters"][0]["in"]),
        (&json!("id"), &json!("path"))
    );

    let artifact = publish(addr, "a", "text/plain", "x", "").await["result"].clone();
    let answer = ask(addr, "GET", &path(&artifact), "Origin: https://app.example.com\r\n").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"));
    assert!(answer.header("access-control-expose-headers").unwrap().contains("content-disposition"), "{answer:?}");
}
