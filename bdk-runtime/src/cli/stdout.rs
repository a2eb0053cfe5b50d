//! The process's stdout, kept for what was asked for: an author's `println!`, a dependency's and a child's output go to stderr.

use std::{
    fs::File,
    io::{self, IsTerminal, Write},
    sync::OnceLock,
};

/// Stdout, taken away from whatever else there is in the process; the first call does, and all get the same. To be called
/// as early as may be: what was printed before stands there.
pub(crate) fn taken() -> &'static io::Result<File> {
    TAKEN.get_or_init(take)
}

/// Stdout, if it was taken.
pub(super) fn own() -> Option<&'static File> {
    TAKEN.get()?.as_ref().ok()
}

/// Whether a terminal shows what is printed.
pub(super) fn is_terminal() -> bool {
    own().map_or_else(|| io::stdout().is_terminal(), IsTerminal::is_terminal)
}

static TAKEN: OnceLock<io::Result<File>> = OnceLock::new();

#[cfg(unix)]
fn take() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().flush()?;
    // no child inherits it
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(own.into())
}

/// Where descriptors cannot be put in each other's place, what is printed stays where it is.
#[cfg(windows)]
fn take() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().flush()?;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

#[cfg(not(any(unix, windows)))]
fn take() -> io::Result<File> {
    Err(io::Error::other("this system has no stdout that can be kept"))
}
