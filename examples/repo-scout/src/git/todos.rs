//! Comments that ask for work, with their age.

use super::{Repo, Result, blame, paths};
use bdk::prelude::*;

/// The words that ask for work.
const MARKERS: [&str; 3] = ["TODO", "FIXME", "XXX"];
/// What starts a comment, in most languages there are.
const OPENERS: [&str; 7] = ["//", "/*", "#", "--", ";", "%", "<!--"];
/// A larger file is data, whatever its name says.
const MAX_BYTES: usize = 1 << 20;
/// Of a comment's text so many characters are shown.
const MAX_CHARS: usize = 200;

/// Comments that ask for work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Todos {
    /// By path and line.
    pub todos: Vec<Todo>,
    /// How many there are, those beyond the limit included.
    pub total: usize,
    /// Files that were not searched: binary, or over 1 MiB.
    pub skipped_files: usize,
}

/// A comment that asks for work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Todo {
    /// The file, from the checkout's root.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// `TODO`, `FIXME` or `XXX`.
    pub marker: &'static str,
    /// What it says, 200 characters of it at most.
    pub text: String,
    /// Who changed the line last, as `Name <email>`.
    pub author: String,
    /// When the line was last changed.
    pub committed_at: Timestamp,
    /// Whole days from then to now.
    pub age_days: i64,
}

/// The comments that start with `TODO`, `FIXME` or `XXX` in tracked files, or in those under `within`, `limit` at most;
/// ages count up to `now`. Looks at `cancelled` from file to file, and stops there.
///
/// # Errors
/// When `within` is not tracked.
pub fn find(
    repo: &Repo,
    within: Option<&str>,
    limit: usize,
    now: Timestamp,
    cancelled: impl Fn() -> bool,
) -> Result<Todos> {
    let tip = repo.tip()?;
    let tree = tip.tree()?;
    let under = within.map(|asked| repo.path(&tip, asked)).transpose()?.unwrap_or_default();
    if let (Some(asked), false) = (within, under.as_os_str().is_empty())
        && paths::entry(&tree, &under)?.is_none()
    {
        return Err(repo.not_tracked(&tip, asked)?);
    }

    let mut found = Todos { todos: Vec::new(), total: 0, skipped_files: 0 };
    for file in paths::files(&tree)? {
        let path = paths::from_bytes(&file.path);
        if cancelled() {
            break;
        }
        // Links and submodules have no lines of their own.
        if !path.starts_with(&under) || file.mode & 0o170_000 != 0o100_000 {
            continue;
        }
        let blob = repo.git.find_blob(file.id)?;
        if blob.is_binary() || blob.size() > MAX_BYTES {
            found.skipped_files += 1;
            continue;
        }
        let comments = in_text(&String::from_utf8_lossy(blob.content()));
        found.total += comments.len();
        let room = limit - found.todos.len();
        if comments.is_empty() || room == 0 {
            continue; // blame is what costs: only for what will be shown
        }
        let origins = blame::origins(repo, &tip, &path)?;
        for comment in comments.into_iter().take(room) {
            let Some(origin) = origins.get(comment.line - 1) else { continue };
            found.todos.push(Todo {
                path: paths::show(&path),
                line: comment.line,
                marker: comment.marker,
                text: comment.text,
                author: origin.author.clone(),
                committed_at: origin.committed_at,
                age_days: (now.as_second() - origin.committed_at.as_second()).div_euclid(24 * 60 * 60),
            });
        }
    }
    Ok(found)
}

struct Comment {
    line: usize,
    marker: &'static str,
    text: String,
}

fn in_text(text: &str) -> Vec<Comment> {
    // Split as git splits, so that the numbers are those of blame.
    let lines = text.split('\n').enumerate();
    lines.filter_map(|(n, line)| in_line(line).map(|(marker, text)| Comment { line: n + 1, marker, text })).collect()
}

/// The marker that a comment of this line starts with, and what follows. A marker later in a comment is a word about
/// TODOs, not one.
fn in_line(line: &str) -> Option<(&'static str, String)> {
    let inside_a_block = line.trim_start().strip_prefix('*'); // the later lines of `/* … */`
    let openers = OPENERS.iter().flat_map(|opener| line.match_indices(opener));
    let comments = openers.filter(|(at, _)| !in_string(&line[..*at])).map(|(at, opener)| &line[at + opener.len()..]);
    inside_a_block.into_iter().chain(comments).find_map(|comment| {
        let start = comment.trim_start_matches(|c: char| c.is_whitespace() || "/*!-#@[(".contains(c));
        let (marker, rest) = MARKERS.iter().find_map(|marker| Some((*marker, start.strip_prefix(marker)?)))?;
        if rest.starts_with(|c: char| c.is_alphanumeric() || "_-/".contains(c)) {
            return None;
        }
        let text = rest.trim_start_matches([':', ']', ')', ' ', '\t']).trim_end();
        let text = text.trim_end_matches("*/").trim_end_matches("-->").trim_end();
        Some((marker, text.chars().take(MAX_CHARS).collect()))
    })
}

