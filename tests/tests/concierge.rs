//! The example `examples/concierge`, with the servers it is made for: PyPI's `mcp-server-time` and `mcp-server-git`, npm's
//! `@modelcontextprotocol/server-filesystem`, and its own desk.

use bdk_tests::{Server, examples::built, peers, run_with, scout};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

/// With the servers on its path, for this folder.
fn prepare(command: &mut Command, folder: &Path) {
    command.env("PATH", peers::path_of_servers()).env("CONCIERGE_FOLDER", folder);
}

fn serve(folder: &Path, state: &Path) -> Server {
    let mut bot = Server::start_with(&built("concierge"), &["--state", &state.display().to_string()], |command| {
        prepare(command, folder);
    });
    bot.prefix = "/concierge/v1".to_owned();
    bot
}

fn text(outcome: &Value) -> &str {
    outcome["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{outcome}"))
}

#[test]
fn the_servers_it_was_made_for_answer_beside_its_own_tools() {
    let repository = scout::repository();
    let state = tempfile::tempdir().expect("a folder");
    fs::write(repository.path().join("NOTE.md"), "# To do\n\ntext\n## Today\n").expect("written");
    let bot = serve(repository.path(), state.path());
    let me = bot.anyone();
    let tools = me.get("tools").1;
    let names: Vec<&str> =
        tools["tools"].as_array().expect("tools").iter().filter_map(|t| t["name"].as_str()).collect();
    let expected = [
        "convert_time",
        "get_current_time",
        "git_branch",
        "git_commit",
        "git_log",
        "git_show",
        "git_status",
        "leave_slip",
        "look_at_desk",
        "outline_note",
    ];
    assert_eq!(names, expected, "the filesystem's are the bot's own");
    let time = me.post("tools/get_current_time", &json!({ "input": { "timezone": "Asia/Tokyo" } })).1;
    assert!(text(&time).contains("+09:00"), "{time}");
    let log = json!({ "input": { "repo_path": repository.path(), "max_count": 1 } });
    assert!(text(&me.post("tools/git_log", &log).1).contains("Bo"), "the last commit is Bo's");
    let outline = me.post("tools/outline_note", &json!({ "input": { "path": "NOTE.md" } })).1;
    assert_eq!(outline["result"]["headings"], json!(["To do", "Today"]), "{outline}");
    // the server's own fault, in its own words
    let outside = me.post("tools/outline_note", &json!({ "input": { "path": "/etc/passwd" } })).1;
    assert!(outside["isError"] == true && outside["result"].to_string().contains("outside"), "{outside}");
    // a write in a dry run does not reach the checkout
    fs::write(repository.path().join("new"), "").expect("written");
    let commit = json!({ "input": { "repo_path": repository.path(), "message": "no" }, "dryRun": true });
    assert_eq!(me.post("tools/git_commit", &commit).1["result"], "Operation acknowledged.");
    assert!(!text(&me.post("tools/git_log", &log).1).contains("Message: no"));
}

#[test]
fn the_desk_is_where_the_session_is_and_in_a_process_of_its_own() {
    let (folder, state) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let bot = serve(folder.path(), state.path());
    let me = bot.anyone();
    let (one, other) = (me.open(&json!({})), me.open(&json!({})));
    for (session, slip) in [(&one, "milk"), (&other, "ink"), (&one, "bread")] {
        let left = me.call_in(session, "leave_slip", &json!({ "name": slip, "text": slip }));
        assert_eq!(left["isError"], false, "{left}");
    }
    let desk = |session: &str| text(&me.call_in(session, "look_at_desk", &json!({}))).to_owned();
    assert_eq!(
        (desk(&one), desk(&other)),
        (r#"[["bread","bread"],["milk","milk"]]"#.into(), r#"[["ink","ink"]]"#.into())
    );
    assert!(state.path().join("workspaces").join(&one).join("milk.txt").is_file());
    // one that belongs to no session has a desk of its own, and it is cleared behind it
    assert_eq!(text(&me.post("tools/look_at_desk", &json!({})).1), "[]");
    let refused = me.call_in(&one, "leave_slip", &json!({ "name": "A/B", "text": "" }));
    assert_eq!(refused["error"]["code"], "invalid_input", "{refused}");
    let dry = me.open(&json!({ "dryRun": true }));
    assert_eq!(me.call_in(&dry, "leave_slip", &json!({ "name": "milk", "text": "" }))["stubbed"], true);
    assert_eq!(desk(&dry), "[]");
    assert_eq!(me.delete(&format!("session/{one}")).0, 200);
    // what lies there is not the bot's environment
    let third = me.open(&json!({}));
    fs::create_dir_all(state.path().join("workspaces").join(&third)).expect("made");
    fs::write(state.path().join("workspaces").join(&third).join(".env"), "no line of such a file").expect("written");
    assert_eq!(desk(&third), r#"[[".env","no line of such a file"]]"#);
    assert_eq!(desk(&other), r#"[["ink","ink"]]"#);
}

#[test]
fn the_desk_is_served_alone_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
"#;
    let ran = run_with(&built("concierge"), &["mcp", "serve", "--connection", "desk"], listed, |command| {
        prepare(command, folder.path());
    });
    // answers come in whatever order they are ready
    let mut answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let listed = answers.find(|answer| answer["id"] == 2).unwrap_or_else(|| panic!("{ran:?}"));
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap_or_else(|| panic!("{listed}"))
        .iter()
        .filter_map(|t| t["name"].as_str())
        .collect();
    assert_eq!((ran.code, &names[..]), (0, &["leave_slip", "look_at_desk"][..]), "{ran:?}");
}
