//! What `#[bdk::main]` and `#[bdk::test]` expand to.

#[cfg(target_has_atomic = "64")]
mod awake;

use crate::bot::Identity;
use std::{
    future::Future,
    path::Path,
    pin::{Pin, pin},
};

/// The first thing of a bot's `main`: the env files, before any thread starts, and the package's name and version.
///
/// `.env.local` wins over `.env`, and what the environment has already wins over both. A file that cannot be read or
/// parsed ends the process with exit code 1 and one line on stderr.
#[allow(clippy::print_stderr)]
pub fn begin(name: &'static str, version: &'static str) {
    Identity::set(name, version);
    // before `main` can print: stdout holds what was asked for and nothing else
    #[cfg(feature = "commands")]
    keep_stdout();
    for file in [".env.local", ".env"] {
        // a link that leads nowhere is there, and cannot be read
        if Path::new(file).symlink_metadata().is_err() {
            continue;
        }
        // the environment holds no NUL, and setting one panics
        if std::fs::read(file).is_ok_and(|text| text.contains(&0)) {
            eprintln!("error: {file}: holds a NUL byte");
            std::process::exit(1);
        }
        if let Err(error) = dotenvy::from_path(file) {
            eprintln!("error: {file}{}", env_fault(file, &error));
            std::process::exit(1);
        }
    }
}

/// Keeps stdout for the answer of `call`, for what `trace` tells, and for the messages of `mcp serve`; help is for whoever reads it.
#[cfg(feature = "commands")]
fn keep_stdout() {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let help = args.iter().any(|arg| arg == "--help" || arg == "-h");
    match (args.first().and_then(|a| a.to_str()), args.get(1).and_then(|a| a.to_str())) {
        _ if help => {}
        (Some("call" | "trace"), _) => drop(crate::cli::stdout::taken()),
        #[cfg(feature = "mcp")]
        (Some("mcp"), Some("serve")) => drop(crate::mcp::stdio::Streams::taken()),
        _ => {}
    }
}

/// What is wrong with an env file, without quoting the line: it may hold a secret.
fn env_fault(file: &str, error: &dotenvy::Error) -> String {
    match error {
        dotenvy::Error::Io(error) => format!(": cannot be read: {error}"),
        dotenvy::Error::LineParse(line, _) => {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            let at = text.lines().position(|l| l.trim() == line.trim()).map(|i| format!(":{}", i + 1));
            format!("{}: the line is not `NAME=value`", at.unwrap_or_default())
        }
        _ => ": cannot be read as lines of `NAME=value`".to_owned(),
    }
}

/// Runs a bot's `main` on a multi-thread Tokio runtime.
///
/// When `main` has returned the process ends: a blocking tool that outlived its deadline is not waited for.
///
/// # Panics
/// When the system gives no thread or no event queue.
pub fn block_on<F: Future>(main: F) -> F::Output {
    // the runtime drives a future without a type, so that its own code is compiled here and not in every bot
    let mut output = None;
    drive(pin!(async { output = Some(main.await) }));
    match output {
        Some(output) => output,
        None => unreachable!("a future that was driven to its end has given its output"),
    }
}

#[inline(never)]
#[allow(clippy::expect_used)]
fn drive(main: Pin<&mut dyn Future<Output = ()>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("the system gives a bot its threads and an event queue");
    #[cfg(target_has_atomic = "64")]
    let _awake = awake::Awake::keep(runtime.handle().clone());
    runtime.block_on(main);
    runtime.shutdown_background();
}

/// The bot's command line, which this build leaves out: says so, and fails.
#[cfg(not(feature = "commands"))]
#[allow(clippy::print_stderr)]
pub async fn serve() -> std::process::ExitCode {
    let name = Identity::get().name;
    eprintln!(
        "error: `{name}` is built without bdk's feature `commands`, which `bdk::serve` needs: add it in Cargo.toml"
    );
    std::process::ExitCode::FAILURE
}
