//! The example bot repo-scout, built and run for a repository that a test made.

use crate::{Server, examples};
use std::{path::Path, process::Command};
use tempfile::TempDir;

/// The built bot.
#[track_caller]
pub fn exe() -> String {
    examples::built("repo-scout")
}

/// The bot, serving for this repository.
#[track_caller]
pub fn serve(repository: &Path) -> Server {
    let mut bot = Server::start_with(&exe(), &[], |command| {
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
