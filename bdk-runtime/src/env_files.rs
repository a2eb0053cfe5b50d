//! The folder's env files, `.env.local` over `.env`: put into the environment at the start, and read where a value is asked for
//! later.

use crate::Error;
use std::{collections::HashMap, path::Path, sync::OnceLock};

/// The files, the one that wins first.
const FILES: [&str; 2] = [".env.local", ".env"];

/// What [`load`] put into the environment: there it stays as it was, and in the files it may be another by now.
static LOADED: OnceLock<HashMap<String, String>> = OnceLock::new();

/// Puts what the files say into the environment; what that has already stays. To be called before any thread starts.
///
/// # Errors
/// Which file is wrong, where and how, without a word of what stands there.
pub(crate) fn load() -> Result<(), String> {
    let mut loaded = HashMap::new();
    for file in FILES {
        if text(file)?.is_some() {
            let wrong = |error: dotenvy::Error| format!("{file}{}", fault(file, &error));
            for line in dotenvy::from_path_iter(file).map_err(wrong)? {
                let (name, value) = line.map_err(wrong)?;
                if std::env::var_os(&name).is_none() {
                    loaded.entry(name).or_insert(value);
                }
            }
            dotenvy::from_path(file).map_err(wrong)?;
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
        let Some(bytes) = text(file).map_err(Error::new)? else { continue };
        // a mark of the byte order is no part of the first name
        let lines = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        for line in dotenvy::from_read_iter(lines) {
            let (key, value) = line.map_err(|error| Error::new(format!("{file}{}", fault(file, &error))))?;
            if key == name {
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}

/// What the file holds, where there is one.
fn text(file: &str) -> Result<Option<Vec<u8>>, String> {
    // a link that leads nowhere is there, and cannot be read
    if Path::new(file).symlink_metadata().is_err() {
        return Ok(None);
    }
    let bytes = std::fs::read(file).map_err(|error| format!("{file}: cannot be read: {error}"))?;
    // the environment holds no NUL, and setting one panics
    if bytes.contains(&0) {
        return Err(format!("{file}: holds a NUL byte"));
    }
    Ok(Some(bytes))
}

/// What is wrong with an env file, without quoting the line: it may hold a secret.
fn fault(file: &str, error: &dotenvy::Error) -> String {
    match error {
        dotenvy::Error::Io(error) => format!(": cannot be read: {error}"),
        dotenvy::Error::LineParse(line, _) => {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            let at = text.lines().position(|l| l.trim() == line.trim()).map(|i| format!(":{}", i + 1));
            format!("{}: the line is not `NAME=value`", at.unwrap_or_default())
        }
        _ => ": cannot be read as lines of `NAME=value`".to_owned(),
    }
}
