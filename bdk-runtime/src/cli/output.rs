//! What the commands write: stdout for what was asked, stderr for everything else.

use crate::{
    cli::stdout,
    error::words,
    registry::{Problem, Severity},
    secrets,
};
use clap::builder::styling::{AnsiColor, Style};
use std::{
    fmt::Display,
    fs::File,
    io::{self, Write},
    process::ExitCode,
};

/// The exit code of a command that was used wrongly.
pub(super) const USAGE: u8 = 2;

/// Writes to stdout, whole and flushed. A reader that went away (`| head -1`) is no fault.
pub(super) fn print(text: impl AsRef<[u8]>) -> Result<(), Stop> {
    let written = match stdout::own() {
        Some(mut own) => own.write_all(text.as_ref()),
        None => {
            let mut out = io::stdout().lock();
            out.write_all(text.as_ref()).and_then(|()| out.flush())
        }
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::failed(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Why a command ended early: one line on stderr, and an exit code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) message: String,
    pub(super) code: u8,
}

impl Stop {
    /// What was asked failed.
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }
    /// The command was used wrongly.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: USAGE }
    }
    /// Tells it.
    pub(super) fn tell(&self) -> ExitCode {
        // the errors of a bot that does not load are several lines that name their severity themselves
        for line in self.message.lines() {
            match line.strip_prefix("error: ") {
                Some(line) => error(line),
                None => error(line),
            }
        }
        ExitCode::from(self.code)
    }
}

impl From<crate::Error> for Stop {
    fn from(error: crate::Error) -> Self {
        Self::failed(words(&error))
    }
}

/// One line on stderr, without secrets.
pub(super) fn note(text: impl Display) {
    let text = text.to_string();
    let _ = writeln!(anstream::stderr(), "{}", secrets::blank(&text));
}
pub(super) fn error(text: impl Display) {
    labelled(AnsiColor::Red, "error", text);
}
pub(super) fn warning(text: impl Display) {
    labelled(AnsiColor::Yellow, "warning", text);
}
fn labelled(color: AnsiColor, label: &str, text: impl Display) {
    let style = color.on_default().bold();
    note(format_args!("{style}{label}{style:#}: {text}"));
}

/// A problem as a line with its severity in colour, for whatever stream strips it where nobody sees it.
pub(super) fn problem(problem: &Problem) -> String {
    let (color, label) = match problem.severity {
        Severity::Error => (AnsiColor::Red, "error"),
        Severity::Warning => (AnsiColor::Yellow, "warning"),
    };
    let style = color.on_default().bold();
    let place = problem.place.as_deref().map_or_else(String::new, |place| format!(" {place}:"));
    format!("{style}{label}{style:#}:{place} {}", problem.message)
}

/// Bold, for headings.
pub(super) const HEAD: Style = Style::new().bold();

/// Writes text with styles to stdout, which stay only on a terminal.
pub(super) fn print_styled(text: &str) -> Result<(), Stop> {
    let write = |out: &mut dyn Write| out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let written = match stdout::own().map(File::try_clone) {
        Some(own) => own.and_then(|own| write(&mut anstream::AutoStream::auto(own))),
        None => write(&mut anstream::AutoStream::auto(io::stdout().lock())),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::failed(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}
