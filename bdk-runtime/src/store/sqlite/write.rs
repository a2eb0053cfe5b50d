//! The writer: one thread that does in one transaction what waits for it, and answers when that is on disk.
//!
//! A commit costs one flush of the disk, whatever is in it: sixty-four callers at once pay for one, not for sixty-four.

use super::{
    apply::{self, Beside, Failure, Work},
    blobs::{Blob, Blobs, INLINE},
    failure,
    folder::Lock,
    line::{Line, Order},
    schema,
};
use crate::{
    lock::lock,
    store::{Answer, Batch, Did, Op, StoreError},
};
use futures_util::future::FutureExt;
use rusqlite::{Connection, ErrorCode};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch},
};

/// So many KiB may wait for the writer; who has more waits for room.
const ROOM: u32 = 64 << 10;

/// How often it is looked whether the folder is still the one that was opened.
const LOOK: Duration = Duration::from_secs(1);

const GONE: &str =
    "its folder was removed, or another one put in its place, while the bot ran: put it back, or start the bot again";

type Done = Result<Vec<Did>, StoreError>;

/// A batch that was handed over.
pub(super) struct Job {
    batch: Batch,
    /// Of its large files.
    blobs: Vec<Blob>,
    answer: oneshot::Sender<Done>,
    /// What it takes of [`ROOM`], until it is done.
    _room: OwnedSemaphorePermit,
}

/// Where batches are handed over.
#[derive(Clone)]
pub(super) struct Queue {
    line: Arc<Line>,
    room: Arc<Semaphore>,
    blobs: Blobs,
    /// Ends when the writer has let go of everything.
    ended: watch::Receiver<()>,
}

/// What the writer's thread has.
pub(super) struct Writer {
    pub(super) db: Connection,
    pub(super) database: PathBuf,
    pub(super) blobs: Blobs,
    pub(super) beside: Beside,
    /// Which opening of the folder this is.
    pub(super) run: i64,
    pub(super) lock: Arc<Mutex<Option<Lock>>>,
    /// Where those run who wait for answers, if that is known.
    pub(super) runtime: Option<Handle>,
}

/// How much of [`ROOM`] a batch takes.
fn weight(batch: &Batch) -> u32 {
    let bytes: usize = batch.iter().map(size).sum();
    u32::try_from(bytes >> 10).map_or(ROOM, |kib| (kib + 1).min(ROOM))
}

fn size(op: &Op) -> usize {
    64 + match op {
        Op::OpenSession(row) => row.facts.len(),
        Op::Append { events, .. } => events.iter().map(|event| 64 + event.data.len()).sum(),
        Op::PutValue { key, value, .. } => key.len() + value.len(),
        Op::PutFile { path, file, .. } => path.len() + file.meta.len() + file.bytes.len(),
        Op::SettleKey { outcome, .. } => outcome.len(),
        _ => 0,
    }
}

fn is_large(op: &Op) -> bool {
    matches!(op, Op::PutFile { file, .. } if file.bytes.len() > INLINE)
}

impl Queue {
    /// Hands over a batch at once where there is room and no large file in it; else when its turn comes.
    pub(super) fn write(&self, batch: Batch) -> Answer<'static, Vec<Did>> {
        let (queue, weight) = (self.clone(), weight(&batch));
        if batch.iter().any(is_large) {
            // goes on when nobody waits for the answer any more
            let Ok(runtime) = Handle::try_current() else {
                return std::future::ready(Err(StoreError::unavailable(
                    "a large file is put outside the bot's runtime",
                )))
                .boxed();
            };
            let written = runtime.spawn(queue.write_large(batch, weight));
            return written.map(|done| done.unwrap_or_else(|_| Err(StoreError::shutting_down()))).boxed();
        }
        match self.room.clone().try_acquire_many_owned(weight) {
            Ok(room) => answered(queue.hand_over(batch, Vec::new(), room)).boxed(),
            Err(_) => async move {
                let room =
                    queue.room.clone().acquire_many_owned(weight).await.map_err(|_| StoreError::shutting_down())?;
                answered(queue.hand_over(batch, Vec::new(), room)).await
            }
            .boxed(),
        }
    }

    async fn write_large(self, batch: Batch, weight: u32) -> Done {
        let room = self.room.clone().acquire_many_owned(weight).await.map_err(|_| StoreError::shutting_down())?;
        let blobs = self.blobs.clone();
        let written = tokio::task::spawn_blocking(move || {
            let large = batch.iter().filter_map(|op| match op {
                Op::PutFile { file, .. } if is_large(op) => Some(blobs.write(&file.bytes)),
                _ => None,
            });
            let written = large.collect::<Result<Vec<_>, _>>();
            written.map(|written| (batch, written))
        });
        let (batch, blobs) =
            written.await.map_err(|_| StoreError::shutting_down())?.map_err(StoreError::unavailable)?;
        answered(self.hand_over(batch, blobs, room)).await
    }

    fn hand_over(&self, batch: Batch, blobs: Vec<Blob>, room: OwnedSemaphorePermit) -> oneshot::Receiver<Done> {
        let (answer, done) = oneshot::channel();
        self.line.join(Order::Do(Job { batch, blobs, answer, _room: room }));
        done
    }

    /// Asks the writer to end when it has done what it was given.
    pub(super) fn close(&self) {
        self.room.close();
        self.line.close();
    }

    /// Waits until it has.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    /// Does this with the writer's connection.
    #[cfg(test)]
    pub(super) fn run(&self, run: impl FnOnce(&Connection) + Send + 'static) {
        self.line.join(Order::Run(Box::new(run)));
    }
}

async fn answered(done: oneshot::Receiver<Done>) -> Done {
    done.await.unwrap_or_else(|_| Err(StoreError::shutting_down()))
}

