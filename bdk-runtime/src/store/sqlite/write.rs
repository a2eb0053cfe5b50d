//! The writer: one thread that does in one transaction what waits for it, and answers when that is on disk.
//!
//! A commit costs one flush of the disk, whatever is in it: sixty-four callers at once pay for one, not for sixty-four.

use super::{
    apply::{self, Beside, Failure, Work},
    blobs::{Blob, Blobs, INLINE},
    closed, failure,
    folder::Lock,
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
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

/// At most so many batches share a commit: those behind them wait for the next.
const GROUP: usize = 512;

/// So many KiB may wait for the writer; who has more waits for room.
const ROOM: u32 = 64 << 10;

/// However slow the disk: nobody waits longer for company.
const PATIENCE: Duration = Duration::from_millis(2);

type Done = Result<Vec<Did>, StoreError>;

/// A batch that was handed over.
struct Job {
    batch: Batch,
    /// Of its large files.
    blobs: Vec<Blob>,
    answer: oneshot::Sender<Done>,
    /// What it takes of [`ROOM`], until it is done.
    _room: OwnedSemaphorePermit,
}

enum Order {
    Do(Job),
    /// What was handed over before is done, nothing that comes after.
    Close,
    #[cfg(test)]
    Run(Box<dyn FnOnce(&Connection) + Send>),
}

/// Where batches are handed over.
#[derive(Clone)]
pub(super) struct Queue {
    orders: Sender<Order>,
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
            let Ok(runtime) = tokio::runtime::Handle::try_current() else {
                return std::future::ready(Err(StoreError::unavailable(
                    "a large file is put outside the bot's runtime",
                )))
                .boxed();
            };
            let written = runtime.spawn(queue.write_large(batch, weight));
            return written.map(|done| done.unwrap_or_else(|_| Err(closed()))).boxed();
        }
        match self.room.clone().try_acquire_many_owned(weight) {
            Ok(room) => answered(queue.hand_over(batch, Vec::new(), room)).boxed(),
            Err(_) => async move {
                let room = queue.room.clone().acquire_many_owned(weight).await.map_err(|_| closed())?;
                answered(queue.hand_over(batch, Vec::new(), room)).await
            }
            .boxed(),
        }
    }

    async fn write_large(self, batch: Batch, weight: u32) -> Done {
        let room = self.room.clone().acquire_many_owned(weight).await.map_err(|_| closed())?;
        let blobs = self.blobs.clone();
        let written = tokio::task::spawn_blocking(move || {
            let large = batch.iter().filter_map(|op| match op {
                Op::PutFile { file, .. } if is_large(op) => Some(blobs.write(&file.bytes)),
                _ => None,
            });
            let written = large.collect::<Result<Vec<_>, _>>();
            written.map(|written| (batch, written))
        });
        let (batch, blobs) = written.await.map_err(|_| closed())?.map_err(StoreError::unavailable)?;
        answered(self.hand_over(batch, blobs, room)).await
    }

    fn hand_over(&self, batch: Batch, blobs: Vec<Blob>, room: OwnedSemaphorePermit) -> oneshot::Receiver<Done> {
        let (answer, done) = oneshot::channel();
        // the writer has gone where this fails: so has `answer` then, and `done` says it
        let _ = self.orders.send(Order::Do(Job { batch, blobs, answer, _room: room }));
        done
    }

    /// Asks the writer to end when it has done what it was given.
    pub(super) fn close(&self) {
        self.room.close();
        let _ = self.orders.send(Order::Close); // it may have ended already
    }

    /// Waits until it has.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    /// Does this with the writer's connection.
    #[cfg(test)]
    pub(super) fn run(&self, run: impl FnOnce(&Connection) + Send + 'static) {
        let _ = self.orders.send(Order::Run(Box::new(run)));
    }
}

async fn answered(done: oneshot::Receiver<Done>) -> Done {
    done.await.unwrap_or_else(|_| Err(closed()))
}

/// What became of a group that does not hold.
enum Broken {
    /// SQLite could not do one of its batches: the others may hold without that.
    Batch(rusqlite::Error),
    /// It could not write them out.
    Commit(rusqlite::Error),
}

impl Writer {
    pub(super) fn start(self) -> std::io::Result<(Queue, JoinHandle<()>)> {
        let (orders, to_do) = std::sync::mpsc::channel();
        let (end, ended) = watch::channel(());
        let queue = Queue { orders, room: Arc::new(Semaphore::new(ROOM as usize)), blobs: self.blobs.clone(), ended };
        let thread = std::thread::Builder::new().name("bdk-state".to_owned()).spawn(move || {
            self.work(&to_do);
            drop(end);
        })?;
        Ok((queue, thread))
    }

    fn work(mut self, orders: &Receiver<Order>) {
        let mut company = Company::default();
        let mut open = true;
        while open {
            let mut jobs = Vec::new();
            open = self.gather(&company, orders, &mut jobs);
            if !jobs.is_empty() {
                let began = Instant::now();
                let size = jobs.len();
                self.group(jobs);
                company.seen(size, began.elapsed());
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

    /// Takes what waits; false when nothing comes any more.
    fn gather(&self, company: &Company, orders: &Receiver<Order>, jobs: &mut Vec<Job>) -> bool {
        let Ok(mut order) = orders.recv() else { return false };
        let mut until = None;
        loop {
            match order {
                Order::Do(job) => jobs.push(job),
                Order::Close => return false,
                #[cfg(test)]
                Order::Run(run) => {
                    run(&self.db);
                    return true;
                }
            }
            if jobs.len() >= GROUP {
                return true;
            }
            order = match orders.try_recv() {
                Ok(order) => order,
                Err(TryRecvError::Disconnected) => return false,
                Err(TryRecvError::Empty) if jobs.len() >= company.expected => return true,
                Err(TryRecvError::Empty) => {
                    let until = *until.get_or_insert_with(|| Instant::now() + company.patience);
                    match orders.recv_timeout(until.saturating_duration_since(Instant::now())) {
                        Ok(order) => order,
                        Err(RecvTimeoutError::Timeout) => return true,
                        Err(RecvTimeoutError::Disconnected) => return false,
                    }
                }
            };
        }
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
                self.beside.gone.clear();
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

    fn answer(&mut self, jobs: Vec<Job>, done: Vec<Done>) {
        for (mut job, done) in jobs.into_iter().zip(done) {
            if done.is_ok() {
                job.blobs.iter_mut().for_each(Blob::keep);
            }
            let _ = job.answer.send(done); // nobody may wait for it
        }
        for name in self.beside.gone.drain(..) {
            self.blobs.remove(&name);
        }
    }

    /// All of these in one transaction: those that are refused leave nothing.
    fn together(&mut self, jobs: &[Job]) -> Result<Vec<Done>, Broken> {
        let done = self.transaction(jobs);
        if done.is_err() {
            self.beside.gone.clear();
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
        if self.beside.versions != versions {
            let counted = self.db.prepare_cached("UPDATE counters SET versions = ?1");
            counted.and_then(|mut sql| sql.execute([self.beside.versions])).map_err(Broken::Commit)?;
        }
        run("COMMIT").map_err(Broken::Commit)?;
        Ok(done)
    }
}

/// How many come at a time. Those who were answered together come back together: waiting a moment for the rest of them
/// spares every other flush.
#[derive(Default)]
struct Company {
    expected: usize,
    patience: Duration,
}

impl Company {
    fn seen(&mut self, size: usize, took: Duration) {
        self.expected = size - size / 8;
        self.patience = (took / 4).min(PATIENCE);
    }
}
