//! User instructions for one call, counted by callgrind: (I(600) − I(100)) / 500, with the calls one after the other on one connection. Start,
//! end and what is made on the first call fall out of the difference. The count is the same from run to run to within a few in a thousand,
//! whatever else the machine does.

use crate::bots::{Bots, Kind};
use crate::cargo::Cargo;
use crate::exchange::{Asks, Era, Exchange};
use crate::http::{self, Client, Payload};
use crate::proc::Server;
use crate::report::{Figure, Goal, Report};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

const SECTION: &str = "instructions";
const FEW: u32 = 100;
const MANY: u32 = 600;

/// Whether valgrind is there.
pub(crate) fn available() -> bool {
    Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

pub(crate) fn measure(bots: &Bots, largest: usize, report: &mut Report) -> Result<()> {
    if !available() {
        report.note("instructions: not measured, `valgrind` is not there (Debian: `apt-get install valgrind`).");
        return Ok(());
    }
    let cargo = Cargo::new(bots);
    let count = |subject: &Subject, exchange: Exchange| per_call(subject, exchange, bots.folder());
    let axum = Subject::fast(&cargo, Kind::Bare)?;
    let bench = Subject::fast(&cargo, Kind::Bench)?;
    let one = Subject::fast(&cargo, Kind::Small(1))?;
    let many = Subject::fast(&cargo, Kind::Small(largest))?;

    let small = Exchange::Direct(Payload::Small);
    let baseline = count(&axum, small)?;
    let with_one = count(&one, small)?;
    let with_many = count(&many, small)?;
    report.add(
        Figure::new(SECTION, "a call of small, 1 tool", "", with_one).baseline(baseline).goal(Goal::AtMost(40_000.0)),
    );
    report.add(
        Figure::new(SECTION, format!("a call of small, {largest} tools against 1"), "", with_many)
            .baseline(with_one)
            .goal(Goal::Within(0.02)),
    );
    let nested = Exchange::Direct(Payload::Nested50);
    report.add(
        Figure::new(SECTION, "a call of nested50, 4 tools", "", count(&bench, nested)?).baseline(count(&axum, nested)?),
    );

    let rmcp = Subject::rmcp(&cargo, 1)?;
    let rmcp_with_sessions = Subject::rmcp_with_sessions(&cargo)?;
    for era in [Era::Sessionless, Era::Stateless, Era::Session] {
        let call = Exchange::Mcp(era, Asks::Small);
        let rmcp = if era == Era::Session { &rmcp_with_sessions } else { &rmcp };
        let with_one = count(&one, call)?;
        let what = format!("an MCP call, {}, 1 tool, against bare rmcp", era.name());
        report.add(Figure::new(SECTION, what, "", with_one).baseline(count(rmcp, call)?).goal(Goal::AtMost(50_000.0)));
        if era != Era::Session {
            let what = format!("an MCP call, {}, {largest} tools against 1", era.name());
            let figure = Figure::new(SECTION, what, "", count(&many, call)?).baseline(with_one);
            report.add(figure.goal(Goal::Within(0.02)));
        }
    }
    for (asks, how) in
        [(Asks::Routed, "a parameter repeated as a header"), (Asks::SmallEncoded, "the tool's name in base64")]
    {
        let exchange = Exchange::Mcp(Era::Stateless, asks);
        let what = format!("an MCP call, 2026-07-28 with {how}, against bare rmcp");
        report.add(Figure::new(SECTION, what, "", count(&bench, exchange)?).baseline(count(&rmcp, exchange)?));
    }
    // a stream beside one piece, of the same tool
    for era in [Era::Sessionless, Era::Stateless] {
        let (whole, heard) = (Exchange::Mcp(era, Asks::Walk), Exchange::Mcp(era, Asks::WalkHeard));
        let what = format!("an MCP call that tells its progress three times, {}, against bare rmcp", era.name());
        report.add(Figure::new(SECTION, what, "", count(&bench, heard)?).baseline(count(&rmcp, heard)?));
        let what = format!("the same to a client that does not want to hear it, {}, against bare rmcp", era.name());
        report.add(Figure::new(SECTION, what, "", count(&bench, whole)?).baseline(count(&rmcp, whole)?));
    }
    let hundred = Subject::fast(&cargo, Kind::Small(100))?;
    let rmcp_hundred = Subject::rmcp(&cargo, 100)?;
    for (bot, rmcp, tools) in [(&one, &rmcp, "1 tool"), (&hundred, &rmcp_hundred, "100 tools")] {
        for era in [Era::Sessionless, Era::Stateless] {
            let list = Exchange::Mcp(era, Asks::List);
            let what = format!("an MCP listing of {tools}, {}, against bare rmcp", era.name());
            let goal = (tools == "1 tool").then_some(Goal::AtMost(50_000.0));
            report
                .add(Figure { goal, ..Figure::new(SECTION, what, "", count(bot, list)?).baseline(count(rmcp, list)?) });
        }
    }
    Ok(())
}

/// The instructions of one exchange.
pub(crate) fn per_call(subject: &Subject, exchange: Exchange, folder: &Path) -> Result<f64> {
    eprintln!("counting instructions: {} of {}", exchange.name(), subject.name);
    let few = instructions(subject, exchange, FEW, folder)?;
    let many = instructions(subject, exchange, MANY, folder)?;
    Ok((many as f64 - few as f64) / f64::from(MANY - FEW))
}

/// The instructions of a server's whole life with that many calls.
fn instructions(subject: &Subject, exchange: Exchange, calls: u32, folder: &Path) -> Result<u64> {
    let out = folder.join(format!("callgrind.{}.{}.{calls}", subject.name, exchange.name()));
    // valgrind runs one thread at a time; one worker keeps the runtime from handing work around
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    command.arg(subject.binary()).args(subject.arguments());
    command.env("TOKIO_WORKER_THREADS", "1").stderr(Stdio::null());
    let server = Server::start(command)?;
    let request = exchange.requests(server.address, 1)?.pop().context("no request")?;
    let mut client = Client::connect(server.address)?;
    for _ in 0..calls {
        http::ensure_success(client.send(&request)?)?;
    }
    drop(client);
    server.interrupt()?;
    let profile = std::fs::read_to_string(&out).with_context(|| out.display().to_string())?;
    let total =
        profile.lines().rev().find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")));
    let total = total.context("callgrind told no total")?.trim().parse()?;
    ensure!(total > 0, "callgrind counted nothing");
    Ok(total)
}
