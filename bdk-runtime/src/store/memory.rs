//! The store of tests, of `call`, and of whoever wants nothing kept: it ends with its process.

use super::{
    Answer, Batch, Did, Expect, KeyRow, Op, OpenCall, SessionPage, SessionRow, Store, StoreError, StoredEvent,
    StoredFile, Versioned,
};
use crate::{Timestamp, lock::lock};
use futures_util::future::{BoxFuture, FutureExt, ready};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, Mutex},
};

/// Everything in tables.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Tables>);

#[derive(Default)]
struct Tables {
    sessions: HashMap<Arc<str>, Kept>,
    /// The sessions' ids by when they were opened.
    by_age: BTreeMap<(Timestamp, Arc<str>), ()>,
    tokens: HashMap<String, Arc<str>>,
    values: BTreeMap<(Arc<str>, String), Value>,
    files: BTreeMap<(Arc<str>, String), StoredFile>,
    idempotency: HashMap<(Arc<str>, Arc<str>), Key>,
    calls: HashMap<Arc<str>, OpenCall>,
    versions: u64,
    closed: bool,
}

struct Kept {
    row: SessionRow,
    events: Vec<StoredEvent>,
}

struct Value {
    kept: Versioned,
    expires: Option<Timestamp>,
}

struct Key {
    row: KeyRow,
    expires: Timestamp,
}

fn holds(expires: Option<Timestamp>, now: Timestamp) -> bool {
    expires.is_none_or(|at| at > now)
}

