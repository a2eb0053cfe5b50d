//! What a call of another server costs through a connection, beside rmcp's client alone with the same server and the same lifecycle: over one kept
//! connection with a pool, which rmcp's own default has not, and over stdio. And what connections that fail all the time cost the others.

use crate::bots::{Bots, Kind};
use crate::cargo::{Build, Cargo};
use crate::http::Client;
use crate::proc::{self, LOAD_CORE, Server};
use crate::rate::Effort;
use crate::report::{Figure, Goal, Report, median};
use crate::state;
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const SECTION: &str = "connections";

pub(crate) fn measure(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let caller = cargo.binary(Kind::Caller, Build::Fast)?;
    let client = cargo.binary(Kind::Client, Build::Fast)?;
    let servers = [
        ("over HTTP without sessions", Subject::rmcp(&cargo, 1)?),
        ("over HTTP in a session", Subject::rmcp_with_sessions(&cargo)?),
    ];
    for (how, subject) in &servers {
        for callers in [1, 16] {
            let mut rounds = Vec::new();
            for _ in 0..effort.rounds {
                let server = subject.start()?;
                let url = format!("http://{}/v1/mcp", server.address);
                let bare = bare(&client, &url, callers, effort)?;
                let bot = bot(&caller, "far", ("BENCH_URL", &url), callers, effort)?;
                rounds.push(told(how, callers, bare, bot));
            }
            add(how, callers, &rounds, report);
        }
    }
    let program = cargo.binary(Kind::Rmcp, Build::Fast)?.display().to_string();
    for callers in [1, 16] {
        let mut rounds = Vec::new();
        for _ in 0..effort.rounds {
            let bare = bare(&client, &program, callers, effort)?;
            let bot = bot(&caller, "near", ("BENCH_PROGRAM", &program), callers, effort)?;
            rounds.push(told("over stdio", callers, bare, bot));
        }
        add("over stdio", callers, &rounds, report);
    }
    unstalled(&Subject::rmcp_with_nagle(&cargo)?, &client, &caller, effort, report)?;
    flapping(&servers[0].1, &caller, effort, report)
}

/// That nothing waits for a delayed acknowledgement, which takes 44 ms a call where a server streams its answers and leaves Nagle's algorithm
/// on: rmcp's client with a pool does.
fn unstalled(server: &Subject, client: &Path, caller: &Path, effort: Effort, report: &mut Report) -> Result<()> {
    const CALLS: f64 = 100.0;
    let mut rounds = Vec::new();
    for _ in 0..effort.rounds {
        let server = server.start()?;
        let url = format!("http://{}/v1/mcp", server.address);
        let bare = bare(client, &url, 1, effort)?;
        let bot = bot(caller, "far", ("BENCH_URL", &url), 1, effort)?;
        rounds.push(told("over HTTP with Nagle's algorithm", 1, bare, bot));
    }
    let took = |rate: f64| CALLS / rate * 1e3;
    let what = "100 calls one after the other, streams, Nagle's algorithm left on, against rmcp's client with a pool";
    let figure = Figure::new(SECTION, what, "ms", median(rounds.iter().map(|(_, bot)| took(*bot))));
    report.add(figure.baseline(median(rounds.iter().map(|(bare, _)| took(*bare)))).goal(Goal::AtMost(50.0)));
    Ok(())
}

/// What ten connections that fail all the time cost forty others.
fn flapping(server: &Subject, caller: &Path, effort: Effort, report: &mut Report) -> Result<()> {
    let mut rounds = Vec::new();
    for _ in 0..effort.rounds {
        let server = server.start()?;
        let url = format!("http://{}/v1/mcp", server.address);
        // in this order, so that what drifts meanwhile falls on both
        let mut sums = [0.0; 2];
        for flap in [false, true, true, false] {
            sums[usize::from(flap)] += median_of_forty(caller, &url, flap, effort)?;
        }
        let [calm, flapping] = sums.map(|sum| sum / 2.0);
        eprintln!("  forty connections: median {calm:.0} µs | beside ten that flap {flapping:.0} µs");
        rounds.push((calm, flapping));
    }
    let ratio = median(rounds.iter().map(|(calm, flapping)| flapping / calm));
    let calm = median(rounds.iter().map(|(calm, _)| *calm));
    let what = "median of a call on 40 connections, beside 10 that flap, against the same without those";
    report.add(Figure::new(SECTION, what, "µs", ratio * calm).baseline(calm).goal(Goal::RatioAtMost(1.2)));
    Ok(())
}

fn median_of_forty(caller: &Path, url: &str, flap: bool, effort: Effort) -> Result<f64> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../peers/crashing.sh");
    let bot = start(caller, &[("BENCH_URL", url), ("BENCH_FLAPPING", script)])?;
    // those that flap are left alone and tried again meanwhile
    let lasting = effort.lasting.max(Duration::from_secs(8));
    let input = json!({ "flap": flap, "warm_up": effort.warm_up.as_millis(), "lasting": lasting.as_millis() });
    state::rate(&mut Client::connect(bot.address)?, &bot, "median_of_forty", &input)
}

fn told(how: &str, callers: u32, bare: f64, bot: f64) -> (f64, f64) {
    eprintln!("  {how}, {callers}: bare client {bare:.0} calls/s | host.mcp {bot:.0} calls/s");
    (bare, bot)
}

fn add(how: &str, callers: u32, rounds: &[(f64, f64)], report: &mut Report) {
    let ratio = median(rounds.iter().map(|(bare, bot)| bot / bare));
    let bare = median(rounds.iter().map(|(bare, _)| *bare));
    let what = format!("host.mcp.call_tool {how}, {callers} at once, against rmcp's client with a pool");
    report.add(Figure::new(SECTION, &what, "calls/s", ratio * bare).baseline(bare).goal(Goal::RatioAtLeast(0.95)));
}

/// The rate of rmcp's client alone.
fn bare(client: &Path, server: &str, callers: u32, effort: Effort) -> Result<f64> {
    let output = proc::pinned(client, Some(LOAD_CORE))
        .args([server, &callers.to_string()])
        .args([effort.warm_up.as_millis().to_string(), effort.lasting.as_millis().to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the bare client failed");
    serde_json::from_slice::<Value>(&output.stdout)?["rate"].as_f64().context("the client told no rate")
}

/// The rate of a bot's connection.
fn bot(caller: &Path, connection: &str, server: (&str, &str), callers: u32, effort: Effort) -> Result<f64> {
    let bot = start(caller, &[server])?;
    let input = json!({
        "connection": connection, "callers": callers,
        "warm_up": effort.warm_up.as_millis(), "lasting": effort.lasting.as_millis(),
    });
    state::rate(&mut Client::connect(bot.address)?, &bot, "calls", &input)
}

fn start(caller: &Path, environment: &[(&str, &str)]) -> Result<Server> {
    let mut command = proc::pinned(caller, Some(LOAD_CORE));
    command.args(["serve", "--port", "0", "--mode", "single", "--state", "memory:"]);
    command.envs(environment.iter().copied());
    Server::start(command)
}