/// What became of a group that does not hold.
enum Broken {
    /// SQLite could not do one of its batches: the others may hold without that.
    Batch(rusqlite::Error),
    /// It could not write them out.
    Commit(rusqlite::Error),
}

/// Whoever waits for the writer hears that it is gone, also where it panicked.
struct Serves(Arc<Line>);

impl Drop for Serves {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Writer {
    pub(super) fn start(self) -> std::io::Result<(Queue, JoinHandle<()>)> {
        let line = Arc::new(Line::default());
        let (end, ended) = watch::channel(());
        let room = Arc::new(Semaphore::new(ROOM as usize));
        let queue = Queue { line: line.clone(), room, blobs: self.blobs.clone(), ended };
        let thread = std::thread::Builder::new().name("bdk-state".to_owned()).spawn(move || {
            let serves = Serves(line);
            self.work(&serves.0);
            drop((serves, end));
        })?;
        Ok((queue, thread))
    }

    fn work(mut self, line: &Line) {
        let (mut looked, mut there) = (Instant::now(), true);
        while let Some(orders) = line.next() {
            if looked.elapsed() >= LOOK {
                let was = std::mem::replace(&mut there, self.is_there());
                looked = Instant::now();
                if was && !there {
                    tracing::error!("the bot's state cannot be written: {GONE}");
                }
            }
            let mut jobs = Vec::with_capacity(orders.len());
            for order in orders {
                match order {
                    Order::Do(job) => jobs.push(job),
                    #[cfg(test)]
                    Order::Run(run) => run(&self.db),
                }
            }
            if there {
                self.group(jobs);
            } else {
                jobs.into_iter().for_each(|job| drop(job.answer.send(Err(StoreError::unavailable(GONE)))));
            }
        }
        // nothing is lost where this fails: the next start reads the log
        let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = self.db.close();
        if let Some(lock) = lock(&self.lock).take()
            && let Err(error) = lock.release()
        {
            tracing::debug!("the bot's state does not say that it was closed: {error}");
        }
    }

    /// Whether the files that are written are those that stand in the folder: what goes to others is lost.
    fn is_there(&self) -> bool {
        let Some(folder) = self.database.parent() else { return true };
        self.database.exists() && lock(&self.lock).as_ref().is_none_or(|lock| lock.is_at(folder))
    }

    /// Does what can be done of these, and answers all of them.
    fn group(&mut self, jobs: Vec<Job>) {
        match self.together(&jobs) {
            Ok(done) => self.answer(jobs, done),
            Err(Broken::Batch(_)) if jobs.len() > 1 => {
                // which of them it is shows when each is alone
                for job in jobs {
                    self.group(vec![job]);
                }
            }
            Err(Broken::Batch(error) | Broken::Commit(error)) => {
                tracing::warn!("the bot's state cannot be written: {error}");
                self.beside.clear();
                let full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
                for mut job in jobs {
                    if !full {
                        // a commit that failed half-way can come back after a crash: leave its files to the next start
                        job.blobs.iter_mut().for_each(Blob::keep);
                    }
                    // what is left of it goes before anybody hears that it failed
                    drop(job.blobs);
                    let _ = job.answer.send(Err(failure(&error))); // nobody may wait for it
                }
            }
        }
    }

    fn answer(&mut self, mut jobs: Vec<Job>, done: Vec<Done>) {
        for (job, done) in jobs.iter_mut().zip(&done) {
            if done.is_ok() {
                job.blobs.iter_mut().for_each(Blob::keep);
            }
        }
        let answers = move || {
            for (job, done) in jobs.into_iter().zip(done) {
                let _ = job.answer.send(done); // nobody may wait for it
            }
        };
        match &self.runtime {
            // one wake of the runtime for all of them: from here it would be one for each
            Some(runtime) => drop(runtime.spawn(async move { answers() })),
            None => answers(),
        }
        for name in self.beside.gone.drain(..) {
            self.blobs.remove(&name);
        }
    }

    /// All of these in one transaction: those that are refused leave nothing.
    fn together(&mut self, jobs: &[Job]) -> Result<Vec<Done>, Broken> {
        let done = self.transaction(jobs);
        if done.is_err() {
            self.beside.clear();
            let _ = self.db.execute_batch("ROLLBACK"); // SQLite may have done it already
            if !self.db.is_autocommit()
                && let Ok(db) = schema::writer(&self.database)
            {
                self.db = db;
            }
        }
        done
    }

    fn transaction(&mut self, jobs: &[Job]) -> Result<Vec<Done>, Broken> {
        let run = |sql| self.db.prepare_cached(sql).and_then(|mut sql| sql.execute([]));
        run("BEGIN IMMEDIATE").map_err(Broken::Commit)?;
        let versions = self.beside.versions;
        let mut done = Vec::with_capacity(jobs.len());
        for job in jobs {
            let blobs = job.blobs.iter().map(|blob| &*blob.name).collect();
            let work = Work { ops: &job.batch, blobs, run: self.run };
            done.push(match apply::batch(&self.db, &work, &mut self.beside) {
                Ok(did) => Ok(did),
                Err(Failure::Refused(why)) => Err(why),
                Err(Failure::Sqlite(error)) => return Err(Broken::Batch(error)),
            });
        }
        self.beside.flush(&self.db).map_err(Broken::Commit)?;
        if self.beside.versions != versions {
            let counted = self.db.prepare_cached("UPDATE counters SET versions = ?1");
            counted.and_then(|mut sql| sql.execute([self.beside.versions])).map_err(Broken::Commit)?;
        }
        run("COMMIT").map_err(Broken::Commit)?;
        Ok(done)
    }
}