impl Tables {
    /// Whether the whole batch can be done: what is asked of one op can depend on those before it only where a batch opens a
    /// session and appends to it.
    fn check(&self, batch: &Batch) -> Result<(), StoreError> {
        let opens = |id: &str| batch.iter().any(|op| matches!(op, Op::OpenSession(row) if *row.id == *id));
        for op in batch {
            match op {
                Op::OpenSession(row) if self.sessions.contains_key(&row.id) => return Err(StoreError::Conflict),
                Op::Append { session, .. } if !self.sessions.contains_key(session) && !opens(session) => {
                    return Err(StoreError::UnknownSession);
                }
                Op::SetToken { session, expected, .. } => match self.sessions.get(session) {
                    None => return Err(StoreError::UnknownSession),
                    Some(kept) if kept.row.token != *expected => return Err(StoreError::Conflict),
                    Some(_) => {}
                },
                Op::ClaimKey { scope, key, now, .. } => {
                    let taken = self.idempotency.get(&(scope.clone(), key.clone()));
                    if let Some(taken) = taken.filter(|taken| taken.expires > *now) {
                        return Err(StoreError::KeyTaken(Box::new(taken.row.clone())));
                    }
                }
                Op::PutValue { space, key, now, expect, .. } => {
                    let there = self.values.get(&(space.clone(), key.clone()));
                    let there = there.filter(|v| holds(v.expires, *now)).map(|v| v.kept.version);
                    let fits = match expect {
                        Expect::Anything => true,
                        Expect::Absent => there.is_none(),
                        Expect::Version(version) => there == Some(*version),
                    };
                    if !fits {
                        return Err(StoreError::Conflict);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn apply(&mut self, op: Op) -> Did {
        match op {
            Op::OpenSession(row) => {
                self.by_age.insert((row.created_at, row.id.clone()), ());
                self.tokens.insert(row.token.clone(), row.id.clone());
                self.sessions.insert(row.id.clone(), Kept { row: *row, events: Vec::new() });
                Did::Done
            }
            Op::Append { session, at, status, events } => {
                let Some(kept) = self.sessions.get_mut(&session) else { return Did::Index(0) };
                let first = kept.row.events;
                for (index, event) in (first..).zip(events) {
                    kept.events.push(StoredEvent { index, kind: event.kind.to_owned(), at, data: event.data });
                }
                kept.row.events = kept.events.len() as u64;
                kept.row.updated_at = at;
                kept.row.status = status.unwrap_or(kept.row.status);
                Did::Index(first)
            }
            Op::SetToken { session, expected, token } => {
                if let Some(kept) = self.sessions.get_mut(&session) {
                    self.tokens.remove(&expected);
                    self.tokens.insert(token.clone(), session);
                    kept.row.token = token;
                }
                Did::Done
            }
            Op::DeleteSession { session } => {
                let removed = self.sessions.remove(&session);
                if let Some(kept) = &removed {
                    self.by_age.remove(&(kept.row.created_at, session.clone()));
                    self.tokens.remove(&kept.row.token);
                    self.files.retain(|_, file| file.session.as_ref() != Some(&session));
                }
                Did::Existed(removed.is_some())
            }
            Op::BeginCall(call) => {
                self.calls.insert(call.call_id.clone(), *call);
                Did::Done
            }
            Op::EndCall { call_id } => Did::Existed(self.calls.remove(&call_id).is_some()),
            Op::ClaimKey { scope, key, fingerprint, call_id, expires, .. } => {
                let row = KeyRow { fingerprint, call_id, outcome: None };
                self.idempotency.insert((scope, key), Key { row, expires });
                Did::Done
            }
            Op::SettleKey { scope, key, outcome } => {
                let found = self.idempotency.get_mut(&(scope, key));
                Did::Existed(found.map(|key| key.row.outcome = Some(outcome)).is_some())
            }
            Op::ReleaseKey { scope, key } => Did::Existed(self.idempotency.remove(&(scope, key)).is_some()),
            Op::PutValue { space, key, value, expires, .. } => {
                self.versions += 1;
                let kept = Versioned { value, version: self.versions };
                self.values.insert((space, key), Value { kept, expires });
                Did::Version(self.versions)
            }
            Op::DeleteValue { space, key, now } => {
                Did::Existed(self.values.remove(&(space, key)).is_some_and(|v| holds(v.expires, now)))
            }
            Op::PutFile { space, path, file } => {
                self.files.insert((space, path), file);
                Did::Done
            }
            Op::DeleteFile { space, path, now } => {
                Did::Existed(self.files.remove(&(space, path)).is_some_and(|f| holds(f.expires, now)))
            }
            Op::Purge { now } => {
                self.values.retain(|_, v| holds(v.expires, now));
                self.files.retain(|_, f| holds(f.expires, now));
                self.idempotency.retain(|_, key| key.expires > now);
                Did::Done
            }
        }
    }
}

/// What of a table of spaces lies in this space under this prefix.
fn under<'a, V>(
    table: &'a BTreeMap<(Arc<str>, String), V>,
    space: &'a str,
    prefix: &'a str,
) -> impl Iterator<Item = (&'a str, &'a V)> {
    let from = (Arc::from(space), prefix.to_owned());
    let rest = table.range((Bound::Included(from), Bound::Unbounded));
    rest.take_while(move |((s, key), _)| **s == *space && key.starts_with(prefix)).map(|((_, key), v)| (&**key, v))
}

impl Memory {
    /// Reads at once, as long as it is open.
    fn read<'a, T: Send + 'a>(&self, read: impl FnOnce(&mut Tables) -> T) -> Answer<'a, T> {
        let mut tables = lock(&self.0);
        let answer = if tables.closed { Err(StoreError::shutting_down()) } else { Ok(read(&mut tables)) };
        ready(answer).boxed()
    }
}

impl Store for Memory {
    fn write(&self, batch: Batch) -> Answer<'static, Vec<Did>> {
        let mut tables = lock(&self.0);
        if tables.closed {
            return ready(Err(StoreError::shutting_down())).boxed();
        }
        let did = tables.check(&batch).map(|()| batch.into_iter().map(|op| tables.apply(op)).collect());
        ready(did).boxed()
    }
    fn session<'a>(&'a self, id: &'a str) -> Answer<'a, Option<SessionRow>> {
        self.read(|tables| tables.sessions.get(id).map(|kept| kept.row.clone()))
    }
    fn session_of_token<'a>(&'a self, token: &'a str) -> Answer<'a, Option<SessionRow>> {
        self.read(|tables| Some(tables.sessions.get(tables.tokens.get(token)?)?.row.clone()))
    }
    fn sessions<'a>(&'a self, page: SessionPage<'a>) -> Answer<'a, Vec<SessionRow>> {
        self.read(|tables| {
            let before = match page.after {
                Some((at, id)) => Bound::Excluded((at, Arc::from(id))),
                None => Bound::Unbounded,
            };
            let ids = tables.by_age.range((Bound::Unbounded, before)).rev().map(|((_, id), ())| id);
            let rows = ids.filter_map(|id| tables.sessions.get(id)).map(|kept| &kept.row);
            rows.filter(|row| page.owner.is_none_or(|owner| row.owner == *owner)).take(page.limit).cloned().collect()
        })
    }
    fn events<'a>(&'a self, session: &'a str, from: u64, limit: usize) -> Answer<'a, Vec<StoredEvent>> {
        self.read(|tables| {
            let events = tables.sessions.get(session).map_or(&[][..], |kept| &kept.events);
            let from = usize::try_from(from).unwrap_or(usize::MAX).min(events.len());
            events[from..].iter().take(limit).cloned().collect()
        })
    }
    fn value<'a>(&'a self, space: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<Versioned>> {
        self.read(|tables| {
            let found = tables.values.get(&(Arc::from(space), key.to_owned()));
            found.filter(|v| holds(v.expires, now)).map(|v| v.kept.clone())
        })
    }
    fn keys<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>> {
        self.read(|tables| {
            let there = under(&tables.values, space, prefix).filter(|(_, v)| holds(v.expires, now));
            there.map(|(key, _)| key.to_owned()).collect()
        })
    }
    fn file<'a>(&'a self, space: &'a str, path: &'a str, now: Timestamp) -> Answer<'a, Option<StoredFile>> {
        self.read(|tables| {
            let found = tables.files.get(&(Arc::from(space), path.to_owned()));
            found.filter(|f| holds(f.expires, now)).cloned()
        })
    }
    fn files<'a>(&'a self, space: &'a str, prefix: &'a str, now: Timestamp) -> Answer<'a, Vec<String>> {
        self.read(|tables| {
            let there = under(&tables.files, space, prefix).filter(|(_, f)| holds(f.expires, now));
            there.map(|(path, _)| path.to_owned()).collect()
        })
    }
    fn idempotency<'a>(&'a self, scope: &'a str, key: &'a str, now: Timestamp) -> Answer<'a, Option<KeyRow>> {
        self.read(|tables| {
            let found = tables.idempotency.get(&(Arc::from(scope), Arc::from(key)));
            found.filter(|key| key.expires > now).map(|key| key.row.clone())
        })
    }
    fn cut_off(&self) -> Answer<'_, Vec<OpenCall>> {
        // what could have cut them off ended the store, too
        ready(Ok(Vec::new())).boxed()
    }
    fn is_shared(&self) -> bool {
        false
    }
    fn close(&self) -> BoxFuture<'_, ()> {
        lock(&self.0).closed = true;
        ready(()).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance;
    use std::sync::Arc;

    #[tokio::test(flavor = "multi_thread")]
    async fn it_does_what_every_store_does() {
        conformance::holds(Arc::new(super::Memory::default())).await;
    }
}
