//! The checkout that the tools work on: found once, lent to every tool that takes a `&Checkout`.

use crate::git::{self, Repo};
use bdk::prelude::*;
use std::path::Path;

/// The environment variable that says where the checkout is.
const DIR: &str = "REPO_SCOUT_DIR";

/// A git repository on disk.
///
/// It holds the place and not an open repository: git2's `Repository` cannot be used from two threads at a time, and
/// opening one costs little.
#[derive(Debug, Clone)]
pub struct Checkout {
    dir: PathBuf,
}

impl Checkout {
    /// The repository at this folder; it is looked at when first opened.
    #[cfg(test)]
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The repository that this folder lies in.
    ///
    /// # Errors
    /// When neither the folder nor one above it is a repository.
    pub fn discover(start: &Path) -> git::Result<Self> {
        Ok(Self { dir: git::discover(start)? })
    }

    /// Opens it as it was at the frozen instant, or as it is where nothing is frozen.
    ///
    /// # Errors
    /// When there is no repository here, or git does not trust its owner.
    pub fn open(&self, as_of: Option<Timestamp>) -> git::Result<Repo> {
        Repo::open(&self.dir, as_of)
    }
}

/// Where `REPO_SCOUT_DIR` points, or else the current folder; both may lie anywhere in the checkout.
#[provide]
fn checkout() -> Result<Checkout> {
    let start = std::env::var_os(DIR).filter(|dir| !dir.is_empty()).map_or_else(|| PathBuf::from("."), PathBuf::from);
    Ok(Checkout::discover(&start)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::fixture::Fixture;

    #[test]
    fn a_checkout_is_found_from_a_folder_inside_it() {
        let fixture = Fixture::new();
        let inside = fixture.dir().join("src/deep");
        std::fs::create_dir_all(&inside).unwrap();
        fixture.commit(100, "Start", &[("a.txt", "a\n")]);

        let repo = Checkout::discover(&inside).unwrap().open(None).unwrap();

        assert!(repo.tip().is_ok());
    }

    #[test]
    fn outside_a_repository_the_error_says_how_to_name_one() {
        let bare_folder = tempfile::tempdir().unwrap();

        let error = Checkout::discover(bare_folder.path()).unwrap_err().to_string();

        assert!(error.contains("not in a git repository") && error.contains("REPO_SCOUT_DIR"), "{error}");
        assert!(Checkout::at(bare_folder.path()).open(None).is_err());
    }
}
