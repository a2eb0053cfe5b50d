//! What changed between two commits, renames recognised.

use super::{Repo, Result, paths::show};
use bdk::prelude::*;
use git2::{Commit, Delta, Diff, DiffFindOptions, DiffOptions, Patch};
use std::path::Path;

/// What changed from one revision to another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffSummary {
    /// The id of the commit that was compared from.
    pub from: String,
    /// The id of the commit that was compared to.
    pub to: String,
    /// How many files differ, those beyond the limit included.
    pub files_changed: usize,
    /// Lines added in all of them.
    pub added: usize,
    /// Lines removed in all of them.
    pub removed: usize,
    /// The files, by path.
    pub files: Vec<FileChange>,
    /// Whether there are more than the limit.
    pub more: bool,
}

/// What changed in a file.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct FileChange {
    /// The file; where it was removed, what it was called.
    pub path: String,
    /// What happened to it.
    pub status: Status,
    /// What it was called before, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Lines added; 0 in a binary file.
    pub added: usize,
    /// Lines removed; 0 in a binary file.
    pub removed: usize,
    /// Whether it is no text.
    pub binary: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Added,
    Removed,
    Modified,
    Renamed,
    /// From a file to a link or a submodule, say.
    TypeChanged,
}

/// What changed from revision `from` to revision `to`, `limit` files at most.
///
/// # Errors
/// When a revision names no commit.
pub fn summary(repo: &Repo, from: &str, to: &str, limit: usize) -> Result<DiffSummary> {
    let (from, to) = (repo.commit(from)?, repo.commit(to)?);
    let diff = between(repo, Some(&from), &to, None)?;
    let all = diff.stats()?;
    let files_changed = diff.deltas().len();
    let files = (0..files_changed.min(limit)).map(|n| change(&diff, n)).collect::<Result<_>>()?;
    Ok(DiffSummary {
        from: from.id().to_string(),
        to: to.id().to_string(),
        files_changed,
        added: all.insertions(),
        removed: all.deletions(),
        files,
        more: files_changed > limit,
    })
}

/// The difference of two commits, or of one from nothing; with `path`, of that file or folder alone.
pub(super) fn between<'r>(
    repo: &'r Repo,
    from: Option<&Commit<'_>>,
    to: &Commit<'_>,
    path: Option<&Path>,
) -> Result<Diff<'r>> {
    let mut options = DiffOptions::new();
    options.include_typechange(true);
    if let Some(path) = path {
        options.disable_pathspec_match(true).pathspec(path); // a name with a `*` in it is a name
    }
    let old = from.map(Commit::tree).transpose()?;
    let mut diff = repo.git.diff_tree_to_tree(old.as_ref(), Some(&to.tree()?), Some(&mut options))?;
    diff.find_similar(Some(DiffFindOptions::new().renames(true)))?;
    Ok(diff)
}

/// What a file that came with `commit` was called in its parent, if it was renamed.
pub(super) fn renamed_from(
    repo: &Repo,
    parent: &Commit<'_>,
    commit: &Commit<'_>,
    path: &Path,
) -> Result<Option<PathBuf>> {
    let diff = between(repo, Some(parent), commit, None)?;
    let renamed = diff.deltas().find(|d| d.status() == Delta::Renamed && d.new_file().path() == Some(path));
    Ok(renamed.and_then(|d| d.old_file().path().map(Path::to_path_buf)))
}

fn change(diff: &Diff<'_>, n: usize) -> Result<FileChange> {
    // The patch comes first: only the contents tell whether a file is binary.
    let (added, removed) = match Patch::from_diff(diff, n)? {
        Some(patch) => patch.line_stats().map(|(_, added, removed)| (added, removed))?,
        None => (0, 0),
    };
    let delta = diff.get_delta(n).ok_or_else(|| git2::Error::from_str("the diff ended early"))?;
    let path = |file: git2::DiffFile<'_>| file.path().map(show).unwrap_or_default();
    let status = match delta.status() {
        Delta::Added => Status::Added,
        Delta::Deleted => Status::Removed,
        Delta::Renamed => Status::Renamed,
        Delta::Typechange => Status::TypeChanged,
        _ => Status::Modified,
    };
    Ok(FileChange {
        path: path(delta.new_file()),
        status,
        old_path: (status == Status::Renamed).then(|| path(delta.old_file())),
        added,
        removed,
        binary: delta.flags().is_binary(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{Error, fixture::Fixture};

    fn text(path: &str, status: Status, added: usize, removed: usize) -> FileChange {
        FileChange { path: path.into(), status, old_path: None, added, removed, binary: false }
    }

    #[test]
    fn files_are_told_with_their_lines_and_what_happened_to_them() {
        let fixture = Fixture::new();
        let body = "1\n2\n3\n4\n5\n6\n7\n8\n";
        fixture.commit(100, "First", &[("changed.txt", "a\nb\n"), ("gone.txt", "x\n"), ("old.txt", body)]);
        fixture.commit(200, "Second", &[("changed.txt", "a\nc\nd\n"), ("new.txt", "n\n")]);
        fixture.remove(300, "Third", "gone.txt");
        fixture.rename(400, "Fourth", "old.txt", "sub/moved.txt", &format!("{body}9\n"));

        let summary = summary(&fixture.repo(), "HEAD~3", "HEAD", 10).unwrap();

        assert_eq!(
            summary.files,
            [
                text("changed.txt", Status::Modified, 2, 1),
                text("gone.txt", Status::Removed, 0, 1),
                text("new.txt", Status::Added, 1, 0),
                FileChange { old_path: Some("old.txt".into()), ..text("sub/moved.txt", Status::Renamed, 1, 0) },
            ]
        );
        assert_eq!((summary.files_changed, summary.added, summary.removed, summary.more), (4, 4, 2, false));
    }

    #[test]
    fn a_binary_file_is_said_to_be_one_and_has_no_lines() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("logo.png", "\0\u{1}\n\n")]);
        fixture.commit(200, "Second", &[("logo.png", "\0\u{2}\n")]);

        let summary = summary(&fixture.repo(), "HEAD~1", "HEAD", 10).unwrap();

        assert_eq!(summary.files, [FileChange { binary: true, ..text("logo.png", Status::Modified, 0, 0) }]);
    }

    #[test]
    fn a_last_line_without_a_newline_is_a_line() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.txt", "one\ntwo")]);
        fixture.commit(200, "Second", &[("a.txt", "one\ntwo\n")]);

        let summary = summary(&fixture.repo(), "HEAD~1", "HEAD", 10).unwrap();

        assert_eq!(summary.files, [text("a.txt", Status::Modified, 1, 1)]);
    }

    #[test]
    fn the_totals_count_what_the_limit_leaves_out() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("z.txt", "z\n")]);
        fixture.commit(200, "Second", &[("a.txt", "1\n"), ("b.txt", "1\n2\n"), ("c.txt", "1\n2\n3\n")]);

        let summary = summary(&fixture.repo(), "HEAD~1", "HEAD", 1).unwrap();

        assert_eq!((summary.files.len(), summary.files_changed, summary.added, summary.more), (1, 3, 6, true));
    }

    #[test]
    fn the_same_revision_twice_differs_in_nothing() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.txt", "a\n")]);

        assert_eq!(summary(&fixture.repo(), "main", "HEAD", 10).unwrap().files_changed, 0);
        assert!(matches!(summary(&fixture.repo(), "HEAD", "v9", 10), Err(Error::UnknownRevision(r)) if r == "v9"));
    }
}
