//! Which processes run, on disk: what is left of a bot that was killed is ended when it starts again.

use crate::id;
use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The variable by which a process is found that was killed with its note half written: all that it starts has it too.
pub(super) const MARK: &str = "BDK_CHILD";

/// Bytes of a note.
const LONGEST: u64 = 64 << 10;

/// The folder of the notes, where there is one.
#[derive(Debug, Clone, Default)]
pub(in crate::connection) struct Notes(Option<Arc<Path>>);

/// A process, told apart from one that has its number later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    pid: i32,
    /// In ticks since the system started.
    start: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    connection: String,
    /// What its variable [`MARK`] says.
    mark: String,
    /// Which start of the system its ticks count from.
    boot: String,
    owner: Known,
    /// Once it runs.
    child: Option<Leader>,
}

/// A process that leads a group of its own.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Leader {
    #[serde(flatten)]
    known: Known,
    session: i32,
}

/// The note of one process, from before it is there until it is gone.
pub(super) struct Noted {
    file: Option<PathBuf>,
    note: Note,
}

/// One line of the system's list of processes.
struct Listed {
    group: i32,
    session: i32,
    start: u64,
}

/// The folder of a bot that keeps its state nowhere or elsewhere: this user's on this machine, shared by all such bots. None
/// where somebody else could write to it.
pub(crate) fn of_user() -> Option<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let folder = match std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder).join("bdk"),
        None => std::env::temp_dir().join(format!("bdk-{user}")),
    };
    match folder.symlink_metadata() {
        Ok(there) => (there.is_dir() && there.uid() == user && there.mode() & 0o077 == 0).then_some(folder),
        Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some(folder),
    }
}

impl Notes {
    /// Notes below this folder. What a bot before this one left running is ended now.
    pub(in crate::connection) fn at(folder: Option<PathBuf>) -> Self {
        let Some(folder) = folder else { return Self(None) };
        let folder = folder.join("children");
        sweep(&folder);
        Self(Some(folder.into()))
    }

    /// Notes a process that is about to be started.
    pub(super) fn begin(&self, connection: &str) -> Noted {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let owner = listed(own).map(|process| Known { pid: own, start: process.start });
        let (mark, boot) = (id::random(), boot());
        // elsewhere than on Linux there is nothing to tell processes apart by
        let there = owner.is_some() && boot.is_some();
        let file = self.0.as_ref().filter(|_| there).map(|folder| folder.join(format!("{mark}.json")));
        let note = Note {
            connection: connection.to_owned(),
            mark,
            boot: boot.unwrap_or_default(),
            owner: owner.unwrap_or(Known { pid: own, start: 0 }),
            child: None,
        };
        let noted = Noted { file, note };
        noted.write();
        noted
    }
}

impl Noted {
    pub(super) fn mark(&self) -> &str {
        &self.note.mark
    }

    /// It runs.
    pub(super) fn started(&mut self, child: i32) {
        let leader =
            listed(child).map(|of| Leader { known: Known { pid: child, start: of.start }, session: of.session });
        self.note.child = leader;
        self.write();
    }

    fn write(&self) {
        let Some(file) = &self.file else { return };
        let written = || {
            let folder = file.parent().unwrap_or(Path::new(""));
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            // whole or not at all: a half one says nothing
            let (beside, text) = (file.with_extension("new"), serde_json::to_vec(&self.note)?);
            fs::write(&beside, text)?;
            fs::rename(&beside, file)
        };
        if let Err(error) = written() {
            tracing::warn!(
                target: "bdk::connection", connection = self.note.connection, %error,
                "{} cannot be written: if the bot is killed, the process is not ended when it starts again", file.display()
            );
        }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // one that could not be written is not there
            let _ = fs::remove_file(file);
        }
    }
}

fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for file in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        // whatever else lies there is not ours
        let is_note = file.symlink_metadata().is_ok_and(|there| there.is_file() && there.len() <= LONGEST);
        let Some(note) = is_note.then(|| fs::read(&file).ok()).flatten() else { continue };
        let Ok(note) = serde_json::from_slice::<Note>(&note) else { continue };
        let since_then = Some(&note.boot) == boot().as_ref();
        // another bot with this folder, which is alive
        if since_then && is_running(note.owner) {
            continue;
        }
        let left = match note.child {
            _ if !since_then => None,
            Some(leader) => is_left(leader, &note.mark).then_some(leader.known.pid),
            None => marked(&note.mark),
        };
        if let Some(pid) = left.filter(|pid| kill_group(*pid).is_ok()) {
            tracing::info!(
                target: "bdk::connection", connection = note.connection, pid,
                "ended what a bot that was killed left"
            );
        }
        // the next start tries it again
        let _ = fs::remove_file(&file);
    }
}

