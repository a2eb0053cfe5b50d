//! Sessions on the command line: opened, called in, listed, told, replayed and deleted, in a folder of this process and at a
//! running bot.

use bdk_tests::{Ran, Server, run_with, scout};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const BOT: &str = env!("CARGO_BIN_EXE_drifting");

/// A bot's folder, and what is run in it.
struct Place {
    folder: TempDir,
    exe: String,
    env: Vec<(&'static str, String)>,
}

impl Place {
    #[track_caller]
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = folder.path().join("ledger").to_string_lossy().into_owned();
        Self { folder, exe: BOT.to_owned(), env: vec![("LEDGER", ledger)] }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    #[track_caller]
    fn run(&self, args: &[&str]) -> Ran {
        self.drifted("", args)
    }
    /// The bot of a later version.
    #[track_caller]
    fn drifted(&self, drift: &str, args: &[&str]) -> Ran {
        run_with(&self.exe, args, b"", |command| {
            command.current_dir(self.folder.path()).env("DRIFT", drift).envs(self.env.iter().map(|(k, v)| (k, v)));
        })
    }
    #[track_caller]
    fn fine(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        ran
    }
    /// Opens a session, and gives its id.
    #[track_caller]
    fn open(&self, args: &[&str]) -> String {
        let opened = self.fine(&[&["sessions", "open"], args].concat()).json();
        opened["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
    }
    #[track_caller]
    fn call(&self, session: &str, tool: &str, input: &Value) -> Value {
        self.run(&["call", tool, "--input", &input.to_string(), "--session", session]).json()
    }
    fn ledger(&self) -> String {
        fs::read_to_string(self.path("ledger")).unwrap_or_default()
    }
}

/// Every line of a replay that begins with a verdict, without its times.
fn verdicts(ran: &Ran) -> Vec<String> {
    let words = ["same ", "changed ", "stubbed ", "skipped "];
    let lines = ran.stdout.lines().filter(|line| words.iter().any(|word| line.starts_with(word)));
    lines.map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_session_is_opened_called_in_listed_told_and_deleted_in_the_bot_s_folder() {
    let place = Place::new();
    let opened = place.fine(&["sessions", "open", "--title", "Audit", "--purpose", "P", "--state-json", "{\"n\":1}"]);
    assert_eq!(opened.stdout.lines().count(), 1);
    let opened = opened.json();
    assert_eq!(
        (&opened["ok"], &opened["traceUrl"], &opened["playgroundUrl"]),
        (&json!(true), &json!(null), &json!(null))
    );
    let id = opened["sessionId"].as_str().expect("an id");
    let token = opened["continuationToken"].as_str().expect("a token");

    let seen = place.call(id, "seen", &json!({}))["result"].clone();
    assert_eq!((&seen["id"], &seen["title"], &seen["state"]), (&json!(id), &json!("Audit"), &json!({ "n": 1 })));
    let bought = place.fine(&["call", "buy", "--input", "{\"item\":\"tea\"}", "--continuation", token]).json();
    assert_eq!(bought["result"], "bought tea");
    assert_eq!(place.ledger(), "bought tea\n");

    let other = place.open(&["--mode", "task", "--dry-run", "--as-of", "2026-01-01T00:00:00Z"]);
    let listed = place.fine(&["sessions"]).stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("id ") && lines.len() == 3, "{listed}");
    assert!(
        lines[1].starts_with(&other)
            && lines[1].contains("task, waiting")
            && lines[1].contains("dry run, as of 2026-01-01T00:00:00Z"),
        "{listed}"
    );
    assert!(lines[2].starts_with(id) && lines[2].contains("Audit") && lines[2].contains("chat, waiting"), "{listed}");
    let json = place.fine(&["sessions", "--json"]).json();
    assert_eq!(
        (&json[1]["sessionId"], &json[1]["events"], &json[1]["continuationToken"]),
        (&json!(id), &json!(6), &json!(token))
    );

    let told = place.fine(&["trace", id]).stdout;
    for words in [
        "  Audit",
        "opened ",
        "by local:process",
        "purpose: P",
        "state: {\"n\":1}",
        "seen  read",
        "buy  write",
        "result  \"bought tea\"",
        "2 calls: 2 ok; 6 events",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains('\u{1b}'), "no colour where nobody sees it: {told}");
    let events = place.fine(&["trace", id, "--json"]).stdout;
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(
        kinds,
        [
            "session.started",
            "session.waiting",
            "actions.requested",
            "action.result",
            "actions.requested",
            "action.result"
        ]
    );

    assert_eq!(place.fine(&["sessions", "delete", id]).json(), json!({ "ok": true, "sessionId": id }));
    let gone = place.run(&["sessions", "delete", id]);
    assert_eq!((gone.code, &gone.json()["error"]), (1, &json!("unknown_session")), "{gone:?}");
    let gone = place.run(&["call", "seen", "--session", id]);
    assert_eq!((gone.code, &gone.json()["error"]), (1, &json!("unknown_session")), "{gone:?}");
    let gone = place.run(&["trace", id]);
    assert_eq!((gone.code, gone.stdout.as_str()), (1, ""), "{gone:?}");
    assert!(gone.stderr.contains("there is no session"), "{gone:?}");
}

#[test]
fn a_call_that_names_nothing_that_stays_leaves_nothing_behind() {
    let place = Place::new();
    place.fine(&["call", "price", "--input", "{\"item\":\"tea\"}"]);
    assert!(!place.path(".bdk").exists());
    let none = place.run(&["sessions"]);
    assert_eq!((none.code, none.stderr.lines().count()), (1, 1), "{none:?}");
    assert!(none.stderr.contains("--state") && !place.path(".bdk").exists(), "{none:?}");
    let id = "ses_aaaaaaaaaaaaaaaaaaaa";
    for args in [
        &["sessions", "delete", id][..],
        &["call", "price", "--session", id],
        &["call", "price", "--continuation", "http:x"],
        &["mcp", "serve", "--session", id],
        &["trace", id],
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (1, "", 1), "{ran:?}");
        assert!(ran.stderr.contains("there is no state in") && !place.path(".bdk").exists(), "{ran:?}");
    }
    for (id, words) in
        [("nope", "`ses_` and 20 letters and digits"), ("ses_nope", "`ses_` and 20"), ("tool_x_1", "of a call")]
    {
        let ran = place.run(&["trace", id]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    }
    for none in ["memory", "sqlite:foo.db"] {
        let ran = place.run(&["call", "price", "--state", none]);
        assert!(ran.code == 2 && ran.stderr.contains("`memory:`") && !place.path(none).exists(), "{ran:?}");
    }
    place.fine(&["call", "price", "--input", "{\"item\":\"tea\"}", "--state", "kept"]);
    assert!(place.path("kept").is_dir());
    assert_eq!(place.fine(&["sessions", "--state", "kept"]).stderr, "there are no sessions\n");
}

#[test]
fn a_running_bot_is_asked_with_url_and_its_folder_can_be_read_beside_it() {
    let place = Place::new();
    let server = Server::start_with(BOT, &["--state", ".bdk"], |c| {
        c.current_dir(place.folder.path()).envs(place.env.iter().map(|(k, v)| (k, v)));
    });
    let url = ["--url", &*server.url];
    let id = place.open(&[&["--title", "There"], &url[..]].concat());
    let bought = place.fine(&[&["call", "buy", "--input", "{\"item\":\"tea\"}", "--session", &id], &url[..]].concat());
    assert_eq!(bought.json()["result"], "bought tea");

    // the log is the same from both
    let there = place.fine(&[&["trace", &id, "--json"], &url[..]].concat()).stdout;
    assert_eq!(there, place.fine(&["trace", &id, "--json"]).stdout);
    assert_eq!(there.lines().count(), 4);
    let told = place.fine(&[&["trace", &id], &url[..]].concat()).stdout;
    assert_eq!(told, place.fine(&["trace", &id]).stdout);
    assert!(told.contains("by local:loopback") && told.contains("buy  write"), "{told}");
    let there = place.fine(&[&["sessions", "--json"], &url[..]].concat()).json();
    assert_eq!(there, place.fine(&["sessions", "--json"]).json());
    let table = place.fine(&[&["sessions"], &url[..]].concat()).stdout;
    assert!(table.contains("There") && table.contains("of local:loopback"), "{table}");
    let replayed = place.fine(&[&["trace", &id, "--replay"], &url[..]].concat());
    assert_eq!(verdicts(&replayed), ["stubbed buy"]);
    assert_eq!(place.ledger(), "bought tea\n");

    // what writes has to ask the bot that has it
    for args in [
        &["call", "buy", "--input", "{\"item\":\"x\"}", "--session", &*id][..],
        &["sessions", "open"],
        &["sessions", "delete", &*id],
    ] {
        let refused = place.run(args);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
        assert!(
            refused.stderr.contains("in use")
                && refused.stderr.contains("--url")
                && refused.stderr.contains(&server.pid().to_string()),
            "{refused:?}"
        );
    }
    assert_eq!(place.fine(&[&["sessions", "delete", &id], &url[..]].concat()).json()["sessionId"], id);
    for args in [&["trace", &*id][..], &["sessions", "delete", &*id], &["trace", &*id, "--replay"]] {
        let gone = place.run(&[args, &url[..]].concat());
        assert_eq!(gone.code, 1, "{gone:?}");
        assert!(format!("{}{}", gone.stdout, gone.stderr).contains("no session"), "{gone:?}");
    }
}

#[test]
fn an_idempotency_key_makes_a_write_happen_once_here_and_at_a_running_bot() {
    let place = Place::new();
    let buy = |more: &[&str]| {
        place.run(&[&["call", "buy", "--input", "{\"item\":\"tea\"}", "--idempotency-key", "k-1"], more].concat())
    };
    let first = buy(&[]).json();
    assert_eq!(buy(&[]).json(), first);
    assert_eq!(place.ledger(), "bought tea\n");
    let server = Server::start_with(BOT, &["--state", ".bdk"], |c| {
        c.current_dir(place.folder.path()).envs(place.env.iter().map(|(k, v)| (k, v)));
    });
    // whoever calls over HTTP has keys of their own
    let first = buy(&["--url", &server.url]).json();
    assert_eq!(buy(&["--url", &server.url]).json(), first);
    assert_eq!(place.ledger(), "bought tea\nbought tea\n");
    let none = place.run(&["call", "buy", "--idempotency-key", "two words"]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""), "{none:?}");
}

#[test]
fn a_replay_against_the_same_bot_finds_everything_as_it_was_and_runs_no_write() {
    let place = Place::new();
    let id = place.open(&["--title", "Audit", "--as-of", "2026-01-01T00:00:00Z", "--state-json", "{\"ticket\":7}"]);
    for (tool, input) in [
        ("price", json!({ "item": "tea" })),
        ("price", json!({})),
        ("seen", json!({ "since": "2025-01-01T00:00:00Z" })),
        ("seen", json!({ "since": "2027-01-01T00:00:00Z" })),
        ("buy", json!({ "item": "tea" })),
        ("asks_around", json!({})),
        ("shouts", json!({})),
    ] {
        place.call(&id, tool, &input);
    }
    assert_eq!(place.ledger(), "bought tea\n");
    let ran = place.fine(&["trace", &id, "--replay"]);
    let expected =
        ["same price", "same price", "same seen", "same seen", "stubbed buy", "same asks_around", "same shouts"];
    assert_eq!(verdicts(&ran), expected, "{ran:?}");
    assert_eq!(ran.stdout.lines().last(), Some("7 calls: 6 same, 1 stubbed"));
    assert!(ran.stderr.contains("NOISE") && !ran.stdout.contains("NOISE"), "{ran:?}");
    assert_eq!(place.ledger(), "bought tea\n", "no write runs");
    // nothing of it is in the session's log, nor in the folder
    assert_eq!(
        place.fine(&["trace", &id, "--json"]).stdout.lines().filter(|line| line.contains("action.result")).count(),
        8
    );
    let told = place.fine(&["trace", &id]).stdout;
    assert!(told.contains("\\u001b[2J") && !told.contains('\u{1b}') && !told.contains('\u{202e}'), "{told}");
    assert!(told.contains("as_of") && told.contains("invalid_input"), "{told}");
}

#[test]
fn a_replay_tells_each_kind_of_change_and_fails() {
    let place = Place::new();
    let id = place.open(&[]);
    for (tool, input) in [
        ("price", json!({ "item": "tea" })),
        ("weather", json!({ "city": "Ghent" })),
        ("count_visits", json!({})),
        ("find_train", json!({})),
        ("buy", json!({ "item": "tea" })),
    ] {
        place.call(&id, tool, &input);
    }
    let ledger = place.ledger();
    let replay = |drift: &str| place.drifted(drift, &["trace", &id, "--replay"]);
    for (drift, words) in [
        ("result", &["changed  price", "result.price.euros: 10 → 12"][..]),
        (
            "error",
            &["changed  price", "error then: none", "error now:  failed: Tool \"price\" failed: nobody sells tea"],
        ),
        (
            "schema",
            &[
                "changed  weather",
                "its input is not accepted any more (invalid_input):",
                "country: required, but missing",
            ],
        ),
        ("effect", &["changed  count_visits", "effect: read → write"]),
        ("removed", &["changed  find_train", "there is no such tool any more; renamed to `find_trains`?"]),
    ] {
        let ran = replay(drift);
        assert_eq!(ran.code, 1, "{drift}: {ran:?}");
        for words in words {
            assert!(ran.stdout.contains(words), "{drift}: {words}: {}", ran.stdout);
        }
        assert_eq!(ran.stdout.lines().last(), Some("5 calls: 3 same, 1 changed, 1 stubbed"), "{drift}");
    }
    let all = place.drifted("result,schema,effect,removed", &["trace", &id, "--replay", "--json"]);
    let report = all.json();
    assert_eq!((all.code, &report["sessionId"]), (1, &json!(id)));
    assert_eq!(report["summary"], json!({ "calls": 5, "same": 0, "changed": 4, "stubbed": 1, "skipped": 0 }));
    assert_eq!(
        report["calls"][0]["changes"],
        json!([{ "what": "result", "path": "result.price.euros", "before": 10, "after": 12 }])
    );
    assert_eq!(report["calls"][3]["changes"], json!([{ "what": "gone", "near": ["find_trains"] }]));
    assert!(report["calls"][0]["durationMs"]["then"].is_u64() && report["calls"][0]["durationMs"]["now"].is_u64());
    assert_eq!(place.ledger(), ledger, "no write runs, whatever it was then");

    // recorded by a later bot, replayed by this one: what was refused is accepted now, and the other way round for the effect
    let id = place.open(&[]);
    place.drifted("schema,effect", &["call", "weather", "--input", "{\"city\":\"Ghent\"}", "--session", &id]);
    place.drifted("schema,effect", &["call", "count_visits", "--session", &id]);
    let ran = place.run(&["trace", &id, "--replay"]);
    assert!(ran.stdout.contains("its input is accepted; then it was refused (invalid_input)"), "{ran:?}");
    assert!(ran.stdout.contains("effect: write → read"), "{ran:?}");
}

#[test]
fn wrong_usage_says_what_is_right() {
    let place = Place::new();
    for (args, words) in [
        (&["trace", "tool_price_abcdefghij0123450123"][..], "is the id of a call"),
        (&["trace", "../etc"], "ses_"),
        (&["trace"], "<ID>"),
        (&["trace", "ses_abcdefghij0123450123", "--full", "--json"], "--full"),
        (&["sessions", "--state", "mysql://h/d"], "postgres://"),
        (&["sessions", "--state", "kept", "--url", "http://127.0.0.1:1"], "--url"),
        (&["sessions", "open", "--state-json", "{"], "--state-json"),
        (&["sessions", "open", "--mode", "dance"], "chat"),
        (&["serve", "--state", "redis://h"], "postgres://"),
        (&["mcp", "serve", "--state", "redis://h"], "postgres://"),
        (&["call", "price", "--state", ""], "--state"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(words), "{args:?}: {words}: {ran:?}");
    }
    // a fact that cannot be is refused as over HTTP
    let long = place.run(&["sessions", "open", "--title", &"t".repeat(201)]);
    assert_eq!((long.code, &long.json()["error"]), (1, &json!("invalid_request")), "{long:?}");
    let help = place.fine(&["trace", "--help"]).stdout;
    assert!(help.contains("--replay") && help.contains("when one did"), "{help}");
    let completions = place.fine(&["completions", "bash"]).stdout;
    assert!(completions.contains("sessions") && completions.contains("--idempotency-key"));
}

#[test]
fn a_password_in_the_state_s_url_is_warned_of_and_not_repeated() {
    let ran = Place::new().run(&[
        "call",
        "price",
        "--input",
        "{\"item\":\"tea\"}",
        "--state",
        "postgres://bot:open-sesame@127.0.0.1:1/bot",
    ]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("PGPASSWORD") && !ran.stderr.contains("open-sesame"), "{ran:?}");
}

/// repo-scout for a repository, with a state beside it.
#[track_caller]
fn scout_for(repository: &Path) -> Place {
    let exe = scout::exe();
    Place { exe, env: vec![("REPO_SCOUT_DIR", repository.to_string_lossy().into_owned())], ..Place::new() }
}

#[test]
fn repo_scout_in_a_dry_run_session_reads_and_tags_nothing() {
    let repository = scout::repository();
    let place = scout_for(repository.path());
    let id = place.open(&["--dry-run"]);
    let history = place.call(&id, "file_history", &json!({ "path": "src/main.rs", "since": "2020-01-01T00:00:00Z" }));
    assert_eq!(
        (&history["result"]["commits"][0]["subject"], &history["stubbed"]),
        (&json!("Ask for work"), &json!(false))
    );
    let tag = place.call(&id, "create_tag", &json!({ "name": "v1", "annotated": true, "message": "The first." }));
    let stub = json!({ "name": "v1", "target": "HEAD", "annotated": true, "created": false });
    assert_eq!((&tag["result"], &tag["stubbed"], &tag["attempts"]), (&stub, &json!(true), &json!(0)), "{tag}");
    let refused = place.call(&id, "create_tag", &json!({ "name": "v1", "annotated": true }));
    assert_eq!(refused["error"]["code"], "invalid_input", "{refused}");
    assert!(!repository.path().join(".git/refs/tags/v1").exists());
    let told = place.fine(&["trace", &id]).stdout;
    assert!(told.contains("dry run") && told.contains("create_tag  write  stubbed"), "{told}");
    let ran = place.fine(&["trace", &id, "--replay"]);
    assert_eq!(verdicts(&ran), ["same file_history", "stubbed create_tag", "same create_tag"], "{ran:?}");
}

#[test]
fn repo_scout_in_an_as_of_session_sees_nothing_that_came_later_and_needs_both_bounds() {
    let repository = scout::repository();
    let place = scout_for(repository.path());
    let id = place.open(&["--as-of", "2020-01-01T00:00:00Z"]);
    let churn = |input: Value| place.call(&id, "churn", &input);
    let open = churn(json!({ "since": "2019-01-01T00:00:00Z" }));
    assert_eq!(open["error"]["code"], "as_of", "{open}");
    assert!(open["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("until")), "{open}");
    let late = churn(json!({ "since": "2019-01-01T00:00:00Z", "until": "2020-01-02T00:00:00Z" }));
    assert_eq!(late["error"]["code"], "as_of", "{late}");
    let todos = place.call(&id, "todos", &json!({}));
    assert_ne!(todos["result"]["total"], 1, "the repository is younger: {todos}");
    // the same in a session without a frozen time
    let now = place.open(&[]);
    assert_eq!(place.call(&now, "todos", &json!({}))["result"]["total"], 1);
    let ran = place.fine(&["trace", &id, "--replay"]);
    assert_eq!(verdicts(&ran), ["same churn", "same churn", "same todos"], "{ran:?}");
}
