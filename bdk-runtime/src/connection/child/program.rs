//! Which file a program is, as a shell finds it; what is wrong is told before anything is started.

use std::{
    ffi::OsStr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// # Errors
/// Why there is none, and what to do.
pub(super) fn find(program: &str, path: Option<&OsStr>) -> Result<PathBuf, String> {
    if program.is_empty() {
        return Err("it names no program".to_owned());
    }
    if program.contains('/') {
        // below the bot's folder, wherever the program starts
        let file =
            std::path::absolute(program).map_err(|error| format!("the program `{program}` is no path: {error}"))?;
        return match state(&file) {
            State::Program => Ok(file),
            State::Missing => Err(format!("the program `{program}` is not there")),
            State::NoProgram => Err(format!("`{program}` cannot be executed: `chmod +x` makes a program of it")),
        };
    }
    let mut other = None;
    for folder in path.into_iter().flat_map(std::env::split_paths) {
        let file = folder.join(program);
        match state(&file) {
            State::Program => return Ok(file),
            State::NoProgram if other.is_none() => other = Some(file),
            _ => {}
        }
    }
    Err(match other {
        Some(file) => format!("`{}` cannot be executed: `chmod +x` makes a program of it", file.display()),
        None => {
            format!("the program `{program}` is not found: install it, put its folder into `PATH`, or write its path")
        }
    })
}

enum State {
    Program,
    NoProgram,
    Missing,
}

fn state(file: &Path) -> State {
    match std::fs::metadata(file) {
        Ok(about) if about.is_file() && about.permissions().mode() & 0o111 != 0 => State::Program,
        Ok(_) => State::NoProgram,
        Err(_) => State::Missing,
    }
}
