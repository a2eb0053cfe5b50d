//! What every store does: one suite, run by each against itself. Its tests leave their rows behind and get along with those
//! of others, so that one database serves all of them.
//!
//! A store's own test is `conformance::holds(store).await`, on a runtime of several threads; the store is closed afterwards.

mod calls;
mod files;
mod sessions;
mod values;

use super::{Did, NewEvent, Op, Owner, SessionRow, Status, Store, StoreError};
use crate::{Timestamp, id};
use futures_util::future::{BoxFuture, FutureExt};
use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

type Shared = Arc<dyn Store>;

/// A behaviour: its name, and what fails when it is missing.
struct Law {
    name: &'static str,
    check: fn(Shared) -> BoxFuture<'static, ()>,
}

/// The laws of a file, each an async function whose name says what holds.
macro_rules! laws {
    ($($name:ident),* $(,)?) => {
        pub(super) const LAWS: &[super::Law] =
            &[$(super::Law { name: stringify!($name), check: |store| Box::pin($name(store)) }),*];
    };
}
use laws;

/// Checks everything that a store promises, and closes it.
pub(crate) async fn holds(store: Shared) {
    let mut broken = Vec::new();
    for law in [sessions::LAWS, values::LAWS, files::LAWS, calls::LAWS].into_iter().flatten() {
        if AssertUnwindSafe((law.check)(store.clone())).catch_unwind().await.is_err() {
            broken.push(law.name);
        }
    }
    assert!(broken.is_empty(), "{} laws do not hold: {broken:#?}", broken.len());
    nothing_is_done_after_it_was_closed(store).await;
}

async fn nothing_is_done_after_it_was_closed(store: Shared) {
    let row = session();
    let id = row.id.clone();
    store.write(vec![Op::OpenSession(row.into())]).await.expect("it is open");
    store.close().await;
    store.close().await; // twice is once
    let unavailable = |what: &str, failed: bool| assert!(failed, "{what} after close");
    let is = |error: StoreError| matches!(error, StoreError::Unavailable(_));
    unavailable("write", store.write(vec![Op::Purge { now: at(0) }]).await.is_err_and(is));
    unavailable("session", store.session(&id).await.is_err_and(is));
    unavailable("session_of_token", store.session_of_token("t").await.is_err_and(is));
    unavailable("sessions", store.sessions(super::SessionPage { limit: 1, ..Default::default() }).await.is_err_and(is));
    unavailable("events", store.events(&id, 0, 1).await.is_err_and(is));
    unavailable("value", store.value("s", "k", at(0)).await.is_err_and(is));
    unavailable("keys", store.keys("s", "", at(0)).await.is_err_and(is));
    unavailable("file", store.file("s", "k", at(0)).await.is_err_and(is));
    unavailable("files", store.files("s", "", at(0)).await.is_err_and(is));
    unavailable("idempotency", store.idempotency("s", "k", at(0)).await.is_err_and(is));
}

/// An instant, so many milliseconds and some microseconds into the suite's time.
fn at(millis: u64) -> Timestamp {
    let start: Timestamp = "2026-12-01T08:00:00.000321Z".parse().expect("an instant");
    start + Duration::from_millis(millis)
}

/// A name that no other test has.
fn fresh(what: &str) -> Arc<str> {
    format!("{what}-{}", id::random()).into()
}

/// A session that waits, with an owner of its own.
fn session() -> SessionRow {
    SessionRow {
        id: fresh("ses"),
        owner: Owner { kind: "user".to_owned(), subject: id::random() },
        facts: "{}".to_owned(),
        status: Status::Waiting,
        token: id::random(),
        created_at: at(0),
        updated_at: at(0),
        events: 0,
    }
}

async fn opened(store: &Shared) -> SessionRow {
    let row = session();
    assert_eq!(one(store, Op::OpenSession(row.clone().into())).await.expect("a new session"), Did::Done);
    row
}

fn event(kind: &'static str, data: impl Into<String>) -> NewEvent {
    NewEvent { kind, data: data.into() }
}

fn append(session: &Arc<str>, events: Vec<NewEvent>) -> Op {
    Op::Append { session: session.clone(), at: at(5), status: None, events }
}

/// Does one thing.
async fn one(store: &Shared, op: Op) -> Result<Did, StoreError> {
    let did = store.write(vec![op]).await?;
    assert_eq!(did.len(), 1, "one answer for each op");
    Ok(did[0])
}

#[allow(clippy::needless_pass_by_value, reason = "an answer is judged where it comes")]
fn is_conflict<T>(answer: Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Conflict))
}

#[allow(clippy::needless_pass_by_value, reason = "an answer is judged where it comes")]
fn is_unknown<T>(answer: Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::UnknownSession))
}
