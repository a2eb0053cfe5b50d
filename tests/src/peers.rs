//! MCP clients and tools that others made, as `tests/run` installs them, and how the tests run them.
//!
//! One that is missing fails the test that needs it: a test that is left out tells nothing.

use crate::Ran;
use serde::Deserialize;
use serde_json::Value;
use std::{
    ffi::OsString,
    io::Read,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long a peer may take for all that a test asks of it. Two cores that build and test beside it make node slow to start.
const LIMIT: Duration = Duration::from_secs(120);

/// The node that came with the packages.
const NODE: &str = "npm/node_modules/.bin/node";

/// What there is under `target/peers`.
#[track_caller]
fn installed(path: &str) -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project's folder");
    let path = project.join("target/peers").join(path);
    assert!(path.exists(), "{} is not there: `tests/run` installs what the tests talk to", path.display());
    path
}

/// A client library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// npm's `@modelcontextprotocol/sdk`: 2025-11-25 and older.
    SdkV1,
    /// npm's `@modelcontextprotocol/client`: also 2026-07-28.
    SdkV2,
    /// PyPI's `mcp`: also 2026-07-28.
    Mcp,
    /// PyPI's `fastmcp`: also 2026-07-28.
    FastMcp,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::SdkV1, Self::SdkV2, Self::Mcp, Self::FastMcp];

    /// Carries out a plan as `tests/peers/drive.mjs` describes it.
    ///
    /// # Panics
    /// When it is not installed, does not end in time, or tells nothing.
    #[track_caller]
    pub fn run(self, plan: &Value) -> Done {
        let ran = finish(self.command().arg(plan.to_string()), LIMIT);
        let line = ran.stdout.lines().last().unwrap_or_default();
        let done = serde_json::from_str(line).unwrap_or_else(|e| panic!("{self:?} told nothing: {e}\n{ran:?}"));
        Done { from: self, complaints: ran.stderr, ..done }
    }

    #[track_caller]
    fn command(self) -> Command {
        match self {
            Self::SdkV1 => script("v1.mjs"),
            Self::SdkV2 => script("v2.mjs"),
            Self::Mcp => python("mcp_client.py"),
            Self::FastMcp => python("fastmcp_client.py"),
        }
    }
}

/// What a client did and was told.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Done {
    #[serde(skip)]
    from: Client,
    /// What the client itself wrote to its standard error.
    #[serde(skip)]
    complaints: String,
    /// The version of the protocol that was agreed on.
    pub protocol: Option<String>,
    /// Why it could not connect, or broke off.
    failed: Option<Value>,
    /// What came of each step.
    pub steps: Vec<Step>,
    /// The questions that the client was asked.
    pub asked: Vec<Value>,
    /// The log messages that it got.
    pub logs: Vec<Value>,
    /// What a bot that it started wrote to its standard error.
    stderr: String,
}

impl Default for Done {
    fn default() -> Self {
        Self {
            from: Client::SdkV1,
            complaints: String::new(),
            protocol: None,
            failed: None,
            steps: Vec::new(),
            asked: Vec::new(),
            logs: Vec::new(),
            stderr: String::new(),
        }
    }
}

/// What came of a step: a result or an error.
#[derive(Debug, Deserialize, Default, Clone)]
#[serde(default)]
pub struct Step {
    /// The result as it came, `null` when there is none.
    pub result: Value,
    /// `{name, code, message, data}`, `null` when all is well.
    pub error: Value,
    /// The progress of it: `{progress, total, message}`.
    pub progress: Vec<Value>,
}

impl Done {
    /// Sees to it that the client connected and came through all of its plan.
    #[track_caller]
    pub fn came_through(&self) {
        assert!(self.failed.is_none(), "{self:#?}");
    }

    /// The step of this number.
    #[track_caller]
    pub fn step(&self, n: usize) -> &Step {
        self.steps.get(n).unwrap_or_else(|| panic!("no step {n}: {self:#?}"))
    }

    /// The step's result.
    #[track_caller]
    pub fn result(&self, n: usize) -> &Value {
        let step = self.step(n);
        assert!(step.error.is_null() && !step.result.is_null(), "step {n}: {self:#?}");
        &step.result
    }

    /// The text of the step's result, and whether it is an error result.
    #[track_caller]
    pub fn text(&self, n: usize) -> (&str, bool) {
        let result = self.result(n);
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("step {n} has no text: {self:#?}"));
        (text, result["isError"] == true)
    }
}

/// A program that an npm package brings, run by the node that came with them.
#[track_caller]
pub fn npm(program: &str) -> Command {
    let mut command = node();
    command.arg(installed(&format!("npm/node_modules/.bin/{program}")));
    command
}

/// One of the clients' scripts: it finds the packages above the folder that it is linked into.
#[track_caller]
fn script(name: &str) -> Command {
    let mut command = node();
    command.args(["--preserve-symlinks", "--preserve-symlinks-main"]).arg(installed(&format!("npm/scripts/{name}")));
    command
}

#[track_caller]
fn node() -> Command {
    let node = installed(NODE);
    let mut command = Command::new(&node);
    // what starts node by its name gets this one, too
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = node.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(dirs).expect("a PATH"));
    command
}

#[track_caller]
fn python(script: &str) -> Command {
    let mut command = Command::new(installed("python/bin/python"));
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("FASTMCP_CHECK_FOR_UPDATES", "off");
    command
}

/// Where the servers are that others made, before what is on the path already, for whoever starts them by their names.
///
/// # Panics
/// When they are not installed.
#[track_caller]
pub fn path_of_servers() -> OsString {
    let folders = [installed("python/bin"), installed("npm/node_modules/.bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path))).expect("a PATH")
}

/// A program that a PyPI package brings: for whoever starts it.
///
/// # Panics
/// When it is not installed.
#[track_caller]
pub fn pypi(program: &str) -> String {
    installed(&format!("python/bin/{program}")).to_str().expect("a path of plain text").to_owned()
}

/// Node, and an MCP server that an npm package brings: for whoever starts it.
///
/// # Panics
/// When it is not installed.
#[track_caller]
pub fn npm_server(package: &str) -> [String; 2] {
    let script = format!("npm/node_modules/@modelcontextprotocol/{package}/dist/index.js");
    [NODE, &script].map(|path| installed(path).to_str().expect("a path of plain text").to_owned())
}

/// Python with the packages of `tests/peers`, and a script of there: for whoever starts it.
///
/// # Panics
/// When it is not installed.
#[track_caller]
pub fn python_of(script: &str) -> (String, String) {
    let text = |path: PathBuf| path.to_str().expect("a path of plain text").to_owned();
    (text(installed("python/bin/python")), text(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script)))
}

/// Runs it to its end.
///
/// # Panics
/// When it takes longer; it is killed then, and so is all that it started.
#[track_caller]
pub fn finish(command: &mut Command, limit: Duration) -> Ran {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stdout = collect(child.stdout.take().expect("piped"));
    let stderr = collect(child.stderr.take().expect("piped"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break Some(status);
        }
        if start.elapsed() > limit {
            break None;
        }
        thread::sleep(Duration::from_millis(10));
    };
    // also what it left behind: that would keep the pipes open
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
    let _ = child.wait();
    let ran = Ran {
        code: status.and_then(|s| s.code()).unwrap_or(-1),
        stdout: stdout.join().expect("no panic"),
        stderr: stderr.join().expect("no panic"),
    };
    assert!(status.is_some(), "{command:?} did not end within {limit:?}: {ran:?}");
    ran
}

fn collect(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
