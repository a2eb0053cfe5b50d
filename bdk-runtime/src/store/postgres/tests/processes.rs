//! Several processes, and what happens when one or the server ends in the middle.

use super::super::Postgres;
use super::server::{Server, database, number, run};
use crate::{
    Timestamp,
    store::{Batch, Did, NewEvent, Op, OpenCall, Owner, SessionRow, Status, Store, StoreError},
};
use futures_util::future::{FutureExt, join_all};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

fn session(id: &str) -> Op {
    Op::OpenSession(Box::new(SessionRow {
        id: id.into(),
        owner: Owner { kind: "user".to_owned(), subject: "ada".to_owned() },
        facts: "{}".to_owned(),
        status: Status::Waiting,
        token: format!("{id}:0"),
        created_at: Timestamp::now(),
        updated_at: Timestamp::now(),
        events: 0,
    }))
}

fn append(id: &str, data: impl Into<String>) -> Op {
    let events = vec![NewEvent { kind: "action.result", data: data.into() }];
    Op::Append { session: id.into(), at: Timestamp::now(), status: None, events }
}

fn begin(call_id: &str) -> Op {
    let key = Some(("user:ada".into(), call_id.into()));
    Op::BeginCall(Box::new(OpenCall {
        call_id: call_id.into(),
        tool: "pay".to_owned(),
        session: Some("ses_1".into()),
        key,
        began: Timestamp::now(),
    }))
}

async fn one(store: &Postgres, op: Op) -> Result<Did, StoreError> {
    store.write(vec![op]).await.map(|did| did[0])
}

async fn ids(store: &Postgres) -> Vec<Arc<str>> {
    store.cut_off().await.unwrap().into_iter().map(|call| call.call_id).collect()
}

/// Waits until something that others do has come to pass.
async fn until(what: impl AsyncFn() -> bool) {
    let passed = async {
        while !what().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), passed).await.expect("it never came to pass");
}

