//! The connections of a bot.

use super::{
    called::{CallInfo, Called},
    child::Notes,
    failed::{Failed, Kind},
    held::Held,
    limits::Limits,
    listing::Listing,
    spec::Declared,
};
use crate::near;
use futures_util::future::join_all;
use serde_json::value::RawValue;
use std::{collections::HashMap, path::PathBuf, sync::Arc};
use tokio::sync::watch;

/// A bot's connections, one client each, which all of its calls share. Dropped, it leaves no process behind.
pub(crate) struct Connections {
    declared: Vec<Arc<Declared>>,
    held: HashMap<&'static str, Arc<Held>>,
    changes: watch::Sender<u64>,
}

impl Connections {
    /// Opens none. What an earlier bot with this folder left running is ended.
    pub(crate) fn new(declared: Vec<Arc<Declared>>, folder: Option<PathBuf>) -> Self {
        Self::with_limits(declared, folder, Limits::default())
    }

    pub(crate) fn with_limits(declared: Vec<Arc<Declared>>, folder: Option<PathBuf>, limits: Limits) -> Self {
        let (limits, notes, changes) = (Arc::new(limits), Notes::at(folder), watch::Sender::new(0));
        let held = declared.iter().map(|declared| {
            let held = Held::new(declared.clone(), limits.clone(), notes.clone(), changes.clone());
            (declared.name, Arc::new(held))
        });
        Self { held: held.collect(), declared, changes }
    }

    pub(crate) fn declared(&self) -> &[Arc<Declared>] {
        &self.declared
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

    /// Moves on when the tools of some server changed, or may have.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Ends every process and every session. Nothing is opened any more.
    pub(crate) async fn close(&self) {
        join_all(self.held.values().map(|held| held.close())).await;
    }

    pub(super) fn held(&self, name: &str) -> Result<&Arc<Held>, Failed> {
        self.held.get(name).ok_or_else(|| {
            let near = near::nearest(name, self.held.keys().copied());
            let words = match near {
                Some(near) => format!("there is none of this name; there is `{near}`"),
                None => "there is none of this name".to_owned(),
            };
            Failed::bare(Kind::Unknown, words).on(name)
        })
    }
}
