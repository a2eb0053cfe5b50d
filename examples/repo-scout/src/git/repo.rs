//! A repository as seen from an instant: which commit is the tip, and which commit a revision names.

use super::{Error, Result};
use bdk::prelude::*;
use git2::{Commit, ErrorCode, Mailmap, Repository};
use std::path::Path;

/// An open repository, seen from now or from a frozen instant.
pub struct Repo {
    pub(super) git: Repository,
    mailmap: Mailmap,
    as_of: Option<Timestamp>,
}

/// The folder of the repository that `start` lies in.
///
/// # Errors
/// When neither `start` nor a folder above it is a repository.
pub fn discover(start: &Path) -> Result<PathBuf> {
    let found = Repository::discover(start).map_err(|e| {
        let shown = std::path::absolute(start).unwrap_or_else(|_| start.into()).display().to_string();
        match e.code() {
            ErrorCode::Owner => Error::ForeignOwner(shown),
            _ => Error::NotARepository(shown),
        }
    })?;
    Ok(found.workdir().unwrap_or(found.path()).to_path_buf())
}

impl Repo {
    /// Opens the repository at `dir`. With `as_of`, whatever was committed later is not there.
    ///
    /// # Errors
    /// When there is none, or git does not trust its owner.
    pub fn open(dir: &Path, as_of: Option<Timestamp>) -> Result<Self> {
        let git = Repository::open(dir).map_err(|e| match e.code() {
            ErrorCode::NotFound => Error::NotARepository(dir.display().to_string()),
            ErrorCode::Owner => Error::ForeignOwner(dir.display().to_string()),
            _ => e.into(),
        })?;
        let mailmap = git.mailmap()?;
        Ok(Self { git, mailmap, as_of })
    }

    /// The commit that is checked out. At a frozen instant, the newest of the branch's own line that was there by then;
    /// what was merged in later is thereby left out, even if it was written before.
    ///
    /// # Errors
    /// When there is no such commit.
    pub fn tip(&self) -> Result<Commit<'_>> {
        let head = self.git.head().map_err(|e| match e.code() {
            ErrorCode::UnbornBranch | ErrorCode::NotFound => Error::NoCommits,
            _ => e.into(),
        })?;
        let mut commit = head.peel_to_commit()?;
        let Some(as_of) = self.as_of else { return Ok(commit) };
        while committed_at(&commit) > as_of {
            commit = match commit.parent_count() {
                0 => return Err(Error::NoCommitsBefore(as_of)),
                _ => commit.parent(0)?,
            };
        }
        Ok(commit)
    }

    /// The commit that a revision names; `HEAD` is [`Self::tip`].
    ///
    /// # Errors
    /// When there is none, or it came after the frozen instant.
    pub fn commit(&self, revision: &str) -> Result<Commit<'_>> {
        let tip = self.tip()?;
        let object = match revision.strip_prefix("HEAD") {
            Some("") => return Ok(tip),
            Some(rest) if rest.starts_with(['~', '^']) => self.git.revparse_single(&format!("{}{rest}", tip.id())),
            _ => self.git.revparse_single(revision),
        };
        let object = object.map_err(|e| match e.code() {
            ErrorCode::Ambiguous => Error::AmbiguousRevision(revision.into()),
            _ => Error::UnknownRevision(revision.into()),
        })?;
        let commit = object.peel_to_commit().map_err(|_| Error::NotACommit(revision.into()))?;
        match self.as_of {
            Some(as_of) if committed_at(&commit) > as_of => {
                Err(Error::AfterAsOf { revision: revision.into(), at: committed_at(&commit), as_of })
            }
            _ => Ok(commit),
        }
    }

    /// Who wrote a commit, as `Name <email>`, under the name that the repository's `.mailmap` gives them.
    pub(super) fn author(&self, commit: &Commit<'_>) -> Result<String> {
        let who = commit.author_with_mailmap(&self.mailmap)?;
        Ok(format!("{} <{}>", text(who.name_bytes()), text(who.email_bytes())))
    }
}

