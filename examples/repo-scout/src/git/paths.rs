//! Paths: from what a caller writes to what the tree holds, and back.
//!
//! A path in git is bytes, in JSON it is Unicode. A path that is no UTF-8 is shown with `U+FFFD` for the odd bytes, and
//! so shown it can be asked for again.

use super::{Error, Repo, Result};
use bdk::prelude::PathBuf;
use git2::{Commit, Index, IndexEntry, ObjectType, Tree, TreeEntry};
use std::path::{Component, Path};

/// A path as results show it.
pub(super) fn show(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A path as git keeps it.
pub(super) fn from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
    #[cfg(not(unix))]
    return PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
}

/// Every file of a tree with its whole path, sorted by path.
pub(super) fn files(tree: &Tree<'_>) -> Result<Vec<IndexEntry>> {
    // Flattens a tree also where a folder's name is no UTF-8, which `Tree::walk` would stop at.
    let mut index = Index::new()?;
    index.read_tree(tree)?;
    Ok(index.iter().collect())
}

/// What stands in a tree under a path.
pub(super) fn entry(tree: &Tree<'_>, path: &Path) -> Result<Option<TreeEntry<'static>>> {
    match tree.get_path(path) {
        Ok(entry) => Ok(Some(entry)),
        Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

impl Repo {
    /// The path from the root: `./src/a.rs` and an absolute path in the checkout are both `src/a.rs`; the root is
    /// empty.
    ///
    /// `at` is where a path shown with `U+FFFD` is looked up.
    pub(super) fn path(&self, at: &Commit<'_>, asked: &str) -> Result<PathBuf> {
        let outside = || Error::OutsideCheckout(asked.into());
        if asked.contains('\0') {
            return Err(outside());
        }
        let path = Path::new(asked);
        let path = self.git.workdir().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        let mut from_root = PathBuf::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => from_root.push(name),
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        if asked.contains('\u{FFFD}') {
            let meant =
                files(&at.tree()?)?.into_iter().map(|f| from_bytes(&f.path)).find(|p| show(p) == show(&from_root));
            return Ok(meant.unwrap_or(from_root));
        }
        Ok(from_root)
    }

    /// The path of a file that is in the commit, and its text's id.
    ///
    /// # Errors
    /// When it is not there (with the paths of files of that name elsewhere) or is a folder or a submodule.
    pub(super) fn file(&self, at: &Commit<'_>, asked: &str) -> Result<(PathBuf, git2::Oid)> {
        let path = self.path(at, asked)?;
        if path.as_os_str().is_empty() {
            return Err(Error::NotAFile(asked.into()));
        }
        match entry(&at.tree()?, &path)? {
            Some(entry) if entry.kind() == Some(ObjectType::Blob) => Ok((path, entry.id())),
            Some(_) => Err(Error::NotAFile(asked.into())),
            None => Err(self.not_tracked(at, asked)?),
        }
    }

    /// The error for a path that is not there.
    pub(super) fn not_tracked(&self, at: &Commit<'_>, asked: &str) -> Result<Error> {
        let name = Path::new(asked).file_name().map(|n| n.to_string_lossy().to_lowercase());
        let near = files(&at.tree()?)?
            .iter()
            .map(|f| from_bytes(&f.path))
            .filter(|p| p.file_name().map(|n| n.to_string_lossy().to_lowercase()) == name)
            .map(|p| show(&p))
            .take(3)
            .collect();
        Ok(Error::NotTracked { path: asked.into(), near })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::fixture::Fixture;

    #[test]
    fn a_path_may_be_absolute_or_start_with_a_dot_but_not_leave_the_checkout() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("src/a.rs", "a\n")]);
        let repo = fixture.repo();
        let tip = repo.tip().unwrap();
        let absolute = repo.git.workdir().unwrap().join("src/a.rs");

        for asked in ["src/a.rs", "./src//a.rs", absolute.to_str().unwrap()] {
            assert_eq!(repo.file(&tip, asked).unwrap().0, Path::new("src/a.rs"), "{asked}");
        }
        for asked in ["../a.rs", "/etc/passwd", "src/../../a.rs", "a\0.rs"] {
            assert!(matches!(repo.file(&tip, asked), Err(Error::OutsideCheckout(_))), "{asked}");
        }
    }

    #[test]
    fn a_wrong_path_is_answered_with_the_files_of_that_name() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("src/Lib.rs", "a\n"), ("core/lib.rs", "b\n"), ("src/x.rs", "")]);
        let repo = fixture.repo();
        let tip = repo.tip().unwrap();

        let error = repo.file(&tip, "lib.rs").unwrap_err().to_string();
        assert_eq!(error, "`lib.rs` is not tracked; did you mean one of `core/lib.rs`, `src/Lib.rs`?");
        let error = repo.file(&tip, "none.rs").unwrap_err().to_string();
        assert!(error.ends_with("as `git ls-files` prints it"), "{error}");
    }

    #[test]
    fn folders_are_not_files() {
        let fixture = Fixture::new();
        fixture.commit(100, "First", &[("src/a.rs", "a\n")]);
        let repo = fixture.repo();
        let tip = repo.tip().unwrap();

        for asked in ["src", "src/", ".", ""] {
            assert!(matches!(repo.file(&tip, asked), Err(Error::NotAFile(_))), "{asked:?}");
        }
        // A file taken for a folder.
        assert!(matches!(repo.file(&tip, "src/a.rs/b"), Err(Error::NotTracked { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_utf8_can_be_asked_for_as_it_is_shown() {
        let fixture = Fixture::new();
        fixture.commit_bytes(100, "First", &[(b"d\xE9p\xF4t/caf\xE9.txt", b"a\n")]);
        let repo = fixture.repo();
        let tip = repo.tip().unwrap();

        let (path, _) = repo.file(&tip, "d\u{FFFD}p\u{FFFD}t/caf\u{FFFD}.txt").unwrap();

        assert_eq!(path, from_bytes(b"d\xE9p\xF4t/caf\xE9.txt"));
    }
}
