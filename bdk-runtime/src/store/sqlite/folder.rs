//! The folder: made when it is not there, and locked against a second process.

use super::OpenError;
use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process,
};

/// The file that is locked. Its lines: the process that has it, and what that says of itself. It is empty when the last one
/// closed properly.
const LOCK: &str = "lock";

/// The folder is ours, as long as this lives.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    /// Whether the one before was killed, or lost its power.
    pub(super) unclean: bool,
}

impl Lock {
    pub(super) fn take(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join(LOCK);
        let unusable =
            |error: io::Error| OpenError::Unusable { path: folder.to_owned(), why: error.to_string().into() };
        let mut file = private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
            .open(&path)
            .map_err(unusable)?;
        let taken = file.try_lock();
        let mut said = String::new();
        // a text that cannot be read is a missing one: the lock is what counts
        let read = file.read_to_string(&mut said).is_ok();
        match taken {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let (pid, note) = said.split_once('\n').unwrap_or((&said, ""));
                return Err(OpenError::InUse {
                    folder: folder.to_owned(),
                    pid: pid.trim().parse().ok(),
                    note: note.trim().to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let mut lock = Self { file, unclean: !read || !said.is_empty() };
        lock.note("").map_err(unusable)?;
        Ok(lock)
    }

    /// Says who has the folder.
    pub(super) fn note(&mut self, note: &str) -> io::Result<()> {
        self.write(&format!("{}\n{note}\n", process::id()))
    }

    /// Whether the file that is locked is the one that stands there: where it is not, another process may have the folder.
    #[cfg(unix)]
    pub(super) fn is_at(&self, folder: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        fs::metadata(folder.join(LOCK)).and_then(|there| Ok(same(there, self.file.metadata()?))).unwrap_or(false)
    }
    #[cfg(not(unix))]
    pub(super) fn is_at(&self, _folder: &Path) -> bool {
        true
    }

    /// Says that it was closed properly, and lets go of it.
    pub(super) fn release(mut self) -> io::Result<()> {
        self.write("")?;
        self.file.unlock()
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.set_len(0)?;
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

/// Makes the state's folder, if it is not there. The usual one is in the bot's own folder, and nothing of it belongs to the
/// bot's sources.
pub(super) fn make_state(folder: &Path) -> Result<(), OpenError> {
    let is_new = !folder.exists();
    make(folder)?;
    if is_new {
        fs::write(folder.join(".gitignore"), "*\n")
            .map_err(|error| OpenError::Unusable { path: folder.to_owned(), why: error.to_string().into() })?;
    }
    Ok(())
}

/// Makes a folder, for its owner alone, if it is not there.
pub(super) fn make(folder: &Path) -> Result<(), OpenError> {
    let unusable =
        |why: &dyn std::fmt::Display| OpenError::Unusable { path: folder.to_owned(), why: why.to_string().into() };
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(unusable(&"it is a file, not a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder).map_err(|error| unusable(&error))?;
            if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                sync(parent).map_err(|error| unusable(&error))?;
            }
        }
        Err(error) => return Err(unusable(&error)),
    }
    if let Some(kind) = network(folder) {
        tracing::warn!(
            "{} lies on {kind}, where locks and crashes are not what SQLite needs: use a local disk, or PostgreSQL",
            folder.display()
        );
    }
    Ok(())
}

/// Makes the database's file, so that it is its owner's alone: what SQLite makes beside it gets the same rights.
pub(super) fn make_database(path: &Path) -> io::Result<()> {
    match private(OpenOptions::new().write(true).create_new(true)).open(path) {
        Ok(file) => file.sync_all(),
        // never open it without SQLite when it is there: closing it would drop the locks of this process
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// For its owner alone, where it is made.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes durable what was made, renamed and removed in a folder.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// The network filesystem that a path is on.
#[cfg(target_os = "linux")]
fn network(path: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(path).ok()?.f_type;
    // from linux/magic.h; the type's width is the platform's
    [
        (0x6969, "NFS"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB"),
        (0x517b, "SMB"),
        (0x5346_414f, "AFS"),
        (0x00c3_6400, "Ceph"),
    ]
    .into_iter()
    .find_map(|(magic, name): (u32, _)| (kind as u32 == magic).then_some(name))
}

#[cfg(not(target_os = "linux"))]
fn network(_: &Path) -> Option<&'static str> {
    None
}

/// A path for people and for SQLite: absolute where it can be.
pub(super) fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}
