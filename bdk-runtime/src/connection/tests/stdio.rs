//! Servers that are processes.

use super::*;
use crate::connection::{failed::Kind, spec::StdioConnection};

/// A server of MCP in a page of Python: what it does is the tool's name.
pub(super) const SERVER: &str = r#"
import json, os, subprocess, sys
heard = None
def send(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
print("up and running", file=sys.stderr, flush=True)
print("this is no message", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method, params, id = asked["method"], asked.get("params", {}), asked.get("id")
    if method == "initialize":
        send(id=id, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}})
    elif method == "ping":
        send(id=id, result={})
    elif method == "tools/list":
        send(id=id, result={"tools": [{"name": "pid", "inputSchema": {"type": "object"}}]})
    elif method == "notifications/cancelled":
        heard = params["requestId"]
    elif method == "tools/call":
        name, input = params["name"], params["arguments"]
        text = None
        if name == "pid": text = str(os.getpid())
        if name == "env": text = json.dumps(dict(os.environ))
        if name == "cwd": text = os.getcwd()
        if name == "heard": text = str(heard)
        if name == "child": text = str(subprocess.Popen(["sleep", "600"]).pid)
        if name == "orphan":
            # a process that left the group keeps the pipes
            left = subprocess.Popen(["sleep", "600"], start_new_session=True)
            if input.get("answers"): send(id=id, result={"content": [{"type": "text", "text": str(left.pid)}]})
            sys.stderr.write("it left %d " % left.pid)
            sys.stderr.flush()
            os._exit(3)
        if name == "long": text = "x" * input["n"]
        if name == "die":
            print("it is all over", file=sys.stderr, flush=True)
            sys.exit(input.get("code", 3))
        if name == "exit_after":
            send(id=id, result={"content": []})
            sys.exit(input["code"])
        if text is not None: send(id=id, result={"content": [{"type": "text", "text": text}]})
"#;

pub(super) fn python() -> Connection<StdioConnection> {
    Connection::stdio("python3").args(["-c", SERVER])
}

#[tokio::test]
async fn a_program_is_started_when_it_is_needed_and_kept() {
    let connections = only(python());
    assert_eq!(names(&connections).await, ["pid"]);
    let first = said(&connections, "pid", json!({})).await.unwrap();
    assert_eq!(said(&connections, "pid", json!({})).await.unwrap(), first);
    let calls = (0..50).map(|n| said(&connections, "long", json!({ "n": n * 1_000 })));
    for (n, text) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
        assert_eq!(text.unwrap().as_str().unwrap().len(), n * 1_000);
    }
    connections.close().await;
}

#[tokio::test]
async fn one_that_speaks_the_newest_version_alone_is_spoken_to_in_that() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let server = format!(
        r#"
import json, os, sys
def send(**message): print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
open({starts:?}, "a").write("x")
for line in sys.stdin:
    asked = json.loads(line)
    method, params, id = asked["method"], asked.get("params", {{}}), asked.get("id")
    if method == "server/discover":
        send(id=id, result={{"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {{"tools": {{}}}},
            "serverInfo": {{"name": "py", "version": "1"}}, "ttlMs": 0, "cacheScope": "private"}})
    elif method == "tools/call":
        version = params["_meta"]["io.modelcontextprotocol/protocolVersion"]
        if params["name"] == "die": os._exit(3)
        send(id=id, result={{"resultType": "complete", "content": [{{"type": "text", "text": version}}]}})
    elif id is not None:
        send(id=id, error={{"code": -32022, "message": "unsupported", "data": {{"supported": ["2026-07-28"]}}}})
"#
    );
    let connections = only(Connection::stdio("python3").args(["-c", &server]));
    assert_eq!(said(&connections, "say", json!({})).await.unwrap(), "2026-07-28");
    call(&connections, "die", json!({})).await.unwrap_err();
    assert_eq!(said(&connections, "say", json!({})).await.unwrap(), "2026-07-28");
    // what it speaks is asked once
    assert_eq!(std::fs::read_to_string(&starts).unwrap(), "xxx");
    let refuses = "import json\nprint(json.dumps({'jsonrpc': '2.0', 'id': json.loads(input())['id'], 'error': {'code': -32601, 'message': 'who are you'}}))";
    let failed = call(&only(Connection::stdio("python3").args(["-c", refuses])), "say", json!({})).await.unwrap_err();
    assert!(
        failed.kind == Kind::Open
            && failed
                .words
                .contains("refuses the handshake: who are you (-32601); asked in another version of MCP, it"),
        "{failed:?}"
    );
}

#[tokio::test]
async fn one_that_exits_between_calls_is_started_again_at_the_next() {
    let connections = only(python());
    for code in [0, 1] {
        let first = said(&connections, "pid", json!({})).await.unwrap();
        call(&connections, "exit_after", json!({ "code": code })).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_ne!(said(&connections, "pid", json!({})).await.unwrap(), first);
    }
    // its listing is one of the new process
    assert_eq!(names(&connections).await, ["pid"]);
}

