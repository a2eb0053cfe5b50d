//! A server that is measured: its binary, and how it is started.

use crate::bots::Kind;
use crate::cargo::{Build, Cargo};
use crate::proc::{self, SERVER_CORE, Server};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A built server.
pub(crate) struct Subject {
    /// What it is called in what is printed, and in the names of files.
    pub(crate) name: String,
    binary: PathBuf,
    arguments: Vec<String>,
}

impl Subject {
    /// Builds it at the profile at which rates and instructions are measured.
    pub(crate) fn fast(cargo: &Cargo<'_>, kind: Kind) -> Result<Subject> {
        let arguments: &[&str] = match kind {
            Kind::Bare => &[],
            _ => &["serve", "--port", "0", "--mode", "single", "--state", "memory:"],
        };
        Subject::with(cargo, kind, arguments, kind.name())
    }

    /// rmcp without sessions, with that many tools.
    pub(crate) fn rmcp(cargo: &Cargo<'_>, tools: usize) -> Result<Subject> {
        Subject::with(cargo, Kind::Rmcp, &["http", &tools.to_string()], format!("bare-rmcp-{tools}"))
    }

    /// rmcp with its own sessions.
    pub(crate) fn rmcp_with_sessions(cargo: &Cargo<'_>) -> Result<Subject> {
        Subject::with(cargo, Kind::Rmcp, &["sessions"], "bare-rmcp-sessions".into())
    }

    /// The same with Nagle's algorithm left on, as most servers have it: an answer is a stream of several writes.
    pub(crate) fn rmcp_with_nagle(cargo: &Cargo<'_>) -> Result<Subject> {
        Subject::with(cargo, Kind::Rmcp, &["nagle"], "bare-rmcp-nagle".into())
    }

    /// rmcp over stdin and stdout.
    pub(crate) fn rmcp_over_stdio(cargo: &Cargo<'_>) -> Result<Subject> {
        Subject::with(cargo, Kind::Rmcp, &["stdio"], "bare-rmcp-stdio".into())
    }

    /// A bot over stdin and stdout.
    pub(crate) fn over_stdio(cargo: &Cargo<'_>, kind: Kind) -> Result<Subject> {
        Subject::with(cargo, kind, &["mcp", "serve"], format!("{}-stdio", kind.name()))
    }

    /// A binary that is built already.
    pub(crate) fn of(binary: &Path, arguments: &[&str]) -> Subject {
        let arguments = arguments.iter().map(|a| (*a).to_owned()).collect();
        Subject { name: String::new(), binary: binary.to_owned(), arguments }
    }

    fn with(cargo: &Cargo<'_>, kind: Kind, arguments: &[&str], name: String) -> Result<Subject> {
        let binary = cargo.binary(kind, Build::Fast)?;
        Ok(Subject { name, binary, arguments: arguments.iter().map(|&argument| argument.to_owned()).collect() })
    }

    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// What starts it, on the servers' core.
    pub(crate) fn command(&self) -> Command {
        let mut command = proc::pinned(&self.binary, Some(SERVER_CORE));
        command.args(&self.arguments);
        command
    }

    pub(crate) fn start(&self) -> Result<Server> {
        Server::start(self.command())
    }
}
