//! The command line as a shell uses it: exit codes, what stands on stdout, and what is left behind. cases.md 14.

use bdk_tests::{Ran, Server, eventually, run, run_with};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

/// A file of these contents that no other test knows.
fn file(name: &str, text: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commands-{}-{name}", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    file
}

/// Wrong usage: one line, exit 2, nothing on stdout.
#[track_caller]
fn is_wrong_usage(ran: &Ran, words: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains(words), "{words:?} in {ran:?}");
}

#[test]
fn an_input_comes_as_an_argument_from_a_file_or_from_stdin() {
    let input = r#"{"a": 1, "b": 2}"#;
    let from_file = format!("@{}", file("input.json", input).display());
    for (argument, stdin) in [(input, ""), (&from_file, ""), ("-", input), ("{\"a\":1.0,\"b\":2}", "")] {
        let ran = run_with(KITCHEN, &["call", "add", "--input", argument], stdin.as_bytes(), |_| {});
        assert_eq!((ran.code, &ran.json()["result"]), (0, &json!(3)), "{ran:?}");
        assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
    }
    assert_eq!(run(KITCHEN, &["call", "nothing_asked"]).json()["result"], "pong");
}

#[test]
fn an_input_that_is_none_is_wrong_usage_here_and_against_a_running_bot() {
    let call = |input: &str, stdin: &[u8]| run_with(KITCHEN, &["call", "add", "--input", input], stdin, |_| {});
    is_wrong_usage(&call("{\"a\":", b""), "is no JSON");
    is_wrong_usage(&call("@/nowhere/at/all.json", b""), "@/nowhere/at/all.json");
    is_wrong_usage(&call("-", b"\xff"), "stdin");
    is_wrong_usage(&call("", b""), "is no JSON");
    is_wrong_usage(&run(KITCHEN, &["call", "add", "--input", "{", "--url", "http://127.0.0.1:1"]), "is no JSON");
}

#[test]
fn options_that_make_no_sense_are_wrong_usage() {
    for (args, words) in [
        (&["frobnicate"][..], "unrecognized subcommand"),
        (&["call"], "<TOOL>"),
        (&["call", "add", "--as-of", "yesterday"], "--as-of"),
        (&["call", "add", "--session", "ses_1", "--dry-run"], "--dry-run"),
        (&["call", "add", "--url", "http://x", "--session", "a", "--continuation", "b:c"], "--continuation"),
        (&["call", "add", "--url", "https://bot.example.com"], "http://"),
        (&["call", "add", "--url", "http://127.0.0.1:1", "--bearer-token-env", "BDK_NO_SUCH_NAME"], "BDK_NO_SUCH_NAME"),
        (&["call", "add", "--agent", "nobody"], "bdk-tests"),
        (&["serve", "--drain", "30"], "30s"),
        (&["serve", "--port", "70000"], "--port"),
        (&["serve", "--bearer-token-env", "BDK_NO_SUCH_NAME"], "BDK_NO_SUCH_NAME"),
        (&["validate", "--for", "copilot"], "anthropic"),
        (&["completions", "cmd.exe"], "bash"),
        (&["tools", "diff", "/nowhere/at/all.json"], "/nowhere/at/all.json"),
    ] {
        is_wrong_usage(&run(KITCHEN, args), words);
    }
    let ran = run_with(KITCHEN, &["info"], b"", |c| _ = c.env("RUST_LOG", "bdk=loud"));
    is_wrong_usage(&ran, "RUST_LOG");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert_eq!(run(KITCHEN, &["call", "add", "--agent", "bdk-tests", "--input", "{\"a\":1,\"b\":1}"]).code, 0);
}

#[test]
fn a_refused_call_is_answered_as_over_http() {
    let server = Server::start(KITCHEN, &[]);
    let here = run(KITCHEN, &["call", "ad"]);
    let there = run(KITCHEN, &["call", "ad", "--url", &server.url]);
    let http = server.post(&format!("{}/tools/ad", server.prefix), b"{}");
    assert_eq!((here.code, there.code, http.status), (1, 1, 404));
    assert_eq!(here.stdout.trim_end(), http.body);
    assert_eq!(there.stdout.trim_end(), http.body);
}

