//! The commits that changed a file, newest first, through its renames.

use super::{
    Repo, Result, diff,
    paths::{self, show},
    repo::{committed_at, subject},
};
use bdk::prelude::*;
use git2::{Commit, Oid};
use std::{
    collections::{BinaryHeap, HashSet},
    path::Path,
};

/// The commits that changed a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileHistory {
    /// The file, from the checkout's root.
    pub path: String,
    /// Newest first.
    pub commits: Vec<FileCommit>,
    /// Whether there are more than the limit.
    pub more: bool,
}

/// A commit that changed the file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileCommit {
    /// The commit's id.
    pub id: String,
    /// `Name <email>`.
    pub author: String,
    /// When it was committed.
    pub committed_at: Timestamp,
    /// The first line of its message.
    pub subject: String,
    /// What the file was called in this commit.
    pub path: String,
}

/// A commit to look at, and the file's path in it. Ordered by time, so that a heap gives the newest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    seconds: i64,
    id: Oid,
    path: PathBuf,
}

impl Visit {
    fn new(commit: &Commit<'_>, path: PathBuf) -> Self {
        Self { seconds: commit.time().seconds(), id: commit.id(), path }
    }
}

/// The commits since `since` that changed the file (or folder), `limit` at most.
///
/// As `git log` does: a merge counts only if it differs from all that it merges, and where it took the file from one
/// side unchanged, that side alone is followed. With `follow`, a renamed file is followed under its old name.
///
/// # Errors
/// When the path is neither tracked nor was changed in that time.
pub fn of_file(repo: &Repo, asked: &str, since: Timestamp, follow: bool, limit: usize) -> Result<FileHistory> {
    let tip = repo.tip()?;
    let path = repo.path(&tip, asked)?;
    let mut commits = Vec::new();
    let mut more = false;
    let mut heap = BinaryHeap::from([Visit::new(&tip, path.clone())]);
    let mut seen = HashSet::new();

    while let Some(Visit { id, path, .. }) = heap.pop() {
        let commit = repo.git.find_commit(id)?;
        if committed_at(&commit) < since || !seen.insert((id, path.clone())) {
            continue;
        }
        let parents = commit.parents().collect::<Vec<_>>();
        let here = version(&commit, &path)?;
        let there = parents.iter().map(|p| version(p, &path)).collect::<Result<Vec<_>>>()?;

        if let Some(same) = there.iter().position(|v| *v == here) {
            heap.push(Visit::new(&parents[same], path));
            continue;
        }
        if parents.is_empty() && here.is_none() {
            continue;
        }
        if commits.len() == limit {
            more = true;
            break;
        }
        commits.push(FileCommit {
            id: id.to_string(),
            author: repo.author(&commit)?,
            committed_at: committed_at(&commit),
            subject: subject(&commit),
            path: show(&path),
        });
        let came_here = here.is_some() && there.iter().all(Option::is_none);
        for (parent, version) in parents.iter().zip(&there) {
            let old = match version {
                None if came_here && follow => diff::renamed_from(repo, parent, &commit, &path)?,
                _ => None,
            };
            // Where it was not renamed, an earlier file of this name may have been removed: that is its history, too.
            heap.push(Visit::new(parent, old.unwrap_or_else(|| path.clone())));
        }
    }

    if commits.is_empty() && version(&tip, &path)?.is_none() {
        return Err(repo.not_tracked(&tip, asked)?);
    }
    Ok(FileHistory { path: show(&path), commits, more })
}

