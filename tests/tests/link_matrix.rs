//! What reaches a bot at link time and what vanishes: built and run as cargo builds and links them, in the profiles that
//! throw most away. The crates are under `fixtures/link`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project's folder").to_owned()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/link")
}

/// One folder for all builds, so that what they share is built once.
fn target() -> PathBuf {
    // not Cargo's own variable: the tests may be run by hand
    std::env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.ancestors().nth(3)?.join("link-matrix")))
        .expect("a target folder")
}

/// Cargo in this folder, with the project's versions and nothing from the network.
fn cargo(folder: &Path, args: &[&str]) -> Output {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    fs::copy(project().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the project's Cargo.lock");
    let mut cargo = Command::new(env!("CARGO"));
    // what the outer cargo says of its own build is not for the inner; where crates come from is
    let of_outer = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        let source =
            ["CARGO_HOME", "CARGO_HTTP", "CARGO_NET", "CARGO_REGISTR"].iter().any(|kept| name.starts_with(kept));
        (name.starts_with("CARGO") && !source) || name == "RUSTFLAGS"
    });
    for name in of_outer {
        cargo.env_remove(name);
    }
    cargo
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(folder)
        .args(args)
        .arg("--offline");
    cargo.output().expect("cargo runs")
}

#[track_caller]
fn built(args: &[&str]) {
    let out = cargo(&fixtures(), args);
    assert!(out.status.success(), "cargo {args:?}:\n{}", String::from_utf8_lossy(&out.stderr));
}

/// Whether it ended well, what it said, and what it complained of.
#[track_caller]
fn ran(profile: &str, program: &str) -> (bool, Vec<String>, String) {
    let exe = target().join(profile).join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    let out = Command::new(&exe).output().unwrap_or_else(|e| panic!("{}: {e}", exe.display()));
    let said = String::from_utf8_lossy(&out.stdout).lines().map(str::to_owned).collect();
    (out.status.success(), said, String::from_utf8_lossy(&out.stderr).into_owned())
}

/// Every tool that `linked` brings in.
const ALL: [&str; 11] = [
    "deep",
    "from_data",
    "in_a_body",
    "in_a_generic",
    "in_a_trait",
    "jev__decide",
    "jev__generated",
    "lent",
    "nested",
    "own",
    "plain",
];

#[test]
fn what_no_code_names_vanishes_and_the_bot_says_how_to_bring_it_in() {
    built(&["build", "--bins"]);
    let (started, said, complained) = ran("debug", "unnamed");
    assert_eq!(said, [""; 0], "neither the bot's own library nor its dependencies are linked");
    assert!(!started);
    assert!(complained.contains("no tools are linked into this binary"), "{complained}");
    assert!(complained.contains("bdk::link!(crate_name);"), "{complained}");
}

#[test]
fn link_and_install_bring_in_every_tool_wherever_it_stands() {
    built(&["build", "--bins"]);
    let (started, said, complained) = ran("debug", "linked");
    assert_eq!(said, ALL, "{complained}");
    assert!(started, "{complained}");
}

#[test]
fn one_function_used_links_the_whole_crate_and_what_it_links() {
    built(&["build", "--bins"]);
    let (_, said, complained) = ran("debug", "used");
    assert_eq!(said, ["deep", "own"], "{complained}");
}

#[test]
fn a_bot_may_rename_bdk_be_of_edition_2021_and_depend_on_nothing_else() {
    built(&["build", "--bins"]);
    let (started, said, complained) = ran("debug", "link-renamed");
    assert!(started, "{complained}");
    assert_eq!(said, ["\"hello Ada\"", "from_data", "greet"], "{complained}");
}

#[test]
fn a_test_program_has_what_it_links() {
    built(&["test", "-p", "link-bot", "--tests"]);
}

#[test]
fn link_time_optimisation_and_stripping_lose_no_tool_and_an_aborting_bot_does_not_start() {
    built(&["build", "--profile", "small", "-p", "link-bot", "--bin", "linked"]);
    let (started, said, complained) = ran("small", "linked");
    assert_eq!(said, ALL, "{complained}");
    assert!(!started, "one tool's panic would end it");
    assert!(complained.contains("panic = \"abort\""), "{complained}");
}

#[test]
fn two_versions_of_the_runtime_are_refused_when_the_bot_is_built() {
    let folder = target().join("two-versions");
    let project = project();
    let runtime = project.join("bdk-runtime");
    let other = folder.join("other");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::create_dir_all(other.join("src")).expect("a folder");
    // the runtime's manifest as it is, but of a later version; what cargo refuses it refuses before it reads any code
    let manifest = fs::read_to_string(runtime.join("Cargo.toml")).expect("the runtime's manifest");
    let links = manifest.lines().find(|line| line.starts_with("links = ")).expect("the manifest has `links`");
    let later = format!("[package]\nname = \"bdk-runtime\"\nversion = \"9.0.0\"\nedition = \"2024\"\n{links}\n");
    fs::write(other.join("Cargo.toml"), later).expect("a manifest");
    fs::write(other.join("build.rs"), "fn main() {}").expect("a build script");
    fs::write(other.join("src/lib.rs"), "").expect("a library");
    fs::write(folder.join("src/main.rs"), "fn main() {}").expect("a program");
    let bdk = project.join("bdk");
    let bot = format!(
        "[workspace]\n[package]\nname = \"two-versions\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\n\
         bdk = {{ path = {bdk:?}, default-features = false }}\nother = {{ package = \"bdk-runtime\", path = {other:?} }}\n"
    );
    fs::write(folder.join("Cargo.toml"), bot).expect("a manifest");
    let out = cargo(&folder, &["metadata", "--format-version", "1"]);
    let complained = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success(), "two registries in one bot: the tools of one would be missing without a word");
    assert!(complained.contains("links to the native library `bdk-runtime`"), "{complained}");
}