#[tokio::test]
async fn one_that_dies_in_a_call_leaves_open_whether_it_was_done_and_its_last_words_are_told() {
    let connections = only(python());
    let failed = call(&connections, "die", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Lost && !failed.never_ran(), "{failed:?}");
    assert!(failed.words.contains("exit code 3") && failed.words.contains("it is all over"), "{failed}");
    said(&connections, "pid", json!({})).await.unwrap();
}

#[tokio::test]
async fn one_that_dies_at_its_start_is_told_with_its_last_words_and_soon_left_alone() {
    let script = "echo no config: 6f1c-secret-of-mine >&2; exit 7";
    let connection = || Connection::stdio("sh").args(["-c", script]).env("KEY", "${BDK_TEST_NO_SUCH_KEY}");
    crate::secrets::remember("6f1c-secret-of-mine");
    let connections = only(connection());
    for _ in 0..5 {
        let failed = connections.list("it").await.unwrap_err();
        assert!(failed.kind == Kind::Open && failed.never_ran(), "{failed:?}");
        assert!(failed.words.contains("exit code 7") && failed.words.contains("no config: [redacted]"), "{failed}");
    }
    let failed = call(&connections, "pid", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Paused && failed.words.contains("exit code 7"), "{failed}");
}

#[tokio::test]
async fn one_that_crashes_again_and_again_is_left_alone() {
    // one that ends in the middle of a call has crashed, in however good order
    for code in [3, 0] {
        let connections = only(python());
        for _ in 0..5 {
            call(&connections, "die", json!({ "code": code })).await.unwrap_err();
        }
        let failed = call(&connections, "pid", json!({})).await.unwrap_err();
        assert!(failed.kind == Kind::Paused && failed.words.contains("it is all over"), "{failed}");
    }
}

#[tokio::test]
async fn one_that_says_nothing_is_ended_and_a_call_without_an_answer_is_taken_back() {
    let limits = Limits { open: Duration::from_millis(300), ..Limits::default() };
    let connections = with(Connection::stdio("sh").args(["-c", "echo waiting >&2; exec sleep 600"]), limits);
    let failed = connections.list("it").await.unwrap_err();
    assert!(
        failed.kind == Kind::Open && failed.words.contains("300ms") && failed.words.contains("waiting"),
        "{failed}"
    );
    let connections = only(python());
    said(&connections, "pid", json!({})).await.unwrap();
    let begun = Instant::now();
    let info = CallInfo { deadline: Some(Instant::now() + Duration::from_millis(100)), ..CallInfo::default() };
    let failed = connections.call("it", "silence", &to_raw_value(&json!({})).unwrap(), &info).await.unwrap_err();
    assert_eq!(failed.kind, Kind::TimedOut { sent: true });
    // the number of the request that nobody waits for
    while said(&connections, "heard", json!({})).await.unwrap() == "None" {
        assert!(begun.elapsed() < Duration::from_secs(20), "it was not told");
    }
}

#[tokio::test]
async fn a_line_without_an_end_is_an_error_and_the_program_started_anew() {
    let limits = Limits { message: 1 << 20, ..Limits::default() };
    let connections = with(python(), limits);
    assert_eq!(said(&connections, "long", json!({ "n": 900_000 })).await.unwrap().as_str().unwrap().len(), 900_000);
    let failed = call(&connections, "long", json!({ "n": 4 << 20 })).await.unwrap_err();
    assert!(failed.kind == Kind::Unreadable && failed.words.contains("more than 1 MiB"), "{failed:?}");
    said(&connections, "pid", json!({})).await.unwrap();
}

#[tokio::test]
async fn it_gets_what_was_declared_for_it_and_little_else() {
    let folder = tempfile::tempdir().unwrap();
    let connections = only(python().env("GREETING", "hello $${X} ${BDK_TEST_NO_SUCH_NAME}").cwd(folder.path()));
    let env: Value =
        serde_json::from_str(said(&connections, "env", json!({})).await.unwrap().as_str().unwrap()).unwrap();
    assert_eq!(env["GREETING"], "hello ${X} ");
    assert!(env["PATH"].is_string() && env.get("CARGO_MANIFEST_DIR").is_none(), "{env}");
    assert_eq!(
        said(&connections, "cwd", json!({})).await.unwrap(),
        folder.path().canonicalize().unwrap().to_str().unwrap()
    );
    let connections = only(python().inherit_env());
    assert!(said(&connections, "env", json!({})).await.unwrap().as_str().unwrap().contains("CARGO_MANIFEST_DIR"));
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("plain"), "#!/bin/sh\n").unwrap();
    let script = path("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    std::os::unix::fs::symlink("/bin/true", path("true")).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (connection, words) in [
        (Connection::stdio("no-such-program-here"), "is not found: install it"),
        (Connection::stdio(path("missing")), "is not there"),
        (Connection::stdio(path("plain")), "chmod +x"),
        (Connection::stdio(folder.path().to_str().unwrap()), "cannot be executed"),
        (Connection::stdio(script), "its first line"),
        (Connection::stdio(path("true")).cwd(path("nowhere")), "which is no folder"),
    ] {
        let failed = only(connection).list("it").await.unwrap_err();
        assert!(failed.kind == Kind::Open && !failed.transient, "{failed:?}");
        assert!(failed.words.starts_with("connection `it`: ") && failed.words.contains(words), "{words}: {failed}");
    }
}
