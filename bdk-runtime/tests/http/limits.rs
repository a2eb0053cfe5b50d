//! Sizes.

use crate::client::{Client, call, post, raw, serve};
use bdk_runtime::Server;

fn chunked(addr: std::net::SocketAddr) -> String {
    format!(
        "POST /test-bot/v1/tools/echo HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
}

#[tokio::test]
async fn a_body_over_a_mebibyte_is_too_large_with_and_without_a_length() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let large = format!(r#"{{"input":{{"nonce":"{}"}}}}"#, "x".repeat(1024 * 1024));
    let answer = post(addr, "echo", &large).await;
    assert_eq!((answer.status, &*answer.error()), (413, "too_large"));
    assert!(answer.message().contains("1048576") && answer.message().contains("--max-body"), "{answer:?}");

    let mut client = Client::connect(addr).await;
    client.send(chunked(addr)).await;
    for piece in large.as_bytes().chunks(100_000) {
        client.send([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()).await;
    }
    client.send("0\r\n\r\n").await;
    let answer = client.read().await.unwrap();
    assert_eq!((answer.status, &*answer.error()), (413, "too_large"));
}

#[tokio::test]
async fn a_length_over_the_limit_is_refused_before_the_body_comes() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let answer = raw(
        addr,
        format!("POST /test-bot/v1/tools/echo HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n"),
    )
    .await;
    assert_eq!((answer.status, &*answer.error()), (413, "too_large"));
}

#[tokio::test]
async fn the_limit_can_be_set_and_a_body_of_just_that_size_passes() {
    let body = r#"{"input":{"nonce":"n"}}"#;
    let handle = serve(Server::new().max_body(body.len())).await;
    assert_eq!(post(handle.addr(), "echo", body).await.status, 200);
    assert_eq!(post(handle.addr(), "echo", format!("{body} ")).await.status, 413);
}

#[tokio::test]
async fn a_large_body_within_the_limit_comes_back_whole() {
    let handle = serve(Server::new()).await;
    let nonce = "n".repeat(900_000);
    let answer = post(handle.addr(), "echo", format!(r#"{{"input":{{"nonce":"{nonce}"}}}}"#)).await;
    assert_eq!(answer.json()["result"]["nonce"], nonce);
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused_and_the_bot_goes_on() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let answer = raw(addr, call(addr, "echo", "{}", &format!("X-Long: {}\r\n", "x".repeat(100_000)))).await;
    assert_eq!(answer.status, 431);
    assert_eq!(post(addr, "echo", r#"{"input":{"nonce":"n"}}"#).await.status, 200);
}
