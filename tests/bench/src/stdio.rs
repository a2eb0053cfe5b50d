//! Calls over stdin and stdout, one after the other: a bot's `mcp serve` against rmcp's own transport. The driver is a process of its own
//! (`bdk-bench __stdio …`), held to one core, and the server is its child, held to the other.

use crate::bots::{Bots, Kind};
use crate::cargo::Cargo;
use crate::exchange::{Asks, Era, INITIALIZE, INITIALIZED};
use crate::http;
use crate::proc::{self, LOAD_CORE};
use crate::rate::Effort;
use crate::report::{Figure, Goal, Report, median};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const SECTION: &str = "stdio";

/// What one run of the driver has shown.
struct Measured {
    /// Calls a second.
    rate: f64,
    /// Processor time of the server for one call, in microseconds.
    server_cpu: f64,
    /// From before the process is made to its first answer to a call, in milliseconds.
    start: f64,
}

pub(crate) fn measure(bots: &Bots, effort: Effort, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let rmcp = Subject::rmcp_over_stdio(&cargo)?;
    let bot = Subject::over_stdio(&cargo, Kind::Bench)?;
    let mut pairs = Vec::new();
    for round in 0..effort.rounds {
        let pair = if round % 2 == 0 {
            let first = run(&rmcp, effort)?;
            (first, run(&bot, effort)?)
        } else {
            let second = run(&bot, effort)?;
            (run(&rmcp, effort)?, second)
        };
        eprintln!("  {:>7.0} {:>7.0} calls/s", pair.0.rate, pair.1.rate);
        pairs.push(pair);
    }
    let mut add = |what: &str, unit, of: fn(&Measured) -> f64, goal: Option<Goal>| {
        let baseline = median(pairs.iter().map(|pair| of(&pair.0)));
        let ratio = median(pairs.iter().map(|pair| of(&pair.1) / of(&pair.0)));
        report.add(Figure { goal, ..Figure::new(SECTION, what, unit, baseline * ratio).baseline(baseline) });
    };
    let goal = Some(Goal::RatioAtLeast(1.0));
    add("calls a second, one after the other, against bare rmcp (aim: 1.4×)", "calls/s", |m| m.rate, goal);
    add("server CPU a call, against bare rmcp", "µs", |m| m.server_cpu, None);
    add("to the first answer to a call, against bare rmcp", "ms", |m| m.start, None);
    Ok(())
}

fn run(subject: &Subject, effort: Effort) -> Result<Measured> {
    eprintln!("calling {}", subject.name);
    let output = proc::pinned(std::env::current_exe()?, Some(LOAD_CORE))
        .arg("__stdio")
        .args([effort.warm_up.as_millis().to_string(), effort.lasting.as_millis().to_string()])
        .arg(subject.binary())
        .args(subject.arguments())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "the driver failed on {}", subject.name);
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| told[name].as_f64().with_context(|| format!("the driver told no {name}"));
    Ok(Measured { rate: number("rate")?, server_cpu: number("serverCpu")?, start: number("start")? })
}

/// The driver itself: its arguments are two times in milliseconds, and the server's program and arguments. Prints one line of JSON.
pub(crate) fn drive(arguments: &[String]) -> Result<Value> {
    let [warm_up, lasting, program, rest @ ..] = arguments else {
        anyhow::bail!("__stdio WARM-UP LASTING PROGRAM ARGUMENTS");
    };
    let (warm_up, lasting) = (Duration::from_millis(warm_up.parse()?), Duration::from_millis(lasting.parse()?));
    let begun = Instant::now();
    let mut command = proc::pinned(program, Some(proc::SERVER_CORE));
    let mut server = Server::start(command.args(rest))?;
    server.send(INITIALIZE)?;
    server.answer()?;
    server.send(INITIALIZED)?;
    let call = Asks::Small.message(Era::Session) + "\n";
    server.call(&call)?;
    let start = begun.elapsed();

    let until = Instant::now() + warm_up;
    while Instant::now() < until {
        server.call(&call)?;
    }
    let (from, cpu) = (Instant::now(), proc::cpu_of(server.child.id())?);
    let mut calls = 0;
    while from.elapsed() < lasting {
        server.call(&call)?;
        calls += 1;
    }
    let (taken, cpu) = (from.elapsed().as_secs_f64(), proc::cpu_of(server.child.id())? - cpu);
    let calls = f64::from(calls);
    ensure!(http::went_well(&server.answered()?), "the last call failed: {}", server.line);
    Ok(json!({ "rate": calls / taken, "serverCpu": cpu / calls * 1e6, "start": start.as_secs_f64() * 1e3 }))
}

/// A server behind two pipes. Killed when dropped.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Server {
    fn start(command: &mut Command) -> Result<Server> {
        command.env("RUST_LOG", "warn").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().context("no stdout")?);
        Ok(Server { child, stdin, stdout, line: String::new() })
    }

    fn send(&mut self, message: &str) -> Result<()> {
        Ok(self.stdin.write_all(format!("{message}\n").as_bytes())?)
    }

    /// One call, `line` being its message and a line break.
    fn call(&mut self, line: &str) -> Result<()> {
        self.stdin.write_all(line.as_bytes())?;
        self.answer()
    }

    /// Reads on until a line is a response.
    fn answer(&mut self) -> Result<()> {
        loop {
            self.line.clear();
            ensure!(self.stdout.read_line(&mut self.line)? > 0, "the server ended");
            // what the server says of its own accord names a method
            if !self.line.contains("\"method\":") {
                return Ok(());
            }
        }
    }

    fn answered(&self) -> Result<Value> {
        serde_json::from_str(&self.line).with_context(|| format!("not JSON: {}", self.line))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