/// What stands under the path in this commit, its mode included. The root stands for the whole tree.
fn version(commit: &Commit<'_>, path: &Path) -> Result<Option<(Oid, i32)>> {
    if path.as_os_str().is_empty() {
        return Ok(Some((commit.tree_id(), 0)));
    }
    Ok(paths::entry(&commit.tree()?, path)?.map(|entry| (entry.id(), entry.filemode())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{
        Error,
        fixture::{Fixture, at},
    };

    fn subjects(history: &FileHistory) -> Vec<&str> {
        history.commits.iter().map(|c| c.subject.as_str()).collect()
    }

    #[test]
    fn the_commits_that_changed_the_file_come_newest_first() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "Add a\n\nWith a body.\n", &[("a.txt", "1\n")]);
        fixture.commit(200, "Other", &[("b.txt", "1\n")]);
        fixture.commit_by("Bo", 300, "Change a", &[("a.txt", "2\n")]);

        let history = of_file(&fixture.repo(), "a.txt", at(0), true, 10).unwrap();

        assert_eq!(subjects(&history), ["Change a", "Add a"]);
        assert_eq!(history.commits[0].author, "Bo <bo@example.org>");
        assert_eq!(history.commits[1].id, first.to_string());
        assert_eq!(history.commits[1].committed_at, at(100));
        assert!(!history.more);
    }

    #[test]
    fn since_is_inclusive_and_the_limit_says_when_it_cut() {
        let fixture = Fixture::new();
        for n in 1..=4 {
            fixture.commit(n * 100, &format!("{n}"), &[("a.txt", &format!("{n}\n"))]);
        }
        let repo = fixture.repo();

        assert_eq!(subjects(&of_file(&repo, "a.txt", at(200), true, 10).unwrap()), ["4", "3", "2"]);
        assert_eq!(subjects(&of_file(&repo, "a.txt", at(201), true, 10).unwrap()), ["4", "3"]);
        let cut = of_file(&repo, "a.txt", at(200), true, 2).unwrap();
        assert!(cut.more && cut.commits.len() == 2);
        assert!(!of_file(&repo, "a.txt", at(200), true, 3).unwrap().more, "three of three is whole");
    }

    #[test]
    fn a_renamed_file_is_followed_under_its_old_name_only_if_asked() {
        let fixture = Fixture::new();
        let text = "one\ntwo\nthree\nfour\nfive\nsix\n";
        fixture.commit(100, "Add old", &[("old.txt", text), ("other.txt", "x\n")]);
        fixture.rename(200, "Move", "old.txt", "dir/new.txt", &format!("{text}seven\n"));
        fixture.commit(300, "Change new", &[("dir/new.txt", "one\ntwo\n")]);
        let repo = fixture.repo();

        let followed = of_file(&repo, "dir/new.txt", at(0), true, 10).unwrap();
        assert_eq!(subjects(&followed), ["Change new", "Move", "Add old"]);
        assert_eq!(followed.commits[2].path, "old.txt");
        let stayed = of_file(&repo, "dir/new.txt", at(0), false, 10).unwrap();
        assert_eq!(subjects(&stayed), ["Change new", "Move"]);
    }

    #[test]
    fn a_merge_counts_only_if_it_differs_from_all_it_merges() {
        let fixture = Fixture::new();
        let base = fixture.commit(100, "Base", &[("a.txt", "1\n"), ("b.txt", "1\n")]);
        let side = fixture.commit_on(&[base], 200, "Side", &[("a.txt", "side\n"), ("b.txt", "side\n")]);
        let main = fixture.commit(300, "Main", &[("b.txt", "main\n")]);
        fixture.merge(&[main, side], 400, "Merge", &[("a.txt", "side\n"), ("b.txt", "both\n")]);
        let repo = fixture.repo();

        assert_eq!(subjects(&of_file(&repo, "a.txt", at(0), true, 10).unwrap()), ["Side", "Base"]);
        assert_eq!(subjects(&of_file(&repo, "b.txt", at(0), true, 10).unwrap()), ["Merge", "Main", "Side", "Base"]);
    }

    #[test]
    fn a_file_that_only_a_merged_branch_brought_is_found_there() {
        let fixture = Fixture::new();
        let base = fixture.commit(100, "Base", &[("a.txt", "1\n")]);
        let side = fixture.commit_on(&[base], 200, "Side", &[("new.txt", "n\n")]);
        fixture.merge(&[base, side], 300, "Merge", &[("new.txt", "n\n")]);

        assert_eq!(subjects(&of_file(&fixture.repo(), "new.txt", at(0), true, 10).unwrap()), ["Side"]);
    }

    #[test]
    fn a_deleted_file_still_has_its_history() {
        let fixture = Fixture::new();
        fixture.commit(100, "Add", &[("a.txt", "1\n"), ("b.txt", "1\n")]);
        fixture.remove(200, "Remove", "a.txt");
        let repo = fixture.repo();

        assert_eq!(subjects(&of_file(&repo, "a.txt", at(0), true, 10).unwrap()), ["Remove", "Add"]);
        assert!(matches!(of_file(&repo, "c.txt", at(0), true, 10), Err(Error::NotTracked { .. })));
    }

    #[test]
    fn a_file_that_was_removed_and_came_back_has_both_its_lives() {
        let fixture = Fixture::new();
        fixture.commit(100, "Add", &[("a.txt", "first life\n"), ("b.txt", "1\n")]);
        fixture.remove(200, "Remove", "a.txt");
        fixture.commit(300, "Other", &[("b.txt", "2\n")]);
        fixture.commit(400, "Again", &[("a.txt", "second life\n")]);

        for follow in [true, false] {
            let history = of_file(&fixture.repo(), "a.txt", at(0), follow, 10).unwrap();
            assert_eq!(subjects(&history), ["Again", "Remove", "Add"]);
        }
    }

    #[test]
    fn a_folder_has_a_history_too() {
        let fixture = Fixture::new();
        fixture.commit(100, "Add", &[("src/a.rs", "1\n"), ("b.txt", "1\n")]);
        fixture.commit(200, "Outside", &[("b.txt", "2\n")]);
        fixture.commit(300, "Inside", &[("src/x/b.rs", "2\n")]);
        let repo = fixture.repo();

        assert_eq!(subjects(&of_file(&repo, "src/", at(0), true, 10).unwrap()), ["Inside", "Add"]);
        assert_eq!(subjects(&of_file(&repo, ".", at(0), true, 10).unwrap()), ["Inside", "Outside", "Add"]);
    }

    #[test]
    fn what_came_after_the_frozen_instant_is_not_there() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.txt", "1\n")]);
        fixture.commit(200, "Second", &[("a.txt", "2\n")]);

        assert_eq!(subjects(&of_file(&fixture.repo_at(150), "a.txt", at(0), true, 10).unwrap()), ["First"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_utf8_has_a_history() {
        let fixture = Fixture::new();
        fixture.commit_bytes(100, "Add", &[(b"caf\xE9.txt", b"1\n")]);
        fixture.commit_bytes(200, "Change", &[(b"caf\xE9.txt", b"2\n")]);

        let history = of_file(&fixture.repo(), "caf\u{FFFD}.txt", at(0), true, 10).unwrap();

        assert_eq!(subjects(&history), ["Change", "Add"]);
        assert_eq!(history.commits[0].path, "caf\u{FFFD}.txt");
    }
}
