//! `call` at a terminal: whoever sits there is asked. The terminal is a real one (a pseudo-terminal of the system's), and Python
//! types what a person would. What is typed at a terminal is seen there, too, and so stands in what it showed.

use bdk_tests::run_with;

const TALKER: &str = env!("CARGO_BIN_EXE_companion");

/// Runs a command at a terminal of its own, types each answer when its question has come, and gives what the terminal
/// showed, with the exit code at its end. Stdout goes to the terminal, too.
const AT_A_TERMINAL: &str = r#"
import os, pty, select, sys, time
exe, *rest = sys.argv[1:]
split = rest.index("--")
args, typed = rest[:split], rest[split + 1:]
pid, tty = pty.fork()
if pid == 0:
    os.execv(exe, [exe, *args])
shown, end = b"", time.monotonic() + 60
while time.monotonic() < end:
    if typed and typed[0].split("=>")[0].encode() in shown:
        question, answer = typed.pop(0).split("=>")
        shown = shown.replace(question.encode(), b"", 1)
        os.write(tty, answer.encode() + b"\n")
    ready, _, _ = select.select([tty], [], [], 0.1)
    if not ready:
        continue
    try:
        more = os.read(tty, 65536)
    except OSError:
        break
    if not more:
        break
    shown += more
    sys.stdout.buffer.write(more)
else:
    os.kill(pid, 9)
print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

#[track_caller]
fn at_a_terminal(args: &[&str], typed: &[&str]) -> String {
    let all: Vec<&str> = [&["-c", AT_A_TERMINAL, TALKER], args, &["--"], typed].concat();
    let ran = run_with("python3", &all, b"", |_| {});
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

#[test]
fn a_person_at_the_terminal_answers_a_form() {
    let shown = at_a_terminal(&["call", "greet"], &["friends say it.): =>Ada", "age [may stay empty]: =>36"]);
    assert!(shown.contains("Who are you?") && shown.contains("As friends say it."), "{shown}");
    assert!(shown.contains(r#""result":"Hello, Ada of 36!""#) && shown.ends_with("exit 0\n"), "{shown}");
}

#[test]
fn a_person_at_the_terminal_approves_or_does_not() {
    let wipe = ["call", "wipe", "--input", r#"{"disk":"sda"}"#];
    let yes = at_a_terminal(&wipe, &["[y/N] =>y"]);
    assert!(yes.contains("sda") && yes.contains(r#""isError":false"#) && yes.ends_with("exit 0\n"), "{yes}");
    assert!(yes.contains("Yes or no? [y/N] "), "{yes}");
    let second_thoughts = at_a_terminal(&wipe, &["[y/N] =>maybe", "expected y or n=>y"]);
    assert!(second_thoughts.contains(r#""isError":false"#), "{second_thoughts}");
    let no = at_a_terminal(&wipe, &["[y/N] =>n"]);
    assert!(no.contains(r#""isError":true"#) && no.ends_with("exit 1\n"), "{no}");
}

#[test]
fn a_person_who_gives_up_finds_the_answer_on_a_line_of_its_own() {
    for gives_up in ["\u{4}", "\u{3}"] {
        let shown = at_a_terminal(&["call", "wipe", "--input", r#"{"disk":"sda"}"#], &[&format!("[y/N] =>{gives_up}")]);
        assert!(shown.lines().any(|line| line.starts_with(r#"{"ok":true,"#)), "{shown:?}");
        assert!(shown.ends_with("exit 1\n"), "{shown:?}");
    }
}

#[test]
fn an_input_is_approved_as_it_is_and_not_as_it_would_look() {
    let shown = at_a_terminal(&["call", "wipe", "--input", "{\"disk\":\"sd\u{202e}a\u{200b}\"}"], &["[y/N] =>n"]);
    assert!(shown.contains(r"sd\u202ea\u200b") && !shown.contains(['\u{202e}', '\u{200b}']), "{shown:?}");
}

#[test]
fn an_mcp_server_that_somebody_starts_at_a_terminal_says_what_it_waits_for() {
    let shown = at_a_terminal(&["mcp", "serve"], &["`--help` tells how to add it=>\u{4}"]);
    assert!(shown.contains("waiting for an MCP client") && shown.ends_with("exit 0\n"), "{shown}");
}

#[test]
fn where_nobody_sits_nobody_is_asked() {
    let ran = run_with(TALKER, &["call", "wipe", "--input", r#"{"disk":"sda"}"#], b"y\n", |_| {});
    assert_eq!((ran.code, ran.json()["error"]["code"].as_str()), (1, Some("unavailable")), "{ran:?}");
    let told = ran.json()["result"]["content"][0]["text"].to_string();
    assert!(
        told.contains("over MCP") && told.contains("`call`, without `--url`, where stdin and stderr are a terminal"),
        "{told}"
    );
    let help = run_with(TALKER, &["call", "--help"], b"", |_| {}).stdout;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("stdin and stderr both have to be a terminal"), "{help}");
}
