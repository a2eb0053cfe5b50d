//! `call`: one call in this process, answered as over HTTP.

use super::{args::CallArgs, ask, input, output, output::Stop, refused, remote, signal::stop_asked, state};
use crate::{
    CallOptions,
    bot::Bot,
    call::{CallInput, Done, UnknownTool},
};
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
    let at = state::of_call(args)?;
    let bot = Bot::load()?;
    if let Some(agent) = args.agent.as_deref().filter(|agent| *agent != bot.slug()) {
        return Err(Stop::usage(format!("there is no agent `{agent}`: this bot has `{}`", bot.slug())));
    }
    if let Some(at) = &at {
        bot.keep_state(at).await?;
    }
    let ended = call_bound(&bot, args, input).await;
    bot.close_state().await;
    let (answer, fine) = match ended? {
        Ended::Done(done) => {
            let json =
                done.to_json().map_err(|e| Stop::failed(format!("the outcome cannot be written as JSON: {e}")))?;
            (json, !done.is_error())
        }
        Ended::Refused(answer) => (answer, false),
    };
    output::print([&answer, b"\n" as &[u8]].concat())?;
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

enum Ended {
    Done(Box<Done>),
    /// With the body that the refused request over HTTP would be answered with.
    Refused(Vec<u8>),
}

async fn call_bound(bot: &Bot, args: &CallArgs, input: CallInput<'_>) -> Result<Ended, Stop> {
    let unknown = |unknown: &UnknownTool| {
        let code = if unknown.is_locked { "internal" } else { "unknown_tool" };
        Ended::Refused(refused::body(code, &unknown.to_string()))
    };
    let found = tokio::select! {
        found = bot.find_or_connect(&args.tool) => found,
        () = stop_asked() => return Err(Stop::failed("the call was ended by a signal before its tool was found")),
    };
    if found.is_none() {
        return Ok(unknown(&UnknownTool::new(bot, &args.tool)));
    }
    let cancel = CancellationToken::new();
    let (line, mut heard) = ask::line().unzip();
    let at_a_terminal = line.is_some();
    let mut options = CallOptions { cancel: Some(cancel.clone()), line, ..CallOptions::new().dry_run(args.dry_run) };
    if let Some(as_of) = args.as_of {
        options = options.as_of(as_of);
    }
    if let Some(id) = &args.session {
        options = options.session(id);
    }
    if let Some(token) = &args.continuation {
        options = options.continuation(token);
    }
    if let Some(key) = &args.idempotency_key {
        options = options.idempotency_key(key.as_str());
    }
    let options = match bot.bind(options).await {
        Ok(options) => options,
        Err(unbound) => return refused::unbound(unbound).map(Ended::Refused),
    };
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
    Ok(done.map_or_else(|e| unknown(&e), |done| Ended::Done(Box::new(done))))
}
