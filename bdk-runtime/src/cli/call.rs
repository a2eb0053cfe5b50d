//! `call`: one call in this process, answered as over HTTP.

use super::{args::CallArgs, ask, input, output, output::Stop, remote, signal::stop_asked};
use crate::{
    CallOptions,
    bot::Bot,
    call::{CallInput, UnknownTool},
};
use serde::Serialize;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

/// Calls a tool and prints the answer, the bot's own unless `--url` names another.
pub(super) async fn call(args: &CallArgs) -> Result<ExitCode, Stop> {
    match &args.url {
        Some(url) => remote::call(args, url).await,
        None => here(args).await,
    }
}

async fn here(args: &CallArgs) -> Result<ExitCode, Stop> {
    let input = input::read(&args.input)?;
    let input: CallInput<'_> =
        serde_json::from_str(input.get()).map_err(|e| Stop::usage(format!("--input is no JSON: {e}")))?;
    // what the bot prints is not the answer
    if let Err(error) = super::stdout::taken() {
        return Err(Stop::failed(format!("stdout cannot be kept for the answer: {error}")));
    }
    let bot = Bot::load()?;
    if let Some(agent) = args.agent.as_deref().filter(|agent| *agent != bot.slug()) {
        return Err(Stop::usage(format!("there is no agent `{agent}`: this bot has `{}`", bot.slug())));
    }
    let cancel = CancellationToken::new();
    let (line, mut heard) = ask::line().unzip();
    let at_a_terminal = line.is_some();
    let mut options = CallOptions { cancel: Some(cancel.clone()), line, ..CallOptions::new().dry_run(args.dry_run) };
    if let Some(as_of) = args.as_of {
        options = options.as_of(as_of);
    }
    let call = bot.call_with(&args.tool, input, options);
    tokio::pin!(call);
    let done = tokio::select! {
        done = &mut call => done,
        () = ask::attend(heard.as_mut()) => call.await,
        // the call is told, ends as cancelled, and is answered
        () = stop_asked() => {
            if at_a_terminal {
                // the answer does not go on behind a question and its `^C`
                output::note("");
            }
            cancel.cancel();
            call.await
        }
    };
    let (answer, fine) = match done {
        Ok(done) => {
            let json =
                done.to_json().map_err(|e| Stop::failed(format!("the outcome cannot be written as JSON: {e}")))?;
            (json, !done.is_error())
        }
        Err(unknown) => (refused(&unknown), false),
    };
    output::print([&answer, b"\n" as &[u8]].concat())?;
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The body of the refused request that the same call over HTTP would be.
fn refused(unknown: &UnknownTool) -> Vec<u8> {
    #[derive(Serialize)]
    struct Refused {
        ok: bool,
        error: &'static str,
        message: String,
    }
    // two strings and a bool always serialise
    serde_json::to_vec(&Refused { ok: false, error: "unknown_tool", message: unknown.to_string() }).unwrap_or_default()
}
