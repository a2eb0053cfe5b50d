//! The process's stdin and stdout, kept for messages alone: what else prints goes to stderr, and whoever else reads stdin, a
//! child that inherits it say, finds it empty and takes no message away.

use crate::cli::stdout;
use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    sync::OnceLock,
};

/// Both, taken away from whatever else there is in the process.
pub(crate) struct Streams {
    pub(crate) input: File,
    pub(crate) output: File,
}

impl Streams {
    /// Takes them; the first call does, and all get the same. To be called as early as may be: what was printed before has
    /// gone to the client.
    pub(crate) fn taken() -> &'static io::Result<Self> {
        static TAKEN: OnceLock<io::Result<Streams>> = OnceLock::new();
        TAKEN.get_or_init(take)
    }

    /// Handles of one's own.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { input: self.input.try_clone()?, output: self.output.try_clone()? })
    }
}

#[cfg(unix)]
fn take() -> io::Result<Streams> {
    use std::os::fd::AsFd;
    let output = taken_stdout()?;
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(Streams { input: input.into(), output })
}

/// Where descriptors cannot be put in each other's place, what is printed stays where it is.
#[cfg(windows)]
fn take() -> io::Result<Streams> {
    use std::os::windows::io::AsHandle;
    let output = taken_stdout()?;
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    Ok(Streams { input: input.into(), output })
}

#[cfg(not(any(unix, windows)))]
fn take() -> io::Result<Streams> {
    Err(io::Error::other("this system has no stdin and stdout that can be kept for messages"))
}

/// A handle of one's own.
fn taken_stdout() -> io::Result<File> {
    match stdout::taken() {
        Ok(file) => file.try_clone(),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    }
}

/// Reads from a file; from one that does not block, too, as some clients hand one over.
pub(crate) struct Input(pub(crate) File);

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buf) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => ready(&self.0, Ready::Read)?,
                done => return done,
            }
        }
    }
}

/// Writes all of it; to a file that does not block, too.
pub(crate) fn write_all(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => ready(file, Ready::Write)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Ready {
    Read,
    Write,
}

/// Waits until a file that does not block can be read from or written to.
#[cfg(unix)]
fn ready(file: &File, what: Ready) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let what = match what {
        Ready::Read => PollFlags::IN,
        Ready::Write => PollFlags::OUT,
    };
    match poll(&mut [PollFd::new(file, what)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn ready(_: &File, _: Ready) -> io::Result<()> {
    std::thread::sleep(std::time::Duration::from_millis(1));
    Ok(())
}
