//! The binary `bdk` as its users run it: a new bot is written, built, tested, called, watched and looked through.
#![allow(missing_docs)]

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

const BDK: &str = env!("CARGO_BIN_EXE_bdk");

/// An empty folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// A bot as `bdk new` writes it, in this folder.
    fn bot(&self, name: &str) -> PathBuf {
        let ran = self.bdk(&["new", name]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
        let bot = self.0.join(name);
        // the versions that this workspace was built with, so that nothing is downloaded
        fs::copy(workspace().join("Cargo.lock"), bot.join("Cargo.lock")).expect("a lock file");
        bot
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // dependencies that are built already are not built again: the same folder, and the same profile
        command.env("CARGO_TARGET_DIR", target()).env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
        command.env("CARGO_NET_OFFLINE", "true").env_remove("RUST_LOG").current_dir(&self.0).stdin(Stdio::null());
        command
    }
    fn bdk(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(BDK).args(args))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}
/// The folder this test was built into.
fn target() -> &'static Path {
    Path::new(BDK).ancestors().nth(2).expect("target/debug/bdk")
}

#[derive(Debug)]
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(command: &mut Command) -> Self {
        let out = command.output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Self { code: code(out.status), stdout: text(out.stdout), stderr: text(out.stderr) }
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

#[test]
fn a_new_bot_builds_passes_its_own_tests_and_answers_at_once() {
    let folder = Folder::new("new");
    let bot = folder.bot("fresh-bot");
    fs::write(folder.0.join("input.json"), r#"{"text":"to be or not to be"}"#).expect("a file");
    // the file is the caller's, the folder the bot's
    let ran = folder.bdk(&["call", "count_words", "--dir", "fresh-bot", "--input", "@input.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("{\"ok\":true,\"toolName\":\"count_words\""), "{ran:?}");
    assert!(ran.stdout.contains("\"result\":{\"words\":6,") && ran.stdout.lines().count() == 1, "{ran:?}");
    assert!(!ran.stderr.contains("warning:"), "{ran:?}");

    let ran = Ran::of(folder.command("cargo").args(["test", "--quiet"]).current_dir(&bot));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("2 passed"), "{ran:?}");

    // exit codes are the bot's own
    assert_eq!(folder.bdk(&["call", "count_words", "--dir", "fresh-bot"]).code, 1);
    assert_eq!(folder.bdk(&["call", "count_words", "--dir=fresh-bot", "--input", "{"]).code, 2);

    fs::write(bot.join("src/main.rs"), "fn main() { oops }").expect("a file");
    let ran = folder.bdk(&["tools", "--json", "--dir", "fresh-bot"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("cannot find value `oops`") && ran.stderr.contains("does not build"), "{ran:?}");
}

/// cases.md 10, and what rustc leaves out without a word.
#[test]
fn what_is_missing_from_a_bot_is_told_with_the_line_that_brings_it_in() {
    let folder = Folder::new("lost");
    let bot = folder.bot("lost-bot");
    let write = |file: &str, text: &str| {
        let file = bot.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    };
    let tool = |name: &str| format!("use bdk::prelude::*;\n/// Do it.\n#[tool]\npub async fn {name}() {{}}\n");
    let manifest = fs::read_to_string(bot.join("Cargo.toml")).expect("a manifest");
    let dependencies = "[dependencies]\nlost-jev = { path = \"jev\" }\n";
    let manifest = manifest.replace("[dependencies]\n", dependencies) + "members = [\"jev\"]\n\n[features]\ngpu = []\n";
    write("Cargo.toml", &manifest);
    let bdk = manifest.lines().find(|l| l.starts_with("bdk = ")).expect("bdk").to_owned();
    let package = "[package]\nname = \"lost-jev\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n";
    write("jev/Cargo.toml", &format!("{package}{bdk}\n"));
    write("jev/src/lib.rs", &(tool("decide") + "bdk::extension!(\"jev\");\n"));
    write("src/lib.rs", &tool("in_library"));
    write("src/tools/deep.rs", &tool("undeclared"));
    let main = fs::read_to_string(bot.join("src/main.rs")).expect("the bot");
    let with_gpu = main
        .replace("#[bdk::main]", "/// Fast.\n#[cfg(feature = \"gpu\")]\n#[tool]\nasync fn on_gpu() {}\n\n#[bdk::main]");
    write("src/main.rs", &with_gpu);

    let ran = folder.bdk(&["validate", "--dir", "lost-bot"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for words in [
        "warning: jev/src/lib.rs:4: the crate `lost_jev` is not in this binary, because no code names it: `decide` is missing. \
         Write `bdk::install!(lost_jev);` in `src/main.rs`",
        "warning: src/lib.rs:4: the crate `lost_bot` is not in this binary, because no code names it: `in_library` is missing. \
         Write `bdk::link!(lost_bot);` in `src/main.rs`",
        "write `mod deep;` in `src/tools.rs` and `mod tools;` in `src/main.rs`",
        "`on_gpu` is not in this binary: `#[cfg(feature = \"gpu\")]` leaves it out",
        "1 tool from lost-bot (1): no errors, 4 warnings",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{ran:?}");
    }

    // those very lines help
    let lines = "bdk::install!(lost_jev);\nbdk::link!(lost_bot);\nmod tools;\nuse bdk::prelude";
    write("src/main.rs", &with_gpu.replacen("use bdk::prelude", lines, 1));
    write("src/tools.rs", "mod deep;\n");
    let ran = folder.bdk(&["validate", "--dir", "lost-bot"]);
    assert!(ran.stdout.ends_with("4 tools from lost-bot (3), lost-jev (1): no errors, 1 warning\n"), "{ran:?}");
    assert_eq!(folder.bdk(&["call", "jev__decide", "--dir", "lost-bot"]).code, 0);

    // a second tool of one name, in another module: no start, both places
    write("src/tools/deep.rs", &tool("in_library"));
    let ran = folder.bdk(&["validate", "--dir", "lost-bot"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("error: src/lib.rs:4: two tools are named `in_library`"), "{ran:?}");
    let ran = folder.bdk(&["--dir", "lost-bot", "--port", "0"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("src/lib.rs:4") && ran.stderr.contains("src/tools/deep.rs:4"), "{ran:?}");

    // a bot whose tools are all in a library that nobody names
    write("src/main.rs", "#[bdk::main]\nasync fn main() -> std::process::ExitCode {\n    bdk::serve().await\n}\n");
    let ran = folder.bdk(&["validate", "--dir", "lost-bot"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("error: no tools are linked into this binary"), "{ran:?}");
    assert!(ran.stdout.contains("Write `bdk::link!(lost_bot);` in `src/main.rs`"), "{ran:?}");
    assert!(folder.bdk(&["info", "--dir", "lost-bot"]).stderr.contains("bdk::link!"));
}

#[test]
fn a_bot_is_built_and_started_again_when_it_changes_and_ends_with_bdk() {
    let folder = Folder::new("dev");
    let bot = folder.bot("watched-bot");
    let main = bot.join("src/main.rs");
    let mut dev = folder.command(BDK);
    dev.args(["dev", "--dir", "watched-bot", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut dev = dev.spawn().expect("it runs");
    let mut addresses = BufReader::new(dev.stdout.take().expect("piped")).lines();
    let mut said = BufReader::new(dev.stderr.take().expect("piped")).lines();
    let mut address = || addresses.next().expect("an address").expect("text");
    let words = |url: &str| folder.bdk(&["call", "count_words", "--url", url, "--input", "{\"text\":\"a b\"}"]).stdout;

    let first = address();
    assert!(words(&first).contains("\"words\":2,"), "{}", words(&first));
    let source = fs::read_to_string(&main).expect("the bot");
    fs::write(&main, source.replace("text.split_whitespace().count()", "100")).expect("a file");
    let second = address();
    assert!(words(&second).contains("\"words\":100,"), "{}", words(&second));

    // what does not build takes nothing away
    fs::write(&main, "oops").expect("a file");
    let told =
        said.by_ref().map(|line| line.expect("text")).find(|line| line.contains("the last one that did goes on"));
    assert!(told.is_some());
    assert!(words(&second).contains("\"words\":100,"));

    let _ = Command::new("kill").args(["-INT", &dev.id().to_string()]).status();
    // the rest is read, so that no writer waits
    assert_eq!(said.map_while(Result::ok).filter(|line| line.contains("panicked")).count(), 0);
    assert_eq!(code(dev.wait().expect("its end")), 0);
    let ran = folder.bdk(&["call", "count_words", "--url", &second]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
}

#[test]
fn a_folder_without_a_bot_and_names_that_are_none_are_told() {
    let folder = Folder::new("none");
    // outside any package, or cargo would find this one
    let nowhere = std::env::temp_dir().join(format!("bdk-nowhere-{}", std::process::id()));
    fs::create_dir_all(&nowhere).expect("a folder");
    let ran = Ran::of(folder.command(BDK).args(["tools", "--dir"]).arg(&nowhere));
    let _ = fs::remove_dir_all(&nowhere);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.lines().count()), (1, "", 1), "{ran:?}");
    assert!(ran.stderr.contains("bdk new"), "{ran:?}");

    for (args, exit, words) in [
        (&["new", "fn"][..], 2, "Rust's own"),
        (&["new", "a b"], 2, "holds ` `"),
        (&["new", "bdk"], 2, "has that name"),
        (&["new", "x", "--bdk-path", "/nowhere"], 2, "/nowhere"),
        (&["new", "x", "--bdk-path", ".", "--bdk-git", "y"], 2, "--bdk-git"),
        (&["tools", "--dir", "/nowhere/at/all"], 2, "/nowhere/at/all"),
        (&["tools", "--dir"], 2, "--dir"),
        (&[], 2, "Usage: bdk"),
    ] {
        let ran = folder.bdk(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (exit, ""), "{args:?} {ran:?}");
        assert!(ran.stderr.contains(words), "{args:?} {ran:?}");
    }
    fs::create_dir(folder.0.join("full")).expect("a folder");
    fs::write(folder.0.join("full/notes"), "mine").expect("a file");
    assert_eq!(folder.bdk(&["new", "full"]).code, 1);
    assert_eq!(fs::read_to_string(folder.0.join("full/notes")).expect("still there"), "mine");
    let help = folder.bdk(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("new") && help.stdout.contains("dev") && help.stdout.contains("validate"), "{help:?}");
}

#[test]
fn a_bot_may_depend_on_bdk_by_git() {
    let folder = Folder::new("git");
    let ran = folder.bdk(&["new", "by-git", "--bdk-git", "https://git.example.com/bdk.git"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let manifest = fs::read_to_string(folder.0.join("by-git/Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("bdk = { git = \"https://git.example.com/bdk.git\" }"), "{manifest}");
}
