//! What building a bot takes of the processor: user and system seconds of cargo, rustc and the linker for the bot's own crate, with what it
//! depends on built before. The same functions without the attribute are the baseline.

use crate::bots::{Bots, Kind};
use crate::cargo::{Build, Cargo};
use crate::proc;
use crate::report::{Figure, Goal, Report, median};
use anyhow::{Context, Result};
use serde_json::Value;

const SECTION: &str = "build";

/// How many tools the measured bots have.
pub(crate) const COUNTS: [usize; 3] = [1, 100, 500];

pub(crate) fn measure(bots: &Bots, times: usize, report: &mut Report) -> Result<()> {
    whole_crate(bots, times, report)?;
    one_edit(bots, times, report)
}

/// The whole crate, not incremental.
fn whole_crate(bots: &Bots, times: usize, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    for (build, name) in [(Build::Check, "check"), (Build::Debug, "debug build"), (Build::Release, "release build")] {
        for count in COUNTS {
            // an optimised build takes long, and as long each time
            let times = if build == Build::Release && count > 1 { times.min(2) } else { times };
            let plain = rebuild(&cargo, bots, Kind::Plain(count), build, times)?;
            let tools = rebuild(&cargo, bots, Kind::Tools(count), build, times)?;
            let goal = match (build, count) {
                (Build::Check, 500) => Some(Goal::AtMost(3.0)),
                (Build::Debug, 500) => Some(Goal::AtMost(6.0)),
                (Build::Release, 500) => Some(Goal::RatioAtMost(1.5)),
                _ => None,
            };
            let what = format!("{name}, {count} tool{}, against plain functions", if count == 1 { "" } else { "s" });
            report.add(Figure { goal, ..Figure::new(SECTION, what, "s CPU", tools).baseline(plain) });
        }
    }
    let size =
        |kind: Kind| -> Result<f64> { Ok(proc::stripped_size(&cargo.binary(kind, Build::Release)?)? as f64 / 1e6) };
    let figure = Figure::new("size", "stripped release, 500 tools against 1", "MB", size(Kind::Tools(500))?);
    report.add(figure.baseline(size(Kind::Tools(1))?).goal(Goal::AtMostOver(2.5)));
    Ok(())
}

/// The median of building the crate again and again, with what it depends on built before.
fn rebuild(cargo: &Cargo<'_>, bots: &Bots, kind: Kind, build: Build, times: usize) -> Result<f64> {
    eprintln!("building {} ({build:?}), {times} times", kind.name());
    cargo.run(Kind::NoTools, build, &[])?; // the dependencies
    let mut seconds = Vec::new();
    for _ in 0..times {
        bots.touch(kind)?;
        seconds.push(cargo.run(kind, build, &[])?);
    }
    Ok(median(seconds))
}

/// One body edited, incremental.
fn one_edit(bots: &Bots, times: usize, report: &mut Report) -> Result<()> {
    let cargo = Cargo::incremental(bots);
    let edited = |kind: Kind, build: Build| edited(&cargo, bots, kind, build, times);
    let check = edited(Kind::Tools(500), Build::Check)?;
    let plain = edited(Kind::Plain(500), Build::Check)?;
    report.add(
        Figure::new(SECTION, "check after one edit, 500 tools, against plain functions", "s CPU", check)
            .baseline(plain)
            .goal(Goal::AtMost(1.2)),
    );
    let debug = edited(Kind::Tools(500), Build::Debug)?;
    let plain = edited(Kind::Plain(500), Build::Debug)?;
    report.add(
        Figure::new(SECTION, "debug build after one edit, 500 tools, against plain functions", "s CPU", debug)
            .baseline(plain),
    );
    let one = edited(Kind::Tools(1), Build::Debug)?;
    let none = edited(Kind::NoTools, Build::Debug)?;
    report.add(
        Figure::new(
            SECTION,
            "debug build after one edit, 1 tool, against a main that serves no tool (links the same)",
            "s CPU",
            one,
        )
        .baseline(none)
        .goal(Goal::RatioAtMost(1.2)),
    );
    let empty = edited(Kind::EmptyMain, Build::Debug)?;
    report.add(
        Figure::new(
            SECTION,
            "the same, against `fn main() {}` with the same dependencies (links none of them)",
            "s CPU",
            one,
        )
        .baseline(empty),
    );
    Ok(())
}

