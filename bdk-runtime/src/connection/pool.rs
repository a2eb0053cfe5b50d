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
    places::{Place, Places},
};
use crate::near;
use futures_util::future::join_all;
use serde_json::value::RawValue;
use std::{collections::HashMap, path::PathBuf, sync::Arc};
use tokio::sync::watch;

/// A bot's connections, one client each, which all of its calls share. Dropped, it leaves no process behind.
pub(crate) struct Connections {
    held: HashMap<Box<str>, Arc<Held>>,
    /// Of authored ones there is a client for each place where one works.
    places: Places,
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

impl Drop for Connections {
    /// What is being opened would go on.
    fn drop(&mut self) {
        for held in self.held.values() {
            held.shut();
        }
    }
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
        Self { held: held.collect(), places: Places::new(common.limits.clone()), common }
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
        let deadline = info.ends(&declared.spec, &self.common.limits);
        let seat = self.places.seat(name, place, deadline, make).await.map_err(|failed| failed.on(name))?;
        let called = seat.held.call(tool, input.get(), info).await;
        if place.session.is_none() {
            seat.held.close().await;
        }
        called
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
        tokio::join!(join_all(self.held.values().map(|held| held.close())), self.places.close());
    }

    pub(super) fn held(&self, name: &str) -> Result<&Arc<Held>, Failed> {
        self.held.get(name).ok_or_else(|| {
            let words = format!("there is none of this name{}", near::hint(name, self.held.keys().map(|name| &**name)));
            Failed::bare(Kind::Unknown, words).on(name)
        })
    }
}
