//! Processes that work for sessions: how many there are, and how long.

use super::{stdio::python, *};
use crate::{
    SessionOptions,
    bot::Bot,
    connection::{failed::Kind, places::Place},
    registry::Registry,
    session::{Bind, Live, Workspaces},
};
use std::path::Path;

struct Sessions(Bot);

impl Sessions {
    async fn open(&self) -> Arc<Live> {
        let sessions = &self.0.state().sessions;
        let id = sessions.open(&self.0, SessionOptions::new()).await.unwrap().id;
        sessions.bind(&Bind::Id(id.to_string()), None).await.unwrap()
    }
    async fn delete(&self, live: &Live) {
        self.0.state().sessions.delete(&live.id, None, &Workspaces::temporary()).await.unwrap();
    }
}

async fn say(
    connections: &Connections,
    session: Option<&Arc<Live>>,
    tool: &str,
    input: Value,
) -> Result<String, Failed> {
    say_by(connections, session, tool, input, &CallInfo::default()).await
}
async fn say_by(
    connections: &Connections,
    session: Option<&Arc<Live>>,
    tool: &str,
    input: Value,
    info: &CallInfo,
) -> Result<String, Failed> {
    // each session has a folder
    let folder = session.map_or("unbound", |live| &*live.id);
    let place = Place { folder: Path::new(folder), session };
    let input = to_raw_value(&input).unwrap();
    let called = connections.call_in(&place, "it", tool, &input, info).await?;
    let content: Value = serde_json::from_str(called.content.get()).unwrap();
    Ok(content[0]["text"].as_str().unwrap_or_default().to_owned())
}
async fn pid(connections: &Connections, session: Option<&Arc<Live>>) -> String {
    say(connections, session, "pid", json!({})).await.unwrap()
}
async fn is_gone(pid: &str) {
    until("it is gone", || std::fs::metadata(format!("/proc/{pid}")).is_err()).await;
}

#[tokio::test]
async fn a_session_has_one_until_it_is_deleted_or_nobody_needs_it() {
    let sessions = Sessions(Bot::with(Registry::linked()));
    let connections = with(python(), Limits { idle: Duration::from_millis(700), ..Limits::default() });
    let (one, other) = (sessions.open().await, sessions.open().await);
    let (of_one, of_other) = (pid(&connections, Some(&one)).await, pid(&connections, Some(&other)).await);
    assert!(of_one != of_other && pid(&connections, Some(&one)).await == of_one);
    sessions.delete(&other).await;
    assert!(std::fs::metadata(format!("/proc/{of_other}")).is_err(), "the session is gone, and its process is not");
    // idle
    is_gone(&of_one).await;
    assert_ne!(pid(&connections, Some(&one)).await, of_one);
    // that of an unbound call goes with it, also where nobody waits for it any more
    is_gone(&pid(&connections, None).await).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("sleep 600 & echo $$ > {}; wait", file.path().display());
    let silent = only(Connection::stdio("sh").args(["-c", &script]));
    let waiting = tokio::time::timeout(Duration::from_millis(700), say(&silent, None, "pid", json!({})));
    assert!(waiting.await.is_err());
    is_gone(std::fs::read_to_string(file.path()).unwrap().trim()).await;
    drop(connections);
}

#[tokio::test]
async fn there_are_only_so_many_and_the_one_longest_unused_makes_room() {
    let sessions = Sessions(Bot::with(Registry::linked()));
    let connections = Arc::new(with(python(), Limits { processes: 2, ..Limits::default() }));
    let (a, b, c) = (sessions.open().await, sessions.open().await, sessions.open().await);
    let (of_a, of_b) = (pid(&connections, Some(&a)).await, pid(&connections, Some(&b)).await);
    assert_eq!(pid(&connections, Some(&a)).await, of_a);
    pid(&connections, Some(&c)).await;
    is_gone(&of_b).await;
    assert_eq!(pid(&connections, Some(&a)).await, of_a);
    // while all are at work there is no room
    let busy: Vec<_> = [a, c]
        .into_iter()
        .map(|live| {
            let connections = connections.clone();
            tokio::spawn(async move {
                // until it has a place
                while say(&connections, Some(&live), "silent", json!({}))
                    .await
                    .is_err_and(|failed| failed.kind == Kind::Full)
                {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            })
        })
        .collect();
    // until its deadline
    let soon = || CallInfo { deadline: Some(Instant::now() + Duration::from_millis(300)), ..CallInfo::default() };
    let refused = async {
        loop {
            if let Err(failed) = say_by(&connections, Some(&b), "pid", json!({}), &soon()).await {
                break failed;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let refused = tokio::time::timeout(Duration::from_secs(20), refused).await.unwrap();
    assert!(refused.kind == Kind::Full && refused.transient && refused.words.contains("2 processes"), "{refused:?}");
    // one that waits gets the place of the first that is free
    let waiting = tokio::spawn({
        let connections = connections.clone();
        async move { say(&connections, Some(&b), "pid", json!({})).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    busy[0].abort();
    waiting.await.unwrap().unwrap();
    busy.iter().for_each(tokio::task::JoinHandle::abort);
    connections.close().await;
}
