//! Calls that reach their tool.

use crate::{
    bot::{BLOCKED, Run, WRITES},
    client::{Client, call, post, raw, serve, soon},
};
use bdk_runtime::Server;
use serde_json::json;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn a_call_is_answered_with_its_outcome() {
    let handle = serve(Server::new()).await;
    let answer = post(handle.addr(), "echo", r#"{"input":{"nonce":"n"}}"#).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let mut json = answer.json();
    let id = json["callId"].take();
    assert!(id.as_str().unwrap().starts_with("tool_echo_"), "{id}");
    assert!(json["durationMs"].take().is_u64());
    let expected = json!({
        "ok": true, "toolName": "echo", "callId": null, "isError": false, "result": { "nonce": "n" },
        "durationMs": null, "attempts": 1, "stubbed": false,
    });
    assert_eq!(json, expected);
}

#[tokio::test]
async fn a_body_may_be_empty_where_the_tool_takes_nothing() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    for request in [
        call(addr, "who", "", ""),
        call(addr, "who", "{}", ""),
        call(addr, "who", r#"{"input":null}"#, ""),
        format!("POST /test-bot/v1/tools/who HTTP/1.1\r\nHost: {addr}\r\n\r\n").into_bytes(),
        format!(
            "POST /test-bot/v1/tools/who HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        .into_bytes(),
    ] {
        let answer = raw(addr, &request).await;
        assert_eq!((answer.status, answer.json()["isError"].as_bool()), (200, Some(false)), "{answer:?}");
    }
}

#[tokio::test]
async fn a_failing_tool_is_no_refused_request() {
    let handle = serve(Server::new()).await;
    let json = post(handle.addr(), "fail", "{}").await.json();
    assert_eq!((json["ok"].as_bool(), json["isError"].as_bool()), (Some(true), Some(true)));
    assert_eq!(json["error"]["code"], "failed");
    let json = post(handle.addr(), "echo", r#"{"input":{}}"#).await.json();
    assert_eq!((json["ok"].as_bool(), json["isError"].as_bool()), (Some(true), Some(true)));
    assert_eq!(json["error"]["code"], "invalid_input");
}

#[tokio::test]
async fn the_same_call_in_process_and_over_http_has_the_same_result_and_error() {
    let handle = serve(Server::new()).await;
    for (tool, input) in [
        ("echo", json!({ "nonce": "ä\"\\ \u{1f980}" })),
        ("echo", json!({ "nonce": 5, "bogus": 1 })),
        ("echo", json!([])),
        ("echo", json!("{\"nonce\":\"n\"}")),
        ("fail", json!({})),
    ] {
        let here = handle.call_tool(tool, input.clone()).await.unwrap();
        let there = post(handle.addr(), tool, json!({ "input": input }).to_string()).await.json();
        assert_eq!(there["result"], here.result, "{tool} {input}");
        assert_eq!(there["error"], serde_json::to_value(&here.error).unwrap(), "{tool} {input}");
        assert_eq!(there["isError"], here.is_error);
    }
    let unknown = handle.call_tool("nope", json!({})).await.unwrap_err();
    assert_eq!(unknown.to_string(), post(handle.addr(), "nope", "{}").await.message());
}

#[tokio::test]
async fn dry_run_and_as_of_hold_for_the_call_that_says_so() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let json = post(addr, "facts", r#"{"dryRun":true,"asOf":"2026-01-01T00:00:00Z"}"#).await.json();
    assert_eq!(json["result"], json!({ "dryRun": true, "asOf": "2026-01-01T00:00:00Z" }));
    assert_eq!(post(addr, "facts", "{}").await.json()["result"], json!({ "dryRun": false, "asOf": null }));

    let before = WRITES.load(Ordering::SeqCst);
    let json = post(addr, "write", r#"{"dryRun":true}"#).await.json();
    assert_eq!((json["stubbed"].as_bool(), json["result"].as_str()), (Some(true), Some("Operation acknowledged.")));
    assert_eq!(WRITES.load(Ordering::SeqCst), before);
    assert_eq!(post(addr, "write", "{}").await.json()["result"], "written");
    assert_eq!(WRITES.load(Ordering::SeqCst), before + 1);
}

#[tokio::test]
async fn a_panicking_tool_is_an_error_without_its_message_and_the_next_call_works() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let mut client = Client::connect(addr).await;
    for _ in 0..2 {
        client.send(call(addr, "boom", "{}", "")).await;
        let answer = client.read().await.unwrap();
        assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (200, Some("panicked")));
        assert!(!answer.body.contains("hunter2"), "{answer:?}");
        client.send(call(addr, "echo", r#"{"input":{"nonce":"n"}}"#, "")).await;
        assert_eq!(client.read().await.unwrap().json()["result"]["nonce"], "n");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_tools_do_not_hold_up_another_tool() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let blocked: Vec<_> = (0..4).map(|_| tokio::spawn(post(addr, "block", "{}"))).collect();
    let wait = tokio::task::spawn_blocking(|| {
        let state = BLOCKED.0.lock().unwrap();
        drop(BLOCKED.1.wait_while(state, |s| s.0 < 4).unwrap());
    });
    wait.await.unwrap();
    assert_eq!(post(addr, "echo", r#"{"input":{"nonce":"n"}}"#).await.json()["result"]["nonce"], "n");
    assert!(blocked.iter().all(|call| !call.is_finished()));
    BLOCKED.0.lock().unwrap().1 = true;
    BLOCKED.1.notify_all();
    for call in blocked {
        assert_eq!(call.await.unwrap().json()["isError"], false);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_at_once_each_get_their_own_answer() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let callers = (0..64).map(|caller| {
        tokio::spawn(async move {
            let mut client = Client::connect(addr).await;
            for n in 0..20 {
                let (nonce, tool) = (format!("{caller}-{n}"), if n % 2 == 0 { "echo" } else { "yielding_echo" });
                client.send(call(addr, tool, json!({ "input": { "nonce": nonce } }).to_string(), "")).await;
                assert_eq!(client.read().await.unwrap().json()["result"]["nonce"], nonce);
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
}

#[tokio::test]
async fn pipelined_calls_are_answered_in_their_order() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let mut client = Client::connect(addr).await;
    let all: Vec<u8> =
        (0..5).flat_map(|n| call(addr, "yielding_echo", format!(r#"{{"input":{{"nonce":"{n}"}}}}"#), "")).collect();
    client.send(all).await;
    for n in 0..5 {
        assert_eq!(client.read().await.unwrap().json()["result"]["nonce"], n.to_string());
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_its_call() {
    let handle = serve(Server::new()).await;
    let run = Run::of("goes away");
    let mut client = Client::connect(handle.addr()).await;
    client.send(call(handle.addr(), "hang", r#"{"input":{"id":"goes away"}}"#, "")).await;
    soon(run.started.notified()).await;
    drop(client);
    soon(run.gone.notified()).await;
}

#[tokio::test]
async fn a_body_in_many_pieces_is_read_whole() {
    let handle = serve(Server::new()).await;
    let addr = handle.addr();
    let mut client = Client::connect(addr).await;
    client
        .send(format!(
            "POST /test-bot/v1/tools/echo HTTP/1.1\r\nHost: {addr}\r\nContent-Type: application/json; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
        ))
        .await;
    for byte in br#"{"input":{"nonce":"piecewise"}}"# {
        client.send([b"1\r\n", &[*byte][..], b"\r\n"].concat()).await;
        tokio::task::yield_now().await;
    }
    client.send("0\r\n\r\n").await;
    assert_eq!(client.read().await.unwrap().json()["result"]["nonce"], "piecewise");
}
