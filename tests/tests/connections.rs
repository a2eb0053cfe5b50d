//! A bot with connections, as its callers see it: the tools of other servers beside its own, at every door.

use bdk_tests::{Server, asking::Asker, eventually, mcp, peers, run_with};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

const PATRON: &str = env!("CARGO_BIN_EXE_patron");
const ACCOUNTS: &str = env!("CARGO_BIN_EXE_accounts");

/// The process that offers these tools.
fn odd(command: &mut Command, offered: &Value) {
    let (python, script) = peers::python_of("odd_server.py");
    command.env("PATRON_COMMAND", json!([python, script, offered.to_string()]).to_string());
}

fn patron(offered: &Value) -> Server {
    Server::start_with(PATRON, &[], |command| odd(command, offered))
}

/// Each tool's name, its effect, and whose it is.
fn listed(me: Asker<'_>) -> Vec<(String, String, String)> {
    let (status, answer) = me.get("tools");
    assert_eq!(status, 200, "{answer}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tools = answer["tools"].as_array().expect("tools").iter();
    tools.map(|tool| (text(&tool["name"]), text(&tool["effect"]), text(&tool["source"]["connection"]))).collect()
}

/// The names of those that are a connection's.
fn remote(me: Asker<'_>) -> Vec<String> {
    listed(me).into_iter().filter(|(.., connection)| !connection.is_empty()).map(|(name, ..)| name).collect()
}

/// What the odd server says of a call.
fn said(outcome: &Value) -> Value {
    let text = outcome["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{outcome}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{outcome}"))
}

fn alive(pid: &Value) -> bool {
    // a process that has ended and was not waited for is gone, too
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}

fn gone(pid: &Value) -> bool {
    eventually(|| (!alive(pid)).then_some(())).is_some()
}

#[test]
fn case_35_names_are_made_legal_and_differ_and_the_bots_own_stay() {
    let bot = patron(&json!({ "search.v2": null, "search v2": null, "search_v2": null, "order": null }));
    let me = bot.anyone();
    let all = listed(me);
    let of = |name: &str| all.iter().find(|(n, ..)| n == name).map(|(.., connection)| connection.as_str());
    assert_eq!(of("search_v2"), Some(""));
    assert_eq!(["search_v2_2", "search_v2_3", "search_v2_4"].map(of), [Some("near"); 3]);
    // two connections have it: `known` comes first
    assert_eq!((of("order"), of("order_2")), (Some("known"), Some("near")));
    let own = |name: &str| said(&me.post(&format!("tools/{name}"), &json!({})).1)["tool"].clone();
    assert_eq!(["search_v2_2", "search_v2_3", "search_v2_4"].map(own), ["search v2", "search.v2", "search_v2"]);
    assert_eq!(me.post("tools/search_v2", &json!({})).1["result"], "the bot's own");
}

#[test]
fn a_servers_tools_are_called_by_the_same_names_at_every_door() {
    let offered = json!({ "look": { "readOnlyHint": true, "title": "Look" } });
    let bot = patron(&offered);
    // called by name, before anybody has listed anything
    let by_http = bot.anyone().post("tools/look", &json!({ "input": {} })).1;
    assert_eq!((&by_http["isError"], &said(&by_http)["tool"]), (&json!(false), &json!("look")), "{by_http}");
    let client = mcp::Client::stateless(&bot, json!({}));
    let by_mcp = client.call("look", json!({}));
    assert!(by_mcp.to_string().contains("\\\"tool\\\": \\\"look\\\""), "{by_mcp}");
    let ran = run_with(PATRON, &["call", "look"], b"", |command| odd(command, &offered));
    assert_eq!((ran.code, said(&ran.json())["tool"].clone()), (0, json!("look")), "{ran:?}");
    assert!(gone(&said(&ran.json())["pid"]), "a process outlives the command that started it");
    let wrong = bot.anyone().post("tools/look", &json!({ "input": { "do": 3 } })).1;
    assert_eq!(wrong["error"]["issues"][0]["path"], "do", "{wrong}");
    let near = bot.anyone().post("tools/loook", &json!({}));
    assert!(
        near.0 == 404 && near.1["message"].as_str().is_some_and(|m| m.contains("`look`") || m.contains("\"look\"")),
        "{near:?}"
    );
}

