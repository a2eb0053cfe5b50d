//! Calls a second and latency, bot against bare handler: both servers run at once, and the load goes to one and the other in turn, so that a
//! drift of the machine meets both.

use crate::bots::{Bots, Kind};
use crate::callgrind;
use crate::cargo::Cargo;
use crate::exchange::Exchange;
use crate::http::Payload;
use crate::load::{self, Measured};
use crate::proc::Server;
use crate::report::{Figure, Goal, Report, median};
use crate::subject::Subject;
use anyhow::Result;
use std::time::Duration;

const SECTION: &str = "rate";

/// How long and how often.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    pub(crate) warm_up: Duration,
    pub(crate) lasting: Duration,
}

pub(crate) fn measure(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let bare = Subject::fast(&cargo, Kind::Bare)?.start()?;
    let bot = Subject::fast(&cargo, Kind::Bench)?.start()?;
    let mut idlest: f64 = 1.0;
    for payload in Payload::ALL {
        for connections in [1, 16, 64] {
            let exchange = Exchange::Direct(payload);
            let rounds = alternate(&[(&bare, exchange), (&bot, exchange)], connections, effort)?;
            let what =
                format!("{}, {connections} connection{}", payload.name(), if connections == 1 { "" } else { "s" });
            let compare =
                |what, unit, of: fn(&Measured) -> f64, goal| compare(SECTION, what, unit, &rounds, (0, 1), of, goal);
            let goal = (connections > 1).then_some(Goal::RatioAtLeast(0.85));
            report.add(compare(format!("calls a second, {what}"), "calls/s", |m| m.rate, goal));
            let goal = (connections == 16).then_some(Goal::RatioAtMost(1.2));
            report.add(compare(format!("p99, {what}"), "µs", |m| m.p99, goal));
            report.add(compare(format!("server CPU a call, {what}"), "µs", |m| m.server_cpu, None));
            if connections > 1 {
                idlest = idlest.min(least_busy(&rounds));
            }
        }
    }
    note_idle(SECTION, idlest, report);
    Ok(())
}

/// The bare handler against itself: how far from 1 a ratio gets by chance.
pub(crate) fn noise(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    const SECTION: &str = "noise";
    let subject = Subject::fast(&Cargo::new(bots), Kind::Bare)?;
    let (one, other) = (subject.start()?, subject.start()?);
    let exchange = Exchange::Direct(Payload::Small);
    for connections in [1, 16, 64] {
        let rounds = alternate(&[(&one, exchange), (&other, exchange)], connections, effort)?;
        let what = format!("bare axum against itself, {connections} connections");
        let compare = |what, unit, of: fn(&Measured) -> f64| compare(SECTION, what, unit, &rounds, (0, 1), of, None);
        report.add(compare(format!("calls a second, {what}"), "calls/s", |m| m.rate));
        report.add(compare(format!("p99, {what}"), "µs", |m| m.p99));
        report.add(compare(format!("server CPU a call, {what}"), "µs", |m| m.server_cpu));
    }
    if callgrind::available() {
        let count = || callgrind::per_call(&subject, exchange, bots.folder());
        let baseline = count()?;
        report.add(
            Figure::new(SECTION, "instructions a call, bare axum against itself", "", count()?).baseline(baseline),
        );
    }
    Ok(())
}

/// Loads the servers in turn, each round in the other direction than the one before.
pub(crate) fn alternate(
    servers: &[(&Server, Exchange)],
    connections: usize,
    effort: Effort,
) -> Result<Vec<Vec<Measured>>> {
    let last = servers.last().map(|(_, exchange)| exchange.name()).unwrap_or_default();
    eprintln!("loading: {last}, {connections} connections");
    let mut rounds = Vec::new();
    for round in 0..effort.rounds {
        let mut order: Vec<usize> = (0..servers.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        let mut measured = Vec::new();
        for index in order {
            let (server, exchange) = servers[index];
            measured.push((index, load::load(server, exchange, connections, effort.warm_up, effort.lasting)?));
        }
        measured.sort_by_key(|(index, _)| *index);
        let measured: Vec<Measured> = measured.into_iter().map(|(_, measured)| measured).collect();
        let shown: Vec<String> = measured
            .iter()
            .map(|m| {
                format!(
                    "{:>7.0} calls/s p50 {:>5.0} µs busy {:.2} (generator {:.2})",
                    m.rate, m.p50, m.server_busy, m.generator_busy
                )
            })
            .collect();
        eprintln!("  {}", shown.join(" | "));
        rounds.push(measured);
    }
    Ok(rounds)
}

/// The median of the rounds' ratios, told as the bot's figure beside the baseline's median; `pair` says which server of a round is the
/// baseline and which the bot.
pub(crate) fn compare(
    section: &'static str,
    what: String,
    unit: &'static str,
    rounds: &[Vec<Measured>],
    pair: (usize, usize),
    of: fn(&Measured) -> f64,
    goal: Option<Goal>,
) -> Figure {
    let baseline = median(rounds.iter().map(|round| of(&round[pair.0])));
    let ratio = median(rounds.iter().map(|round| of(&round[pair.1]) / of(&round[pair.0])));
    Figure { goal, ..Figure::new(section, what, unit, baseline * ratio).baseline(baseline) }
}

/// The smallest share of the time in which a server kept its core busy.
pub(crate) fn least_busy(rounds: &[Vec<Measured>]) -> f64 {
    rounds.iter().flatten().map(|m| m.server_busy).fold(1.0, f64::min)
}

/// Says so where something held a server back.
pub(crate) fn note_idle(section: &str, idlest: f64, report: &mut Report) {
    if idlest < 0.9 {
        report.note(format!(
            "{section}: a server's core was only {:.0} % busy in one of the runs at 16 and 64 connections, so the load generator or something else on the machine held it back there; the server's CPU a call is the surer figure.",
            idlest * 100.0
        ));
    }
}
