//! Values: versions, expectations, expiry, keys.

use super::super::{Did, Expect, Op, Versioned};
use super::{Shared, at, fresh, is_conflict, laws, one};
use crate::Timestamp;
use futures_util::future::join_all;
use std::sync::Arc;

laws![
    a_value_comes_back_with_its_version,
    a_version_is_never_given_twice,
    a_value_is_put_only_where_there_is_none,
    a_value_is_put_only_over_the_version_that_is_expected,
    of_many_that_expect_one_version_one_wins,
    a_value_ends_at_the_instant_that_was_said,
    an_expired_value_is_none_to_every_expectation,
    a_value_put_anew_forgets_its_old_expiry,
    a_deleted_value_is_gone_and_told_so_once,
    deleting_what_has_expired_says_that_nothing_was_there,
    keys_are_listed_by_prefix_in_the_order_of_their_bytes,
    spaces_do_not_see_each_other,
    values_of_any_size_come_back,
    purging_removes_what_has_expired_and_nothing_else,
    what_was_acknowledged_is_read_by_everybody,
];

struct Space(Arc<str>);

impl Space {
    fn new() -> Self {
        Self(fresh("space"))
    }
    fn put(&self, key: &str, value: &str, expect: Expect) -> Op {
        self.put_until(key, value, expect, at(0), None)
    }
    fn put_until(&self, key: &str, value: &str, expect: Expect, now: Timestamp, expires: Option<Timestamp>) -> Op {
        Op::PutValue { space: self.0.clone(), key: key.to_owned(), value: value.to_owned(), now, expires, expect }
    }
    fn delete(&self, key: &str, now: Timestamp) -> Op {
        Op::DeleteValue { space: self.0.clone(), key: key.to_owned(), now }
    }
    async fn get(&self, store: &Shared, key: &str, now: Timestamp) -> Option<String> {
        store.value(&self.0, key, now).await.unwrap().map(|v| v.value)
    }
}

async fn version(store: &Shared, op: Op) -> u64 {
    match one(store, op).await.unwrap() {
        Did::Version(version) => version,
        other => panic!("not a version: {other:?}"),
    }
}

async fn a_value_comes_back_with_its_version(store: Shared) {
    let space = Space::new();
    assert_eq!(store.value(&space.0, "k", at(0)).await.unwrap(), None);
    let first = version(&store, space.put("k", "1", Expect::Anything)).await;
    let kept = store.value(&space.0, "k", at(0)).await.unwrap();
    assert_eq!(kept, Some(Versioned { value: "1".to_owned(), version: first }));
    let second = version(&store, space.put("k", "1", Expect::Anything)).await;
    assert!(second != first, "the same value again is another version");
    assert_eq!(store.value(&space.0, "k", at(0)).await.unwrap().unwrap().version, second);
}

async fn a_version_is_never_given_twice(store: Shared) {
    let space = Space::new();
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(version(&store, space.put("k", "1", Expect::Anything)).await);
        seen.push(version(&store, space.put("k", "2", Expect::Anything)).await);
        one(&store, space.delete("k", at(0))).await.unwrap();
        seen.push(version(&store, space.put_until("k", "3", Expect::Absent, at(0), Some(at(1)))).await);
        one(&store, Op::Purge { now: at(1) }).await.unwrap();
        let twice = vec![space.put("k", "4", Expect::Anything), space.put("k", "5", Expect::Anything)];
        seen.extend(store.write(twice).await.unwrap().into_iter().map(|did| match did {
            Did::Version(version) => version,
            other => panic!("not a version: {other:?}"),
        }));
    }
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), all);
}

async fn a_value_is_put_only_where_there_is_none(store: Shared) {
    let space = Space::new();
    version(&store, space.put("k", "1", Expect::Absent)).await;
    assert!(is_conflict(one(&store, space.put("k", "2", Expect::Absent)).await));
    assert_eq!(space.get(&store, "k", at(0)).await.as_deref(), Some("1"));
    one(&store, space.delete("k", at(0))).await.unwrap();
    version(&store, space.put("k", "3", Expect::Absent)).await;
    assert_eq!(space.get(&store, "k", at(0)).await.as_deref(), Some("3"));
}