#[test]
fn case_36_and_37_filters_and_effects_decide_what_is_there_and_what_a_dry_run_does() {
    let offered = json!({
        "look": { "readOnlyHint": true }, "order": { "readOnlyHint": true }, "drop": { "destructiveHint": true },
        "silent": null, "forbidden": { "readOnlyHint": true },
    });
    let bot = patron(&offered);
    let me = bot.anyone();
    let effects: Vec<(String, String)> = listed(me).into_iter().filter(|t| t.2 == "near").map(|t| (t.0, t.1)).collect();
    let effect = |name: &str| effects.iter().find(|(n, _)| n == name).map(|(_, effect)| effect.as_str());
    assert_eq!(["look", "drop", "silent"].map(effect), [Some("read"), Some("write"), Some("undeclared")]);
    // the author's word wins, and of `.tools(["order", "zz"])` the server has the one
    let known: Vec<_> = listed(me).into_iter().filter(|t| t.2 == "known").collect();
    assert_eq!(known, [("order".into(), "write".into(), "known".into())]);
    bot.logged("it has no tool `zz`");
    // for the bot's own code: only what reads, and not what is denied
    let names = |answer: Value| answer["result"].clone();
    let mut reads: Vec<Value> = names(me.post("tools/offered", &json!({ "input": { "connection": "reads" } })).1)
        .as_array()
        .expect("names")
        .clone();
    reads.sort_by_key(Value::to_string);
    assert_eq!(reads, ["look", "order"]);
    for tool in ["drop", "silent", "forbidden"] {
        let input = json!({ "input": { "connection": "reads", "tool": tool } });
        let refused = me.post("tools/relay", &input).1;
        assert!(refused["result"].to_string().contains("its filters leave"), "{refused}");
    }

    let session = me.open(&json!({ "dryRun": true }));
    let call = |tool: &str| me.call_in(&session, tool, &json!({}));
    assert_eq!(said(&call("look"))["tool"], "look");
    for write in ["drop", "order"] {
        let stubbed = call(write);
        assert_eq!(
            (&stubbed["stubbed"], &stubbed["result"]),
            (&json!(true), &json!("Operation acknowledged.")),
            "{stubbed}"
        );
    }
    let silent = call("silent");
    assert!(silent["isError"] == true && silent["result"].to_string().contains("not there in a dry run"), "{silent}");
    let [client, ..] = mcp::Client::bound_of_every_kind(&bot, &session, None);
    let listing = client.send(&mcp::request(1, "tools/list", json!({}))).whole().json();
    let names: Vec<&str> =
        listing["result"]["tools"].as_array().expect("tools").iter().filter_map(|t| t["name"].as_str()).collect();
    assert!(names.contains(&"look") && names.contains(&"drop") && !names.contains(&"silent"), "{names:?}");
}

#[test]
fn case_38_a_process_that_ends_is_started_once_more_and_none_outlives_the_bot() {
    let offered = json!({ "look": { "readOnlyHint": true }, "change": { "readOnlyHint": false } });
    let mut bot = patron(&offered);
    let me = bot.anyone();
    let call = |tool: &str, what: &str| me.post(&format!("tools/{tool}"), &json!({ "input": { "do": what } })).1;
    let first = said(&call("look", ""));
    // in the middle of a write nobody knows how far it came
    let ended = call("change", "end");
    let text = ended["result"].to_string();
    assert!(
        ended["isError"] == true
            && text.contains("The outcome is unknown")
            && text.contains("these are the last words"),
        "{ended}"
    );
    let second = said(&call("look", ""));
    assert!(first["pid"] != second["pid"] && gone(&first["pid"]));
    // a process has what it needs of the bot's environment, and what the connection gives
    let has = |name: &str| second["environment"].as_array().expect("names").contains(&json!(name));
    assert!(has("PATH") && has("GIVEN") && !has("PATRON_COMMAND"), "{second}");
    let child = said(&call("look", "start"))["child"].clone();
    assert!(alive(&child) && alive(&second["pid"]));
    bot.terminate();
    bot.wait();
    assert!(gone(&second["pid"]) && gone(&child), "processes outlive the bot");
}

#[test]
fn case_38_processes_of_a_bot_that_was_killed_are_gone_when_it_is_started_again() {
    let offered = json!({ "look": { "readOnlyHint": true } });
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().display().to_string();
    let start = || Server::start_with(PATRON, &["--state", &state], |command| odd(command, &offered));
    let bot = start();
    let told = said(&bot.anyone().post("tools/look", &json!({ "input": { "do": "start" } })).1);
    drop(bot); // killed
    let again = start();
    assert!(gone(&told["pid"]) && gone(&told["child"]), "{told}");
    assert_ne!(said(&again.anyone().post("tools/look", &json!({})).1)["pid"], told["pid"]);
}

