//! Calls a second over MCP: the same tool behind `/mcp`, behind rmcp alone, and behind a bare axum handler that knows nothing of MCP. All three
//! run at once and are loaded in turn.

use crate::bots::{Bots, Kind};
use crate::cargo::Cargo;
use crate::exchange::{Asks, Era, Exchange};
use crate::http::Payload;
use crate::rate::{self, Effort};
use crate::report::{Goal, Report};
use crate::subject::Subject;
use anyhow::Result;

const SECTION: &str = "mcp";

pub(crate) fn measure(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let axum = Subject::fast(&cargo, Kind::Bare)?.start()?;
    let rmcp = Subject::rmcp(&cargo, 1)?.start()?;
    let rmcp_with_sessions = Subject::rmcp_with_sessions(&cargo)?.start()?;
    let bot = Subject::fast(&cargo, Kind::Bench)?.start()?;
    let mut idlest: f64 = 1.0;
    for connections in [16, 64] {
        for era in [Era::Sessionless, Era::Stateless, Era::Session] {
            let exchange = Exchange::Mcp(era, Asks::Small);
            let rmcp = if era == Era::Session { &rmcp_with_sessions } else { &rmcp };
            let servers = [(&axum, Exchange::Direct(Payload::Small)), (rmcp, exchange), (&bot, exchange)];
            let rounds = rate::alternate(&servers, connections, effort)?;
            idlest = idlest.min(rate::least_busy(&rounds));
            // what sessions ask for has no counterpart in the bare handler: no goal there
            let beside_axum = (era != Era::Session).then_some(Goal::RatioAtLeast(0.75));
            let baselines = [(0, "bare axum", beside_axum), (1, "bare rmcp", Some(Goal::RatioAtLeast(0.95)))];
            for (baseline, name, goal) in baselines {
                let what = format!("{}, {connections} connections, against {name}", era.name());
                let pair = (baseline, 2);
                let calls = format!("calls a second, {what}");
                report.add(rate::compare(SECTION, calls, "calls/s", &rounds, pair, |m| m.rate, goal));
                let cpu = format!("server CPU a call, {what}");
                report.add(rate::compare(SECTION, cpu, "µs", &rounds, pair, |m| m.server_cpu, None));
            }
        }
        for (asks, how) in [
            (Asks::Routed, "2026-07-28 with a parameter repeated as a header"),
            (Asks::SmallEncoded, "2026-07-28 with the tool's name in base64"),
        ] {
            let exchange = Exchange::Mcp(Era::Stateless, asks);
            let rounds = rate::alternate(&[(&rmcp, exchange), (&bot, exchange)], connections, effort)?;
            idlest = idlest.min(rate::least_busy(&rounds));
            let what = format!("{how}, {connections} connections, against bare rmcp");
            let goal = Some(Goal::RatioAtLeast(0.95));
            let calls = format!("calls a second, {what}");
            report.add(rate::compare(SECTION, calls, "calls/s", &rounds, (0, 1), |m| m.rate, goal));
            let cpu = format!("server CPU a call, {what}");
            report.add(rate::compare(SECTION, cpu, "µs", &rounds, (0, 1), |m| m.server_cpu, None));
        }
    }
    rate::note_idle(SECTION, idlest, report);
    Ok(())
}
