//! What a bot keeps for its tools, called as its users call it: values, files, artifacts.

use bdk_tests::{Server, run};
use serde_json::{Value, json};

const KEEPER: &str = env!("CARGO_BIN_EXE_keeper");

fn keeper() -> Server {
    Server::start(KEEPER, &[])
}

#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
fn result(server: &Server, tool: &str, input: Value) -> Value {
    let (status, answer) = server.call(tool, &json!({ "input": input }));
    assert_eq!((status, &answer["isError"]), (200, &json!(false)), "{answer}");
    answer["result"].clone()
}

#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
fn fault(server: &Server, tool: &str, input: Value) -> String {
    let (_, answer) = server.call(tool, &json!({ "input": input }));
    assert_eq!(answer["error"]["code"], "failed", "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn calls_that_count_at_once_lose_nothing() {
    let server = keeper();
    std::thread::scope(|scope| {
        for tool in ["count", "count_blocking"] {
            for _ in 0..32 {
                let server = &server;
                scope.spawn(move || result(server, tool, json!({ "key": "visits" })));
            }
        }
    });
    assert_eq!(result(&server, "count", json!({ "key": "visits" })), 65);
    assert_eq!(result(&server, "count", json!({ "key": "others" })), 1);
}

#[test]
fn values_outlive_their_calls_and_one_that_is_of_another_type_is_told() {
    let server = keeper();
    for (name, nights) in [("Bob", 2), ("Ada", 1)] {
        assert_eq!(result(&server, "book", json!({ "guest": { "name": name, "nights": nights } })), "booked");
    }
    assert_eq!(
        result(&server, "guests", json!({})),
        json!([{ "name": "Ada", "nights": 1 }, { "name": "Bob", "nights": 2 }])
    );
    let told = fault(&server, "misread", json!({ "key": "guests/Ada" }));
    assert!(told.contains("the value of the key \"guests/Ada\" is no `u64`: expected"), "{told}");
    let told = fault(&server, "misread", json!({ "key": "" }));
    assert!(told.contains("is no key: it is empty; a key has 1 to 512 bytes"), "{told}");
}

#[test]
fn a_dry_run_stubs_writes_and_lets_reads_keep_a_cache() {
    let server = keeper();
    let dry = |tool: &str, input: Value| server.call(tool, &json!({ "input": input, "dryRun": true })).1;
    let answer = dry("book", json!({ "guest": { "name": "Ada", "nights": 1 } }));
    assert_eq!((&answer["result"], &answer["stubbed"]), (&json!("not booked"), &json!(true)));
    assert_eq!(result(&server, "guests", json!({})), json!([]));
    assert_eq!(dry("cached", json!({}))["result"], "worked out");
    assert_eq!(dry("cached", json!({}))["result"], "from the cache");
}

#[test]
fn files_are_names_and_no_path_of_the_file_system() {
    let server = keeper();
    for path in ["notes/today.txt", "notes/…", "..notes"] {
        result(&server, "write", json!({ "path": path, "text": path }));
        assert_eq!(result(&server, "read", json!({ "path": path })), path);
    }
    assert_eq!(result(&server, "files", json!({ "prefix": "notes/" })), json!(["notes/today.txt", "notes/…"]));
    assert_eq!(result(&server, "read", json!({ "path": "etc/passwd" })), Value::Null);
    let outside = std::env::temp_dir().join(format!("bdk-keeper-{}", std::process::id()));
    let absolute = outside.display().to_string();
    let up = format!("{}{}", "../".repeat(40), absolute.trim_start_matches('/'));
    for path in
        [&*absolute, &*up, "..", "a/../../b", "/etc/passwd", "a//b", "a/", "./a", "a\\b", "C:\\a", "a\0b", "a\nb", ""]
    {
        for tool in ["write", "read", "remove"] {
            let input = json!({ "path": path, "text": "x" });
            let input = if tool == "write" { input } else { json!({ "path": path }) };
            let told = fault(&server, tool, input);
            assert!(told.contains("is no path of a file") && told.contains("relative"), "{told}");
        }
    }
    assert!(!outside.exists());
    assert_eq!(result(&server, "remove", json!({ "path": "..notes" })), true);
    assert_eq!(result(&server, "remove", json!({ "path": "..notes" })), false);
}

#[test]
fn an_artifact_s_link_leads_to_its_bytes() {
    let server = keeper();
    let output = result(&server, "export", json!({}));
    let link = &output["content"][1];
    assert_eq!((&link["type"], &link["name"]), (&json!("resource_link"), &json!("guests.csv")));
    let url = link["uri"].as_str().expect("a link");
    let path = url.strip_prefix(&server.url).unwrap_or_else(|| panic!("{url} is not under {}", server.url));
    let answer = server.get(path);
    assert_eq!((answer.status, &*answer.body), (200, "name,nights\n"));
    assert!(answer.head.contains("filename*=UTF-8''guests.csv"), "{answer:?}");
}

#[test]
fn an_artifact_of_a_session_goes_with_it() {
    let server = keeper();
    let opened = server.post(&format!("{}/session", server.prefix), b"{}").json();
    let session = opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}"));
    let (_, answer) = server.call("export_bytes", &json!({ "input": { "bytes": 3 }, "sessionId": session }));
    let content = format!("{}/artifacts/{}/content", server.prefix, answer["result"]["id"].as_str().expect("an id"));
    assert_eq!(server.get(&content).body, "xxx");
    let head = format!("DELETE {}/session/{session} HTTP/1.1\r\nHost: {}\r\n", server.prefix, server.addr);
    assert_eq!(server.raw(format!("{head}Connection: close\r\n\r\n").as_bytes()).status, 200);
    let gone = server.get(&content);
    assert_eq!((gone.status, &gone.json()["error"]), (404, &json!("unknown_route")), "{gone:?}");
}

#[test]
fn an_artifact_has_32_mebibytes_at_most_and_so_many_are_served() {
    let server = keeper();
    let most = 32 * 1024 * 1024;
    let artifact = result(&server, "export_bytes", json!({ "bytes": most }));
    let path = format!("{}/artifacts/{}/content", server.prefix, artifact["id"].as_str().expect("an id"));
    assert_eq!(server.get(&path).body.len(), most);
    let told = fault(&server, "export_bytes", json!({ "bytes": most + 1 }));
    assert!(told.contains("\"bytes.bin\"") && told.contains("33554433") && told.contains("33554432"), "{told}");
}

#[test]
fn a_command_keeps_what_it_needs_for_as_long_as_it_runs() {
    let count = || run(KEEPER, &["call", "count", "--input", r#"{"key":"visits"}"#]);
    assert_eq!(count().json()["result"], 1);
    assert_eq!(count().json()["result"], 1, "nothing was left behind");
    let output = run(KEEPER, &["call", "export"]).json()["result"].clone();
    let uri = output["content"][1]["uri"].as_str().expect("a link").to_owned();
    assert!(uri.starts_with("/bdk-tests/v1/artifacts/art_"), "{uri}");
}
