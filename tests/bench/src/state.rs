//! What a durable record costs: calls in a session and values, beside a bare loop that commits the same rows in groups; ten thousand
//! parked sessions; and a restart with a long log. All of it on the disk that holds `target/`, with SQLite's `synchronous = FULL`.

use crate::bots::{Bots, Kind};
use crate::cargo::{Build, Cargo};
use crate::exchange::Exchange;
use crate::http::Client;
use crate::load;
use crate::proc::{self, SERVER_CORE, Server};
use crate::rate::Effort;
use crate::report::{Figure, Goal, Report, median};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

const SECTION: &str = "state";
const CALLERS: usize = 64;
const SESSIONS: usize = 10_000;
const EVENTS: u64 = 100_000;

pub(crate) fn measure(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let keeper = cargo.binary(Kind::Keeper, Build::Fast)?;
    let commits = cargo.binary(Kind::Commits, Build::Fast)?;
    let folder = bots.folder().join("state");
    calls(&commits, &keeper, &folder, effort, report)?;
    values(&commits, &keeper, &folder, effort, report)?;
    parked(&keeper, &folder, report)?;
    restart(&keeper, &folder, report)?;
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

/// An empty folder.
fn empty(folder: &Path, name: &str) -> Result<PathBuf> {
    let folder = folder.join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn serve(keeper: &Path, state: &Path) -> Result<Server> {
    Subject::of(keeper, &["serve", "--port", "0", "--mode", "single", "--state", &state.display().to_string()]).start()
}

/// The bare loop's rate.
fn looped(commits: &Path, folder: &Path, what: &str, effort: Effort) -> Result<f64> {
    let output = proc::pinned(commits, Some(SERVER_CORE))
        .arg(empty(folder, "loop")?)
        .args([what, &CALLERS.to_string()])
        .args([effort.warm_up.as_millis().to_string(), effort.lasting.as_millis().to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the loop that commits failed");
    serde_json::from_slice::<Value>(&output.stdout)?["rate"].as_f64().context("the loop told no rate")
}

fn paired(what: &str, unit: &'static str, rounds: &[(f64, f64)]) -> Figure {
    let ratio = median(rounds.iter().map(|(bare, bot)| bot / bare));
    let bare = median(rounds.iter().map(|(bare, _)| *bare));
    Figure::new(SECTION, what, unit, ratio * bare).baseline(bare)
}

fn calls(commits: &Path, keeper: &Path, folder: &Path, effort: Effort, report: &mut Report) -> Result<()> {
    let mut rounds = Vec::new();
    for _ in 0..effort.rounds {
        let bare = looped(commits, folder, "calls", effort)?;
        let server = serve(keeper, &empty(folder, "calls")?)?;
        let session = open(&mut Client::connect(server.address)?, &server)?;
        let bound = Exchange::Bound(Box::leak(session.into_boxed_str()));
        let bot = load::load(&server, bound, CALLERS, effort.warm_up, effort.lasting)?;
        eprintln!(
            "  bare loop {bare:.0} calls/s | bot {:.0} calls/s p50 {:.0} µs busy {:.2}",
            bot.rate, bot.p50, bot.server_busy
        );
        rounds.push((bare, bot.rate));
    }
    let what = "calls of a read in a session, 64 connections, against a bare loop of group commits";
    report.add(paired(what, "calls/s", &rounds).goal(Goal::RatioAtLeast(0.6)));
    Ok(())
}

fn values(commits: &Path, keeper: &Path, folder: &Path, effort: Effort, report: &mut Report) -> Result<()> {
    let server = serve(keeper, &empty(folder, "values")?)?;
    let mut client = Client::connect(server.address)?;
    let mut rounds = Vec::new();
    let mut gets = Vec::new();
    for _ in 0..effort.rounds {
        let bare = looped(commits, folder, "values", effort)?;
        let input =
            json!({ "callers": CALLERS, "warm_up": effort.warm_up.as_millis(), "lasting": effort.lasting.as_millis() });
        let bot = rate(&mut client, &server, "kv_puts", &input)?;
        let get = rate(&mut client, &server, "kv_gets", &json!({ "times": 100_000 }))?;
        eprintln!("  bare loop {bare:.0} values/s | kv.put {bot:.0}/s, kv.get {get:.0}/s");
        rounds.push((bare, bot));
        gets.push(get);
    }
    let what = "durable kv.put, 64 callers, against a bare loop of group commits";
    report.add(paired(what, "values/s", &rounds).goal(Goal::RatioAtLeast(0.6)));
    let figure = Figure::new(SECTION, "kv.get, one caller", "values/s", median(gets));
    report.add(figure.goal(Goal::AtLeast(50_000.0)));
    Ok(())
}

pub(crate) fn rate(client: &mut Client, server: &Server, tool: &str, input: &Value) -> Result<f64> {
    let body = json!({ "input": input }).to_string();
    body_of(client.send(&post(server, &format!("/v1/tools/{tool}"), &body))?)?["result"]
        .as_f64()
        .context(tool.to_owned())
}

fn parked(keeper: &Path, folder: &Path, report: &mut Report) -> Result<()> {
    let server = serve(keeper, &empty(folder, "parked")?)?;
    eprintln!("opening {SESSIONS} sessions");
    std::thread::scope(|scope| {
        let opening: Vec<_> = (0..32)
            .map(|part| {
                let server = &server;
                scope.spawn(move || -> Result<()> {
                    let mut client = Client::connect(server.address)?;
                    for _ in (part..SESSIONS).step_by(32) {
                        open(&mut client, server)?;
                    }
                    Ok(())
                })
            })
            .collect();
        opening.into_iter().try_for_each(|opener| opener.join().expect("an opener's end"))
    })?;
    let memory = proc::anonymous_memory(server.id())? as f64 / 1e6;
    report.add(
        Figure::new(SECTION, "anonymous memory with 10,000 parked sessions", "MB", memory).goal(Goal::AtMost(100.0)),
    );
    let mut client = Client::connect(server.address)?;
    let mut timed = |request: &dyn Fn() -> Vec<u8>| -> Result<f64> {
        let times: Result<Vec<f64>> = (0..50)
            .map(|_| {
                let begun = Instant::now();
                body_of(client.send(&request())?)?;
                Ok(begun.elapsed().as_secs_f64() * 1e3)
            })
            .collect();
        Ok(median(times?))
    };
    let list = timed(&|| get(&server, "/v1/sessions"))?;
    let open = timed(&|| post(&server, "/v1/session", "{}"))?;
    report.add(Figure::new(SECTION, "listing sessions among 10,000", "ms", list).goal(Goal::AtMost(20.0)));
    report.add(Figure::new(SECTION, "opening a session beside 10,000", "ms", open).goal(Goal::AtMost(20.0)));
    ensure!(server.interrupt()?.success(), "the server did not end well");
    let begun = Instant::now();
    let server = serve(keeper, &folder.join("parked"))?;
    let mut client = Client::connect(server.address)?;
    body_of(client.send(&get(&server, "/v1/sessions"))?)?;
    let again = begun.elapsed().as_secs_f64() * 1e3;
    report.add(Figure::new(SECTION, "start to the list of 10,000 sessions", "ms", again).goal(Goal::AtMost(1000.0)));
    Ok(())
}

/// After a `kill -9`, since that start looks through the whole database.
fn restart(keeper: &Path, folder: &Path, report: &mut Report) -> Result<()> {
    let state = empty(folder, "restart")?;
    let server = serve(keeper, &state)?;
    let mut client = Client::connect(server.address)?;
    let session = open(&mut client, &server)?;
    let detail = |client: &mut Client, server: &Server| -> Result<u64> {
        let answer = body_of(client.send(&get(server, &format!("/v1/session/{session}")))?)?;
        answer["events"].as_u64().context("a session tells how many events it has")
    };
    let bound = Exchange::Bound(Box::leak(session.clone().into_boxed_str()));
    let round = Effort { rounds: 1, warm_up: std::time::Duration::ZERO, lasting: std::time::Duration::from_secs(2) };
    while detail(&mut client, &server)? < EVENTS {
        load::load(&server, bound, CALLERS, round.warm_up, round.lasting)?;
    }
    let events = detail(&mut client, &server)?;
    drop(server); // killed
    let begun = Instant::now();
    let server = serve(keeper, &state)?;
    let mut client = Client::connect(server.address)?;
    ensure!(detail(&mut client, &server)? >= events, "events were lost");
    let again = begun.elapsed().as_secs_f64() * 1e3;
    eprintln!("  {events} events, {again:.0} ms");
    let what = "from a start after `kill -9` with 100,000 events to the first answer";
    report.add(Figure::new(SECTION, what, "ms", again).goal(Goal::AtMost(1000.0)));
    Ok(())
}

fn open(client: &mut Client, server: &Server) -> Result<String> {
    let answer = body_of(client.send(&post(server, "/v1/session", "{}"))?)?;
    Ok(answer["sessionId"].as_str().context("a session has an id")?.to_owned())
}

/// The body of an answer that is none of an error: other statuses do not get so far.
fn body_of(answer: &[u8]) -> Result<Value> {
    let at = answer.windows(4).position(|four| four == b"\r\n\r\n").context("an answer has a head")?;
    let body: Value = serde_json::from_slice(&answer[at + 4..])?;
    ensure!(body["isError"] != true, "the call failed: {body}");
    Ok(body)
}

fn post(server: &Server, path: &str, body: &str) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n", server.address);
    format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn get(server: &Server, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address).into_bytes()
}
