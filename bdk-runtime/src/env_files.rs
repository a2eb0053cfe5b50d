//! The folder's env files, `.env.local` over `.env`: put into the environment at the start, and read where a value is asked for
//! later.

mod lines;

use crate::Error;
use lines::Lines;
use std::{
    collections::HashMap,
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// The files, the one that wins first.
const FILES: [&str; 2] = [".env.local", ".env"];

/// What [`load`] put into the environment: there it stays as it was, and in the files it may be another by now.
static LOADED: OnceLock<HashMap<String, String>> = OnceLock::new();

/// Whether there are none for this process: it works in a folder where others write.
static NONE: AtomicBool = AtomicBool::new(false);

/// Looks at no file from now on.
#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
pub(crate) fn ignore() {
    NONE.store(true, Ordering::Relaxed);
}

/// Puts what the files say into the environment; what that has already stays. To be called before any thread starts.
///
/// # Errors
/// Which file is wrong, where and how, without a word of what stands there.
#[expect(unsafe_code, reason = "the environment is changed while there is one thread")]
pub(crate) fn load() -> Result<(), String> {
    let mut loaded = HashMap::new();
    for file in FILES {
        let Some(text) = text(file)? else { continue };
        for line in Lines::of(&text) {
            let (name, value) = line.map_err(|fault| told(file, fault))?;
            if std::env::var_os(&name).is_none() {
                // SAFETY: nobody else reads the environment yet
                unsafe { std::env::set_var(&name, &value) };
                loaded.insert(name, value);
            }
        }
    }
    let _ = LOADED.set(loaded);
    Ok(())
}

/// What this name has now: in the environment that the process was given, or else in the files.
///
/// # Errors
/// When it is no text, or a file cannot be read.
pub(crate) fn value(name: &str) -> Result<Option<String>, Error> {
    let of_files = LOADED.get().and_then(|loaded| loaded.get(name));
    match std::env::var_os(name) {
        Some(value) if of_files.is_none_or(|loaded| value != loaded.as_str()) => value
            .into_string()
            .map(Some)
            .map_err(|_| Error::new(format!("`{name}` in the environment is no text (UTF-8)"))),
        _ => find(name),
    }
}

/// The value that the files have for this name now.
///
/// # Errors
/// As [`load`].
pub(crate) fn find(name: &str) -> Result<Option<String>, Error> {
    for file in FILES {
        let Some(text) = text(file).map_err(Error::new)? else { continue };
        for line in Lines::of(&text) {
            let (key, value) = line.map_err(|fault| Error::new(told(file, fault)))?;
            if key == name {
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}

/// What the file holds, where there is one.
fn text(file: &str) -> Result<Option<String>, String> {
    if NONE.load(Ordering::Relaxed) {
        return Ok(None);
    }
    // a link that leads nowhere is there, and cannot be read
    if Path::new(file).symlink_metadata().is_err() {
        return Ok(None);
    }
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: cannot be read: {error}"))?;
    // the environment holds no NUL, and setting one panics
    if bytes.contains(&0) {
        return Err(format!("{file}: holds a NUL byte"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| format!("{file}: is no text (UTF-8)"))
}

fn told(file: &str, (line, why): (usize, String)) -> String {
    format!("{file}:{line}: {why}")
}