/// How many processes show that they are there.
const ALIVE: &str = "select count(*) from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())";
/// The connections by which they do.
const LOCKED: &str = "from pg_stat_activity where datname = current_database() and query like '%advisory_lock_shared%'
    and pid <> pg_backend_pid()";

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_at_once_make_one_schema() {
    let url = database().await;
    let all = join_all((0..8).map(|_| Postgres::connect(&url))).await;
    assert!(all.iter().all(Result::is_ok), "{:?}", all.iter().filter_map(|store| store.as_ref().err()).next());
    assert_eq!(number(&url, "select version::bigint from bdk.schema").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_indexes_of_a_session_have_no_gap_though_two_processes_append() {
    let url = database().await;
    let stores = [Postgres::connect(&url).await.unwrap(), Postgres::connect(&url).await.unwrap()];
    one(&stores[0], session("ses_1")).await.unwrap();
    let writes = (0..200).map(|n| stores[n % 2].write(vec![append("ses_1", n.to_string())]));
    let mut given: Vec<_> = join_all(writes).await.into_iter().map(|did| did.unwrap()[0]).collect();
    given.sort_unstable_by_key(|did| match did {
        Did::Index(n) => *n,
        other => panic!("not an index: {other:?}"),
    });
    assert_eq!(given, (0..200).map(Did::Index).collect::<Vec<_>>());
    let events = stores[1].events("ses_1", 0, 1000).await.unwrap();
    assert!(events.iter().map(|event| event.index).eq(0..200));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_handed_over_takes_effect_in_that_order_though_nobody_waits() {
    let store = Postgres::connect(&database().await).await.unwrap();
    drop(store.write(vec![session("ses_1")]));
    for n in 0..100 {
        drop(store.write(vec![append("ses_1", n.to_string())]));
    }
    let value = |n: u32| Op::PutValue {
        space: "s".into(),
        key: "k".to_owned(),
        value: n.to_string(),
        now: Timestamp::now(),
        expires: None,
        expect: crate::store::Expect::Anything,
    };
    for n in 0..100 {
        drop(store.write(vec![value(n)]));
    }
    // behind all of them in line
    store.write(vec![append("ses_1", "100"), value(100)]).await.unwrap();
    let events = store.events("ses_1", 0, 1000).await.unwrap();
    assert!(events.iter().map(|event| event.data.clone()).eq((0..=100).map(|n| n.to_string())));
    assert_eq!(store.value("s", "k", Timestamp::now()).await.unwrap().unwrap().value, "100");
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_waits_for_what_was_handed_over() {
    let url = database().await;
    let store = Postgres::connect(&url).await.unwrap();
    drop(store.write(vec![session("ses_1")]));
    for n in 0..50 {
        drop(store.write(vec![append("ses_1", n.to_string())]));
    }
    store.close().await;
    assert_eq!(number(&url, "select count(*) from bdk.events").await, 50);
    until(async || number(&url, ALIVE).await == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_that_lock_the_same_rows_in_other_orders_are_all_done() {
    let url = database().await;
    let stores = [Postgres::connect(&url).await.unwrap(), Postgres::connect(&url).await.unwrap()];
    for id in ["ses_a", "ses_b"] {
        one(&stores[0], session(id)).await.unwrap();
    }
    let there_and_back = |n: usize| -> Batch {
        let mut batch = vec![append("ses_a", "{}"), append("ses_b", "{}")];
        if n % 2 == 1 {
            batch.reverse();
        }
        batch
    };
    // processes do not know each other's order: the database finds the deadlock, and one of them does it again
    let writes = join_all((0..40).map(|n| stores[n % 2].write(there_and_back(n)))).await;
    assert!(writes.iter().all(Result::is_ok), "{writes:?}");
    assert_eq!(number(&url, "select sum(events)::bigint from bdk.sessions").await, 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calls_of_a_living_process_are_not_cut_off_and_those_of_a_closed_one_are_told_once() {
    let url = database().await;
    let one_of_two = Postgres::connect(&url).await.unwrap();
    let other = Postgres::connect(&url).await.unwrap();
    one(&one_of_two, begin("call_1")).await.unwrap();
    one(&one_of_two, begin("call_2")).await.unwrap();
    one(&one_of_two, Op::EndCall { call_id: "call_2".into() }).await.unwrap();
    assert!(ids(&other).await.is_empty());
    assert!(ids(&one_of_two).await.is_empty());
    one_of_two.close().await;
    // the server lets go of a lock when it has noticed that its connection is gone
    let mut told = Vec::new();
    for _ in 0..500 {
        told = other.cut_off().await.unwrap();
        if !told.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let [call] = &told[..] else { panic!("{told:?}") };
    assert_eq!(
        (&*call.call_id, &*call.tool, call.session.as_deref(), call.key.clone()),
        ("call_1", "pay", Some("ses_1"), Some(("user:ada".into(), "call_1".into())))
    );
    assert!(ids(&other).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_a_killed_process_is_told_to_one_of_many_that_ask() {
    let url = database().await;
    // this test again, in a process of its own, which plays the bot that is killed
    let mut bot = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::postgres::tests::processes::a_bot_that_is_killed", "--ignored"])
        .env("BDK_TEST_POSTGRES", &url)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let store = Postgres::connect(&url).await.unwrap();
    until(async || number(&url, "select count(*) from bdk.calls").await == 20).await;
    assert!(ids(&store).await.is_empty(), "it lives");
    bot.kill().unwrap();
    bot.wait().unwrap();
    // the server notices at once, but not before we could ask
    until(async || number(&url, ALIVE).await == 1).await;
    let many = join_all((0..4).map(|_| Postgres::connect(&url))).await;
    let told = join_all(many.iter().map(|store| ids(store.as_ref().unwrap()))).await;
    let mut told: Vec<_> = told.into_iter().flatten().collect();
    told.sort_unstable();
    let mut all: Vec<Arc<str>> = (0..20).map(|n| format!("call_{n}").into()).collect();
    all.sort_unstable();
    assert_eq!(told, all);
}

#[tokio::test]
#[ignore = "a process that `a_call_of_a_killed_process_is_told_to_one_of_many_that_ask` starts and kills"]
async fn a_bot_that_is_killed() {
    let url = std::env::var("BDK_TEST_POSTGRES").expect("the other test says where");
    let store = Postgres::connect(&url).await.unwrap();
    store.write((0..20).map(|n| begin(&format!("call_{n}"))).collect()).await.unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_lost_its_lock_takes_it_again() {
    let url = database().await;
    let store = Postgres::connect(&url).await.unwrap();
    let other = Postgres::connect(&url).await.unwrap();
    let first = number(&url, &format!("select min(pid)::bigint {LOCKED}")).await;
    let second = number(&url, &format!("select max(pid)::bigint {LOCKED}")).await;
    run(&url, &format!("select pg_terminate_backend(pid) {LOCKED}")).await;
    let again = format!("select count(*) {LOCKED} and pid <> all (array[{first}, {second}])");
    until(async || number(&url, &again).await == 2 && number(&url, ALIVE).await == 2).await;
    one(&store, begin("call_1")).await.unwrap();
    assert!(ids(&other).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_is_told_and_used_again_when_it_is_back() {
    let mut server = tokio::task::spawn_blocking(Server::start).await.unwrap();
    let url = server.socket_url("postgres");
    let store = Postgres::connect(&url).await.unwrap();
    one(&store, session("ses_1")).await.unwrap();
    // several connections, which all get lost
    let writes = (0..8).map(|n| store.write(vec![begin(&format!("call_{n}")), append("ses_1", "{}")]));
    assert!(join_all(writes).await.iter().all(Result::is_ok));
    for how in ["stop", "crash"] {
        server.end(how);
        let unavailable = |answer: StoreError| match answer {
            StoreError::Unavailable(why) => {
                assert!(why.starts_with("PostgreSQL at /") && why.contains("(os error"), "{why}");
            }
            other => panic!("{other}"),
        };
        let (write, read) = tokio::join!(one(&store, append("ses_1", "lost")), store.session("ses_1"));
        unavailable(write.unwrap_err());
        unavailable(read.unwrap_err());
        server.resume();
        one(&store, append("ses_1", how)).await.unwrap();
        one(&store, begin(how)).await.unwrap();
    }
    let data: Vec<_> = store.events("ses_1", 8, 10).await.unwrap().into_iter().map(|event| event.data).collect();
    assert_eq!(data, ["stop", "crash"], "what was refused did not take effect later");
    // and it still is there for the others
    let other = Postgres::connect(&url).await.unwrap();
    assert!(ids(&other).await.is_empty());
    store.close().await;
    let told = AtomicUsize::new(0);
    until(async || {
        told.store(ids(&other).await.len(), Ordering::Relaxed);
        told.load(Ordering::Relaxed) > 0
    })
    .await;
    assert_eq!(told.into_inner(), 10);
    other.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_again_under_load_loses_and_doubles_nothing() {
    let mut server = tokio::task::spawn_blocking(Server::start).await.unwrap();
    let url = format!("{}?sslmode=disable", server.url("postgres"));
    let store = Arc::new(Postgres::connect(&url).await.unwrap());
    let sessions = ["ses_a", "ses_b", "ses_c", "ses_d"];
    for id in sessions {
        one(&store, session(id)).await.unwrap();
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let written = Arc::new([const { AtomicUsize::new(0) }; 4]);
    let mut nth = 0..;
    let writers = sessions.map(|id| {
        let (store, stopped, written, nth) = (store.clone(), stopped.clone(), written.clone(), nth.next().unwrap());
        tokio::spawn(async move {
            let mut acknowledged = Vec::new();
            for n in 0.. {
                if *stopped.borrow() {
                    break;
                }
                // what was refused must not be there
                if let Ok(Did::Index(index)) = one(&store, append(id, n.to_string())).await {
                    acknowledged.push((index, n.to_string()));
                    written[nth].fetch_add(1, Ordering::Relaxed);
                }
            }
            acknowledged
        })
    });
    for (n, how) in ["crash", "stop", "crash"].into_iter().enumerate() {
        until(async || written.iter().all(|written| written.load(Ordering::Relaxed) > 10 * (n + 1))).await;
        server = tokio::task::spawn_blocking(move || {
            server.end(how);
            server.resume();
            server
        })
        .await
        .unwrap();
    }
    stop.send_replace(true);
    for (id, writer) in sessions.iter().zip(writers) {
        let acknowledged = writer.await.unwrap();
        let there = store.events(id, 0, usize::MAX).await.unwrap();
        let there: Vec<_> = there.into_iter().map(|event| (event.index, event.data)).collect();
        assert!(there == acknowledged, "{id}: {} acknowledged, {} there", acknowledged.len(), there.len());
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_operator_turned_off_durable_commits_still_commits_ours_durably() {
    let url = database().await;
    let name = url.rsplit_once('/').unwrap().1;
    run(&url, &format!("alter database {name} set synchronous_commit = off; alter database {name} set default_transaction_isolation = serializable")).await;
    let store = Postgres::connect(&url).await.unwrap();
    let set =
        store.0.all(|| sqlx::query("show synchronous_commit"), |row| sqlx::Row::try_get::<String, _>(row, 0)).await;
    assert_eq!(set.unwrap(), ["on"]);
    let set =
        store.0.all(|| sqlx::query("show transaction_isolation"), |row| sqlx::Row::try_get::<String, _>(row, 0)).await;
    assert_eq!(set.unwrap(), ["read committed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_cannot_be_done_gives_its_connection_back() {
    let store = Postgres::connect(&database().await).await.unwrap();
    for _ in 0..40 {
        let refused = store.write(vec![session("ses_1"), append("ses_none", "{}")]).await;
        assert!(matches!(refused, Err(StoreError::UnknownSession)), "{refused:?}");
    }
    assert!(store.session("ses_1").await.unwrap().is_none(), "nothing of it holds");
    // a read that is given up in the middle, too
    for _ in 0..40 {
        let _ = store.session("ses_1").now_or_never();
    }
    one(&store, session("ses_1")).await.unwrap();
}