/// Whether what follows on the line stands in a string: a double quote is open. A guess, but one for all languages.
fn in_string(before: &str) -> bool {
    let quotes = before.matches('"').count() - before.matches("\\\"").count();
    quotes % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{
        Error,
        fixture::{Fixture, at},
    };

    const DAY: i64 = 24 * 60 * 60;

    fn all(repo: &Repo, within: Option<&str>) -> Todos {
        find(repo, within, 100, at(10 * DAY), || false).unwrap()
    }

    #[test]
    fn comments_are_found_with_line_author_and_age() {
        let fixture = Fixture::new();
        fixture.commit_by("Ada", DAY, "First", &[("src/a.rs", "fn a() {}\n// TODO: tidy up\n")]);
        fixture.commit_by(
            "Bo",
            7 * DAY + 1,
            "Second",
            &[("src/a.rs", "fn a() {} // FIXME(bo) slow\n// TODO: tidy up\n")],
        );

        let todos = all(&fixture.repo(), None).todos;

        let rows: Vec<_> =
            todos.iter().map(|t| (t.line, t.marker, t.text.as_str(), &t.author[..3], t.age_days)).collect();
        assert_eq!(rows, [(1, "FIXME", "(bo) slow", "Bo ", 2), (2, "TODO", "tidy up", "Ada", 9)]);
        assert_eq!(todos[1].committed_at, at(DAY));
    }

    #[test]
    fn a_comment_starts_with_the_marker_in_any_language() {
        let say = |line: &str| in_line(line).map(|(marker, text)| format!("{marker}|{text}"));

        for (line, found) in [
            ("// TODO: x", "TODO|x"),
            ("    //! TODO x", "TODO|x"),
            ("# FIXME x", "FIXME|x"),
            ("let u = \"http://a\"; // XXX: x", "XXX|x"),
            ("/* TODO: x */", "TODO|x"),
            (" * TODO: x", "TODO|x"),
            ("<!-- TODO x -->", "TODO|x"),
            ("-- TODO x", "TODO|x"),
            ("// [TODO] x", "TODO|x"),
            ("say(\"it\"); // TODO x", "TODO|x"),
            (r#"say("\""); // TODO x"#, "TODO|x"),
            ("// TODO", "TODO|"),
            ("// TODO(ada): x\r", "TODO|(ada): x"),
        ] {
            assert_eq!(say(line).as_deref(), Some(found), "{line}");
        }
        for line in [
            "TODO: x",
            "// the TODO list",
            "// TODOS",
            "let TODO = 1;",
            "// todo: x",
            "// TODO_LIST",
            "let s = \"// TODO: x\";",
            "let s = \"\\\"// TODO: x\";",
            "",
            "//",
        ] {
            assert_eq!(say(line), None, "{line}");
        }
    }

    #[test]
    fn binary_files_are_skipped_and_counted() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.bin", "\0// TODO x\n"), ("a.txt", "# TODO x\n")]);

        let found = all(&fixture.repo(), None);

        assert_eq!((found.todos.len(), found.skipped_files), (1, 1));
    }

    #[test]
    fn odd_bytes_in_a_file_and_a_missing_last_newline_do_no_harm() {
        let fixture = Fixture::new();
        fixture.commit_bytes(100, "First", &[(b"d\xE9/latin1.c", b"/* caf\xE9 */\n// TODO caf\xE9")]);

        let todos = all(&fixture.repo(), None).todos;

        assert_eq!((todos[0].line, todos[0].text.as_str()), (2, "caf\u{FFFD}"));
        assert_eq!(todos[0].path, "d\u{FFFD}/latin1.c");
    }

    #[test]
    fn a_path_narrows_the_search_and_must_be_tracked() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("src/a.rs", "// TODO 1\n"), ("src2/a.rs", "// TODO 2\n")]);
        let repo = fixture.repo();

        assert_eq!(all(&repo, Some("src")).todos[0].text, "1");
        assert_eq!(all(&repo, Some("src")).total, 1);
        assert_eq!(all(&repo, Some(".")).total, 2);
        assert!(matches!(find(&repo, Some("lib"), 9, at(0), || false), Err(Error::NotTracked { .. })));
    }

    #[test]
    fn the_total_counts_what_the_limit_leaves_out() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.rs", "// TODO 1\n// TODO 2\n"), ("b.rs", "// TODO 3\n")]);

        let found = find(&fixture.repo(), None, 1, at(100), || false).unwrap();

        assert_eq!((found.todos.len(), found.total), (1, 3));
    }

    #[test]
    fn a_cancelled_search_stops() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("a.rs", "// TODO 1\n")]);

        assert_eq!(find(&fixture.repo(), None, 9, at(100), || true).unwrap().total, 0);
    }
}
