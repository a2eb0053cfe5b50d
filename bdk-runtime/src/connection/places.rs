//! The processes of authored connections, each where it works: one for a session, and one for an unbound call.

use super::{
    failed::{Failed, Kind},
    held::Held,
    limits::Limits,
};
use crate::{lock::lock, session::Live};
use futures_util::future::join_all;
use std::{
    collections::{HashMap, hash_map::Entry},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, Weak},
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout_at},
};

/// Where the process of an authored connection works, and whose it is: a session's, or one call's.
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) session: Option<&'a Arc<Live>>,
}

/// By connection and folder.
type Key = (Box<str>, PathBuf);

pub(super) struct Places {
    processes: Arc<Mutex<HashMap<Key, Process>>>,
    limits: Arc<Limits>,
    /// Told when a process may make room.
    freed: Notify,
}

struct Process {
    held: Arc<Held>,
    /// How many calls need it now.
    calls: usize,
    /// When the last of them ended.
    since: Instant,
}

/// A call's hold on a process.
pub(super) struct Seat<'a> {
    places: &'a Places,
    key: Key,
    /// Its process stays for other calls.
    of_session: bool,
    pub(super) held: Arc<Held>,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut processes = lock(&self.places.processes);
        let Some(process) = processes.get_mut(&self.key).filter(|process| Arc::ptr_eq(&process.held, &self.held))
        else {
            // its session was deleted meanwhile
            return;
        };
        process.calls -= 1;
        process.since = Instant::now();
        self.places.freed.notify_one();
        let ended = if self.of_session { None } else { processes.remove(&self.key) };
        drop(processes);
        if let Some(process) = ended {
            process.held.shut();
        }
    }
}

impl Places {
    pub(super) fn new(limits: Arc<Limits>) -> Self {
        Self { processes: Arc::default(), limits, freed: Notify::new() }
    }

    /// The process of a connection that works there, or a new one that `make` makes, as soon as there is room for it.
    ///
    /// # Errors
    /// When all are at work until then.
    pub(super) async fn seat(
        &self,
        connection: &str,
        place: &Place<'_>,
        deadline: Instant,
        make: impl Fn() -> Arc<Held>,
    ) -> Result<Seat<'_>, Failed> {
        loop {
            match self.try_seat(connection, place, &make) {
                Err(full) => timeout_at(deadline, self.freed.notified()).await.map_err(|_| full)?,
                seat => return seat,
            }
        }
    }

    fn try_seat(&self, connection: &str, place: &Place<'_>, make: impl Fn() -> Arc<Held>) -> Result<Seat<'_>, Failed> {
        let key = (Box::from(connection), place.folder.to_owned());
        let (mut processes, mut idle) = (lock(&self.processes), None);
        if processes.len() >= self.limits.processes && !processes.contains_key(&key) {
            let unused = processes.iter().filter(|(_, process)| process.calls == 0);
            let Some(longest) = unused.min_by_key(|(_, process)| process.since).map(|(key, _)| key.clone()) else {
                let most = self.limits.processes;
                let words = format!("{most} processes of authored connections are at work, which is as many as may be");
                return Err(Failed::bare(Kind::Full, words));
            };
            idle = processes.remove(&longest);
        }
        let held = match processes.entry(key.clone()) {
            Entry::Occupied(mut process) => {
                let process = process.get_mut();
                process.calls += 1;
                process.held.clone()
            }
            Entry::Vacant(vacant) => {
                let held = make();
                vacant.insert(Process { held: held.clone(), calls: 1, since: Instant::now() });
                if let Some(live) = place.session {
                    let all = Arc::downgrade(&self.processes);
                    let ending = end(key.clone(), Arc::downgrade(&held), live.clone(), all, self.limits.clone());
                    // a session that is deleted keeps its folder as long as a process works in it
                    tokio::spawn(live.running.track_future(ending));
                }
                held
            }
        };
        drop(processes);
        if let Some(idle) = idle {
            tokio::spawn(async move { idle.held.close().await });
        }
        Ok(Seat { places: self, key, of_session: place.session.is_some(), held })
    }

    pub(super) async fn close(&self) {
        let all: Vec<Arc<Held>> = lock(&self.processes).drain().map(|(_, process)| process.held).collect();
        join_all(all.iter().map(|held| held.close())).await;
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for (_, process) in lock(&self.processes).drain() {
            process.held.shut();
        }
    }
}

/// Ends a session's process with the session, or when nobody has needed it for long.
async fn end(
    key: Key,
    held: Weak<Held>,
    live: Arc<Live>,
    processes: Weak<Mutex<HashMap<Key, Process>>>,
    limits: Arc<Limits>,
) {
    let mut look = Instant::now() + limits.idle;
    loop {
        let deleted = tokio::select! {
            () = live.stop.cancelled() => true,
            () = sleep_until(look) => false,
        };
        let Some(processes) = processes.upgrade() else { return };
        let ended = {
            let mut processes = lock(&processes);
            let Some(process) = processes.get(&key).filter(|process| Weak::as_ptr(&held) == Arc::as_ptr(&process.held))
            else {
                return;
            };
            look = if process.calls > 0 { Instant::now() } else { process.since } + limits.idle;
            if deleted || (process.calls == 0 && look <= Instant::now()) { processes.remove(&key) } else { None }
        };
        if let Some(process) = ended {
            return process.held.close().await;
        }
    }
}
