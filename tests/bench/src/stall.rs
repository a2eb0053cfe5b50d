//! That nothing waits for a delayed acknowledgement: calls one after the other on one kept connection, whose answer is one piece or a stream.
//! An answer in two writes on a socket with Nagle's algorithm takes 44 ms; a hundred of them would take seconds.

use crate::bots::{Bots, Kind};
use crate::cargo::Cargo;
use crate::exchange::{Asks, Era, Exchange};
use crate::http::{self, Client};
use crate::proc::Server;
use crate::report::{Figure, Goal, Report, median};
use crate::subject::Subject;
use anyhow::{Result, ensure};
use std::time::Instant;

const SECTION: &str = "stall";
const CALLS: usize = 100;

pub(crate) fn measure(bots: &Bots, times: usize, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let rmcp = Subject::rmcp(&cargo, 1)?.start()?;
    let rmcp_with_sessions = Subject::rmcp_with_sessions(&cargo)?.start()?;
    let bot = Subject::fast(&cargo, Kind::Bench)?.start()?;
    for (asks, name) in [(Asks::Walk, "JSON"), (Asks::WalkHeard, "streams")] {
        for era in [Era::Sessionless, Era::Session, Era::Stateless] {
            let exchange = Exchange::Mcp(era, asks);
            let rmcp = if era == Era::Session { &rmcp_with_sessions } else { &rmcp };
            let (mut baseline, mut ours) = (Vec::new(), Vec::new());
            for _ in 0..times {
                baseline.push(calls(rmcp, exchange)?);
                ours.push(calls(&bot, exchange)?);
            }
            let what = format!("{CALLS} calls one after the other, {name}, {}, against bare rmcp", era.name());
            let figure = Figure::new(SECTION, what, "ms", median(ours)).baseline(median(baseline));
            report.add(figure.goal(Goal::AtMost(50.0)));
        }
    }
    Ok(())
}

/// Milliseconds of the calls together, on a connection of their own.
fn calls(server: &Server, exchange: Exchange) -> Result<f64> {
    let requests = exchange.requests(server.address, 1)?;
    let mut client = Client::connect(server.address)?;
    let mut last = Vec::new();
    let begun = Instant::now();
    for _ in 0..CALLS {
        last.clear();
        last.extend_from_slice(client.send(&requests[0])?);
    }
    let taken = begun.elapsed();
    http::ensure_success(&last)?;
    if matches!(exchange, Exchange::Mcp(_, Asks::WalkHeard)) {
        let said = http::messages(&last)?.len();
        ensure!(said == 4, "the answer's stream has {said} messages, not three of progress and the response");
    }
    Ok(taken.as_secs_f64() * 1e3)
}
