//! Processes that hang, and those that only seem to.

use super::{
    fault::{Fault, Reply, discovery},
    *,
};
use crate::connection::{failed::Kind, spec::StdioConnection};
use std::sync::atomic::{AtomicBool, Ordering};

/// It does what it is told on one thread, or on others, and may stop reading.
const SERVER: &str = r#"
import json, os, sys, threading, time
seen = []
def send(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def said(id, text): send(id=id, result={"content": [{"type": "text", "text": text}]})
def later(id, ms):
    time.sleep(ms / 1000)
    said(id, "slow")
for line in sys.stdin:
    asked = json.loads(line)
    method, params, id = asked["method"], asked.get("params", {}), asked.get("id")
    if method == "initialize":
        send(id=id, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}})
    elif method == "ping": send(id=id, result={})
    elif method == "tools/call":
        name, input = params["name"], params["arguments"]
        seen.append(name)
        if name == "pid": said(id, str(os.getpid()))
        if name == "seen": said(id, json.dumps(seen))
        if name == "sleep": time.sleep(input["ms"] / 1000)
        if name == "calculate": later(id, input["ms"])
        if name == "thread": threading.Thread(target=later, args=(id, input["ms"])).start()
"#;

fn server() -> Connection<StdioConnection> {
    Connection::stdio("python3").args(["-c", SERVER])
}
fn impatient() -> Limits {
    Limits { ping: Duration::from_millis(400), ..Limits::default() }
}
async fn within(connections: &Connections, ms: u64, tool: &str, input: Value) -> Result<Called, Failed> {
    let info = CallInfo { deadline: Some(Instant::now() + Duration::from_millis(ms)), ..CallInfo::default() };
    connections.call("it", tool, &to_raw_value(&input).unwrap(), &info).await
}
async fn pid(connections: &Connections) -> Value {
    said(connections, "pid", json!({})).await.unwrap()
}
fn is_alive(pid: &Value) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_str().unwrap()));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn one_that_hangs_is_started_anew_at_the_call_after_the_one_that_timed_out() {
    let connections = with(server(), impatient());
    let first = pid(&connections).await;
    let failed = within(&connections, 200, "sleep", json!({ "ms": 600_000 })).await.unwrap_err();
    // whoever calls it by code is not run again for that
    assert!(failed.kind == Kind::TimedOut { sent: true } && !failed.transient, "{failed:?}");
    assert_ne!(pid(&connections).await, first);
    until("the first is gone", || !is_alive(&first)).await;
}

#[tokio::test]
async fn a_server_over_http_that_hangs_is_opened_anew_and_one_that_only_knows_no_ping_is_not() {
    for hangs in [true, false] {
        let (url, server) = Fault::serve(move |asked, _| match asked.method() {
            "ping" if hangs => Some(Reply::Never),
            "ping" => Some(asked.error(-32601, "no such method")),
            "tools/call" if asked.body["params"]["name"] == "hang" => Some(Reply::Never),
            _ => None,
        })
        .await;
        let connections = with(Connection::http(&url), impatient());
        within(&connections, 200, "hang", json!({})).await.unwrap_err();
        call(&connections, "echo", json!({})).await.unwrap();
        call(&connections, "echo", json!({})).await.unwrap();
        assert_eq!((server.asked("ping").len(), server.asked("initialize").len()), (1, 1 + usize::from(hangs)));
    }
}

#[tokio::test]
async fn a_session_that_is_gone_when_a_sign_of_life_is_asked_for_is_had_anew() {
    let (url, server) = Fault::serve(move |asked, _| match asked.method() {
        "tools/call" if asked.body["params"]["name"] == "hang" => Some(Reply::Never),
        "ping" | "tools/call" if asked.header("mcp-session-id") == Some("session-0") => {
            Some(Reply::Status(404, &[], "session not found".to_owned()))
        }
        _ => None,
    })
    .await;
    let connections = with(Connection::http(&url), impatient());
    within(&connections, 200, "hang", json!({})).await.unwrap_err();
    call(&connections, "echo", json!({})).await.unwrap();
    assert_eq!((server.asked("ping").len(), server.asked("initialize").len()), (1, 2));
}

