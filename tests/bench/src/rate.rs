//! Calls a second and latency, bot against bare handler: both servers run at once, and the load goes to one and the other in turn, so that a
//! drift of the machine meets both.

use crate::bots::{Bots, Kind};
use crate::callgrind;
use crate::cargo::{Build, Cargo};
use crate::http::Payload;
use crate::load::{self, Measured};
use crate::proc::{self, SERVER_CORE, Server};
use crate::report::{Figure, Goal, Report, median};
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const SECTION: &str = "rate";

/// How long and how often.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    pub(crate) warm_up: Duration,
    pub(crate) lasting: Duration,
}

/// The command that starts a server: the bare handler takes no arguments.
pub(crate) fn server_command(binary: &Path, kind: Kind) -> Command {
    let mut command = proc::pinned(binary, Some(SERVER_CORE));
    if kind != Kind::Bare {
        command.args(["serve", "--port", "0", "--mode", "single"]);
    }
    command
}

pub(crate) fn measure(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let bare = Server::start(server_command(&cargo.binary(Kind::Bare, Build::Fast)?, Kind::Bare))?;
    let bot = Server::start(server_command(&cargo.binary(Kind::Bench, Build::Fast)?, Kind::Bench))?;
    let mut slowest_generator: f64 = 1.0;
    for payload in Payload::ALL {
        for connections in [1, 16, 64] {
            let pairs = alternate([&bare, &bot], payload, connections, effort)?;
            let what =
                format!("{}, {connections} connection{}", payload.name(), if connections == 1 { "" } else { "s" });
            let goal = (connections > 1).then_some(Goal::RatioAtLeast(0.85));
            report.add(compare(format!("calls a second, {what}"), "calls/s", &pairs, |m| m.rate, goal));
            let goal = (connections == 16).then_some(Goal::RatioAtMost(1.2));
            report.add(compare(format!("p99, {what}"), "µs", &pairs, |m| m.p99, goal));
            report.add(compare(format!("server CPU a call, {what}"), "µs", &pairs, |m| m.server_cpu, None));
            if connections > 1 {
                slowest_generator = pairs.iter().flatten().map(|m| m.server_busy).fold(slowest_generator, f64::min);
            }
        }
    }
    if slowest_generator < 0.9 {
        report.note(format!(
            "rate: a server's core was only {:.0} % busy in one of the runs at 16 and 64 connections, so the load generator or something else on the machine held it back there; the server's CPU a call is the surer figure.",
            slowest_generator * 100.0
        ));
    }
    Ok(())
}

/// The bare handler against itself: how far from 1 a ratio gets by chance.
pub(crate) fn noise(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let binary = Cargo::new(bots).binary(Kind::Bare, Build::Fast)?;
    let one = Server::start(server_command(&binary, Kind::Bare))?;
    let other = Server::start(server_command(&binary, Kind::Bare))?;
    for connections in [1, 16, 64] {
        let pairs = alternate([&one, &other], Payload::Small, connections, effort)?;
        let what = format!("bare axum against itself, {connections} connections");
        report.add(Figure {
            section: "noise",
            ..compare(format!("calls a second, {what}"), "calls/s", &pairs, |m| m.rate, None)
        });
        report.add(Figure { section: "noise", ..compare(format!("p99, {what}"), "µs", &pairs, |m| m.p99, None) });
        report.add(Figure {
            section: "noise",
            ..compare(format!("server CPU a call, {what}"), "µs", &pairs, |m| m.server_cpu, None)
        });
    }
    if callgrind::available() {
        let count = || callgrind::per_call(&binary, Kind::Bare, Payload::Small, bots.folder());
        let baseline = count()?;
        report.add(
            Figure::new("noise", "instructions a call, bare axum against itself", "", count()?).baseline(baseline),
        );
    }
    Ok(())
}

/// Loads the two servers in turn, the first of a round being the last of the one before.
fn alternate(
    servers: [&Server; 2],
    payload: Payload,
    connections: usize,
    effort: Effort,
) -> Result<Vec<[Measured; 2]>> {
    eprintln!("loading: {}, {connections} connections", payload.name());
    let run = |server: &Server| load::load(server, payload, connections, effort.warm_up, effort.lasting);
    let mut pairs = Vec::new();
    for round in 0..effort.rounds {
        let pair = if round % 2 == 0 {
            let first = run(servers[0])?;
            [first, run(servers[1])?]
        } else {
            let second = run(servers[1])?;
            [run(servers[0])?, second]
        };
        eprintln!(
            "  {:>7.0} {:>7.0} calls/s, p50 {:>5.0} {:>5.0} µs, server busy {:.2} {:.2}, generator busy {:.2} {:.2}",
            pair[0].rate,
            pair[1].rate,
            pair[0].p50,
            pair[1].p50,
            pair[0].server_busy,
            pair[1].server_busy,
            pair[0].generator_busy,
            pair[1].generator_busy
        );
        pairs.push(pair);
    }
    Ok(pairs)
}

/// The median of the rounds' ratios, told as the bot's figure beside the baseline's median.
fn compare(
    what: String,
    unit: &'static str,
    pairs: &[[Measured; 2]],
    of: impl Fn(&Measured) -> f64,
    goal: Option<Goal>,
) -> Figure {
    let baseline = median(pairs.iter().map(|pair| of(&pair[0])));
    let ratio = median(pairs.iter().map(|pair| of(&pair[1]) / of(&pair[0])));
    Figure { goal, ..Figure::new(SECTION, what, unit, baseline * ratio).baseline(baseline) }
}
