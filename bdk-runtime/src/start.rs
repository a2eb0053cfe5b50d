//! What `#[bdk::main]` and `#[bdk::test]` expand to.

#[cfg(target_has_atomic = "64")]
mod awake;

use crate::{bot::Identity, env_files};
use std::{
    future::Future,
    pin::{Pin, pin},
};

/// The first thing of a bot's `main`: the env files, before any thread starts, and the package's name and version.
///
/// `.env.local` wins over `.env`, and what the environment has already wins over both. A file that cannot be read or
/// parsed ends the process with exit code 1 and one line on stderr, unless the command line only asks what there is to say
/// (`--help`, `--version`, `completions`).
#[allow(clippy::print_stderr)]
pub fn begin(name: &'static str, version: &'static str) {
    Identity::set(name, version);
    // before `main` can print: stdout holds what was asked for and nothing else
    #[cfg(feature = "commands")]
    let only_tells = keep_stdout();
    #[cfg(not(feature = "commands"))]
    let only_tells = false;
    if let Err(fault) = env_files::load()
        && !only_tells
    {
        eprintln!("error: {fault}");
        std::process::exit(1);
    }
}

/// Keeps stdout for the answer of `call`, for what `trace` tells, and for the messages of `mcp serve`. Says whether the command
/// line only asks how the bot is used, which is for whoever reads it and needs nothing.
#[cfg(feature = "commands")]
fn keep_stdout() -> bool {
    let args = crate::cli::command_first(std::env::args_os().skip(1));
    let first = args.first().and_then(|arg| arg.to_str());
    let only_tells = args.iter().any(|arg| arg == "--help" || arg == "-h")
        || matches!(first, Some("--version" | "-V" | "help" | "completions"));
    match (first, args.get(1).and_then(|a| a.to_str())) {
        _ if only_tells => {}
        (Some("call" | "trace"), _) => drop(crate::cli::stdout::taken()),
        #[cfg(feature = "mcp")]
        (Some("mcp"), Some("serve")) => {
            #[cfg(feature = "connections")]
            if args.iter().any(|arg| arg.to_str().is_some_and(|arg| arg.starts_with("--connection"))) {
                // it has the bot's environment, and its folder is a session's, where a model may write
                env_files::ignore();
            }
            crate::mcp::stdio::Streams::taken();
        }
        _ => {}
    }
    only_tells
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