fn pids() -> impl Iterator<Item = i32> {
    let processes = fs::read_dir("/proc").into_iter().flatten();
    processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Whether the group is still there, and the same: a note alone, which others may have written, ends nobody.
fn is_left(leader: Leader, mark: &str) -> bool {
    let Leader { known, session } = leader;
    if listed(known.pid).is_some() {
        return is_running(known) && has_mark(known.pid, mark);
    }
    // the number of a group is not given away while it has members
    pids().any(|pid| {
        let of_it = listed(pid).is_some_and(|process| {
            process.group == known.pid && process.session == session && process.start >= known.start
        });
        of_it && has_mark(pid, mark)
    })
}

/// The process that was started with this mark and leads its group.
fn marked(mark: &str) -> Option<i32> {
    pids().filter(|pid| listed(*pid).is_some_and(|process| process.group == *pid)).find(|pid| has_mark(*pid, mark))
}

/// Whether a process was started for the note of this mark, or by one that was.
fn has_mark(pid: i32, mark: &str) -> bool {
    let variable = format!("{MARK}={mark}");
    // another user's cannot be read
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
}

fn is_running(known: Known) -> bool {
    listed(known.pid).is_some_and(|process| process.start == known.start)
}

fn listed(pid: i32) -> Option<Listed> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // the name in the second field may hold anything
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let (group, session, start) = (fields.get(2)?, fields.get(3)?, fields.get(19)?);
    Some(Listed { group: group.parse().ok()?, session: session.parse().ok()?, start: start.parse().ok()? })
}

fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

/// Ends a process with all that it started and that did not leave its group.
pub(super) fn kill_group(leader: i32) -> io::Result<()> {
    signal_group(leader, Signal::KILL)
}

pub(super) fn signal_group(leader: i32, signal: Signal) -> io::Result<()> {
    // group 0 would be the bot's own, and 1 everything
    match Pid::from_raw(leader).filter(|_| leader > 1) {
        Some(leader) => Ok(rustix::process::kill_process_group(leader, signal)?),
        None => Err(io::ErrorKind::InvalidInput.into()),
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        os::unix::process::CommandExt,
        process::{Child, Command},
    };

    /// Each test has a mark of its own: they run side by side.
    fn sleeping(script: &str, mark: &str) -> Child {
        Command::new("sh").args(["-c", script]).process_group(0).env(MARK, mark).spawn().unwrap()
    }
    /// A note as of a bot that is no more.
    fn noted(folder: &Path, child: Option<&Child>, mark: Option<&str>, change: impl FnOnce(&mut Note)) -> PathBuf {
        let mut noted = Notes(Some(folder.join("children").into())).begin("x");
        if let Some(child) = child {
            noted.started(i32::try_from(child.id()).unwrap());
        }
        if let Some(mark) = mark {
            noted.note.mark = mark.to_owned();
        }
        noted.note.owner = Known { pid: i32::MAX, start: 1 };
        change(&mut noted.note);
        noted.write();
        // the bot was killed
        noted.file.take().unwrap()
    }
    fn members(group: u32) -> usize {
        pids().filter_map(listed).filter(|process| i32::try_from(group) == Ok(process.group)).count()
    }

    #[test]
    fn what_a_killed_bot_left_is_ended_at_the_next_start_with_its_own_children() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping("sleep 600 & wait", "a-mark-0");
        let file = noted(folder.path(), Some(&child), Some("a-mark-0"), |_| {});
        Notes::at(Some(folder.path().to_owned()));
        assert!(!child.wait().unwrap().success() && !file.exists());
        // its leader gone, the rest of it still there
        let mut child = sleeping("sleep 600 &", "a-mark-0");
        noted(folder.path(), Some(&child), Some("a-mark-0"), |_| {});
        child.wait().unwrap();
        assert_eq!(members(child.id()), 1);
        Notes::at(Some(folder.path().to_owned()));
        let begun = std::time::Instant::now();
        while members(child.id()) > 0 {
            assert!(begun.elapsed().as_secs() < 10, "the sleeper is still there");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    #[test]
    fn one_that_was_started_while_its_note_was_half_written_is_found_by_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping("sleep 600 & wait", "a-mark-1");
        let file = noted(folder.path(), None, Some("another-mark"), |_| {});
        Notes::at(Some(folder.path().to_owned()));
        assert!(child.try_wait().unwrap().is_none() && !file.exists());
        noted(folder.path(), None, Some("a-mark-1"), |_| {});
        Notes::at(Some(folder.path().to_owned()));
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn a_process_that_only_has_the_number_is_left_alone_and_so_is_another_bots() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping("exec sleep 600", "a-mark-2");
        let own = listed(i32::try_from(std::process::id()).unwrap()).unwrap().start;
        let changes: [fn(&mut Note); 2] =
            [|note| note.child.as_mut().unwrap().known.start -= 1, |note| note.boot = "another".to_owned()];
        for change in changes {
            let file = noted(folder.path(), Some(&child), Some("a-mark-2"), change);
            Notes::at(Some(folder.path().to_owned()));
            assert!(child.try_wait().unwrap().is_none() && !file.exists());
        }
        let pid = i32::try_from(std::process::id()).unwrap();
        let file = noted(folder.path(), Some(&child), Some("a-mark-2"), |note| note.owner = Known { pid, start: own });
        Notes::at(Some(folder.path().to_owned()));
        assert!(child.try_wait().unwrap().is_none() && file.exists());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