#[test]
fn a_running_bot_is_found_with_and_without_its_prefix() {
    for mode in ["prefixed", "single"] {
        let server = Server::start(KITCHEN, &["--mode", mode]);
        let prefix = if mode == "single" { "/v1" } else { &server.prefix };
        for url in [server.url.clone(), format!("{}/", server.url), format!("{}{prefix}", server.url)] {
            let ran = run(KITCHEN, &["call", "add", "--input", "{\"a\":1,\"b\":2}", "--url", &url]);
            assert_eq!((ran.code, &ran.json()["result"]), (0, &json!(3)), "{url}: {ran:?}");
        }
    }
}

#[test]
fn a_bearer_token_goes_along_and_stays_out_of_the_argument_list() {
    let serve = |c: &mut Command| _ = c.env("KITCHEN_TOKEN", "open-sesame-42");
    let server = Server::start_with(KITCHEN, &["--bearer-token-env", "KITCHEN_TOKEN"], serve);
    let call = |token: Option<&str>| {
        let args = ["call", "add", "--input", "{\"a\":1,\"b\":2}", "--url", &server.url];
        match token {
            Some(token) => {
                run_with(KITCHEN, &[&args[..], &["--bearer-token-env", "T"]].concat(), b"", |c| _ = c.env("T", token))
            }
            None => run(KITCHEN, &args),
        }
    };
    assert_eq!(call(Some("open-sesame-42")).code, 0);
    for refused in [call(Some("open-sesame-43")), call(None)] {
        assert_eq!((refused.code, &refused.json()["error"]), (1, &json!("unauthorized")), "{refused:?}");
    }
    let mut shown = Server::start(KITCHEN, &["--bearer-token", "open-sesame-44"]);
    shown.logged("--bearer-token-env");
    shown.interrupt();
    assert_eq!(shown.wait(), Some(0));
}

#[test]
fn nobody_there_is_one_line_and_exit_1() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("its address").port()
    };
    let ran = run(KITCHEN, &["call", "add", "--url", &format!("http://127.0.0.1:{port}")]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (1, "", 1), "{ran:?}");
}

#[test]
fn what_is_no_bot_is_told_from_one() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        }
    });
    for url in [url.clone(), format!("{url}/v1")] {
        let ran = run(KITCHEN, &["call", "add", "--url", &url]);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(ran.stderr.contains("no bot of bdk"), "{ran:?}");
    }
}

#[test]
fn facts_go_along_to_a_running_bot() {
    let server = Server::start(KITCHEN, &[]);
    let at = |url: &[&str]| {
        let args = [&["call", "say_nothing", "--dry-run"][..], url].concat();
        run(KITCHEN, &args).json()
    };
    let (here, there) = (at(&[]), at(&["--url", &server.url]));
    assert_eq!((&here["stubbed"], &there["stubbed"]), (&json!(true), &json!(true)), "{here} {there}");
    let now =
        |url: &[&str]| run(KITCHEN, &[&["call", "now", "--as-of", "2026-01-01T00:00:00Z"][..], url].concat()).json();
    assert_eq!(now(&[])["result"], now(&["--url", &server.url])["result"]);
}

#[test]
fn an_interrupted_call_ends_as_cancelled_and_leaves_no_workspace() {
    let mark = file("interrupted", "");
    let input = json!({ "mark": mark }).to_string();
    let mut command = Command::new(KITCHEN);
    command.args(["call", "long_wait", "--input", &input]).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().expect("the call");
    let workspace = eventually(|| std::fs::read_to_string(&mark).ok().filter(|text| Path::new(text).is_dir()));
    let workspace = workspace.expect("the tool wrote down its workspace");
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let out = child.wait_with_output().expect("its end");
    let answer: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!((out.status.code(), &answer["error"]["code"]), (Some(1), &json!("cancelled")), "{answer}");
    assert!(!Path::new(&workspace).exists());
}

#[test]
fn a_listing_is_the_same_from_run_to_run_and_is_what_the_bot_serves() {
    let first = run(KITCHEN, &["tools", "--json"]);
    assert_eq!(first.code, 0);
    assert_eq!(first.stdout, run(KITCHEN, &["tools", "--json"]).stdout);
    assert_eq!(run(KITCHEN, &["info", "--json"]).stdout, run(KITCHEN, &["info", "--json"]).stdout);
    let server = Server::start(KITCHEN, &[]);
    assert_eq!(server.get(&format!("{}/tools", server.prefix)).json()["tools"], first.json());
}