async fn a_value_is_put_only_over_the_version_that_is_expected(store: Shared) {
    let space = Space::new();
    let first = version(&store, space.put("k", "1", Expect::Absent)).await;
    let second = version(&store, space.put("k", "2", Expect::Version(first))).await;
    assert!(is_conflict(one(&store, space.put("k", "3", Expect::Version(first))).await));
    assert_eq!(space.get(&store, "k", at(0)).await.as_deref(), Some("2"));
    assert!(is_conflict(one(&store, space.put("none", "3", Expect::Version(second))).await));
    assert!(is_conflict(one(&store, space.put("k", "3", Expect::Version(u64::MAX))).await));
    one(&store, space.delete("k", at(0))).await.unwrap();
    assert!(is_conflict(one(&store, space.put("k", "3", Expect::Version(second))).await));
    assert_eq!(space.get(&store, "k", at(0)).await, None);
}

async fn of_many_that_expect_one_version_one_wins(store: Shared) {
    let space = Arc::new(Space::new());
    version(&store, space.put("n", "0", Expect::Absent)).await;
    // a counter, as `update` of the key-value store does it
    let counters = (0..16).map(|_| {
        let (store, space) = (store.clone(), space.clone());
        tokio::spawn(async move {
            for _ in 0..4 {
                loop {
                    let kept = store.value(&space.0, "n", at(0)).await.unwrap().unwrap();
                    let more = (kept.value.parse::<u64>().unwrap() + 1).to_string();
                    match one(&store, space.put("n", &more, Expect::Version(kept.version))).await {
                        Ok(_) => break,
                        answer => assert!(is_conflict(answer)),
                    }
                }
            }
        })
    });
    join_all(counters).await.into_iter().for_each(Result::unwrap);
    assert_eq!(space.get(&store, "n", at(0)).await.as_deref(), Some("64"));
}

async fn a_value_ends_at_the_instant_that_was_said(store: Shared) {
    let space = Space::new();
    version(&store, space.put_until("k", "1", Expect::Anything, at(0), Some(at(100)))).await;
    assert_eq!(space.get(&store, "k", at(99)).await.as_deref(), Some("1"));
    assert_eq!(space.get(&store, "k", at(100)).await, None);
    assert_eq!(space.get(&store, "k", at(101)).await, None);
    assert_eq!(store.keys(&space.0, "", at(99)).await.unwrap(), ["k"]);
    assert_eq!(store.keys(&space.0, "", at(100)).await.unwrap(), [""; 0]);
}

async fn an_expired_value_is_none_to_every_expectation(store: Shared) {
    let space = Space::new();
    let old = version(&store, space.put_until("k", "1", Expect::Anything, at(0), Some(at(100)))).await;
    let put = |expect, now| space.put_until("k", "2", expect, now, None);
    assert!(is_conflict(one(&store, put(Expect::Absent, at(99))).await));
    assert!(is_conflict(one(&store, put(Expect::Version(old), at(100))).await));
    version(&store, put(Expect::Absent, at(100))).await;
    assert_eq!(space.get(&store, "k", at(1000)).await.as_deref(), Some("2"));
}

async fn a_value_put_anew_forgets_its_old_expiry(store: Shared) {
    let space = Space::new();
    let first = version(&store, space.put_until("k", "1", Expect::Anything, at(0), Some(at(100)))).await;
    version(&store, space.put("k", "2", Expect::Version(first))).await;
    assert_eq!(space.get(&store, "k", at(1000)).await.as_deref(), Some("2"));
    version(&store, space.put_until("k", "3", Expect::Anything, at(0), Some(at(200)))).await;
    assert_eq!(space.get(&store, "k", at(200)).await, None);
}

async fn a_deleted_value_is_gone_and_told_so_once(store: Shared) {
    let space = Space::new();
    version(&store, space.put("k", "1", Expect::Anything)).await;
    assert_eq!(one(&store, space.delete("k", at(0))).await.unwrap(), Did::Existed(true));
    assert_eq!(one(&store, space.delete("k", at(0))).await.unwrap(), Did::Existed(false));
    assert_eq!(space.get(&store, "k", at(0)).await, None);
}

async fn deleting_what_has_expired_says_that_nothing_was_there(store: Shared) {
    let space = Space::new();
    version(&store, space.put_until("k", "1", Expect::Anything, at(0), Some(at(100)))).await;
    assert_eq!(one(&store, space.delete("k", at(100))).await.unwrap(), Did::Existed(false));
}

