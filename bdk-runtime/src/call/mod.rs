//! **The call path.** HTTP, the command line, programs and tests all reach a tool through [`call`], in the order of
//! runtime.md §1: find, read the input (with asOf), effect, dry run, run under guard with retries, record.

mod answer;
mod approval;
mod as_of;
mod ask;
mod bound;
mod check;
mod context;
pub(crate) mod conventions;
mod dry_run;
mod effect;
mod events;
mod guard;
mod handler;
pub(crate) mod input;
mod kept;
#[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "the MCP front alone reads all that is said"))]
pub(crate) mod line;
mod options;
mod outcome;
mod panic;
mod progress;
mod provided;
mod question;
mod record;
pub(crate) mod recover;
#[cfg(feature = "connections")]
mod remote;
mod retry;
mod run;
mod say;
pub(crate) mod span;
mod transient;
mod unwritten;
mod waits;

#[cfg(test)]
mod tests;

pub use answer::Answer;
pub use context::ToolContext;
pub(crate) use input::CallInput;
pub use input::Issue;
pub use line::LogLevel;
pub use options::CallOptions;
pub(crate) use options::check_key;
#[cfg(feature = "http")]
pub(crate) use options::is_traceparent;
pub use outcome::{CallError, ErrorCode, Outcome};
pub(crate) use outcome::{Done, Failure};
#[cfg(feature = "http")]
pub(crate) use panic::log_panics_of_tools;
pub use progress::{Amount, Total};
pub(crate) use provided::Provided;
pub(crate) use question::ELICIT;
pub use question::Question;
pub use say::Said;
pub(crate) use unwritten::Unwritten;

use crate::{Effect, bot::Bot, cut, registry::Tool, secrets, tool::Output};
pub(crate) use context::CallState;
use input::Checked;
use record::Record;
use std::{pin::pin, sync::Arc};

/// No tool has this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownTool {
    pub(crate) name: String,
    /// Up to three names that are near.
    pub(crate) near: Vec<String>,
    /// Why the pin of a connection keeps it away.
    refused: Option<String>,
    /// Of each connection whose tools are not known yet: why.
    unheard: Vec<String>,
    /// `mcp.lock` keeps the name for a tool of one of these.
    pub(crate) is_locked: bool,
}

impl UnknownTool {
    pub(crate) fn new(bot: &Bot, name: &str) -> Self {
        Self {
            name: secrets::blank(name).into_owned(),
            near: bot.registry().near(name),
            refused: bot.refused(name).map(|why| secrets::blank(&why).into_owned()),
            unheard: bot.unheard(),
            is_locked: bot.is_locked(name),
        }
    }
}

impl std::fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // no tool's name is longer
        write!(f, "there is no tool \"{}\"", cut::repeated(&self.name, 64))?;
        if let Some(why) = &self.refused {
            return write!(f, ": {why}");
        }
        for (i, near) in self.near.iter().enumerate() {
            write!(f, "{} \"{near}\"", if i == 0 { "; did you mean" } else { "," })?;
        }
        f.write_str(if self.near.is_empty() { "" } else { "?" })?;
        for (i, why) in self.unheard.iter().enumerate() {
            let begin = match (i, self.near.is_empty()) {
                (0, true) => ". It may be one of a connection whose tools are not known: ",
                (0, false) => " Or it is one of a connection whose tools are not known: ",
                _ => "; ",
            };
            write!(f, "{begin}{why}")?;
        }
        Ok(())
    }
}

/// Calls a tool.
pub(crate) async fn call(
    bot: &Bot,
    name: &str,
    input: CallInput<'_>,
    options: CallOptions,
) -> Result<Done, UnknownTool> {
    match bot.find_or_connect(name).await {
        Some(tool) => Ok(call_found(bot, tool, input, options).await),
        None => Err(UnknownTool::new(bot, name)),
    }
}

/// Calls a tool that was found. A tool that is removed meanwhile still runs to its end.
pub(crate) async fn call_found(bot: &Bot, tool: Arc<Tool>, input: CallInput<'_>, options: CallOptions) -> Done {
    let state = CallState::new(bot.clone(), tool, options);
    let state = Arc::new(state.bind(&input));
    let record = Record::open(&state);
    // pinned here, because the future of a call is large and each hand it passes through would copy it
    let steps = pin!(Some(steps(state.tool(), &state, input)));
    let ended = guard::run(&state, record.span(), steps).await;
    let done = record.close(ended);
    if state.bound().is_some() { Box::pin(bound::end(done)).await } else { done }
}

/// What happens between finding a tool and recording its end.
async fn steps(tool: &Tool, state: &Arc<CallState>, input: CallInput<'_>) -> Result<Output, Failure> {
    span::arguments(&input);
    let Checked { input, slots } =
        input::read(tool.params(), tool.compiled(), tool.time_args(), input, state.options.as_of)?;
    check::fields(tool, &slots)?;
    let effect = effect::of(tool, &slots);
    state.set_effect(effect);
    if state.options.dry_run && !tool.is_in_dry_run() {
        return Err(Failure::unapprovable(
            "it is not there in a dry run: its server does not say whether it reads or writes, and nor does the connection",
        ));
    }
    if state.options.dry_run && effect == Effect::Write {
        state.set_stubbed();
        return dry_run::stub(tool, &slots);
    }
    if tool.needs_approval() && !bound::repeats(state).await {
        // boxed, so that a call that asks nobody does not carry it
        Box::pin(approval::seek(tool, state, &input)).await?;
    }
    if let Some(bound) = state.bound()
        && effect == Effect::Write
    {
        Box::pin(bound.begin(state)).await?;
    }
    retry::run(tool, state, effect, input, slots).await
}
