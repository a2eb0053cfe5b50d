//! A small repository for the tests, in a temporary folder, with commits whose authors and times are given.

use super::Repo;
use bdk::prelude::Timestamp;
use git2::{Commit, FileMode, Oid, Repository, RepositoryInitOptions, Signature, Time, build::TreeUpdateBuilder};
use std::path::Path;
use tempfile::TempDir;

pub struct Fixture {
    dir: TempDir,
    pub git: Repository,
}

/// The instant so many seconds after 1970.
pub fn at(seconds: i64) -> Timestamp {
    jiff::Timestamp::from_second(seconds).unwrap().into()
}

impl Fixture {
    /// An empty repository on branch `main`.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut options = RepositoryInitOptions::new();
        options.initial_head("main");
        let git = Repository::init_opts(dir.path(), &options).unwrap();
        let mut config = git.config().unwrap();
        config.set_str("user.name", "Tess Tagger").unwrap();
        config.set_str("user.email", "tess@example.org").unwrap();
        Self { dir, git }
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn repo(&self) -> Repo {
        Repo::open(self.dir(), None).unwrap()
    }

    /// As seen from this many seconds after 1970.
    pub fn repo_at(&self, seconds: i64) -> Repo {
        Repo::open(self.dir(), Some(at(seconds))).unwrap()
    }

    /// A commit by Ada on `HEAD` that writes these files.
    pub fn commit(&self, seconds: i64, message: &str, files: &[(&str, &str)]) -> Oid {
        self.commit_by("Ada", seconds, message, files)
    }

    /// The same by someone else: `Bo` is `Bo <bo@example.org>`.
    pub fn commit_by(&self, author: &str, seconds: i64, message: &str, files: &[(&str, &str)]) -> Oid {
        self.write(Some("HEAD"), &self.head(), author, seconds, message, &bytes(files), &[])
    }

    pub fn commit_bytes(&self, seconds: i64, message: &str, files: &[(&[u8], &[u8])]) -> Oid {
        self.write(Some("HEAD"), &self.head(), "Ada", seconds, message, files, &[])
    }

    /// A commit on `HEAD` that moves a file, its content changed to `text`.
    pub fn rename(&self, seconds: i64, message: &str, from: &str, to: &str, text: &str) -> Oid {
        self.write(Some("HEAD"), &self.head(), "Ada", seconds, message, &bytes(&[(to, text)]), &[from])
    }

    /// A commit on `HEAD` that removes a file.
    pub fn remove(&self, seconds: i64, message: &str, path: &str) -> Oid {
        self.write(Some("HEAD"), &self.head(), "Ada", seconds, message, &[], &[path])
    }

    /// A commit by Bo beside the branch.
    pub fn commit_on(&self, parents: &[Oid], seconds: i64, message: &str, files: &[(&str, &str)]) -> Oid {
        self.write(None, parents, "Bo", seconds, message, &bytes(files), &[])
    }

    /// A commit on `HEAD` with these parents, the first of them `HEAD` itself.
    pub fn merge(&self, parents: &[Oid], seconds: i64, message: &str, files: &[(&str, &str)]) -> Oid {
        self.write(Some("HEAD"), parents, "Ada", seconds, message, &bytes(files), &[])
    }

    fn head(&self) -> Vec<Oid> {
        self.git.head().map(|head| vec![head.target().unwrap()]).unwrap_or_default()
    }

    #[allow(clippy::too_many_arguments)] // what a commit is made of
    fn write(
        &self,
        update: Option<&str>,
        parents: &[Oid],
        author: &str,
        seconds: i64,
        message: &str,
        files: &[(&[u8], &[u8])],
        removed: &[&str],
    ) -> Oid {
        let parents: Vec<Commit<'_>> = parents.iter().map(|id| self.git.find_commit(*id).unwrap()).collect();
        let base = match parents.first() {
            Some(parent) => parent.tree().unwrap(),
            None => self.git.find_tree(self.git.treebuilder(None).unwrap().write().unwrap()).unwrap(),
        };
        let mut tree = TreeUpdateBuilder::new();
        for (path, content) in files {
            tree.upsert(*path, self.git.blob(content).unwrap(), FileMode::Blob);
        }
        for path in removed {
            tree.remove(*path);
        }
        let tree = self.git.find_tree(tree.create_updated(&self.git, &base).unwrap()).unwrap();
        let email = format!("{}@example.org", author.to_lowercase());
        let who = Signature::new(author, &email, &Time::new(seconds, 0)).unwrap();
        let parents: Vec<&Commit<'_>> = parents.iter().collect();
        self.git.commit(update, &who, &who, message, &tree, &parents).unwrap()
    }
}

fn bytes<'a>(files: &[(&'a str, &'a str)]) -> Vec<(&'a [u8], &'a [u8])> {
    files.iter().map(|(path, content)| (path.as_bytes(), content.as_bytes())).collect()
}
