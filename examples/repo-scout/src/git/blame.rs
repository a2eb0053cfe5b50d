//! Who last changed each line of a file.

use super::{Error, Repo, Result, paths::show, repo::committed_at};
use bdk::prelude::*;
use git2::{BlameOptions, Commit};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    path::Path,
    rc::Rc,
};

/// Whose lines a file is made of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlameSummary {
    /// The file, from the checkout's root.
    pub path: String,
    /// How many lines it has.
    pub lines: usize,
    /// When its oldest line was last changed; absent in an empty file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_line_at: Option<Timestamp>,
    /// When its newest line was last changed; absent in an empty file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_line_at: Option<Timestamp>,
    /// Who has most lines comes first.
    pub authors: Vec<AuthorLines>,
}

/// An author's lines in the file.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuthorLines {
    /// `Name <email>`.
    pub author: String,
    /// Lines that this author changed last.
    pub lines: usize,
    /// When the oldest of them was changed.
    pub oldest_line_at: Timestamp,
    /// When the newest of them was changed.
    pub newest_line_at: Timestamp,
}

/// The commit that a line comes from.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) author: String,
    pub(super) committed_at: Timestamp,
}

/// Lines per author of a file, with the instants of the oldest and the newest.
///
/// # Errors
/// When the file is not tracked, is binary or is a folder.
pub fn summary(repo: &Repo, asked: &str) -> Result<BlameSummary> {
    let tip = repo.tip()?;
    let (path, blob) = repo.file(&tip, asked)?;
    if repo.git.find_blob(blob)?.is_binary() {
        return Err(Error::Binary(show(&path)));
    }
    let lines = origins(repo, &tip, &path)?;
    let mut authors: BTreeMap<&str, AuthorLines> = BTreeMap::new();
    for line in &lines {
        let at = line.committed_at;
        let sum = authors.entry(&line.author).or_insert_with(|| AuthorLines {
            author: line.author.clone(),
            lines: 0,
            oldest_line_at: at,
            newest_line_at: at,
        });
        sum.lines += 1;
        sum.oldest_line_at = sum.oldest_line_at.min(at);
        sum.newest_line_at = sum.newest_line_at.max(at);
    }
    let mut authors: Vec<_> = authors.into_values().collect();
    authors.sort_by_key(|a| Reverse(a.lines)); // stable: equals stay in the order of their names
    Ok(BlameSummary {
        path: show(&path),
        lines: lines.len(),
        oldest_line_at: authors.iter().map(|a| a.oldest_line_at).min(),
        newest_line_at: authors.iter().map(|a| a.newest_line_at).max(),
        authors,
    })
}

/// The origin of each line of a file, the first line's first.
pub(super) fn origins(repo: &Repo, tip: &Commit<'_>, path: &Path) -> Result<Vec<Rc<Origin>>> {
    let blame = repo.git.blame_file(path, Some(BlameOptions::new().newest_commit(tip.id())))?;
    let mut known = HashMap::new();
    let mut lines = Vec::new();
    for hunk in blame.iter() {
        let id = hunk.final_commit_id();
        let origin = match known.get(&id) {
            Some(origin) => Rc::clone(origin),
            None => {
                let commit = repo.git.find_commit(id)?;
                let origin = Rc::new(Origin { author: repo.author(&commit)?, committed_at: committed_at(&commit) });
                known.insert(id, Rc::clone(&origin));
                origin
            }
        };
        lines.extend(std::iter::repeat_n(origin, hunk.lines_in_hunk()));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::fixture::{Fixture, at};

    fn row(name: &str, lines: usize, oldest: i64, newest: i64) -> AuthorLines {
        let author = format!("{name} <{}@example.org>", name.to_lowercase());
        AuthorLines { author, lines, oldest_line_at: at(oldest), newest_line_at: at(newest) }
    }

    #[test]
    fn lines_are_counted_for_whoever_changed_them_last() {
        let fixture = Fixture::new();
        fixture.commit_by("Ada", 100, "First", &[("a.txt", "1\n2\n3\n")]);
        fixture.commit_by("Bo", 200, "Second", &[("a.txt", "1\ntwo\n3\n")]);
        fixture.commit_by("Ada", 300, "Third", &[("a.txt", "1\ntwo\n3\n4\n")]);

        let summary = summary(&fixture.repo(), "a.txt").unwrap();

        assert_eq!(summary.authors, [row("Ada", 3, 100, 300), row("Bo", 1, 200, 200)]);
        assert_eq!((summary.lines, summary.oldest_line_at, summary.newest_line_at), (4, Some(at(100)), Some(at(300))));
    }

    #[test]
    fn lines_keep_their_author_through_a_rename_and_a_merge() {
        let fixture = Fixture::new();
        let text = "1\n2\n3\n4\n5\n6\n";
        let base = fixture.commit_by("Ada", 100, "Base", &[("old.txt", text)]);
        let side = fixture.commit_on(&[base], 200, "Side", &[("old.txt", &format!("{text}side\n"))]);
        fixture.merge(&[base, side], 300, "Merge", &[("old.txt", &format!("{text}side\n"))]);
        fixture.rename(400, "Move", "old.txt", "new.txt", &format!("{text}side\n"));

        let summary = summary(&fixture.repo(), "new.txt").unwrap();

        assert_eq!(summary.authors, [row("Ada", 6, 100, 100), row("Bo", 1, 200, 200)]);
    }

    #[test]
    fn a_last_line_without_a_newline_counts_and_an_empty_file_has_none() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.txt", "1\n2"), ("empty.txt", "")]);

        assert_eq!(summary(&fixture.repo(), "a.txt").unwrap().lines, 2);
        let empty = summary(&fixture.repo(), "empty.txt").unwrap();
        assert_eq!((empty.lines, empty.oldest_line_at, empty.authors.len()), (0, None, 0));
    }

    #[test]
    fn what_came_after_the_frozen_instant_is_not_there() {
        let fixture = Fixture::new();
        fixture.commit_by("Ada", 100, "First", &[("a.txt", "1\n2\n")]);
        fixture.commit_by("Bo", 200, "Second", &[("a.txt", "one\ntwo\nthree\n")]);

        assert_eq!(summary(&fixture.repo_at(150), "a.txt").unwrap().authors, [row("Ada", 2, 100, 100)]);
    }

    #[test]
    fn a_binary_file_is_refused() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("logo.png", "\0\n")]);

        assert!(matches!(summary(&fixture.repo(), "logo.png"), Err(Error::Binary(path)) if path == "logo.png"));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_utf8_can_be_blamed() {
        let fixture = Fixture::new();
        fixture.commit_bytes(100, "First", &[(b"caf\xE9.txt", b"1\n")]);

        assert_eq!(summary(&fixture.repo(), "caf\u{FFFD}.txt").unwrap().lines, 1);
    }
}