#[test]
fn a_listing_for_people_shows_what_a_caller_has_to_know() {
    let listed = run(KITCHEN, &["tools"]).stdout;
    for text in [
        "\nberth (read or write, by its input)\n    Take a berth.\n    berth: integer\n    hold?: boolean = true\n    commit?: boolean = false\n",
        "\n    Tell a figure's area.\n    either kind: \"circle\", radius: number  A circle.\n    or kind: \"rect\", w: integer, h: integer  A box.\n",
        "\n    Search in a time window.\n    since: string\n    until?: string\n    under asOf, bounded by it: since, until\n",
    ] {
        assert!(listed.contains(text), "{text} in {listed}");
    }
    assert!(listed.contains("\nundeclared (effect undeclared, treated as a write)\n"), "{listed}");
    let listed = run(env!("CARGO_BIN_EXE_companion"), &["tools"]).stdout;
    assert!(listed.contains("wipe (write, needs approval)\n"), "{listed}");
}

#[test]
fn a_diff_breaks_on_a_renamed_property_and_not_on_a_new_optional_one() {
    let now = run(KITCHEN, &["tools", "--json"]).json();
    let diff = |old: &Value| run(KITCHEN, &["tools", "diff", &file("tools.json", &old.to_string()).to_string_lossy()]);
    assert_eq!((diff(&now).code, diff(&now).stdout.as_str()), (0, "no changes\n"));

    let change = |change: &dyn Fn(&mut Value)| {
        let mut old = now.clone();
        let add = old.as_array_mut().expect("tools").iter_mut().find(|t| t["name"] == "add").expect("add");
        change(&mut add["inputSchema"]);
        diff(&old)
    };
    // in the saved listing `b` had another name
    let renamed = change(&|schema| {
        let b = schema["properties"].as_object_mut().expect("properties").remove("b").expect("b");
        schema["properties"]["bee"] = b;
        schema["required"] = json!(["a", "bee"]);
    });
    assert_eq!(renamed.code, 1, "{renamed:?}");
    assert!(renamed.stdout.contains("breaking: `add` input `bee`: is gone (renamed to `b`?)"), "{renamed:?}");
    // there it was not there at all, and is optional now
    let unit = |old: &mut Value| {
        let tool = old.as_array_mut().expect("tools").iter_mut().find(|t| t["name"] == "unit_of").expect("unit_of");
        tool["inputSchema"]["properties"] = json!({});
    };
    let mut old = now.clone();
    unit(&mut old);
    let added = diff(&old);
    assert_eq!((added.code, added.stdout.as_str()), (0, "compatible: `unit_of` input `unit`: is new, and optional\n"));
    is_wrong_usage(&run(KITCHEN, &["tools", "diff", &file("no.json", "{}").to_string_lossy()]), "tools --json");
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    for args in [&["tools", "--json"][..], &["tools"], &["completions", "bash"]] {
        let mut child =
            Command::new(KITCHEN).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        // closed before anything is read
        drop(child.stdout.take());
        let out = child.wait_with_output().expect("its end");
        assert_eq!((out.status.code(), out.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn a_sound_bot_validates_with_its_counts_by_crate() {
    let ran = run(KITCHEN, &["validate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert!(last.contains("bdk-tests (") && last.contains("no errors"), "{ran:?}");
    assert!(ran.stdout.contains("recursive"), "{ran:?}");
    let report = run(KITCHEN, &["validate", "--json"]).json();
    assert_eq!(report["ok"], true);
    assert!(report["problems"].as_array().is_some_and(|p| p.iter().all(|p| p["severity"] == "warning")), "{report}");
}

#[test]
fn validate_for_a_provider_tells_what_it_refuses_and_ignores_by_tool_and_place() {
    let told = |args: &[&str]| -> Vec<[String; 4]> {
        let ran = run(KITCHEN, &[&["validate", "--json"], args].concat());
        let report = ran.json();
        let problems = report["problems"].as_array().expect("problems");
        let refused = problems.iter().any(|p| p["severity"] == "error");
        assert_eq!((ran.code, &report["ok"]), (i32::from(refused), &json!(!refused)), "{report}");
        let of = |p: &Value, key: &str| p[key].as_str().unwrap_or_default().to_owned();
        let ours = problems.iter().filter(|p| of(p, "code").starts_with("for_"));
        ours.map(|p| ["severity", "code", "place", "message"].map(|key| of(p, key))).collect()
    };
    assert!(told(&[]).is_empty());

    let both = told(&["--for", "openai", "--for", "gemini", "--for", "openai"]);
    for (severity, code, words) in [
        ("error", "for_openai", ["`area`: ", "`anyOf` at the root"]),
        ("error", "for_openai", ["`fetch` at `properties/url`: ", "`uri`"]),
        ("warning", "for_openai", ["`publish` at `properties/key`: ", "`minLength`"]),
        ("error", "for_gemini", ["`tree_size` at `properties/root/properties/children/items`: ", "`$ref`"]),
        // one tool with several faults
        ("error", "for_gemini", ["`rules` at `properties/site`: ", "`uri`"]),
        ("warning", "for_gemini", ["`rules` at `properties/firstWord`: ", "`default`"]),
    ] {
        let of = both.iter().filter(|[s, c, place, message]| {
            s == severity && c == code && place.contains("kitchen.rs:") && words.iter().all(|w| message.contains(w))
        });
        assert_eq!(of.count(), 1, "{words:?}: {both:#?}");
    }
    assert!(both.iter().all(|[_, code, ..]| code != "for_anthropic"));
    let anthropic = told(&["--for", "anthropic"]);
    let errors: Vec<_> = anthropic.iter().filter(|[severity, ..]| severity == "error").collect();
    assert!(
        matches!(&errors[..], [[_, code, _, why]] if code == "for_anthropic" && why.contains("`area`")),
        "{errors:?}"
    );

    let text = run(KITCHEN, &["validate", "--for", "anthropic"]);
    assert_eq!(text.code, 1, "{text:?}");
    let line = text.stdout.lines().find(|line| line.contains("`area`")).unwrap_or_default();
    assert!(line.starts_with("error: ") && line.contains("kitchen.rs:"), "{text:?}");
    let help = run(KITCHEN, &["validate", "--help"]).stdout;
    for words in ["--for <PROVIDER>", "anthropic", "openai", "gemini", "refuses"] {
        assert!(help.contains(words), "{words} in {help}");
    }
}

#[test]
fn the_first_line_on_stdout_is_the_address_and_a_port_in_use_is_one_line() {
    let mut child = Command::new(KITCHEN)
        .args(["--port", "0", "--state", "memory:"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    let port = line.trim().rsplit(':').next().unwrap_or_default().to_owned();
    let ran = run(KITCHEN, &["serve", "--port", &port, "--state", "memory:"]);
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert_eq!(child.wait().expect("its end").code(), Some(0));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (1, "", 1), "{ran:?}");
    assert!(ran.stderr.contains(&port), "{ran:?}");
}

#[test]
fn an_env_file_that_cannot_be_read_is_one_line_and_exit_1() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("env-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (line, words) in [
        ("this secret is no assignment", ".env:2: the line is not `NAME=value`"),
        ("TOKEN=abc$secret", ".env:2: the value of `TOKEN` has a `$` with a name behind it that is not set"),
        ("TOKEN=ab secret", ".env:2: the value of `TOKEN` goes on behind a blank: put all of it in quotes"),
    ] {
        std::fs::write(folder.join(".env"), format!("GOOD=1\n{line}\n")).expect("a file");
        let ran = run_with(KITCHEN, &["info"], b"", |c| _ = c.current_dir(&folder));
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (1, "", 1), "{ran:?}");
        assert!(ran.stderr.contains(words) && !ran.stderr.contains("secret"), "{ran:?}");
    }
    // how the bot is used can still be asked
    for args in [&["--help"][..], &["call", "-h"], &["--version"], &["completions", "bash"]] {
        let ran = run_with(KITCHEN, args, b"", |c| _ = c.current_dir(&folder));
        assert!((ran.code, ran.stderr.as_str()) == (0, "") && !ran.stdout.is_empty(), "{ran:?}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn completions_are_for_the_program_as_it_is_called() {
    let ran = run(KITCHEN, &["completions", "bash"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("complete -F") && ran.stdout.contains("kitchen"), "{}", ran.stdout);
}

#[test]
fn what_a_bot_prints_is_not_the_answer_of_call() {
    let ran = run(env!("CARGO_BIN_EXE_noisy"), &["call", "prints"]);
    assert_eq!((ran.code, &ran.json()["isError"]), (0, &json!(false)), "{ran:?}");
    for from in ["main", "a program of main", "a tool"] {
        assert!(ran.stderr.contains(&format!("NOISE from {from}")), "{from}: {ran:?}");
    }
    // help is read by people, and a listing is what was asked for
    assert!(run(env!("CARGO_BIN_EXE_noisy"), &["call", "--help"]).stdout.contains("--input"));
}
