//! Idempotency keys and calls that run.

use super::super::{Did, KeyRow, Op, OpenCall, StoreError};
use super::{Shared, at, fresh, laws, one};
use crate::Timestamp;
use futures_util::future::join_all;
use std::sync::Arc;

laws![
    a_key_is_claimed_settled_and_read,
    a_key_that_is_taken_says_by_whom,
    of_many_that_claim_a_key_at_once_one_wins,
    a_key_ends_at_the_instant_that_was_said,
    a_released_key_is_as_if_it_had_never_been,
    keys_of_other_scopes_are_others,
    settling_or_releasing_what_is_not_there_says_so,
    purging_removes_keys_that_have_expired,
    keys_hold_any_character_and_outcomes_any_size,
    a_call_ends_once,
    a_call_of_this_process_was_not_cut_off,
];

fn claim(scope: &Arc<str>, key: &str, by: &Arc<str>, now: Timestamp, expires: Timestamp) -> Op {
    Op::ClaimKey {
        scope: scope.clone(),
        key: key.into(),
        fingerprint: format!("what {by} asks"),
        call_id: by.clone(),
        now,
        expires,
    }
}

fn settle(scope: &Arc<str>, key: &str, outcome: &str) -> Op {
    Op::SettleKey { scope: scope.clone(), key: key.into(), outcome: outcome.to_owned() }
}

fn release(scope: &Arc<str>, key: &str) -> Op {
    Op::ReleaseKey { scope: scope.clone(), key: key.into() }
}

fn row(by: &Arc<str>, outcome: Option<&str>) -> KeyRow {
    KeyRow { fingerprint: format!("what {by} asks"), call_id: by.clone(), outcome: outcome.map(str::to_owned) }
}

fn taken<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> KeyRow {
    match answer {
        Err(StoreError::KeyTaken(row)) => *row,
        other => panic!("not taken: {other:?}"),
    }
}

async fn a_key_is_claimed_settled_and_read(store: Shared) {
    let (scope, by) = (fresh("scope"), fresh("call"));
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), None);
    assert_eq!(one(&store, claim(&scope, "k", &by, at(0), at(100))).await.unwrap(), Did::Done);
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), Some(row(&by, None)));
    assert_eq!(one(&store, settle(&scope, "k", "done")).await.unwrap(), Did::Existed(true));
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), Some(row(&by, Some("done"))));
}

async fn a_key_that_is_taken_says_by_whom(store: Shared) {
    let (scope, first, second) = (fresh("scope"), fresh("call"), fresh("call"));
    one(&store, claim(&scope, "k", &first, at(0), at(100))).await.unwrap();
    let again = || claim(&scope, "k", &second, at(50), at(150));
    assert_eq!(taken(one(&store, again()).await), row(&first, None));
    one(&store, settle(&scope, "k", "done")).await.unwrap();
    assert_eq!(taken(one(&store, again()).await), row(&first, Some("done")));
    assert_eq!(store.idempotency(&scope, "k", at(100)).await.unwrap(), None, "its expiry has not moved");
}

async fn of_many_that_claim_a_key_at_once_one_wins(store: Shared) {
    let scope = fresh("scope");
    let tries = (0..64).map(|_| {
        let (store, op) = (store.clone(), claim(&scope, "k", &fresh("call"), at(0), at(100)));
        tokio::spawn(async move { one(&store, op).await })
    });
    let answers: Vec<_> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 1);
    let winner = store.idempotency(&scope, "k", at(0)).await.unwrap().unwrap();
    assert!(answers.into_iter().filter(Result::is_err).all(|a| taken(a) == winner));
}

async fn a_key_ends_at_the_instant_that_was_said(store: Shared) {
    let (scope, first, second) = (fresh("scope"), fresh("call"), fresh("call"));
    one(&store, claim(&scope, "k", &first, at(0), at(100))).await.unwrap();
    one(&store, settle(&scope, "k", "done")).await.unwrap();
    assert!(store.idempotency(&scope, "k", at(99)).await.unwrap().is_some());
    assert_eq!(store.idempotency(&scope, "k", at(100)).await.unwrap(), None);
    taken(one(&store, claim(&scope, "k", &second, at(99), at(199))).await);
    assert_eq!(one(&store, claim(&scope, "k", &second, at(100), at(200))).await.unwrap(), Did::Done);
    assert_eq!(store.idempotency(&scope, "k", at(199)).await.unwrap(), Some(row(&second, None)));
}

