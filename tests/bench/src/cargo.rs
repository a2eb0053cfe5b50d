//! Runs cargo in the workspace of measured crates, and tells what a build took of the processor.

use crate::bots::{Bots, Kind};
use crate::proc;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What cargo is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Build {
    Check,
    Debug,
    Release,
    /// As release, thin LTO and one codegen unit: what rates and instructions are measured at.
    Fast,
    /// As release, for size.
    Size,
}

impl Build {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Build::Check => &["check"],
            Build::Debug => &["build"],
            Build::Release => &["build", "--release"],
            Build::Fast => &["build", "--profile", "fast"],
            Build::Size => &["build", "--profile", "size"],
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Build::Check | Build::Debug => "debug",
            Build::Release => "release",
            Build::Fast => "fast",
            Build::Size => "size",
        }
    }
}

/// A way to run cargo: with incremental compilation or without, in a target folder of its own.
pub(crate) struct Cargo<'a> {
    bots: &'a Bots,
    target: PathBuf,
    incremental: bool,
}

impl<'a> Cargo<'a> {
    pub(crate) fn new(bots: &'a Bots) -> Cargo<'a> {
        Cargo { bots, target: bots.folder().join("target"), incremental: false }
    }

    pub(crate) fn incremental(bots: &'a Bots) -> Cargo<'a> {
        Cargo { incremental: true, ..Cargo::new(bots) }
    }

    /// In an empty target folder.
    pub(crate) fn clean(bots: &'a Bots) -> Result<Cargo<'a>> {
        let target = bots.folder().join("clean");
        if target.exists() {
            std::fs::remove_dir_all(&target)?;
        }
        Ok(Cargo { target, ..Cargo::new(bots) })
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Builds one crate with what it depends on, and gives the processor seconds (user and system) of cargo, rustc and the linker.
    pub(crate) fn run(&self, kind: Kind, build: Build, more: &[&str]) -> Result<f64> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(build.arguments()).args(["--quiet", "-p", &kind.name()]).args(more);
        command.arg("--target-dir").arg(&self.target).current_dir(self.bots.folder());
        command.env("CARGO_INCREMENTAL", if self.incremental { "1" } else { "0" });
        for name in ["CARGO_TARGET_DIR", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
            command.env_remove(name);
        }
        let before = proc::children_cpu()?;
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().context("cargo")?;
        ensure!(status.success(), "{command:?} failed");
        Ok(proc::children_cpu()? - before)
    }

    /// Builds a crate and gives its binary.
    pub(crate) fn binary(&self, kind: Kind, build: Build) -> Result<PathBuf> {
        eprintln!("building {} ({build:?})", kind.name());
        self.run(kind, build, &[])?;
        Ok(self.target.join(build.folder()).join(kind.name()))
    }
}
