//! Servers that ask and ask.

use super::{
    fault::{Fault, Reply},
    *,
};
use crate::connection::failed::Kind;

const SERVER: &str = r#"
import json, sys
def send(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
number = 0
def ping():
    global number
    number += 1
    send(id="p%d" % number, method="ping")
    # some take back what they asked
    if number % 3 == 0: send(method="notifications/cancelled", params={"requestId": "p%d" % number})
for line in sys.stdin:
    asked = json.loads(line)
    method, id = asked.get("method"), asked.get("id")
    if method == "initialize":
        send(id=id, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}})
    elif method == "ping": send(id=id, result={})
    elif method == "tools/call":
        if asked["params"]["name"] == "flood":
            while True: ping()
        for n in range(1000): ping()
        answers = 0
        while answers < 1000: answers += "result" in json.loads(sys.stdin.readline())
        send(id=id, result={"content": []})
"#;

#[tokio::test]
async fn one_that_asks_and_reads_no_answer_is_given_up() {
    let limits = Limits { ping: Duration::from_millis(400), ..Limits::default() };
    let connections = with(Connection::stdio("python3").args(["-c", SERVER]), limits);
    let begun = Instant::now();
    let failed = call(&connections, "flood", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Lost && failed.words.contains("took in none of the answers for 400ms"), "{failed:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    call(&connections, "burst", json!({})).await.unwrap();
}

#[tokio::test]
async fn one_that_tells_without_end_holds_up_nobody_and_piles_up_nothing() {
    let script = r#"
import json, sys
def send(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method, id = asked.get("method"), asked.get("id")
    if method == "initialize":
        send(id=id, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}})
    elif method == "tools/call":
        send(id=id, result={"content": []})
        told = "".join('{"jsonrpc":"2.0","method":"notifications/%s","params":{}}\n' % name for name in ["tools/list_changed", "message"] * 100)
        while True: sys.stdout.write(told)
"#;
    let (sound, _) = Fault::serve(|_, _| None).await;
    let all = [
        declared("it", Connection::stdio("python3").args(["-c", script])),
        declared("other", Connection::http(&sound)),
    ];
    let connections = Connections::new(&all, Arc::default(), None);
    call(&connections, "x", json!({})).await.unwrap();
    let (tasks, begun) = (tokio::runtime::Handle::current().metrics(), Instant::now());
    let input = to_raw_value(&json!({})).unwrap();
    while begun.elapsed() < Duration::from_secs(2) {
        connections.call("other", "echo", &input, &CallInfo::default()).await.unwrap();
        assert!(tasks.num_alive_tasks() < 200, "{} tasks", tasks.num_alive_tasks());
    }
    // and it goes when it is to
    tokio::time::timeout(Duration::from_secs(20), connections.close()).await.unwrap();
}

#[tokio::test]
async fn one_that_asks_much_and_reads_the_answers_is_answered() {
    let connections = only(Connection::stdio("python3").args(["-c", SERVER]));
    for _ in 0..3 {
        call(&connections, "burst", json!({})).await.unwrap();
    }
}

/// The stream of a call, with pings before its answer.
fn pinging(id: &Value, pings: usize) -> Reply {
    let message = |message: Value| format!("data: {message}\n\n");
    let ping = |n| message(json!({ "jsonrpc": "2.0", "id": format!("p{n}"), "method": "ping" }));
    let answer = message(json!({ "jsonrpc": "2.0", "id": id, "result": text("done") }));
    Reply::Stream((0..pings).map(ping).collect::<String>() + &answer)
}

#[tokio::test]
async fn one_over_http_that_takes_no_answers_is_given_up_and_one_that_does_is_answered() {
    for takes in [true, false] {
        let (url, server) = Fault::serve(move |asked, _| match asked.method() {
            "tools/call" => Some(pinging(&asked.body["id"], 300)),
            "" if !takes && asked.body["result"].is_object() => Some(Reply::Never),
            _ => None,
        })
        .await;
        let limits = Limits { ping: Duration::from_millis(400), ..Limits::default() };
        let called = call(&with(Connection::http(&url), limits), "echo", json!({})).await;
        if takes {
            called.unwrap();
        } else {
            let failed = called.unwrap_err();
            assert!(failed.words.contains("took in none of the answers for 400ms"), "{failed:?}");
        }
        assert!(!server.asked("").is_empty());
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_the_answer_is_asked_for_again_only_so_often() {
    let empty = |asked: &super::fault::Asked| {
        let resumed = asked.header("last-event-id").is_some();
        (asked.method() == "tools/call" || resumed).then(|| Reply::Stream("id: 7\nretry: 1\ndata: \n\n".to_owned()))
    };
    let (url, server) = Fault::serve(move |asked, _| empty(asked)).await;
    let limits = Limits { resumptions: 3, ..Limits::default() };
    let failed = call(&with(Connection::http(&url), limits), "echo", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Lost && failed.words.contains("3 streams that went on from there"), "{failed:?}");
    assert_eq!(server.asked("").iter().filter(|asked| asked.header("last-event-id").is_some()).count(), 3);
    // and one that has it in the end gives it
    let (url, _) = Fault::serve(move |asked, before| {
        let answer = json!({ "jsonrpc": "2.0", "id": 2, "result": text("late") });
        let resumed = asked.header("last-event-id").is_some();
        (resumed && before > 4).then(|| Reply::Stream(format!("data: {answer}\n\n"))).or_else(|| empty(asked))
    })
    .await;
    assert_eq!(said(&at(&url), "echo", json!({})).await.unwrap(), "late");
}

#[tokio::test]
async fn a_request_that_is_only_taken_note_of_is_an_error_at_once() {
    for (method, status) in [("tools/call", 202), ("tools/call", 204), ("tools/list", 202), ("initialize", 202)] {
        let (url, _) =
            Fault::serve(move |asked, _| (asked.method() == method).then(|| Reply::Status(status, &[], String::new())))
                .await;
        let connections = at(&url);
        let failed = match method {
            "tools/call" => call(&connections, "echo", json!({})).await.map(drop),
            _ => connections.list("it").await.map(drop),
        };
        let failed = failed.unwrap_err();
        assert!(
            failed.words.contains(&format!("it answers {status}")) && failed.words.contains("no result"),
            "{failed:?}"
        );
        assert!(failed.kind == Kind::Unreadable || method == "initialize", "{failed:?}");
    }
    // a server that takes note of everything is asked the older way
    let (url, _) =
        Fault::serve(|asked, _| (asked.method() == "server/discover").then(|| Reply::Status(202, &[], String::new())))
            .await;
    call(&at(&url), "echo", json!({})).await.unwrap();
}