async fn a_released_key_is_as_if_it_had_never_been(store: Shared) {
    let (scope, first, second) = (fresh("scope"), fresh("call"), fresh("call"));
    one(&store, claim(&scope, "k", &first, at(0), at(100))).await.unwrap();
    assert_eq!(one(&store, release(&scope, "k")).await.unwrap(), Did::Existed(true));
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), None);
    one(&store, claim(&scope, "k", &second, at(0), at(100))).await.unwrap();
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), Some(row(&second, None)));
}

async fn keys_of_other_scopes_are_others(store: Shared) {
    let (one_scope, other, by) = (fresh("scope"), fresh("scope"), fresh("call"));
    one(&store, claim(&one_scope, "k", &by, at(0), at(100))).await.unwrap();
    one(&store, claim(&other, "k", &by, at(0), at(100))).await.unwrap();
    one(&store, settle(&other, "k", "done")).await.unwrap();
    assert_eq!(store.idempotency(&one_scope, "k", at(0)).await.unwrap(), Some(row(&by, None)));
}

async fn settling_or_releasing_what_is_not_there_says_so(store: Shared) {
    let scope = fresh("scope");
    assert_eq!(one(&store, settle(&scope, "k", "done")).await.unwrap(), Did::Existed(false));
    assert_eq!(one(&store, release(&scope, "k")).await.unwrap(), Did::Existed(false));
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), None);
}

async fn purging_removes_keys_that_have_expired(store: Shared) {
    let (scope, by) = (fresh("scope"), fresh("call"));
    one(&store, claim(&scope, "gone", &by, at(0), at(100))).await.unwrap();
    one(&store, claim(&scope, "stays", &by, at(0), at(101))).await.unwrap();
    one(&store, Op::Purge { now: at(100) }).await.unwrap();
    assert_eq!(store.idempotency(&scope, "gone", at(0)).await.unwrap(), None);
    assert!(store.idempotency(&scope, "stays", at(0)).await.unwrap().is_some());
}

async fn keys_hold_any_character_and_outcomes_any_size(store: Shared) {
    let (scope, by) = (Arc::from(format!("{}\0%_*ä", fresh("scope"))), fresh("call\0ä"));
    let key = "k\0'\"%_*🦀";
    one(&store, claim(&scope, key, &by, at(0), at(100))).await.unwrap();
    for outcome in [String::new(), "\0".to_owned(), "o".repeat(300_000)] {
        one(&store, settle(&scope, key, &outcome)).await.unwrap();
        assert!(store.idempotency(&scope, key, at(0)).await.unwrap() == Some(row(&by, Some(&outcome))));
    }
    assert_eq!(store.idempotency(&scope, "k", at(0)).await.unwrap(), None);
}

fn call(session: Option<Arc<str>>, key: Option<(Arc<str>, Arc<str>)>) -> OpenCall {
    OpenCall { call_id: fresh("call"), tool: "add".to_owned(), session, key, began: at(0) }
}

async fn a_call_ends_once(store: Shared) {
    for call in [call(None, None), call(Some(fresh("ses")), None), call(None, Some((fresh("scope"), fresh("key"))))] {
        let end = Op::EndCall { call_id: call.call_id.clone() };
        assert_eq!(one(&store, Op::BeginCall(call.into())).await.unwrap(), Did::Done);
        assert_eq!(one(&store, end.clone()).await.unwrap(), Did::Existed(true));
        assert_eq!(one(&store, end).await.unwrap(), Did::Existed(false));
    }
}

async fn a_call_of_this_process_was_not_cut_off(store: Shared) {
    let call = call(None, None);
    one(&store, Op::BeginCall(call.clone().into())).await.unwrap();
    assert!(store.cut_off().await.unwrap().iter().all(|other| other.call_id != call.call_id));
    one(&store, Op::EndCall { call_id: call.call_id }).await.unwrap();
}
