//! Programs that are started for a connection: found, started, listened to, and gone when they are to be.

mod notes;
mod process;
mod program;
mod stderr;

pub(super) use notes::Notes;
pub(crate) use notes::of_user;
pub(super) use process::{Ended, Order, Process, Started};
