//! Starting and ending.

use crate::{
    bot::Run,
    client::{Client, HANG, call, get, post, serve, soon},
};
use bdk_runtime::Server;
use serde_json::json;
use std::time::Duration;
use tokio::net::TcpStream;

#[tokio::test]
async fn a_port_in_use_and_a_bad_host_are_one_clear_line() {
    let handle = serve(Server::new()).await;
    let port = handle.addr().port();
    let error = Server::new().port(port).state("memory:").start().await.expect_err("no start").to_string();
    assert!(error.contains(&port.to_string()) && error.contains("in use") && error.contains("--port"), "{error}");
    assert_eq!(error.lines().count(), 1);
    for host in ["", "not a host", "256.1.1.1"] {
        let error = Server::new().host(host).port(0).state("memory:").start().await.expect_err("no start").to_string();
        assert!(error.contains("no address to listen on") && error.lines().count() == 1, "{error}");
    }
    let error =
        Server::new().host("192.0.2.1").allow_anonymous().port(0).state("memory:").start().await.expect_err("no start");
    assert!(error.to_string().contains("no address of this machine"), "{error}");
}

#[tokio::test]
async fn other_loopback_addresses_can_be_listened_on() {
    let handle = serve(Server::new().host(std::net::Ipv4Addr::new(127, 0, 0, 2))).await;
    assert_eq!(get(handle.addr(), "/healthz").await.status, 200);
    assert_eq!(handle.url(), format!("http://127.0.0.2:{}", handle.addr().port()));
    let handle = serve(Server::new().host("localhost")).await;
    assert_eq!(get(handle.addr(), "/readyz").await.json(), json!({ "ok": true, "status": "ready" }));
}

#[tokio::test]
async fn a_shutdown_lets_running_calls_end_and_closes_idle_connections_at_once() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let run = Run::of("drained");
    let mut busy = Client::connect(addr).await;
    busy.send(call(addr, "hang", r#"{"input":{"id":"drained"}}"#, "")).await;
    soon(run.started.notified()).await;
    let mut idle = Client::connect(addr).await;
    idle.send(call(addr, "echo", r#"{"input":{"nonce":"n"}}"#, "")).await;
    assert_eq!(idle.read().await.unwrap().status, 200);
    let mut fresh = Client::connect(addr).await;
    // begun, and not yet whole
    let mut begun = Client::connect(addr).await;
    begun.send("GET /readyz HTTP/1.1\r\n").await;
    assert_eq!(get(addr, "/readyz").await.status, 200);

    let shutdown = tokio::spawn(handle.shutdown());
    assert!(idle.read().await.is_none());
    assert!(fresh.read().await.is_none());
    assert!(TcpStream::connect(addr).await.is_err());
    begun.send(format!("Host: {addr}\r\n\r\n")).await;
    let answer = begun.read().await.unwrap();
    assert_eq!((answer.status, answer.json()["status"].as_str()), (503, Some("draining")));
    assert!(!shutdown.is_finished());

    run.release.notify_one();
    assert_eq!(busy.read().await.unwrap().json()["result"], "released");
    assert!(busy.read().await.is_none());
    soon(shutdown).await.unwrap();
}

#[tokio::test]
async fn what_runs_longer_than_its_grace_time_is_cancelled_and_its_caller_told() {
    let handle = serve(Server::new().drain(Duration::from_millis(20))).await;
    let addr = handle.addr();
    let run = Run::of("cancelled");
    let mut busy = Client::connect(addr).await;
    busy.send(call(addr, "hang", r#"{"input":{"id":"cancelled"}}"#, "")).await;
    soon(run.started.notified()).await;
    soon(handle.shutdown()).await;
    soon(run.gone.notified()).await;
    let answer = busy.read().await.unwrap();
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (200, Some("cancelled")));
}

#[tokio::test]
async fn a_connection_that_never_finishes_its_request_does_not_hold_up_a_shutdown() {
    let handle = serve(Server::new().drain(Duration::from_millis(20))).await;
    let addr = handle.addr();
    let mut stuck = Client::connect(addr).await;
    stuck
        .send(format!("POST /test-bot/v1/tools/who HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{"))
        .await;
    assert_eq!(get(addr, "/healthz").await.status, 200);
    soon(handle.shutdown()).await;
    assert!(stuck.read().await.is_none());
}

#[tokio::test]
async fn a_handle_that_is_dropped_ends_its_server() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let mut idle = Client::connect(addr).await;
    assert_eq!(post(addr, "who", "{}").await.status, 200);
    drop(handle);
    assert!(idle.read().await.is_none());
}

/// A signal to this very process. tokio's handler is in place, so that it ends nothing but what waits for it.
#[cfg(unix)]
fn terminate() {
    let pid = std::process::id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_begins_the_shutdown_and_a_second_one_ends_it_at_once() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut seen = signal(SignalKind::terminate()).unwrap();
    // the grace time is longer than the test may take
    let handle = serve(Server::new().drain(2 * HANG)).await;
    let addr = handle.addr();
    let run = Run::of("signalled");
    let mut busy = Client::connect(addr).await;
    busy.send(call(addr, "hang", r#"{"input":{"id":"signalled"}}"#, "")).await;
    soon(run.started.notified()).await;

    let waiting = tokio::spawn(handle.wait());
    // `wait` may not listen yet when the first one comes
    while TcpStream::connect(addr).await.is_ok() {
        terminate();
        seen.recv().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    terminate();
    soon(waiting).await.unwrap();
    soon(run.gone.notified()).await;
}