#[test]
fn case_41_a_server_that_does_not_answer_holds_up_nobody_else() {
    let offered = json!({ "look": { "readOnlyHint": true } });
    let bot = patron(&offered);
    let me = bot.anyone();
    me.post("tools/look", &json!({}));
    thread::scope(|scope| {
        let hung = scope.spawn(|| me.post("tools/look", &json!({ "input": { "do": "hang" } })).1);
        let begun = Instant::now();
        let of_another = me.post("tools/relay", &json!({ "input": { "connection": "reads", "tool": "look" } })).1;
        assert_eq!(of_another["isError"], false, "{of_another}");
        assert_eq!(said(&me.post("tools/look", &json!({})).1)["tool"], "look");
        assert!(begun.elapsed() < Duration::from_secs(3), "the others wait for the one that hangs");
        let hung = hung.join().expect("an answer");
        let text = hung["result"].to_string();
        assert!(hung["isError"] == true && text.contains("timed out after 3s"), "{hung}");
    });
}

fn write_token(folder: &Path, token: &str) {
    fs::write(folder.join(".env"), format!("PATRON_TOKEN='{token}'\n")).expect("written");
}

#[test]
fn case_33_a_template_is_read_at_each_opening_and_its_value_is_told_nowhere() {
    let server = Server::start_with(ACCOUNTS, &[], |command| {
        command.env("ACCOUNTS_TOKENS", "the-right-token");
    });
    let folder = tempfile::tempdir().expect("a folder");
    write_token(folder.path(), "a-wrong-token");
    let bot = Server::start_with(PATRON, &[], |command| {
        command.current_dir(folder.path()).env("PATRON_URL", server.mcp()).env("RUST_LOG", "trace");
    });
    let me = bot.anyone();
    let ask = || me.post("tools/relay", &json!({ "input": { "connection": "far", "tool": "balance" } })).1;
    let refused = ask();
    assert!(refused["isError"] == true && refused["result"].to_string().contains("401"), "{refused}");
    write_token(folder.path(), "the-right-token");
    let answered = eventually(|| Some(ask()).filter(|answer| answer["isError"] == false)).expect("an answer");
    assert_eq!(answered["result"]["content"][0]["text"], "0");
    assert!(remote(me).contains(&"balance".to_owned()));
    let log = bot.stderr();
    for secret in ["a-wrong-token", "the-right-token"] {
        assert!(!log.contains(secret) && !refused.to_string().contains(secret), "{secret} is told");
    }
}

#[test]
fn case_39_a_session_that_is_lost_is_opened_again_and_a_server_that_is_down_keeps_its_names() {
    let server = Server::start(ACCOUNTS, &[]);
    let port = server.addr.rsplit(':').next().expect("a port").to_owned();
    let url = server.mcp();
    let bot = Server::start_with(PATRON, &[], |command| {
        command.env("PATRON_URL", &url);
    });
    let me = bot.anyone();
    let book = || me.post("tools/book", &json!({ "input": { "what": "ink" } })).1;
    assert_eq!(book()["isError"], false);
    let before = remote(me);
    // the server that comes after knows nothing of the session
    drop(server);
    let down = book();
    assert_eq!((&down["isError"], &down["error"]["retryable"]), (&json!(true), &json!(true)), "{down}");
    assert_eq!(remote(me), before);
    let again = Server::start(ACCOUNTS, &["--port", &port]);
    let booked = eventually(|| Some(book()).filter(|answer| answer["isError"] == false)).expect("it is there again");
    assert!(booked["result"].to_string().contains("\\\"number\\\":1"), "{booked}");
    assert_eq!(again.anyone().post("tools/balance", &json!({})).1["result"], 1, "a write was repeated");
}

#[test]
fn servers_that_cannot_be_had_are_told_and_left_out() {
    let bot = Server::start(PATRON, &[]);
    let me = bot.anyone();
    assert_eq!(remote(me), [""; 0]);
    bot.logged("no-such-program");
    let ask =
        |connection: &str| me.post("tools/relay", &json!({ "input": { "connection": connection, "tool": "x" } })).1;
    let (missing, closed, unknown) = (ask("near"), ask("far"), ask("faar"));
    for (answer, words) in
        [(&missing, "`no-such-program`"), (&closed, "connection `far`"), (&unknown, "there is `far`")]
    {
        assert!(answer["isError"] == true && answer["error"]["code"] == "unavailable", "{answer}");
        assert!(answer["result"].to_string().contains(words), "{words}: {answer}");
    }
    assert_eq!(me.post("tools/connections", &json!({})).1["result"], json!(["far", "known", "near", "reads"]));
    let ran = run_with(PATRON, &["mcp", "tools", "near"], b"", |_| {});
    assert!(ran.code == 1 && ran.stderr.contains("no-such-program") && ran.stdout.is_empty(), "{ran:?}");
}

