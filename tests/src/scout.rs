//! The example bot repo-scout, built and run for a repository that a test made.

use crate::Server;
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};
use tempfile::TempDir;

/// The built bot. Cargo builds no other package's program for a test, so that is asked of it here: with the features and in
/// the profile that the tests are built with, and so mostly what is there already.
#[track_caller]
pub fn exe() -> &'static Path {
    static EXE: OnceLock<PathBuf> = OnceLock::new();
    EXE.get_or_init(|| {
        // TARGET/PROFILE/deps/TEST; not Cargo's own variables: the tests may be run by hand
        let test = std::env::current_exe().expect("a path");
        let profile = test.ancestors().nth(2).expect("a profile's folder");
        let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
        cargo.args(["build", "--workspace", "--bin", "repo-scout", "--features", "bdk/cli,bdk/postgres"]);
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        cargo.arg("--target-dir").arg(profile.parent().expect("a target folder"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        // what cargo says of this package is not for the build of another
        let of_package = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
        for (name, _) in std::env::vars_os() {
            if of_package.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
                cargo.env_remove(name);
            }
        }
        let built = cargo.output().expect("cargo runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        profile.join(format!("repo-scout{}", std::env::consts::EXE_SUFFIX))
    })
}

/// The bot, serving for this repository.
#[track_caller]
pub fn serve(repository: &Path) -> Server {
    let exe = exe().to_str().expect("a path of plain text");
    let mut bot = Server::start_with(exe, &[], |command| {
        command.env("REPO_SCOUT_DIR", repository);
    });
    bot.prefix = "/repo-scout/v1".to_owned();
    bot
}

/// A repository with two commits: Ada starts, and Bo adds a TODO.
#[track_caller]
pub fn repository() -> TempDir {
    made([None, None])
}

/// The same, with commits of these instants.
#[track_caller]
pub fn repository_of(ada: &str, bo: &str) -> TempDir {
    made([Some(ada), Some(bo)])
}

#[track_caller]
fn made([ada, bo]: [Option<&str>; 2]) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    git(dir.path(), &["init", "--quiet", "--initial-branch=main"], None);
    commit(dir.path(), "Ada", "Start", "fn main() {}\n", ada);
    commit(dir.path(), "Bo", "Ask for work", "fn main() {}\n// TODO: do something\n", bo);
    dir
}

fn commit(dir: &Path, author: &str, message: &str, main: &str, at: Option<&str>) {
    std::fs::create_dir_all(dir.join("src")).expect("a folder");
    std::fs::write(dir.join("src/main.rs"), main).expect("a file");
    git(dir, &["add", "."], None);
    let (name, mail) = (format!("user.name={author}"), format!("user.email={author}@example.org"));
    git(dir, &["-c", &name, "-c", &mail, "-c", "commit.gpgsign=false", "commit", "--quiet", "-m", message], at);
}

fn git(dir: &Path, args: &[&str], at: Option<&str>) {
    let mut git = Command::new("git");
    git.current_dir(dir).args(args);
    if let Some(at) = at {
        git.env("GIT_AUTHOR_DATE", at).env("GIT_COMMITTER_DATE", at);
    }
    let done = git.output().expect("git runs");
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}
