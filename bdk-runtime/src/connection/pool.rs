//! The connections of a bot.

use super::{
    called::{CallInfo, Called},
    child::Notes,
    declared::Declared,
    failed::{Failed, Kind},
    held::Held,
    limits::Limits,
    listing::Listing,
    lock::Pins,
};
use crate::{lock::lock, near};
use futures_util::future::join_all;
use serde_json::value::RawValue;
use std::{
    collections::{HashMap, hash_map::Entry},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

type InFolders = HashMap<(Box<str>, PathBuf), Arc<Held>>;

/// Where the process of an authored connection works, and for how long: until this is cancelled, or for one call.
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) lasts: Option<&'a CancellationToken>,
}

/// A bot's connections, one client each, which all of its calls share. Dropped, it leaves no process behind.
pub(crate) struct Connections {
    held: HashMap<Box<str>, Arc<Held>>,
    /// The processes of authored connections that work in a session's folder, by connection and folder.
    in_folders: Arc<Mutex<InFolders>>,
    common: Common,
}

/// What all of them have.
#[derive(Clone)]
pub(super) struct Common {
    pub(super) limits: Arc<Limits>,
    pub(super) notes: Notes,
    /// What their servers are held to.
    pub(super) pins: Arc<Pins>,
    pub(super) changes: watch::Sender<u64>,
}

impl Connections {
    /// Opens none. What an earlier bot with this folder left running is ended.
    pub(crate) fn new(declared: &[Arc<Declared>], pins: Arc<Pins>, folder: Option<PathBuf>) -> Self {
        Self::with_limits(declared, pins, folder, Limits::default())
    }

    pub(crate) fn with_limits(
        declared: &[Arc<Declared>],
        pins: Arc<Pins>,
        folder: Option<PathBuf>,
        limits: Limits,
    ) -> Self {
        let common =
            Common { limits: Arc::new(limits), notes: Notes::at(folder), pins, changes: watch::Sender::new(0) };
        let held = declared.iter().map(|declared| {
            let held = Held::new(declared.clone(), None, common.clone());
            (declared.name.clone(), Arc::new(held))
        });
        Self { held: held.collect(), in_folders: Arc::default(), common }
    }

    /// The tools of a server: as they were listed, until the server says that they changed, or is opened anew.
    ///
    /// # Errors
    /// When the server cannot be opened or does not list them.
    pub(crate) async fn list(&self, name: &str) -> Result<Arc<Listing>, Failed> {
        self.held(name)?.list().await
    }

    /// Calls a tool, by the server's own name. The input is an object.
    ///
    /// # Errors
    /// When there is no result; one that is an error is a result.
    pub(crate) async fn call(
        &self,
        name: &str,
        tool: &str,
        input: &RawValue,
        info: &CallInfo,
    ) -> Result<Called, Failed> {
        self.held(name)?.call(tool, input.get(), info).await
    }

    /// Calls a tool of an authored connection in a process that works in this folder.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub(crate) async fn call_in(
        &self,
        place: &Place<'_>,
        name: &str,
        tool: &str,
        input: &RawValue,
        info: &CallInfo,
    ) -> Result<Called, Failed> {
        let declared = &self.held(name)?.declared;
        let make = || Arc::new(Held::new(declared.clone(), Some(place.folder.to_owned()), self.common.clone()));
        let Some(lasts) = place.lasts else {
            let held = make();
            let called = held.call(tool, input.get(), info).await;
            held.close().await;
            return called;
        };
        let key = (Box::from(name), place.folder.to_owned());
        let (held, is_new) = match lock(&self.in_folders).entry(key.clone()) {
            Entry::Occupied(held) => (held.get().clone(), false),
            Entry::Vacant(vacant) => (vacant.insert(make()).clone(), true),
        };
        if is_new {
            let (in_folders, lasts) = (self.in_folders.clone(), lasts.clone());
            tokio::spawn(async move {
                lasts.cancelled().await;
                let held = lock(&in_folders).remove(&key);
                if let Some(held) = held {
                    held.close().await;
                }
            });
        }
        held.call(tool, input.get(), info).await
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.common.limits
    }

    /// Moves on when the tools of some server changed, or may have.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.common.changes.subscribe()
    }

    /// Ends every process and every session. Nothing is opened any more.
    pub(crate) async fn close(&self) {
        let in_folders: Vec<Arc<Held>> = lock(&self.in_folders).drain().map(|(_, held)| held).collect();
        join_all(self.held.values().chain(&in_folders).map(|held| held.close())).await;
    }

    pub(super) fn held(&self, name: &str) -> Result<&Arc<Held>, Failed> {
        self.held.get(name).ok_or_else(|| {
            let near = near::nearest(name, self.held.keys().map(|name| &**name));
            let words = match near {
                Some(near) => format!("there is none of this name; there is `{near}`"),
                None => "there is none of this name".to_owned(),
            };
            Failed::bare(Kind::Unknown, words).on(name)
        })
    }
}
