//! What is left of processes: nothing.

use super::{stdio::python, *};
use crate::connection::failed::Kind;
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, sync::Arc};

/// Whether a process is there, and more than a corpse.
fn is_alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}
fn own(folder: &str) -> usize {
    fs::read_dir(format!("/proc/self/{folder}")).unwrap().count()
}
/// Children of this process that nobody waited for.
fn corpses(of: &[String]) -> usize {
    of.iter().filter(|pid| fs::metadata(format!("/proc/{pid}")).is_ok()).count()
}
async fn pids(connections: &Connections) -> [String; 2] {
    let mut pids = Vec::new();
    for tool in ["pid", "child"] {
        pids.push(said(connections, tool, json!({})).await.unwrap().as_str().unwrap().to_owned());
    }
    assert!(pids.iter().all(|pid| is_alive(pid)));
    pids.try_into().unwrap()
}
async fn are_gone(pids: &[String]) {
    until("the whole group is gone", || !pids.iter().any(|pid| is_alive(pid))).await;
}

#[tokio::test]
async fn at_the_end_a_process_is_gone_with_all_that_it_started() {
    let connections = only(python());
    let both = pids(&connections).await;
    connections.close().await;
    assert_eq!(corpses(&both[..1]), 0);
    are_gone(&both).await;
    // without a word of goodbye
    let connections = only(python());
    let both = pids(&connections).await;
    drop(connections);
    are_gone(&both).await;
}

#[tokio::test]
async fn an_opening_that_nobody_waits_for_any_more_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids");
    let script = format!("sleep 600 & echo $$ $! > {}; wait", file.display());
    let connections = Arc::new(only(Connection::stdio("sh").args(["-c", &script])));
    let listing = tokio::spawn({
        let connections = connections.clone();
        async move { connections.list("it").await.map(drop) }
    });
    until("it runs", || fs::read_to_string(&file).is_ok_and(|pids| pids.ends_with('\n'))).await;
    listing.abort();
    connections.close().await;
    let pids: Vec<String> = fs::read_to_string(&file).unwrap().split_whitespace().map(str::to_owned).collect();
    are_gone(&pids).await;
}

#[test]
fn a_runtime_that_goes_down_takes_its_processes_along() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let first = runtime();
    let connections = only(python());
    let both = first.block_on(pids(&connections));
    first.shutdown_background();
    runtime().block_on(are_gone(&both));
    drop(connections);
}

#[tokio::test]
async fn a_process_is_noted_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let connections = Connections::new(&[declared("it", python())], Arc::default(), Some(folder.path().to_owned()));
    call(&connections, "pid", json!({})).await.unwrap();
    let pid = connections.held("it").unwrap().pid().unwrap();
    let notes = || fs::read_dir(folder.path().join("children")).unwrap().map(|entry| entry.unwrap().path());
    let note: Value = serde_json::from_slice(&fs::read(notes().next().unwrap()).unwrap()).unwrap();
    assert_eq!((&note["connection"], &note["child"]["pid"]), (&json!("it"), &json!(pid)), "{note}");
    connections.close().await;
    assert_eq!(notes().count(), 0);
}

#[tokio::test]
async fn twenty_that_are_started_and_crash_leave_no_corpse_and_no_open_file() {
    let limits = Limits { crashes: usize::MAX, ..Limits::default() };
    let connections = with(python(), limits);
    let mut dead = Vec::new();
    let mut files = 0;
    for round in 0..21 {
        dead.push(said(&connections, "pid", json!({})).await.unwrap().as_str().unwrap().to_owned());
        call(&connections, "die", json!({})).await.unwrap_err();
        if round == 0 {
            files = own("fd");
        }
    }
    until("all are waited for", || corpses(&dead) == 0).await;
    // other tests open some as well
    until("no file is left open", || own("fd") < files + 20).await;
}

/// Ends a process that left its group, of which the words tell.
fn end_what_was_left(words: &str) {
    kill_process(left(words), Signal::KILL).unwrap();
}
fn left(words: &str) -> Pid {
    let pid = words.split("it left ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    pid.and_then(Pid::from_raw).unwrap()
}

#[tokio::test]
async fn one_that_ended_is_noticed_while_another_process_holds_its_pipes() {
    let connections = only(python());
    said(&connections, "pid", json!({})).await.unwrap();
    let begun = Instant::now();
    let failed = call(&connections, "orphan", json!({})).await.unwrap_err();
    assert!(failed.kind == Kind::Lost && begun.elapsed() < Duration::from_secs(5), "{failed:?}");
    // also what it said without an end of the line
    assert!(failed.words.contains("exit code 3") && failed.words.contains("it left "), "{failed}");
    end_what_was_left(&failed.words);
    // what it wrote before its end is read
    let left = said(&connections, "orphan", json!({ "answers": true })).await.unwrap();
    end_what_was_left(&format!("it left {} ", left.as_str().unwrap()));
    tokio::time::sleep(Duration::from_millis(300)).await;
    said(&connections, "pid", json!({})).await.unwrap();
}

#[tokio::test]
async fn pipes_that_others_hold_are_let_go() {
    let links = |of: &str| -> Vec<_> {
        let files = fs::read_dir(format!("/proc/{of}/fd")).unwrap();
        files.filter_map(|file| fs::read_link(file.unwrap().path()).ok()).collect()
    };
    let connections: Vec<Connections> = (0..5).map(|_| only(python())).collect();
    let ended = connections.iter().map(|it| call(it, "orphan", json!({})));
    for ended in futures_util::future::join_all(ended).await {
        let words = ended.unwrap_err().words;
        let held = links(&left(&words).as_raw_nonzero().to_string());
        assert!(held.len() >= 3, "{held:?}");
        until("its pipes are closed here", || !links("self").iter().any(|file| held.contains(file))).await;
        end_what_was_left(&words);
    }
}