#[tokio::test]
async fn at_the_end_those_that_were_given_up_are_gone_too() {
    let connections = Arc::new(with(server(), impatient()));
    let first = pid(&connections).await;
    let slow = tokio::spawn({
        let connections = connections.clone();
        async move { call(&connections, "calculate", json!({ "ms": 600_000 })).await.map(drop) }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    within(&connections, 100, "pid", json!({})).await.unwrap_err();
    let second = pid(&connections).await;
    assert!(is_alive(&first) && is_alive(&second));
    connections.close().await;
    assert!(!is_alive(&first) && !is_alive(&second));
    slow.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn one_that_answers_pings_is_kept_whatever_times_out() {
    let connections = only(server());
    let first = pid(&connections).await;
    let slow = said(&connections, "thread", json!({ "ms": 1_500 }));
    let others = async {
        for _ in 0..2 {
            within(&connections, 100, "nothing", json!({})).await.unwrap_err();
            assert_eq!(pid(&connections).await, first);
        }
    };
    let (slow, ()) = tokio::join!(slow, others);
    assert_eq!(slow.unwrap(), "slow");
    assert_eq!(pid(&connections).await, first);
}

#[tokio::test]
async fn a_call_that_is_calculated_on_the_one_thread_there_is_keeps_its_process_until_it_is_done() {
    let connections = with(server(), impatient());
    let first = pid(&connections).await;
    let slow = said(&connections, "calculate", json!({ "ms": 4_000 }));
    let others = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        within(&connections, 100, "pid", json!({})).await.unwrap_err();
        // no sign of life from there: another one takes the calls from now on
        let second = pid(&connections).await;
        assert!(second != first && is_alive(&first));
        second
    };
    let (slow, second) = tokio::join!(slow, others);
    assert_eq!(slow.unwrap(), "slow");
    assert_eq!(pid(&connections).await, second);
    until("the first is gone", || !is_alive(&first)).await;
}

#[tokio::test]
async fn one_that_hangs_each_time_is_left_alone_and_the_cause_is_told() {
    let (url, _) =
        Fault::serve(|asked, _| matches!(asked.method(), "tools/call" | "ping").then_some(Reply::Never)).await;
    let limits = Limits { ping: Duration::from_millis(100), failures: 2, ..Limits::default() };
    let connections = with(Connection::http(&url), limits);
    let mut last = None;
    for _ in 0..3 {
        last = within(&connections, 1_000, "hang", json!({})).await.err();
    }
    let failed = last.unwrap();
    assert!(failed.kind == Kind::Paused && failed.words.contains("gave no sign of life for 100ms"), "{failed}");
}

#[tokio::test]
async fn one_without_sessions_that_hangs_is_asked_whether_it_is_there_and_left_alone_when_it_is_not() {
    let hangs = Arc::new(AtomicBool::new(false));
    let (url, server) = Fault::serve({
        let hangs = hangs.clone();
        move |asked, _| match asked.method() {
            _ if hangs.load(Ordering::SeqCst) => Some(Reply::Never),
            "tools/call" if asked.body["params"]["name"] == "hang" => Some(Reply::Never),
            "server/discover" => Some(asked.result(discovery(&json!(["2026-07-28"])))),
            "initialize" => Some(asked.error(-32601, "no such method")),
            _ => None,
        }
    })
    .await;
    let limits = Limits { ping: Duration::from_millis(400), failures: 3, ..Limits::default() };
    let connections = with(Connection::http(&url), limits);
    // the tool is slow, the server is not
    within(&connections, 200, "hang", json!({})).await.unwrap_err();
    assert_eq!(said(&connections, "echo", json!({})).await.unwrap(), "done");
    assert_eq!(server.asked("server/discover").len(), 2);
    let calls = server.asked("tools/call").len();
    hangs.store(true, Ordering::SeqCst);
    within(&connections, 200, "echo", json!({})).await.unwrap_err();
    let failed = within(&connections, 300, "echo", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::TimedOut { sent: false } && failed.words.contains("no sign of life"), "{failed:?}");
    let failed = call(&connections, "echo", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Paused && failed.words.contains("no sign of life for 400ms"), "{failed:?}");
    assert_eq!(server.asked("tools/call").len(), calls + 1);
    assert_eq!(server.asked("initialize").len(), 0);
}

#[tokio::test]
async fn one_that_takes_nothing_in_ends_calls_at_their_deadline_and_is_started_anew() {
    // more than a pipe holds
    let big = || json!({ "x": "x".repeat(900_000) });
    let connections = with(server(), impatient());
    let first = pid(&connections).await;
    let hangs = within(&connections, 1_000, "sleep", json!({ "ms": 600_000 }));
    let others = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let stuck = within(&connections, 500, "big", big()).await.unwrap_err();
        assert_eq!(stuck.kind, Kind::TimedOut { sent: true });
        assert_ne!(pid(&connections).await, first);
    };
    let (hung, ()) = tokio::join!(hangs, others);
    assert_eq!(hung.unwrap_err().kind, Kind::TimedOut { sent: true });
    until("the first is gone", || !is_alive(&first)).await;
}

#[tokio::test]
async fn what_is_stuck_halfway_is_finished_and_what_was_behind_it_is_never_sent_once_its_time_is_over() {
    let big = || json!({ "x": "x".repeat(900_000) });
    let connections = with(server(), Limits { ping: Duration::from_secs(60), ..Limits::default() });
    let first = pid(&connections).await;
    let sleep = within(&connections, 3_000, "sleep", json!({ "ms": 2_500 }));
    let others = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let stuck = within(&connections, 1_500, "big", big());
        let behind = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let failed = within(&connections, 300, "behind", json!({})).await.unwrap_err();
            assert!(failed.kind == Kind::TimedOut { sent: false } && failed.never_ran(), "{failed:?}");
            assert!(failed.words.contains("takes nothing in"), "{failed}");
            let failed = within(&connections, 300, "later", json!({})).await.unwrap_err();
            assert!(failed.never_ran() && failed.words.contains("takes nothing in"), "{failed}");
        };
        let (stuck, ()) = tokio::join!(stuck, behind);
        assert_eq!(stuck.unwrap_err().kind, Kind::TimedOut { sent: true });
    };
    let (_, ()) = tokio::join!(sleep, others);
    // the message that was stuck is whole, and what was not sent in time never is
    let seen = said(&connections, "seen", json!({})).await.unwrap();
    assert_eq!(seen, r#"["pid", "sleep", "big", "seen"]"#);
    assert_eq!(pid(&connections).await, first);
}
