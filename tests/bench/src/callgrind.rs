//! User instructions for one call, counted by callgrind: (I(600) − I(100)) / 500, with the calls one after the other on one connection. Start,
//! end and what is made on the first call fall out of the difference. The count is the same from run to run to within a few in a thousand,
//! whatever else the machine does.

use crate::bots::{Bots, Kind};
use crate::cargo::{Build, Cargo};
use crate::http::{self, Client, Payload};
use crate::proc::Server;
use crate::rate::server_command;
use crate::report::{Figure, Goal, Report};
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
    let folder = bots.folder();
    let bare = cargo.binary(Kind::Bare, Build::Fast)?;
    let bench = cargo.binary(Kind::Bench, Build::Fast)?;
    let one = cargo.binary(Kind::Small(1), Build::Fast)?;
    let many = cargo.binary(Kind::Small(largest), Build::Fast)?;

    let baseline = per_call(&bare, Kind::Bare, Payload::Small, folder)?;
    let with_one = per_call(&one, Kind::Small(1), Payload::Small, folder)?;
    let with_many = per_call(&many, Kind::Small(largest), Payload::Small, folder)?;
    report.add(
        Figure::new(SECTION, "a call of small, 1 tool", "", with_one).baseline(baseline).goal(Goal::AtMost(40_000.0)),
    );
    report.add(
        Figure::new(SECTION, format!("a call of small, {largest} tools against 1"), "", with_many)
            .baseline(with_one)
            .goal(Goal::Within(0.02)),
    );
    let baseline = per_call(&bare, Kind::Bare, Payload::Nested50, folder)?;
    let nested = per_call(&bench, Kind::Bench, Payload::Nested50, folder)?;
    report.add(Figure::new(SECTION, "a call of nested50, 2 tools", "", nested).baseline(baseline));
    Ok(())
}

pub(crate) fn per_call(binary: &Path, kind: Kind, payload: Payload, folder: &Path) -> Result<f64> {
    eprintln!("counting instructions: {} of {}", payload.name(), kind.name());
    let few = instructions(binary, kind, payload, FEW, folder)?;
    let many = instructions(binary, kind, payload, MANY, folder)?;
    Ok((many as f64 - few as f64) / f64::from(MANY - FEW))
}

/// The instructions of a server's whole life with that many calls.
fn instructions(binary: &Path, kind: Kind, payload: Payload, calls: u32, folder: &Path) -> Result<u64> {
    let out = folder.join(format!("callgrind.{}.{}.{calls}", kind.name(), payload.name()));
    let plain = server_command(binary, kind);
    // valgrind runs one thread at a time; one worker keeps the runtime from handing work around
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    command.arg(binary).args(plain.get_args().skip_while(|argument| *argument != "serve"));
    command.env("TOKIO_WORKER_THREADS", "1").stderr(Stdio::null());
    let server = Server::start(command)?;
    let request = payload.request(server.address);
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
