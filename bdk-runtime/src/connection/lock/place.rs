//! Where `mcp.lock` is, and writing beside it.

use super::{Broken, FILE, Lock};
use crate::bot::Identity;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// A file that is there.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) lock: Result<Lock, Broken>,
}

/// The lock in the current folder, or else, where cargo runs the bot, the one beside its `Cargo.toml`.
pub(crate) fn found() -> Option<Found> {
    // an empty folder: the path is told as it is opened, from here
    [Some(PathBuf::new()), package()].into_iter().flatten().find_map(|folder| {
        let path = folder.join(FILE);
        let lock = read(&path)?;
        Some(Found { path, lock })
    })
}

/// The lock in this file, where there is one.
pub(super) fn read(path: &Path) -> Option<Result<Lock, Broken>> {
    // reading a pipe would wait for whoever writes to it
    let text = match path.metadata() {
        Ok(there) if there.is_file() => fs::read_to_string(path),
        Ok(_) => Err(io::Error::other("it is no file")),
        Err(error) => Err(error),
    };
    match text {
        Ok(text) => Some(Lock::read(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(Broken { line: 1, words: format!("it cannot be read: {error}") })),
    }
}

/// The folder that the lock is in, or is to be in: where it is found, else the current one.
pub(crate) fn folder() -> PathBuf {
    let there = [Some(PathBuf::new()), package()].into_iter().flatten().find(|folder| folder.join(FILE).exists());
    there.unwrap_or_default()
}

/// The folder of the bot's package, where cargo runs it: cargo tells that to what it starts, and that to its own children, which
/// may be other bots.
fn package() -> Option<PathBuf> {
    let own = env::var("CARGO_PKG_NAME").is_ok_and(|name| name == Identity::get().name);
    env::var_os("CARGO_MANIFEST_DIR").filter(|_| own).map(PathBuf::from)
}

/// Writes a file as a whole: whoever reads it meanwhile sees what it was.
///
/// # Errors
/// When it cannot be written; it is as it was then.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
