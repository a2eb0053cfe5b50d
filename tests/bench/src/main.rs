//! `cargo run --release -p bdk-bench`: what a bot costs beside a bare axum handler that does the same, and beside rmcp alone over MCP, measured
//! in one go and printed as one Markdown table. The measured crates are written and built below target/bench-build.
//!
//! ```text
//! cargo run --release -p bdk-bench -- [--quick] [--json FILE] [SECTION…]
//! ```
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that reports: the table on stdout, what it is at on stderr"
)]

mod bots;
mod callgrind;
mod cargo;
mod compile;
mod connections;
mod exchange;
mod http;
mod load;
mod mcp;
mod memory;
mod proc;
mod rate;
mod report;
mod size;
mod stall;
mod start;
mod state;
mod stdio;
mod subject;

use anyhow::{Context, Result, bail};
use bots::{Bots, Kind};
use rate::Effort;
use report::Report;
use std::time::{Duration, Instant};

/// What can be measured, in the table's order.
const SECTIONS: [(&str, &str); 13] = [
    ("noise", "bare axum against itself: how far from 1 a ratio gets by chance"),
    ("rate", "calls a second, p99 and server CPU at 1, 16 and 64 connections"),
    ("mcp", "the same over MCP at 16 and 64 connections, beside bare axum and bare rmcp"),
    ("stall", "100 MCP calls one after the other, in one piece and as streams"),
    ("stdio", "MCP calls over stdin and stdout, beside bare rmcp"),
    ("memory", "what idle MCP sessions hold, and whether it comes back"),
    ("state", "calls in a session and values, beside a bare loop of group commits; parked sessions; a restart"),
    ("connections", "calls of other servers, beside rmcp's client alone"),
    ("instructions", "user instructions a call, by callgrind"),
    ("start", "start to first answer, `call` on the command line, idle memory"),
    ("size", "stripped binaries, and what each crate weighs in them"),
    ("build", "CPU of building a bot's own crate with 1, 100 and 500 tools"),
    ("clean", "CPU of a clean debug build, and what it goes to"),
];

struct Options {
    quick: bool,
    json: Option<String>,
    sections: Vec<String>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "__load") {
        println!("{}", load::generate(&arguments[1..])?);
        return Ok(());
    }
    if arguments.first().is_some_and(|first| first == "__stdio") {
        println!("{}", stdio::drive(&arguments[1..])?);
        return Ok(());
    }
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!(
            "cargo run --release -p bdk-bench -- [--quick] [--json FILE] [SECTION…]\n\nSections (all, when none is named):"
        );
        for (name, what) in SECTIONS {
            println!("  {name:<14}{what}");
        }
        return Ok(());
    }
    run(&options(arguments)?)
}

fn options(arguments: Vec<String>) -> Result<Options> {
    let mut options = Options { quick: false, json: None, sections: Vec::new() };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--json" => options.json = Some(arguments.next().context("--json takes a file")?),
            name if SECTIONS.iter().any(|(section, _)| *section == name) => options.sections.push(argument),
            other => bail!("no section or option \"{other}\"; see --help"),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<()> {
    let begun = Instant::now();
    let quick = options.quick;
    let largest = if quick { 200 } else { 1000 };
    let mut kinds = vec![
        Kind::Bare,
        Kind::Rmcp,
        Kind::Bench,
        Kind::Counting,
        Kind::Keeper,
        Kind::Commits,
        Kind::Caller,
        Kind::Client,
        Kind::Small(1),
        Kind::Small(100),
        Kind::Small(200),
        Kind::Small(1000),
        Kind::HttpOnly,
        Kind::HttpAndMcp,
        Kind::WithoutMcp,
        Kind::NoTools,
        Kind::EmptyMain,
    ];
    kinds.extend(compile::COUNTS.into_iter().flat_map(|count| [Kind::Tools(count), Kind::Plain(count)]));
    let bots = Bots::write(&kinds)?;

    let milliseconds = Duration::from_millis;
    let effort = if quick {
        Effort { rounds: 3, warm_up: milliseconds(200), lasting: milliseconds(600) }
    } else {
        Effort { rounds: 7, warm_up: milliseconds(500), lasting: milliseconds(2000) }
    };
    let mut report = Report::default();
    if !proc::can_pin() {
        report.note("rate: server and load generator share their cores here (one core, or no `taskset`).");
    }
    for (section, _) in SECTIONS {
        if !options.sections.is_empty() && !options.sections.iter().any(|named| named == section) {
            continue;
        }
        eprintln!("== {section} (at {} s)", begun.elapsed().as_secs());
        match section {
            "noise" => rate::noise(&bots, effort, &mut report)?,
            "rate" => rate::measure(&bots, effort, &mut report)?,
            "mcp" => mcp::measure(&bots, effort, &mut report)?,
            "stall" => stall::measure(&bots, if quick { 3 } else { 9 }, &mut report)?,
            "stdio" => stdio::measure(&bots, effort, &mut report)?,
            "state" => state::measure(&bots, effort, &mut report)?,
            "connections" => connections::measure(&bots, effort, &mut report)?,
            "memory" => memory::measure(&bots, &mut report)?,
            "instructions" => callgrind::measure(&bots, largest, &mut report)?,
            "start" => start::measure(&bots, if quick { 5 } else { 20 }, &mut report)?,
            "size" => size::measure(&bots, &mut report)?,
            "build" => compile::measure(&bots, if quick { 1 } else { 3 }, &mut report)?,
            _ => compile::clean(&bots, &mut report)?,
        }
    }
    println!("{}", report.markdown());
    if let Some(file) = &options.json {
        std::fs::write(file, format!("{:#}\n", report.json())).with_context(|| file.clone())?;
    }
    Ok(())
}
