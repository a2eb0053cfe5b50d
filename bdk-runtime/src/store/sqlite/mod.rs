//! State in a folder: SQLite, with large files beside it.
//!
//! The only module that names `rusqlite`. One thread writes ([`write`]), a few connections read ([`read`]); what was
//! acknowledged is on disk, and everybody who reads afterwards sees it.

mod apply;
mod blobs;
mod error;
mod folder;
mod line;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use error::OpenError;

use super::{
    Answer, Batch, Did, KeyRow, OpenCall, SessionPage, SessionRow, Store, StoreError, StoredEvent, StoredFile,
    Versioned,
};
use crate::{Timestamp, lock::lock};
use apply::Beside;
use blobs::Blobs;
use folder::Lock;
use futures_util::future::{BoxFuture, FutureExt, ready};
use read::{FileRow, Readers};
use rusqlite::Connection;
use std::{
    io,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};
use tokio::runtime::Handle;
use write::{Queue, Writer};

/// What a folder is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// For reading and writing: nobody else may do so at the same time.
    Write,
    /// For reading, also while another process writes.
    Read,
}

/// State in a folder.
pub(crate) struct Sqlite {
    readers: Arc<Readers>,
    /// None where it was opened for reading.
    writing: Option<Writing>,
    /// Whether the calls that were cut off have been told.
    told: AtomicBool,
}

struct Writing {
    queue: Queue,
    thread: Option<JoinHandle<()>>,
    /// Taken by the writer, when it ends.
    lock: Arc<Mutex<Option<Lock>>>,
    /// Which opening of the folder this is.
    run: i64,
}

impl Sqlite {
    /// Opens a folder. For writing, it is made when it is not there, brought to this bdk's schema, and looked through for
    /// damage where the process before was killed; for reading, nothing is changed.
    ///
    /// Blocks: on a disk that is slow, or a large state after a crash, for seconds.
    pub(crate) fn open(folder: &Path, access: Access) -> Result<Self, OpenError> {
        let folder = folder::absolute(folder);
        match access {
            Access::Write => Self::open_to_write(&folder),
            Access::Read => Self::open_to_read(&folder),
        }
    }

    /// Whether there is a state in this folder.
    #[cfg(feature = "commands")]
    pub(crate) fn check_there(folder: &Path) -> Result<(), OpenError> {
        let folder = folder::absolute(folder);
        there(&folder, &folder.join(schema::DATABASE))
    }

    fn open_to_write(folder: &Path) -> Result<Self, OpenError> {
        let database = folder.join(schema::DATABASE);
        let failed = |error: rusqlite::Error| schema::failed(&database, &error);
        let unusable =
            |error: io::Error| OpenError::Unusable { path: folder.to_owned(), why: error.to_string().into() };

        folder::make_state(folder)?;
        let lock = Lock::take(folder)?;
        folder::make_database(&database).map_err(unusable)?;
        let mut db = schema::writer(&database).map_err(failed)?;
        let version = schema::version(&db).map_err(failed)?;
        known(version, &database)?;
        if lock.unclean && version > 0 {
            schema::check(&db, &database)?;
        }
        schema::migrate(&mut db, version).map_err(failed)?;
        if version < schema::VERSION {
            // so that the tables are there, also where the log is lost: what is missing then is told as damage
            db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(failed)?;
        }
        let sql = "UPDATE counters SET runs = runs + 1 RETURNING runs, versions";
        let (run, versions) = db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
        folder::sync(folder).map_err(unusable)?;

        let blobs = Blobs::of(folder);
        blobs.sweep(&read::blobs(&db).map_err(failed)?).map_err(unusable)?;
        let readers = Arc::new(Readers::new(&database, blobs.clone()));
        let lock = Arc::new(Mutex::new(Some(lock)));
        let beside = Beside::new(versions);
        let runtime = Handle::try_current().ok();
        let writer = Writer { db, database: database.clone(), blobs, beside, run, lock: lock.clone(), runtime };
        let (queue, thread) = writer.start().map_err(unusable)?;
        let writing = Some(Writing { queue, thread: Some(thread), lock, run });
        Ok(Self { readers, writing, told: AtomicBool::new(false) })
    }

    fn open_to_read(folder: &Path) -> Result<Self, OpenError> {
        let database = folder.join(schema::DATABASE);
        there(folder, &database)?;
        let db = schema::reader(&database).map_err(|error| schema::failed(&database, &error))?;
        let version = schema::version(&db).map_err(|error| schema::failed(&database, &error))?;
        known(version, &database)?;
        match version {
            0 => return Err(OpenError::Missing { folder: folder.to_owned() }),
            schema::VERSION => {}
            older => {
                let why =
                    format!("it is of an older bdk (schema {older}): start the bot once, which brings it up to date");
                return Err(OpenError::Unusable { path: database, why: why.into() });
            }
        }
        let readers = Arc::new(Readers::new(&database, Blobs::of(folder)));
        Ok(Self { readers, writing: None, told: AtomicBool::new(true) })
    }

    /// Reads at once: microseconds.
    fn point<'a, T: Send + 'a>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Answer<'a, T> {
        ready(self.readers.with(read)).boxed()
    }

    /// Reads where blocking is no harm.
    fn listing<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Answer<'static, T> {
        let readers = self.readers.clone();
        apart(move || readers.with(read))
    }
}

