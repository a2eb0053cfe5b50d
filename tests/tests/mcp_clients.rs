//! How clients are told of a bot: `mcp serve --help` and `mcp config`. What they say starts the bot.

use bdk_tests::{mcp::text, run, run_with, stdio::Client};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

const CLIENTS: [&str; 8] =
    ["generic", "claude-code", "claude-desktop", "cursor", "gemini-cli", "vscode", "windsurf", "zed"];

/// Starts a command as a client does, and calls a tool through it.
#[track_caller]
fn works(command: Command) {
    let mut client = Client::spawn(command);
    client.listen();
    let mut client = client.initialized("2025-11-25", &json!({}));
    assert_eq!(text(&client.call("nothing_asked", json!({}))), "pong");
    client.close();
    assert_eq!(client.wait(), Some(0));
}

/// The one server that a configuration names: its name and what stands under it.
#[track_caller]
fn server(config: &Value) -> (String, Value) {
    let members = config.as_object().expect("an object");
    let servers = members.iter().find(|(name, _)| name.to_lowercase().contains("servers"));
    let servers = servers.unwrap_or_else(|| panic!("{config}")).1.as_object().expect("servers by name");
    assert_eq!(servers.len(), 1, "{config}");
    let (name, server) = servers.iter().next().expect("one");
    (name.clone(), server.clone())
}

fn started_by(server: &Value) -> Command {
    let mut command = Command::new(server["command"].as_str().unwrap_or_else(|| panic!("{server}")));
    command.args(server["args"].as_array().expect("arguments").iter().filter_map(Value::as_str));
    command
}

#[test]
fn the_configuration_of_each_client_starts_the_bot() {
    for client in CLIENTS {
        let ran = run(KITCHEN, &["mcp", "config", "--client", client]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
        let (name, server) = server(&ran.json());
        assert_eq!(name, "bdk-tests");
        works(started_by(&server));
        let named = run(KITCHEN, &["mcp", "config", "--client", client, "--name", "a b\"c"]).json();
        assert_eq!(self::server(&named), ("a b\"c".to_owned(), server));
    }
    assert_eq!(run(KITCHEN, &["mcp", "config"]).json(), run(KITCHEN, &["mcp", "config", "--client", "generic"]).json());
}

#[test]
fn a_bot_in_a_folder_with_a_blank_and_a_quote_is_found_by_its_configuration_and_its_help() {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("it's the folder of all my bots {}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let bot = folder.join("kitchen");
    if fs::hard_link(KITCHEN, &bot).is_err() {
        fs::copy(KITCHEN, &bot).expect("a copy");
    }
    let exe = bot.to_str().expect("a text");
    works(started_by(&server(&run(exe, &["mcp", "config"]).json()).1));
    let help = run(exe, &["mcp", "serve", "--help"]).stdout;
    let words = help.lines().find_map(|line| line.split_once("claude mcp add bdk-tests -- ")).expect("a line").1;
    // clients are told by a shell, and start what came of it
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {words}")]);
    works(shell);
    let json = help.lines().find_map(|line| line.split_once("code --add-mcp ")).expect("a line").1;
    let printed = run("sh", &["-c", &format!("printf %s {json}")]).json();
    works(started_by(&printed));
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn the_help_says_how_to_add_the_bot_to_clients_with_its_own_path() {
    for args in [&["mcp", "serve", "--help"][..], &["mcp", "serve", "-h"], &["mcp", "serve", "--drain", "1s", "--help"]]
    {
        let ran = run(KITCHEN, args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
        for words in ["claude mcp add", "codex mcp add", "gemini mcp add", "code --add-mcp", "mcp config", KITCHEN] {
            assert!(ran.stdout.contains(words), "{words:?} in {}", ran.stdout);
        }
    }
}

#[test]
fn a_bot_that_serves_over_http_is_named_by_its_address_and_no_token_is_told() {
    let url = "https://bot.example.com/bdk-tests/v1/mcp";
    for client in CLIENTS {
        let args = ["mcp", "config", "--client", client, "--url", url];
        let ran = run_with(KITCHEN, &args, b"", |c| _ = c.env("KITCHEN_TOKEN", "open-sesame-42"));
        if client == "claude-desktop" {
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
            continue;
        }
        let (_, server) = server(&ran.json());
        assert!(server.as_object().expect("a server").values().any(|value| value == url), "{server}");
        assert!(server.get("command").is_none(), "{server}");
        let args = [&args[..], &["--bearer-token-env", "KITCHEN_TOKEN"]].concat();
        let ran = run_with(KITCHEN, &args, b"", |c| _ = c.env("KITCHEN_TOKEN", "open-sesame-42"));
        assert!(!ran.stdout.contains("open-sesame-42"), "{ran:?}");
        match client {
            "zed" => assert_eq!(ran.code, 2, "{ran:?}"),
            _ => assert!(ran.json().to_string().contains("KITCHEN_TOKEN"), "{ran:?}"),
        }
    }
}

#[test]
fn wrong_usage_is_told_on_stderr_and_leaves_stdout_alone() {
    for (args, words) in [
        (&["mcp"][..], "serve"),
        (&["mcp", "server"], "unrecognized subcommand"),
        (&["mcp", "serve", "--port", "3000"], "--port"),
        (&["mcp", "serve", "--drain", "30"], "30s"),
        (&["mcp", "serve", "now"], "now"),
        (&["mcp", "config", "--client", "emacs"], "claude-code"),
        (&["mcp", "config", "--bearer-token-env", "T"], "--url"),
    ] {
        let ran = run(KITCHEN, args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.contains(words), "{words:?} in {ran:?}");
    }
}

#[test]
fn a_bot_that_cannot_start_says_why_on_stderr_and_ends() {
    let ran = run_with(env!("CARGO_BIN_EXE_broken"), &["mcp", "serve"], b"{}\n", |_| {});
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("twin"), "{ran:?}");
}