/// When a commit was made. A time beyond what the calendar holds (a broken commit) counts as the nearest that it holds.
pub(super) fn committed_at(commit: &Commit<'_>) -> Timestamp {
    instant(commit.time().seconds())
}

fn instant(seconds: i64) -> Timestamp {
    let nearest = if seconds < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    jiff::Timestamp::from_second(seconds).unwrap_or(nearest).into()
}

/// A commit's subject: the first paragraph on one line.
pub(super) fn subject(commit: &Commit<'_>) -> String {
    text(commit.summary_bytes().unwrap_or_default())
}

/// git keeps bytes; what is no UTF-8 among them is shown as `U+FFFD`.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::fixture::{Fixture, at};

    #[test]
    fn an_empty_repository_says_that_it_has_no_commits() {
        let fixture = Fixture::new();

        assert!(matches!(fixture.repo().tip(), Err(Error::NoCommits)));
        assert!(matches!(fixture.repo().commit("HEAD"), Err(Error::NoCommits)));
    }

    #[test]
    fn a_detached_head_is_the_tip() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "a\n")]);
        fixture.commit(200, "Second", &[("a.txt", "b\n")]);
        fixture.git.set_head_detached(first).unwrap();

        assert_eq!(fixture.repo().tip().unwrap().id(), first);
    }

    #[test]
    fn at_a_frozen_instant_the_tip_is_what_the_branch_was_then() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "a\n")]);
        // Written before the instant, merged after it: the branch did not have it then.
        let side = fixture.commit_on(&[first], 150, "Side", &[("b.txt", "b\n")]);
        fixture.merge(&[first, side], 300, "Merge", &[("b.txt", "b\n")]);

        assert_eq!(fixture.repo_at(200).tip().unwrap().id(), first);
        assert_eq!(fixture.repo_at(100).commit("HEAD").unwrap().id(), first);
        assert!(matches!(fixture.repo_at(99).tip(), Err(Error::NoCommitsBefore(t)) if t == at(99)));
    }

    #[test]
    fn a_revision_relative_to_head_counts_from_the_frozen_tip() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "1\n")]);
        let second = fixture.commit(200, "Second", &[("a.txt", "2\n")]);
        let third = fixture.commit(300, "Third", &[("a.txt", "3\n")]);

        assert_eq!(fixture.repo().commit("HEAD~1").unwrap().id(), second);
        assert_eq!(fixture.repo_at(250).commit("HEAD^").unwrap().id(), first);
        let later = fixture.repo_at(250).commit(&third.to_string()).map(|c| c.id());
        assert!(matches!(later, Err(Error::AfterAsOf { at: t, .. }) if t == at(300)));
    }

    #[test]
    fn a_revision_that_names_no_commit_is_told_apart() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "1\n")]);
        let repo = fixture.repo();

        assert!(matches!(repo.commit("mian"), Err(Error::UnknownRevision(r)) if r == "mian"));
        assert!(matches!(repo.commit("HEAD~5"), Err(Error::UnknownRevision(_))));
        assert!(matches!(repo.commit("HEAD:a.txt"), Err(Error::NotACommit(_))));
        assert!(matches!(repo.commit("with\0nul"), Err(Error::UnknownRevision(_))));
        assert_eq!(repo.commit("main").unwrap().id(), first);
        assert_eq!(repo.commit(&first.to_string()[..8]).unwrap().id(), first);
    }

    #[test]
    fn authors_go_by_the_name_that_the_mailmap_gives() {
        let fixture = Fixture::new();
        std::fs::write(fixture.dir().join(".mailmap"), "Ada Lovelace <ada@work.example> <ada@example.org>\n").unwrap();
        fixture.commit(100, "First", &[("a.txt", "1\n")]);
        let repo = fixture.repo();

        assert_eq!(repo.author(&repo.tip().unwrap()).unwrap(), "Ada Lovelace <ada@work.example>");
    }

    #[test]
    fn a_time_beyond_the_calendar_is_the_nearest_one_in_it() {
        assert_eq!(instant(i64::MAX), jiff::Timestamp::MAX.into());
        assert_eq!(instant(i64::MIN), jiff::Timestamp::MIN.into());
    }
}
