//! What makes a call part of something that outlives it: a session with its log, and an idempotency key.
//!
//! Most calls are neither, and carry nothing of this. Of one that is: before a write runs, that it was asked for is on
//! disk ([`begin`](Bound::begin)); when a call has ended, its end is, before its caller hears of it ([`end`]). A read's two events go
//! together, since a read that was cut off has changed nothing.

use super::{
    CallInput, CallState, Done, Failure, events, kept, recover,
    unwritten::{self, KeyOf},
};
use crate::{
    lock::lock,
    session::Live,
    store::{Batch, Op, OpenCall, StoreError},
};
pub(super) use kept::Kept;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::{
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::OwnedMutexGuard;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// How long the outcome of a call with an idempotency key is kept.
pub(crate) const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// How often it is looked whether another process has ended a call.
const LOOK: Duration = Duration::from_millis(200);
/// After so many looks it is asked whether that process is there still.
const LOOKS: u32 = 5;

/// What a call is part of.
pub(crate) struct Bound {
    pub(super) session: Option<Arc<Live>>,
    key: Option<Key>,
    /// The input as it was sent, in JSON.
    pub(super) input: Box<RawValue>,
    /// Whether its beginning is on disk.
    begun: AtomicBool,
    /// Held while that is written.
    writing: Arc<tokio::sync::Mutex<()>>,
    /// What an earlier call with the same key came to: this one answers with it.
    kept: OnceLock<Kept>,
    /// What waits for the record of its end: a shutdown, and a deletion of the session.
    awaited: Mutex<[Option<TaskTrackerToken>; 2]>,
}

struct Key {
    /// Whose keys: those of one principal at one bot.
    scope: Arc<str>,
    key: Arc<str>,
    /// Held by the one call with this key that runs in this process.
    turn: Mutex<Option<OwnedMutexGuard<()>>>,
}

impl Bound {
    /// Of a call that is part of something.
    pub(super) fn of(state: &CallState, input: &CallInput<'_>) -> Option<Box<Self>> {
        let options = &state.options;
        if options.session.is_none() && options.key.is_none() {
            return None;
        }
        let key = options.key.clone().map(|key| {
            let principal = state.principal();
            let scope = format!("{}/{}:{}", state.bot.slug(), principal.kind, principal.subject);
            Key { scope: scope.into(), key, turn: Mutex::default() }
        });
        Some(Box::new(Self {
            awaited: Mutex::new([
                Some(state.bot.running().token()),
                options.session.as_ref().map(|live| live.running.token()),
            ]),
            session: options.session.clone(),
            key,
            input: input.to_json(),
            begun: AtomicBool::new(false),
            writing: Arc::default(),
            kept: OnceLock::new(),
        }))
    }

    pub(super) fn kept(&self) -> Option<&Kept> {
        self.kept.get()
    }

    /// A write is about to run: notes it durably, once. With an idempotency key that was used before, the answer is what it
    /// came to then.
    pub(super) async fn begin(&self, state: &Arc<CallState>) -> Result<(), Failure> {
        let kept = state.bot.state();
        if let Some(key) = &self.key {
            let turn = key.turn(state).await;
            *lock(&key.turn) = Some(turn);
        }
        for look in 1.. {
            match self.written(state).await {
                Ok(()) => return Ok(()),
                Err(StoreError::KeyTaken(row)) => {
                    if row.fingerprint != self.fingerprint(state) {
                        return Err(Failure::refused(
                            "its idempotency key was used for another call (another tool, another input or another session): take a new key. Nothing was run",
                        ));
                    }
                    match row.outcome.as_deref().map(Kept::parse) {
                        Some(Some(kept)) => {
                            let _ = self.kept.set(kept);
                            return Err(Failure::cut_off());
                        }
                        Some(None) => return Err(Failure::cut_off()),
                        // whoever runs here holds the turn
                        None => match self.key.as_ref().and_then(|key| lock(&kept.unwritten).get(&key.of()).cloned()) {
                            Some(unwritten) => {
                                let _ = self.kept.set(unwritten);
                                return Err(Failure::cut_off());
                            }
                            None if kept.store.is_shared() => {
                                // by another process, which may be gone
                                if look % LOOKS == 0
                                    && let Err(error) = recover::settle(kept, &state.bot).await
                                {
                                    return Err(Failure::unavailable(&format!("{error}. Nothing was run")));
                                }
                                tokio::time::sleep(LOOK).await;
                            }
                            None => return Err(Failure::cut_off()),
                        },
                    }
                }
                Err(error) => return Err(Failure::unavailable(&format!("{error}. Nothing was run"))),
            }
        }
        Err(Failure::cut_off())
    }

    /// Writes its beginning, in a task of its own: a caller that goes away meanwhile does not leave half of it, and its end
    /// comes behind it.
    async fn written(&self, state: &Arc<CallState>) -> Result<(), StoreError> {
        let (state, turn) = (state.clone(), self.writing.clone().lock_owned().await);
        let writes = tokio::spawn(async move {
            let _turn = turn;
            let Some(bound) = state.bound() else { return Ok(()) };
            let batch = bound.beginning(&state);
            state.bot.state().sessions.write(bound.session.as_deref(), batch).await?;
            bound.begun.store(true, Ordering::Relaxed);
            Ok(())
        });
        // without an answer it ends only when the runtime goes down
        writes.await.unwrap_or_else(|_| Err(StoreError::shutting_down()))
    }

    fn beginning(&self, state: &CallState) -> Batch {
        let now = state.bot.now_in_ms();
        let call_id: Arc<str> = state.call_id.as_str().into();
        let mut batch = Vec::with_capacity(4);
        if let Some(key) = &self.key {
            batch.push(Op::ClaimKey {
                scope: key.scope.clone(),
                key: key.key.clone(),
                fingerprint: self.fingerprint(state),
                call_id: call_id.clone(),
                now,
                expires: now + KEPT,
            });
            batch.extend(state.bot.state().purge_when_due(now));
        }
        if let Some(live) = &self.session {
            batch.push(live.append(now, vec![events::requested(state, self)]));
        }
        batch.push(Op::BeginCall(Box::new(OpenCall {
            call_id,
            tool: state.tool().name().to_owned(),
            session: self.session.as_ref().map(|live| live.id.clone()),
            key: self.key.as_ref().map(|key| (key.scope.clone(), key.key.clone())),
            began: now,
        })));
        batch
    }

    /// What tells this call from another one with the same key.
    fn fingerprint(&self, state: &CallState) -> String {
        let mut sha = Sha256::new();
        sha.update(state.tool().name());
        sha.update([0]);
        if let Some(live) = &self.session {
            sha.update(live.id.as_bytes());
        }
        sha.update([0]);
        // the same object may be written in another order
        sha.update(
            serde_json::from_str(self.input.get()).map_or_else(|_| self.input.to_string(), |v| kept::sorted(&v)),
        );
        sha.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Its end is written.
    fn let_go(&self) {
        if let Some(key) = &self.key {
            lock(&key.turn).take();
        }
        *lock(&self.awaited) = [None, None];
    }

    /// What has to be written now that the call has ended.
    fn ending(&self, done: &Done) -> Batch {
        let state = &done.state;
        let now = state.bot.now_in_ms();
        let begun = self.begun.load(Ordering::Relaxed);
        let mut batch = Vec::with_capacity(3);
        if let Some(live) = &self.session {
            let result = events::result(&done.told(), &done.output);
            let events = if begun { vec![result] } else { vec![events::requested(state, self), result] };
            batch.push(live.append(now, events));
        }
        if begun {
            batch.push(Op::EndCall { call_id: state.call_id.as_str().into() });
            if let Some(key) = &self.key {
                let (scope, key) = (key.scope.clone(), key.key.clone());
                // a write that may be repeated as it is has not run
                let ran = state.attempts() > 0 && !done.error.as_ref().is_some_and(|e| e.retryable);
                batch.push(match ran {
                    true => Op::SettleKey { scope, key, outcome: Kept::of(done).to_text() },
                    false => Op::ReleaseKey { scope, key },
                });
            }
        }
        batch
    }
}

impl Key {
    fn of(&self) -> KeyOf {
        (self.scope.clone(), self.key.clone())
    }
    /// Waits until no other call with this key runs in this process.
    async fn turn(&self, state: &CallState) -> OwnedMutexGuard<()> {
        let mine = {
            let mut locks = lock(&state.bot.state().keys);
            // those that nobody holds or waits for
            if locks.len() >= 1024 {
                locks.retain(|_, held| Arc::strong_count(held) > 1);
            }
            locks.entry((self.scope.clone(), self.key.clone())).or_default().clone()
        };
        mine.lock_owned().await
    }
}

/// Whether an earlier call with the same key has an outcome, so that nobody needs to approve this one.
pub(super) async fn repeats(state: &CallState) -> bool {
    let Some(key) = state.bound().and_then(|bound| bound.key.as_ref()) else { return false };
    let found = state.bot.state().store.idempotency(&key.scope, &key.key, state.bot.now_in_ms()).await;
    found.is_ok_and(|row| row.is_some_and(|row| row.outcome.is_some()))
}

/// A call has ended: what is kept of it is written before anybody hears of it.
pub(super) async fn end(done: Done) -> Done {
    let state = done.state.clone();
    let Some(bound) = state.bound() else { return done };
    drop(bound.writing.lock().await);
    // what repeats an earlier call is in its log already
    let batch = if bound.kept().is_some() { Vec::new() } else { bound.ending(&done) };
    if batch.is_empty() {
        bound.let_go();
        return done;
    }
    // a task of its own: a caller that goes away now does not take the record with it
    let writes = {
        let state = state.clone();
        tokio::spawn(async move {
            let Some(bound) = state.bound() else { return Ok(()) };
            let written = state.bot.state().sessions.write(bound.session.as_deref(), batch).await;
            bound.let_go();
            written.map(drop)
        })
    };
    match writes.await {
        // deleted while the call ran; or the runtime goes down
        Ok(Ok(()) | Err(StoreError::UnknownSession)) | Err(_) => done,
        Ok(Err(error)) => {
            let (tool, call_id) = (state.tool().name(), &*state.call_id);
            tracing::error!(target: "bdk::call", tool, call_id, %error, "the end of a call could not be recorded");
            let begun = bound.begun.load(Ordering::Relaxed);
            if begun {
                let key = bound.key.as_ref().map(|key| (key.of(), Kept::of(&done)));
                unwritten::write_later(&state.bot, bound.session.clone(), bound.ending(&done), key);
            }
            if begun || state.attempts() == 0 {
                // a write has run, and its caller must not think that it has not; what did not run says so already
                return done;
            }
            let failure = Failure::unavailable(&format!("{error}. The result could not be recorded, and is withheld"));
            Done::new(state, Err(failure))
        }
    }
}