/// The median of building after an edit of one body; the first edit only fills the incremental state.
fn edited(cargo: &Cargo<'_>, bots: &Bots, kind: Kind, build: Build, times: usize) -> Result<f64> {
    eprintln!("editing {} ({build:?}), {times} times", kind.name());
    bots.edit(kind, 0)?;
    cargo.run(kind, build, &[])?;
    bots.edit(kind, 1)?;
    cargo.run(kind, build, &[])?;
    let mut seconds = Vec::new();
    for edit in 0..times {
        bots.edit(kind, 2 + u32::try_from(edit)?)?;
        seconds.push(cargo.run(kind, build, &[])?);
    }
    bots.edit(kind, 0)?;
    Ok(median(seconds))
}

/// A clean debug build of a bot with the default features, and what it spends its time on.
pub(crate) fn clean(bots: &Bots, report: &mut Report) -> Result<()> {
    eprintln!("a clean debug build");
    let cargo = Cargo::clean(bots)?;
    let bare = cargo.run(Kind::Bare, Build::Debug, &[])?;
    let cargo = Cargo::clean(bots)?;
    let bot = cargo.run(Kind::Small(1), Build::Debug, &["--timings"])?;
    report.add(Figure::new(SECTION, "a clean debug build, default features", "s CPU", bot).baseline(bare));
    let page = std::fs::read_to_string(cargo.target().join("cargo-timings/cargo-timing.html"))?;
    let less = Cargo::clean(bots)?;
    let http_only = less.run(Kind::HttpOnly, Build::Debug, &[])?;
    report.add(
        Figure::new(SECTION, "a clean debug build, tools and HTTP only, against default features", "s CPU", http_only)
            .baseline(bot)
            .goal(Goal::RatioAtMost(0.5)),
    );
    for (what, kind) in [("default features but MCP", Kind::WithoutMcp), ("tools, HTTP and MCP only", Kind::HttpAndMcp)]
    {
        let seconds = Cargo::clean(bots)?.run(kind, Build::Debug, &[])?;
        let what = format!("a clean debug build, {what}, against default features");
        report.add(Figure::new(SECTION, what, "s CPU", seconds).baseline(bot));
    }
    let mut units = units(&page)?;
    units.sort_by(|a, b| b.1.total_cmp(&a.1));
    let listed: Vec<String> = units.iter().take(8).map(|(name, seconds)| format!("{name} {seconds:.1} s")).collect();
    let all: f64 = units.iter().map(|(_, seconds)| seconds).sum();
    report.note(format!(
        "build: the longest of the {} units of that clean build ({all:.0} s in all, on the clock): {}.",
        units.len(),
        listed.join(", ")
    ));
    Ok(())
}

/// Name and seconds of each unit in the page that `cargo build --timings` writes.
fn units(page: &str) -> Result<Vec<(String, f64)>> {
    let data = page.split_once("const UNIT_DATA = ").context("no UNIT_DATA in cargo's timings")?.1;
    let mut values = serde_json::Deserializer::from_str(data).into_iter::<Value>();
    let units = values.next().context("no UNIT_DATA in cargo's timings")??;
    let units = units.as_array().context("UNIT_DATA is no list")?;
    Ok(units
        .iter()
        .map(|unit| {
            let name =
                format!("{}{}", unit["name"].as_str().unwrap_or("?"), unit["target"].as_str().unwrap_or_default());
            (name, unit["duration"].as_f64().unwrap_or_default())
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_units_of_a_timings_page_are_read() {
        let page = "<script>\nconst UNIT_DATA = [{\"name\": \"syn\", \"target\": \"\", \"duration\": 2.5}, {\"name\": \"serde\", \"target\": \" build script\", \"duration\": 0.5}];\nconst X = 1;";
        assert_eq!(units(page).unwrap(), [("syn".to_owned(), 2.5), ("serde build script".to_owned(), 0.5)]);
        assert!(units("<html>").is_err());
    }
}
