//! From the start of a process to its first answer, a call on the command line, and what an idle server holds of memory.

use crate::bots::{Bots, Kind};
use crate::cargo::{Build, Cargo};
use crate::http::{self, Client, Payload};
use crate::proc::{self, Server};
use crate::report::{Figure, Goal, Report, median};
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const SECTION: &str = "start";

pub(crate) fn measure(bots: &Bots, times: usize, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let bare = cargo.binary(Kind::Bare, Build::Release)?;
    let one = cargo.binary(Kind::Small(1), Build::Release)?;
    let many = cargo.binary(Kind::Small(200), Build::Release)?;

    eprintln!("starting servers, {times} times each");
    let mut milliseconds = [const { Vec::new() }; 3];
    for _ in 0..times {
        for (index, (binary, kind)) in
            [(&bare, Kind::Bare), (&one, Kind::Small(1)), (&many, Kind::Small(200))].into_iter().enumerate()
        {
            milliseconds[index].push(to_first_answer(binary, kind)?);
        }
    }
    let [bare_ms, one_ms, many_ms] = milliseconds.map(median);
    report.add(Figure::new(SECTION, "to the first answer, 1 tool", "ms", one_ms).baseline(bare_ms));
    report.add(
        Figure::new(SECTION, "to the first answer, 200 tools", "ms", many_ms)
            .baseline(bare_ms)
            .goal(Goal::AtMostOver(3.0)),
    );

    let calls: Result<Vec<f64>> = (0..times).map(|_| call(&one)).collect();
    report
        .add(Figure::new(SECTION, "`call` on the command line, 1 tool", "ms", median(calls?)).goal(Goal::AtMost(10.0)));
    let calls: Result<Vec<f64>> = (0..times).map(|_| call(&many)).collect();
    report.add(
        Figure::new(SECTION, "`call` on the command line, 200 tools", "ms", median(calls?)).goal(Goal::AtMost(10.0)),
    );

    let memory = |binary: &Path, kind: Kind| -> Result<f64> { Ok(idle_memory(binary, kind)? as f64 / 1e6) };
    let bare_memory = memory(&bare, Kind::Bare)?;
    let one_memory = memory(&one, Kind::Small(1))?;
    let many_memory = memory(&many, Kind::Small(200))?;
    report.add(
        Figure::new(SECTION, "idle anonymous memory, 1 tool", "MB", one_memory)
            .baseline(bare_memory)
            .goal(Goal::AtMost(4.0)),
    );
    report.add(
        Figure::new(SECTION, "idle anonymous memory, 200 tools", "MB", many_memory)
            .baseline(bare_memory)
            .goal(Goal::AtMost(4.0)),
    );
    Ok(())
}

fn command(binary: &Path, kind: Kind) -> Command {
    let mut command = Command::new(binary);
    if kind != Kind::Bare {
        command.args(["serve", "--port", "0", "--mode", "single", "--state", "memory:"]);
    }
    command
}

/// Milliseconds from before the process is made to the end of its first answer.
fn to_first_answer(binary: &Path, kind: Kind) -> Result<f64> {
    let begun = Instant::now();
    let server = Server::start(command(binary, kind))?;
    let mut client = Client::connect(server.address)?;
    let answer = client.send(&Payload::Small.request(server.address))?;
    let taken = begun.elapsed();
    http::ensure_success(answer)?;
    Ok(taken.as_secs_f64() * 1e3)
}

/// Milliseconds of a whole `call`.
fn call(binary: &Path) -> Result<f64> {
    let begun = Instant::now();
    let output = Command::new(binary)
        .args(["call", "small", "--input", Payload::Small.input()])
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    let taken = begun.elapsed();
    ensure!(output.status.success(), "`call` failed: {}", String::from_utf8_lossy(&output.stdout));
    Ok(taken.as_secs_f64() * 1e3)
}

/// Bytes that a server holds, a while after it answered one call.
fn idle_memory(binary: &Path, kind: Kind) -> Result<u64> {
    let server = Server::start(command(binary, kind))?;
    let mut client = Client::connect(server.address)?;
    http::ensure_success(client.send(&Payload::Small.request(server.address))?)?;
    drop(client);
    thread::sleep(Duration::from_millis(500));
    proc::anonymous_memory(server.id())
}
