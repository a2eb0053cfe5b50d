//! Who changed how many lines in a stretch of time.

use super::{
    Repo, Result, diff,
    paths::{entry, show},
    repo::committed_at,
};
use bdk::prelude::*;
use git2::Sort;
use std::{cmp::Reverse, collections::HashMap};

/// So many commits in a row must be too old before the walk ends: clocks differ, and a commit may be older than its
/// parent.
const SLOP: usize = 64;

/// Lines and commits by author.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Churn {
    /// Commits counted; merges are not.
    pub commits: usize,
    /// Lines added in them.
    pub added: usize,
    /// Lines removed in them.
    pub removed: usize,
    /// Who changed most comes first.
    pub authors: Vec<AuthorChurn>,
    /// Whether there are more than the limit.
    pub more: bool,
}

/// What one author changed.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AuthorChurn {
    /// `Name <email>`.
    pub author: String,
    /// Commits.
    pub commits: usize,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
}

/// Lines and commits by author from `since` to `until` (both inclusive), in one file or folder if `path` says so;
/// `limit` authors at most. A renamed file counts with the lines that changed, a binary one with none.
///
/// # Errors
/// When the path is neither tracked nor was changed in that time.
pub fn by_author(
    repo: &Repo,
    since: Timestamp,
    until: Option<Timestamp>,
    path: Option<&str>,
    limit: usize,
) -> Result<Churn> {
    let tip = repo.tip()?;
    let within = path.map(|asked| repo.path(&tip, asked)).transpose()?.filter(|p| !p.as_os_str().is_empty());
    let mut authors: HashMap<String, AuthorChurn> = HashMap::new();
    let mut too_old = 0;

    let mut walk = repo.git.revwalk()?;
    walk.set_sorting(Sort::TIME)?;
    walk.push(tip.id())?;
    for id in walk {
        let commit = repo.git.find_commit(id?)?;
        let when = committed_at(&commit);
        if when < since {
            too_old += 1;
            if too_old > SLOP {
                break;
            }
            continue;
        }
        too_old = 0;
        // A merge's own lines are those of the commits it merges.
        if until.is_some_and(|until| when > until) || commit.parent_count() > 1 {
            continue;
        }
        let changed = diff::between(repo, commit.parents().next().as_ref(), &commit, within.as_deref())?;
        if within.is_some() && changed.deltas().len() == 0 {
            continue;
        }
        let lines = changed.stats()?;
        let author = repo.author(&commit)?;
        let sum = authors.entry(author.clone()).or_insert_with(|| AuthorChurn { author, ..AuthorChurn::default() });
        sum.commits += 1;
        sum.added += lines.insertions();
        sum.removed += lines.deletions();
    }

    if let (true, Some(within)) = (authors.is_empty(), &within)
        && entry(&tip.tree()?, within)?.is_none()
    {
        return Err(repo.not_tracked(&tip, &show(within))?);
    }
    let mut authors: Vec<_> = authors.into_values().collect();
    authors.sort_by(|a, b| {
        let busiest = |c: &AuthorChurn| Reverse((c.added + c.removed, c.commits));
        busiest(a).cmp(&busiest(b)).then_with(|| a.author.cmp(&b.author))
    });
    let total = |of: fn(&AuthorChurn) -> usize| authors.iter().map(of).sum();
    let (commits, added, removed) = (total(|a| a.commits), total(|a| a.added), total(|a| a.removed));
    let more = authors.len() > limit;
    authors.truncate(limit);
    Ok(Churn { commits, added, removed, authors, more })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{
        Error,
        fixture::{Fixture, at},
    };

    fn row(author: &str, commits: usize, added: usize, removed: usize) -> AuthorChurn {
        AuthorChurn { author: author.into(), commits, added, removed }
    }

    const ADA: &str = "Ada <ada@example.org>";
    const BO: &str = "Bo <bo@example.org>";

    #[test]
    fn lines_and_commits_are_summed_by_author_busiest_first() {
        let fixture = Fixture::new();
        fixture.commit_by("Ada", 100, "First", &[("a.txt", "1\n2\n")]);
        fixture.commit_by("Bo", 200, "Second", &[("a.txt", "1\n2\n3\n4\n5\n6\n")]);
        fixture.commit_by("Ada", 300, "Third", &[("a.txt", "1\n2\n3\n4\n5\n")]);

        let churn = by_author(&fixture.repo(), at(0), None, None, 10).unwrap();

        assert_eq!(churn.authors, [row(BO, 1, 4, 0), row(ADA, 2, 2, 1)]);
        assert_eq!((churn.commits, churn.added, churn.removed, churn.more), (3, 6, 1, false));
    }

    #[test]
    fn both_bounds_are_inclusive() {
        let fixture = Fixture::new();
        for n in 1..=4 {
            fixture.commit(n * 100, "More", &[(&format!("{n}.txt"), "x\n")]);
        }
        let repo = fixture.repo();
        let commits = |since, until| by_author(&repo, at(since), until, None, 10).unwrap().commits;

        assert_eq!(commits(200, Some(at(300))), 2);
        assert_eq!(commits(201, Some(at(299))), 0);
        assert_eq!(commits(300, None), 2);
    }

    #[test]
    fn a_merge_adds_nothing_to_what_it_merges() {
        let fixture = Fixture::new();
        let base = fixture.commit(100, "Base", &[("a.txt", "1\n")]);
        let side = fixture.commit_on(&[base], 200, "Side", &[("b.txt", "1\n2\n")]);
        let main = fixture.commit(300, "Main", &[("a.txt", "1\n2\n")]);
        fixture.merge(&[main, side], 400, "Merge", &[("b.txt", "1\n2\n")]);

        let churn = by_author(&fixture.repo(), at(0), None, None, 10).unwrap();

        assert_eq!(churn.authors, [row(ADA, 2, 2, 0), row(BO, 1, 2, 0)]);
    }

    #[test]
    fn a_path_counts_what_lies_under_it_and_not_what_starts_alike() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("src/a.rs", "1\n"), ("src2/b.rs", "1\n"), ("srcs.txt", "1\n")]);
        fixture.commit_by("Bo", 200, "Elsewhere", &[("src2/b.rs", "1\n2\n")]);
        fixture.commit_by("Bo", 300, "Odd", &[("s*/c.rs", "1\n2\n3\n")]);
        let repo = fixture.repo();

        assert_eq!(by_author(&repo, at(0), None, Some("src/"), 10).unwrap().authors, [row(ADA, 1, 1, 0)]);
        assert_eq!(by_author(&repo, at(0), None, Some("s*"), 10).unwrap().authors, [row(BO, 1, 3, 0)]);
        assert_eq!(by_author(&repo, at(0), None, Some("."), 10).unwrap().commits, 3);
        let nothing = by_author(&repo, at(0), None, Some("lib"), 10);
        assert!(matches!(nothing, Err(Error::NotTracked { .. })));
    }

    #[test]
    fn a_rename_counts_with_the_lines_that_changed() {
        let fixture = Fixture::new();
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n";
        fixture.commit(100, "Add", &[("old.txt", text)]);
        fixture.rename(200, "Move", "old.txt", "new.txt", &format!("{text}9\n"));

        let churn = by_author(&fixture.repo(), at(150), None, None, 10).unwrap();

        assert_eq!(churn.authors, [row(ADA, 1, 1, 0)]);
    }

    #[test]
    fn binary_files_have_no_lines() {
        let fixture = Fixture::new();
        fixture.commit(100, "Add", &[("logo.png", "\0\n\n\n")]);

        assert_eq!(by_author(&fixture.repo(), at(0), None, None, 10).unwrap().authors, [row(ADA, 1, 0, 0)]);
    }

    #[test]
    fn the_totals_count_authors_beyond_the_limit() {
        let fixture = Fixture::new();
        fixture.commit_by("Ada", 100, "First", &[("a.txt", "1\n")]);
        fixture.commit_by("Bo", 200, "Second", &[("b.txt", "1\n2\n")]);

        let churn = by_author(&fixture.repo(), at(0), None, None, 1).unwrap();

        assert_eq!(churn.authors, [row(BO, 1, 2, 0)]);
        assert_eq!((churn.commits, churn.added, churn.more), (2, 3, true));
    }

    #[test]
    fn a_commit_behind_an_older_one_is_still_counted() {
        let fixture = Fixture::new();
        fixture.commit(500, "Clock was fast", &[("a.txt", "1\n")]);
        fixture.commit(100, "Clock was right", &[("b.txt", "1\n")]);

        assert_eq!(by_author(&fixture.repo(), at(400), None, None, 10).unwrap().commits, 1);
    }
}
