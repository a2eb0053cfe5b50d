//! `bdk`: forwards commands to the bot in `--dir`, writes new bots, and rebuilds one while it is being written.
#![forbid(unsafe_code)]

mod build;
mod dev;
mod forward;
mod new;

use bdk::__private::CallArgs;
use clap::{Args, Parser, Subcommand};
use std::{ffi::OsString, path::PathBuf, process::ExitCode};

/// Write, build and run bots
#[derive(Debug, Parser)]
#[command(name = "bdk", version, arg_required_else_help = true, disable_help_subcommand = true, max_term_width = 100)]
#[command(
    after_help = "Every other command is the bot's own and goes to it, built when needed: serve, call, validate, info, \
    tools, mcp, sessions, trace, completions.\n`bdk COMMAND --help` tells what the bot takes. `bdk call TOOL --url URL` needs no bot at hand."
)]
struct Cli {
    /// The bot's folder; commands run in it, so that its .env is found [default: .]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Own,
}

#[derive(Debug, Subcommand)]
enum Own {
    /// Write a bot that builds, passes its own test and can be called at once
    New(new::NewArgs),
    /// Serve the bot, and build and start it again whenever its sources change
    Dev(dev::DevArgs),
    /// Call a tool of a running bot
    #[command(hide = true)]
    Call(FarArgs),
}

#[derive(Debug, Args)]
struct FarArgs {
    #[command(flatten)]
    call: CallArgs,
    /// As every command of a bot has it; here nothing is logged
    #[arg(long, value_name = "FORMAT", hide = true, value_parser = ["text", "json"])]
    log_format: Option<String>,
}

fn main() -> ExitCode {
    run().unwrap_or_else(|stop| {
        say(format_args!("error: {}", stop.message));
        ExitCode::from(stop.code)
    })
}

fn run() -> Result<ExitCode, Stop> {
    let args = forward::Args::split(std::env::args_os().skip(1))?;
    let word = args.rest.first().and_then(|a| a.to_str()).unwrap_or_default();
    let own = ["new", "dev", "help", "-h", "--help", "-V", "--version"].contains(&word)
        || (args.rest.is_empty() && args.dir.is_none());
    let far = args.dir.is_none() && word == "call" && args.has("--url");
    if !own && !far {
        return forward::run(args);
    }
    let rest: Vec<OsString> = if word == "help" { vec!["--help".into()] } else { args.rest };
    let cli = match Cli::try_parse_from(std::iter::once(OsString::from("bdk")).chain(rest)) {
        Ok(cli) => cli,
        Err(said) => {
            let _ = said.print();
            return Ok(ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(2)));
        }
    };
    match cli.command {
        Own::New(new) if args.dir.is_some() => {
            Err(Stop::usage(format!("`bdk new` takes no --dir: write `bdk new DIR/{}`", new.name.display())))
        }
        Own::New(new) => new::run(&new),
        Own::Dev(dev) => to_the_end(dev::run(&args.dir.unwrap_or_else(|| ".".into()), dev))?,
        Own::Call(far) => to_the_end(bdk::__private::call_running(far.call)),
    }
}

fn to_the_end<F: Future>(work: F) -> Result<F::Output, Stop> {
    let made = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = made.map_err(|e| Stop::failed(format!("the system gives no event queue: {e}")))?;
    let ended = runtime.block_on(work);
    // a build that still runs is not waited for
    runtime.shutdown_background();
    Ok(ended)
}

/// Why `bdk` itself ended early: one line on stderr, and an exit code.
#[derive(Debug)]
struct Stop {
    message: String,
    code: u8,
}

impl Stop {
    /// What was asked failed.
    fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }
    /// The command was used wrongly.
    fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

/// One line on stderr: stdout is the bot's.
fn say(text: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }
}
