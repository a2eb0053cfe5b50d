//! Which processes run, on disk: what is left of a bot that was killed is ended when it starts again.

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

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
    /// Which start of the system its ticks count from.
    boot: String,
    /// It leads a group of its own.
    child: Known,
    session: i32,
    owner: Known,
}

/// One line of the system's list of processes.
struct Listed {
    group: i32,
    session: i32,
    start: u64,
}

impl Notes {
    /// Notes below this folder. What a bot before this one left running is ended now.
    pub(in crate::connection) fn at(folder: Option<PathBuf>) -> Self {
        let Some(folder) = folder else { return Self(None) };
        let folder = folder.join("children");
        sweep(&folder);
        Self(Some(folder.into()))
    }

    pub(super) fn add(&self, connection: &str, child: i32) {
        let Some(folder) = &self.0 else { return };
        let note = || {
            let (of_child, own) = (listed(child)?, i32::try_from(std::process::id()).ok()?);
            Some(Note {
                connection: connection.to_owned(),
                boot: boot()?,
                child: Known { pid: child, start: of_child.start },
                session: of_child.session,
                owner: Known { pid: own, start: listed(own)?.start },
            })
        };
        // elsewhere than on Linux there is nothing to tell processes apart by
        let Some(text) = note().and_then(|note| serde_json::to_vec(&note).ok()) else { return };
        let file = file(folder, child);
        if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&file, text)) {
            tracing::warn!(
                target: "bdk::connection", connection, %error,
                "{} cannot be written: if the bot is killed, the process is not ended when it starts again", file.display()
            );
        }
    }

    pub(super) fn remove(&self, child: i32) {
        if let Some(folder) = &self.0 {
            // one that could not be written is not there
            let _ = fs::remove_file(file(folder, child));
        }
    }
}

fn file(folder: &Path, child: i32) -> PathBuf {
    folder.join(format!("{child}.json"))
}

fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for file in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let Some(note) = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Note>(&text).ok()) else {
            continue;
        };
        // another bot with this folder, which is alive
        if Some(&note.boot) == boot().as_ref() && is_running(note.owner) {
            continue;
        }
        if is_left(&note) && kill_group(note.child.pid).is_ok() {
            tracing::info!(
                target: "bdk::connection", connection = note.connection, pid = note.child.pid,
                "ended what an earlier run of the bot left"
            );
        }
        // the next start tries it again
        let _ = fs::remove_file(&file);
    }
}

/// Whether the group is still there, and the same.
fn is_left(note: &Note) -> bool {
    if Some(&note.boot) != boot().as_ref() {
        return false;
    }
    if listed(note.child.pid).is_some() {
        return is_running(note.child);
    }
    // the number of a group is not given away while it has members
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(listed).any(|process| {
        process.group == note.child.pid && process.session == note.session && process.start >= note.child.start
    })
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

    fn sleeping(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).process_group(0).spawn().unwrap()
    }
    fn noted(folder: &Path, child: &Child, change: impl FnOnce(&mut Note)) -> PathBuf {
        let pid = i32::try_from(child.id()).unwrap();
        Notes(Some(folder.join("children").into())).add("x", pid);
        let file = file(&folder.join("children"), pid);
        let mut note: Note = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        // as of a bot that is no more
        note.owner = Known { pid: i32::MAX, start: 1 };
        change(&mut note);
        fs::write(&file, serde_json::to_vec(&note).unwrap()).unwrap();
        file
    }
    fn members(group: u32) -> usize {
        let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter_map(listed).filter(|process| i32::try_from(group) == Ok(process.group)).count()
    }

    #[test]
    fn what_a_killed_bot_left_is_ended_at_the_next_start_with_its_own_children() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping("sleep 600 & wait");
        let file = noted(folder.path(), &child, |_| {});
        Notes::at(Some(folder.path().to_owned()));
        assert!(!child.wait().unwrap().success() && !file.exists());
        // its leader gone, the rest of it still there
        let mut child = sleeping("sleep 600 &");
        noted(folder.path(), &child, |_| {});
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
    fn a_process_that_only_has_the_number_is_left_alone_and_so_is_another_bots() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = sleeping("exec sleep 600");
        let own = listed(i32::try_from(std::process::id()).unwrap()).unwrap().start;
        let changes: [fn(&mut Note); 2] = [|note| note.child.start -= 1, |note| note.boot = "another".to_owned()];
        for change in changes {
            let file = noted(folder.path(), &child, change);
            Notes::at(Some(folder.path().to_owned()));
            assert!(child.try_wait().unwrap().is_none() && !file.exists());
        }
        let pid = i32::try_from(std::process::id()).unwrap();
        let file = noted(folder.path(), &child, |note| note.owner = Known { pid, start: own });
        Notes::at(Some(folder.path().to_owned()));
        assert!(child.try_wait().unwrap().is_none() && file.exists());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
