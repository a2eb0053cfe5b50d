//! Large files' bytes: plain files beside the database, each under a name that is never used again.
//!
//! A file is there before the row that names it, and goes after it: what a crash leaves between is swept at the next start.

use super::folder;
use crate::id;
use std::{
    collections::HashSet,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Up to so many bytes lie in the row.
pub(super) const INLINE: usize = 64 << 10;

/// Where they lie.
#[derive(Debug, Clone)]
pub(super) struct Blobs(Arc<Path>);

/// A file that no row names yet: removed again when none comes to.
#[derive(Debug)]
pub(super) struct Blob {
    pub(super) name: String,
    blobs: Blobs,
    kept: bool,
}

impl Blobs {
    pub(super) fn of(folder: &Path) -> Self {
        Self(folder.join("blobs").into())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes bytes; they are on disk when it returns.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<Blob> {
        if !self.0.is_dir() {
            folder::make(&self.0).map_err(io::Error::other)?;
        }
        let blob = Blob { name: id::random(), blobs: self.clone(), kept: false };
        let temporary = self.path(&format!("{}.tmp", blob.name));
        let written = || {
            let mut file = folder::private(OpenOptions::new().write(true).create_new(true)).open(&temporary)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, self.path(&blob.name))?;
            folder::sync(&self.0)
        };
        match written() {
            Ok(()) => Ok(blob),
            Err(error) => {
                let _ = fs::remove_file(&temporary); // it may never have been made
                Err(error)
            }
        }
    }

    pub(super) fn read(&self, name: &str) -> io::Result<Arc<[u8]>> {
        fs::read(self.path(name)).map(Arc::from)
    }

    /// Removes what no row names any more. What cannot be removed now is swept at the next start.
    pub(super) fn remove(&self, name: &str) {
        if let Err(error) = fs::remove_file(self.path(name)) {
            tracing::debug!("a file of the bot's state is left behind: {error}");
        }
    }

    /// Removes all but these, and says how many those were.
    pub(super) fn sweep(&self, named: &HashSet<String>) -> io::Result<usize> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            entries => entries?,
        };
        let mut swept = 0;
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().is_none_or(|name| !named.contains(name)) {
                fs::remove_file(entry.path())?;
                swept += 1;
            }
        }
        Ok(swept)
    }
}

impl Blob {
    /// A row names it.
    pub(super) fn keep(&mut self) {
        self.kept = true;
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        if !self.kept {
            self.blobs.remove(&self.name);
        }
    }
}