async fn keys_are_listed_by_prefix_in_the_order_of_their_bytes(store: Shared) {
    let space = Space::new();
    let mut keys = vec![
        "",
        "%",
        "%a",
        "*",
        "*a",
        "A",
        "Z",
        "_",
        "_a",
        "a",
        "a%b",
        "a*b",
        "a_b",
        "ab",
        "aXb",
        "a\0b",
        "a\0",
        "é",
        "éa",
        "e",
        "z",
        "\u{ffff}",
        "🦀",
        "🦀a",
        "\u{10ffff}",
        "\\",
        "a\\",
        "a'b",
        "a\"b",
        "[a]",
        "?",
        "-",
        "a-b",
        "a/b",
        "a b",
        " ",
    ];
    for key in &keys {
        version(&store, space.put(key, key, Expect::Absent)).await;
    }
    keys.sort_unstable();
    for prefix in [
        "",
        "%",
        "*",
        "_",
        "a",
        "a_",
        "a%",
        "a*",
        "a\0",
        "é",
        "🦀",
        "\u{10ffff}",
        "\\",
        "a\\",
        "A",
        "nothing",
        "?",
        "[",
    ] {
        let expected: Vec<_> = keys.iter().copied().filter(|key| key.starts_with(prefix)).collect();
        assert_eq!(store.keys(&space.0, prefix, at(0)).await.unwrap(), expected, "{prefix:?}");
    }
    for key in &keys {
        assert_eq!(space.get(&store, key, at(0)).await.as_deref(), Some(*key));
    }
}

async fn spaces_do_not_see_each_other(store: Shared) {
    let name = fresh("space");
    let (a, b) = (Space(format!("{name}a").into()), Space(format!("{name}b").into()));
    version(&store, a.put("k", "of a", Expect::Absent)).await;
    version(&store, b.put("k", "of b", Expect::Absent)).await;
    assert_eq!(a.get(&store, "k", at(0)).await.as_deref(), Some("of a"));
    assert_eq!(store.keys(&a.0, "", at(0)).await.unwrap(), ["k"]);
    assert_eq!(store.keys(&name, "", at(0)).await.unwrap(), [""; 0]);
    one(&store, a.delete("k", at(0))).await.unwrap();
    assert_eq!(b.get(&store, "k", at(0)).await.as_deref(), Some("of b"));
}

async fn values_of_any_size_come_back(store: Shared) {
    let space = Space::new();
    for size in [0, 1, 65_535, 65_536, 1 << 20, 5 << 20] {
        let value = "v".repeat(size);
        version(&store, space.put("k", &value, Expect::Anything)).await;
        assert!(space.get(&store, "k", at(0)).await == Some(value), "{size}");
    }
    let odd = "\0 a\0b\u{1}\u{10ffff}";
    version(&store, space.put(odd, odd, Expect::Anything)).await;
    assert_eq!(space.get(&store, odd, at(0)).await.as_deref(), Some(odd));
    let long = "k".repeat(2000);
    version(&store, space.put(&long, "1", Expect::Anything)).await;
    assert_eq!(space.get(&store, &long, at(0)).await.as_deref(), Some("1"));
}

async fn purging_removes_what_has_expired_and_nothing_else(store: Shared) {
    let space = Space::new();
    for (key, expires) in [("gone", Some(at(100))), ("stays", Some(at(101))), ("always", None)] {
        version(&store, space.put_until(key, "1", Expect::Anything, at(0), expires)).await;
    }
    assert_eq!(one(&store, Op::Purge { now: at(100) }).await.unwrap(), Did::Done);
    // at an instant at which nothing had expired
    assert_eq!(store.keys(&space.0, "", at(0)).await.unwrap(), ["always", "stays"]);
}

async fn what_was_acknowledged_is_read_by_everybody(store: Shared) {
    let space = Arc::new(Space::new());
    let tasks = (0..32).map(|task| {
        let (store, space) = (store.clone(), space.clone());
        tokio::spawn(async move {
            for n in 0..5 {
                let value = n.to_string();
                version(&store, space.put(&format!("k{task}"), &value, Expect::Anything)).await;
                let (store, space) = (store.clone(), space.clone());
                let read = tokio::spawn(async move { space.get(&store, &format!("k{task}"), at(0)).await });
                assert_eq!(read.await.unwrap(), Some(value));
            }
        })
    });
    join_all(tasks).await.into_iter().for_each(Result::unwrap);
}
