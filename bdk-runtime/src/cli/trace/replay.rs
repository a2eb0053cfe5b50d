//! `trace --replay`: a session's calls, made again against this bot.

use super::{
    judge::{Now, gone, judge, skipped, unplayable},
    recorded::{Call, Trace},
    verdict::{Replayed, Verdict},
};
use crate::cli::{
    output::{self, Stop},
    shown,
    signal::stop_asked,
};
use crate::{
    CallOptions, Error,
    bot::Bot,
    call::{CallInput, UnknownTool},
};
use serde_json::json;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

/// Makes the calls again and tells what came of them.
pub(super) async fn run(trace: &Trace, as_json: bool) -> Result<ExitCode, Stop> {
    let bot = Bot::load()?;
    if trace.facts.agent != bot.slug() {
        let theirs = shown::line(&trace.facts.agent);
        output::warning(format_args!(
            "{} is a session of the agent `{theirs}`; this bot is `{}`",
            trace.id,
            bot.slug()
        ));
    }
    let cancel = CancellationToken::new();
    let width = shown::width();
    let mut done = Vec::new();
    let interrupted = {
        let again = again(&bot, trace, &cancel, |replayed| {
            if !as_json {
                output::print_styled(&replayed.text(width))?;
            }
            done.push(replayed);
            Ok(())
        });
        let mut again = std::pin::pin!(again);
        tokio::select! {
            ended = &mut again => { ended?; false }
            // the call that runs is told, and ends as cancelled
            () = stop_asked() => { cancel.cancel(); again.await?; true }
        }
    };
    // the processes of connections do not outlive the command
    bot.close_state().await;
    tell(trace, &done, as_json)?;
    if interrupted {
        return Err(Stop::failed("the replay was interrupted"));
    }
    let changed = done.iter().any(|replayed| replayed.verdict == Verdict::Changed);
    Ok(if changed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The calls one after the other, in the order in which they began; each is told when it has ended. A call that another
/// one's tool made is made again by that one.
pub(super) async fn again(
    bot: &Bot,
    trace: &Trace,
    cancel: &CancellationToken,
    mut tell: impl FnMut(Replayed) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let state = bot.state();
    state.sessions.open_again(&trace.id, trace.opened, &trace.facts).await.map_err(Error::from)?;
    for call in trace.calls().filter(|call| call.depth == 0) {
        let replayed = one(bot, &trace.id, call, cancel).await?;
        if cancel.is_cancelled() {
            return Ok(());
        }
        tell(replayed)?;
    }
    Ok(())
}

async fn one(bot: &Bot, session: &str, call: &Call, cancel: &CancellationToken) -> Result<Replayed, Stop> {
    let found = tokio::select! {
        found = bot.find_or_connect(&call.tool) => found,
        () = cancel.cancelled() => return Ok(skipped(call, "the replay was interrupted")),
    };
    let Some(tool) = found else {
        if !bot.unheard().is_empty() {
            return Ok(skipped(call, "the server of a connection, which may have its tool, cannot be asked"));
        }
        return Ok(gone(call, UnknownTool::new(bot, &call.tool).near));
    };
    if let Some(why) = unplayable(call) {
        return Ok(skipped(call, why));
    }
    let Ok(input) = serde_json::from_str::<CallInput<'_>>(call.input.json.get()) else {
        return Ok(skipped(call, "its input cannot be read by this version of bdk"));
    };
    let mut options = CallOptions::new().session(session);
    options.cancel = Some(cancel.clone());
    let options = bot.bind(options).await.map_err(Error::from)?;
    let asks = tool.needs_approval();
    match bot.call_with(&call.tool, input, options).await {
        Ok(done) => Ok(judge(call, &Now::of(done), asks)),
        Err(unknown) => Ok(gone(call, unknown.near)),
    }
}

/// All of it as JSON, or the line at its end.
fn tell(trace: &Trace, done: &[Replayed], as_json: bool) -> Result<(), Stop> {
    let count = |verdict| done.iter().filter(|replayed| replayed.verdict == verdict).count();
    let counts = [Verdict::Same, Verdict::Changed, Verdict::Stubbed, Verdict::Skipped].map(|v| (v.word(), count(v)));
    if as_json {
        let mut summary = json!({ "calls": done.len() });
        for (word, n) in counts {
            summary[word] = n.into();
        }
        let all = json!({ "sessionId": trace.id, "calls": done, "summary": summary });
        return output::print(format!("{all:#}\n"));
    }
    let s = if done.len() == 1 { "" } else { "s" };
    let told: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}")).collect();
    let told = if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) };
    output::print(format!("{}{} call{s}{told}\n", if done.is_empty() { "" } else { "\n" }, done.len()))
}
