//! What a bot's binary weighs, and which crates its code is from.

use crate::bots::{Bots, Kind};
use crate::cargo::{Build, Cargo};
use crate::proc;
use crate::report::{Figure, Goal, Report};
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

const SECTION: &str = "size";

pub(crate) fn measure(bots: &Bots, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    let size = |kind: Kind, build: Build| -> Result<f64> {
        Ok(proc::stripped_size(&cargo.binary(kind, build)?)? as f64 / 1e6)
    };
    for (build, name, limit) in
        [(Build::Release, "cargo's default release profile", 8.0), (Build::Size, "the size profile", 5.0)]
    {
        let bare = size(Kind::Bare, build)?;
        let rmcp = size(Kind::Rmcp, build)?;
        for (what, kind, goal) in [
            ("tools and HTTP only", Kind::HttpOnly, Some(Goal::AtMost(limit))),
            ("default features but MCP", Kind::WithoutMcp, None),
            ("default features", Kind::Small(1), None),
        ] {
            let figure = Figure::new(SECTION, format!("stripped, {what}, {name}"), "MB", size(kind, build)?);
            report.add(Figure { goal, ..figure.baseline(bare) });
        }
        let what = format!("stripped, tools, HTTP and MCP only, {name}, against bare rmcp");
        report.add(Figure::new(SECTION, what, "MB", size(Kind::HttpAndMcp, build)?).baseline(rmcp));
    }

    let weights = weights(&cargo.binary(Kind::Small(1), Build::Release)?)?;
    let listed: Vec<String> =
        weights.iter().take(14).map(|(name, bytes)| format!("{name} {} kB", bytes / 1000)).collect();
    let all: u64 = weights.iter().map(|(_, bytes)| bytes).sum();
    report.note(format!(
        "size: code and named data of a bot with 1 tool at the default release profile, {} kB in all, by the crate that a symbol names first (generic code counts for the crate that wrote it): {}.",
        all / 1000,
        listed.join(", ")
    ));
    Ok(())
}

/// Bytes by crate, largest first, from the symbols of a binary that has them.
fn weights(binary: &Path) -> Result<Vec<(String, u64)>> {
    let output = Command::new("nm")
        .args(["--print-size", "--demangle", "--radix=d"])
        .arg(binary)
        .output()
        .context("`nm` (Debian: binutils)")?;
    ensure!(output.status.success(), "nm failed on {}", binary.display());
    let mut by_crate: HashMap<&str, u64> = HashMap::new();
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        // address, size, kind, name
        let mut fields = line.splitn(4, ' ');
        let (Some(_), Some(size), Some(kind), Some(name)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        // what is zero at start takes no room in the file
        if let Ok(size) = size.parse::<u64>()
            && !kind.eq_ignore_ascii_case("b")
        {
            *by_crate.entry(crate_of(name)).or_default() += size;
        }
    }
    let mut weights: Vec<(String, u64)> = by_crate.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    weights.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(weights)
}

/// The crate that a demangled symbol names first: `<alloc::vec::Vec<T> as X>::f` is alloc's. `(other)` for one without a path, as C code has.
fn crate_of(symbol: &str) -> &str {
    let mut rest = symbol;
    while let Some(at) = rest.find("::") {
        let start = rest[..at].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |index| index + 1);
        let name = &rest[start..at];
        if name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && !name.starts_with("_$") {
            return name;
        }
        rest = &rest[at + 2..];
    }
    "(other)"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_belongs_to_the_crate_it_names_first() {
        assert_eq!(crate_of("serde_json::de::from_str"), "serde_json");
        assert_eq!(crate_of("<alloc::vec::Vec<T> as core::fmt::Debug>::fmt"), "alloc");
        assert_eq!(crate_of("core::ptr::drop_in_place::<hyper::Body>"), "core");
        assert_eq!(crate_of("<&mut serde_json::de::Deserializer<R>>::parse"), "serde_json");
        assert_eq!(crate_of("memcpy"), "(other)");
    }
}