#[test]
fn in_a_dry_run_the_bots_own_code_calls_nothing_that_is_known_to_write() {
    let offered = json!({ "look": { "readOnlyHint": true }, "drop": { "destructiveHint": true }, "silent": null });
    let bot = patron(&offered);
    let relay = |tool: &str, dry: bool| {
        let input = json!({ "input": { "connection": "near", "tool": tool }, "dryRun": dry });
        bot.anyone().post("tools/relay", &input).1
    };
    for (tool, dry, fine) in
        [("look", true, true), ("silent", true, true), ("drop", true, false), ("drop", false, true)]
    {
        let answer = relay(tool, dry);
        assert_eq!(answer["isError"], !fine, "{tool}: {answer}");
        assert!(fine || answer["result"].to_string().contains("this is a dry run: it was not called"), "{answer}");
    }
}

#[test]
fn a_replay_asks_the_servers_again_and_says_where_one_is_not_there() {
    let offered = json!({ "look": { "readOnlyHint": true } });
    let state = tempfile::tempdir().expect("a folder");
    let at = state.path().display().to_string();
    let bot = Server::start_with(PATRON, &["--state", &at], |command| odd(command, &offered));
    let me = bot.anyone();
    let session = me.open(&json!({}));
    assert_eq!(me.call_in(&session, "look", &json!({}))["isError"], false);
    drop(bot);
    let replay = |prepare: &dyn Fn(&mut Command)| {
        let ran = run_with(PATRON, &["trace", &session, "--replay", "--json", "--state", &at], b"", prepare);
        ran.json()["calls"][0].clone()
    };
    // its answer names its process, which is another one now
    let again = replay(&|command| odd(command, &offered));
    assert!(again["verdict"] == "changed" && again.to_string().contains("pid"), "{again}");
    let missing = replay(&|_| {});
    assert!(missing["verdict"] == "skipped" && missing.to_string().contains("cannot be asked"), "{missing}");
}

#[test]
fn connections_are_looked_at_and_called_from_the_shell() {
    let offered = json!({ "look at": { "readOnlyHint": true }, "order": null });
    let at_shell = |args: &[&str]| run_with(PATRON, args, b"", |command| odd(command, &offered));
    let list = at_shell(&["mcp", "list", "--json"]);
    let names: Vec<Value> = list.json().as_array().expect("connections").iter().map(|c| c["name"].clone()).collect();
    assert_eq!(names, ["far", "known", "near", "reads"]);
    let tools = at_shell(&["mcp", "tools", "near"]);
    assert!(
        tools.code == 0 && tools.stdout.contains("look at (read)") && tools.stdout.contains("order (undeclared)"),
        "{tools:?}"
    );
    let called = at_shell(&["mcp", "call", "near", "look at", "--input", "{\"do\":\"\"}"]);
    assert_eq!(called.code, 0, "{called:?}");
    assert!(called.json()["content"][0]["text"].as_str().is_some_and(|text| text.contains("look at")));
    let wrong = at_shell(&["mcp", "call", "near", "look at", "--input", "[]"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("no object"), "{wrong:?}");
    let wrong = at_shell(&["mcp", "call", "neaar", "look"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("`near`"), "{wrong:?}");
    let schema = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    let odd_schemas = json!({
        "nonsense": { "schema": schema(json!({ "type": "nonsense" })) },
        "script": { "schema": schema(json!({ "type": "string", "pattern": "^[\\w-.]+$" })) },
    });
    let tried = run_with(PATRON, &["validate", "--connect"], b"", |command| odd(command, &odd_schemas));
    let told = |tool: &str| {
        let line = tried.stdout.lines().find(|line| line.contains(&format!("connection `near`, tool \"{tool}\": ")));
        line.unwrap_or_else(|| panic!("{tried:?}")).to_owned()
    };
    assert!(told("nonsense").contains("the tool is left out: the input schema of `nonsense`"), "{tried:?}");
    assert!(told("script").ends_with("It is offered without that, for the server to check: /properties/a/pattern"));
    let wrong = at_shell(&["mcp", "serve", "--connection", "near"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("no authored connection"), "{wrong:?}");
}
