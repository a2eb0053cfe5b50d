//! Why a folder cannot be opened, told to whoever starts the bot.

use std::{fmt, path::PathBuf};

/// Why the state cannot be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// Another process writes to it.
    InUse {
        folder: PathBuf,
        /// Its process id and what it said of itself (its URL), where they could be read.
        pid: Option<u32>,
        note: String,
    },
    /// It was written by a newer bdk.
    Newer { database: PathBuf, found: usize, known: usize },
    /// It was only to be read, and there is none.
    Missing { folder: PathBuf },
    /// What is there is no database (any more).
    Damaged { database: PathBuf, why: Box<str> },
    /// The folder cannot be used: no permission, a file in its place, a full disk.
    Unusable { path: PathBuf, why: Box<str> },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse { folder, pid, note } => {
                write!(f, "{} is in use by ", folder.display())?;
                match pid {
                    Some(pid) => write!(f, "process {pid}")?,
                    None => f.write_str("another process")?,
                }
                if !note.is_empty() {
                    write!(f, " ({note})")?;
                }
                f.write_str(": give this one a folder of its own with --state, or call that one with --url")
            }
            Self::Newer { database, found, known } => write!(
                f,
                "{} was written by a newer bdk: its schema is {found}, this bot knows up to {known}; run the newer bot, or give \
                 this one another folder with --state",
                database.display()
            ),
            Self::Missing { folder } => write!(
                f,
                "there is no state in {}: run the bot once, or name the folder that it uses with --state",
                folder.display()
            ),
            Self::Damaged { database, why } => write!(
                f,
                "{} is damaged ({why}): put a backup of its folder in its place, or move the folder away to begin with an \
                 empty one; nothing was changed",
                database.display()
            ),
            Self::Unusable { path, why } => {
                write!(
                    f,
                    "{} cannot be used for the bot's state: {why}; name another folder with --state",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for OpenError {}

impl From<OpenError> for crate::Error {
    fn from(error: OpenError) -> Self {
        Self::unavailable(error.to_string())
    }
}