/// Does it where blocking is no harm.
fn apart<T: Send + 'static>(read: impl FnOnce() -> Result<T, StoreError> + Send + 'static) -> Answer<'static, T> {
    async { tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(StoreError::unavailable(error))) }
        .boxed()
}

/// Whether the database is there, without opening it.
fn there(folder: &Path, database: &Path) -> Result<(), OpenError> {
    match std::fs::metadata(database) {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(OpenError::Missing { folder: folder.to_owned() })
        }
        Err(error) => Err(OpenError::Unusable { path: database.to_owned(), why: error.to_string().into() }),
    }
}

fn known(found: usize, database: &Path) -> Result<(), OpenError> {
    if found > schema::VERSION {
        return Err(OpenError::Newer { database: database.to_owned(), found, known: schema::VERSION });
    }
    Ok(())
}

fn failure(error: &rusqlite::Error) -> StoreError {
    StoreError::unavailable(error)
}

impl Store for Sqlite {
    fn write(&self, batch: Batch) -> Answer<'static, Vec<Did>> {
        match &self.writing {
            Some(writing) => writing.queue.write(batch),
            None => ready(Err(StoreError::unavailable("it was opened for reading"))).boxed(),
        }
    }
    fn session<'a>(&'a self, id: &'a str) -> Answer<'a, Option<SessionRow>> {
        self.point(|db| read::session(db, id))
    }
    fn session_of_token<'a>(&'a self, token: &'a str) -> Answer<'a, Option<SessionRow>> {
        self.point(|db| read::session_of_token(db, token))
    }
    fn sessions<'a>(&'a self, page: SessionPage<'a>) -> Answer<'a, Vec<SessionRow>> {
        let (owner, after, limit) = (page.owner.cloned(), page.after.map(|(at, id)| (at, id.to_owned())), page.limit);
        self.listing(move |db| {
            let after = after.as_ref().map(|(at, id)| (*at, &**id));
            read::sessions(db, SessionPage { owner: owner.as_ref(), after, limit })
        })
    }
    fn events<'a>(&'a self, session: &'a str, from: u64, limit: usize) -> Answer<'a, Vec<StoredEvent>> {
        let session = session.to_owned();
        self.listing(move |db| read::events(db, &session, from, limit))
    }
    fn value<'a>(&'a self, space: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<Versioned>> {
        self.point(|db| read::value(db, space, key, now))
    }
    fn keys<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>> {
        let (space, prefix) = (space.to_owned(), prefix.to_owned());
        self.listing(move |db| read::names(db, read::KEYS, &space, &prefix, now))
    }
    fn file<'a>(&'a self, space: &'a str, path: &'a str, now: Timestamp) -> Answer<'a, Option<StoredFile>> {
        match self.readers.with(|db| read::file(db, space, path, now)) {
            Err(error) => ready(Err(error)).boxed(),
            Ok(None) => ready(Ok(None)).boxed(),
            Ok(Some(FileRow::Whole(file))) => ready(Ok(Some(file))).boxed(),
            Ok(Some(FileRow::Elsewhere(file, blob))) => {
                let (readers, space, path) = (self.readers.clone(), space.to_owned(), path.to_owned());
                apart(move || readers.large(&space, &path, now, file, blob))
            }
        }
    }
    fn files<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>> {
        let (space, prefix) = (space.to_owned(), prefix.to_owned());
        self.listing(move |db| read::names(db, read::FILES, &space, &prefix, now))
    }
    fn idempotency<'a>(&'a self, scope: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<KeyRow>> {
        self.point(|db| read::key(db, scope, key, now))
    }
    /// Those of earlier openings, once for each opening: their rows stay until [`super::Op::EndCall`], so that a crash
    /// before they were dealt with loses none.
    fn cut_off(&self) -> Answer<'_, Vec<OpenCall>> {
        match &self.writing {
            Some(Writing { run, .. }) if !self.told.swap(true, Ordering::AcqRel) => {
                let run = *run;
                self.listing(move |db| read::cut_off(db, run))
            }
            _ => ready(Ok(Vec::new())).boxed(),
        }
    }
    fn is_shared(&self) -> bool {
        self.writing.is_none()
    }
    fn note(&self, text: &str) {
        let Some(writing) = &self.writing else { return };
        let mut lock = lock(&writing.lock);
        let Some(lock) = lock.as_mut() else { return };
        if let Err(error) = lock.note(text.lines().next().unwrap_or_default()) {
            tracing::debug!("the lock on the bot's state does not say `{text}`: {error}");
        }
    }
    fn close(&self) -> BoxFuture<'_, ()> {
        self.readers.close();
        let Some(writing) = &self.writing else { return ready(()).boxed() };
        writing.queue.close();
        writing.queue.ended().boxed()
    }
}

/// Lets go of the folder, when what was handed over is done.
impl Drop for Sqlite {
    fn drop(&mut self) {
        self.readers.close();
        if let Some(writing) = &mut self.writing {
            writing.queue.close();
            if let Some(thread) = writing.thread.take() {
                let _ = thread.join(); // its panic was told where it happened
            }
        }
    }
}
