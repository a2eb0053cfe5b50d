//! What a tool says while it runs: how far it is, and what is worth knowing.

use super::{LogLevel, ToolContext, progress::Amount, progress::Total};
use std::{
    fmt::Display,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::task::coop::poll_proceed;

/// What was said: to be awaited in an `async fn`, where a front may listen in the very task that the tool runs in, and then
/// gets its turn. It was said already: a plain `fn` may block on it (`ctx.block_on(ctx.progress(…))`) or let it go.
// a type with a name, or rustc would tell three times what is wrong with an argument
#[must_use = "in an `async fn`, `.await` it, so that whoever listens gets a turn; in a plain `fn`, `ctx.block_on(…)` it"]
#[derive(Debug)]
pub struct Said {
    turn: bool,
}

impl Future for Said {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::take(&mut self.turn) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        // where nobody listens, from time to time all the same: a tool that awaits nothing else could not be stopped
        poll_proceed(cx).map(|budget| budget.made_progress())
    }
}

impl ToolContext {
    /// Tells the caller how far the call is: this much, of so much in all, and in words (none when empty).
    ///
    /// It goes to an MCP client that asked for it, and to the terminal of a `BOT call`, where both stdin and stderr are one;
    /// otherwise it goes nowhere. It never waits for a slow caller. Each must be more than the one before, or it is not sent.
    /// A tool that another one calls says nothing: its caller's progress is the other tool's.
    ///
    /// ```
    /// # use bdk::prelude::*;
    /// /// Copy files.
    /// #[tool(effect = "write")]
    /// async fn copy(files: Vec<String>, ctx: &ToolContext) {
    ///     for (i, file) in files.iter().enumerate() {
    ///         ctx.progress(i, files.len(), file).await;
    ///     }
    ///     ctx.progress(0.5, None, "nobody knows how long this takes").await;
    /// }
    ///
    /// /// Copy files, on a thread.
    /// #[tool(effect = "write")]
    /// fn copy_blocking(files: Vec<String>, ctx: &ToolContext) {
    ///     for (i, file) in files.iter().enumerate() {
    ///         ctx.block_on(ctx.progress(i, files.len(), file));
    ///     }
    /// }
    /// ```
    pub fn progress(&self, done: impl Amount, total: impl Total, message: impl Display) -> Said {
        let line = self.state.options.hears_progress();
        if let Some(line) = line {
            line.say_progress(done.amount(), total.total(), &message);
        }
        Said { turn: line.is_some() }
    }
    /// Tells the caller something worth knowing. It goes to an MCP client that asked for messages of this level, and from
    /// [`LogLevel::Info`] on to the terminal of a `BOT call`; otherwise it goes nowhere. It never waits for a slow caller. What
    /// is for whoever runs the bot goes to `tracing`.
    ///
    /// ```
    /// # use bdk::{LogLevel, ToolContext};
    /// async fn search(words: String, ctx: &ToolContext) {
    ///     ctx.log(LogLevel::Warning, format!("the index is a day old; \"{words}\" may be newer")).await;
    /// }
    /// ```
    pub fn log(&self, level: LogLevel, message: impl Display) -> Said {
        let line = self.state.options.line.as_ref().filter(|line| line.wants_log(level));
        if let Some(line) = line {
            line.say_log(level, &message);
        }
        Said { turn: line.is_some() }
    }
    /// The caller's place in a distributed trace, as W3C's `traceparent` has it: for the tool's own requests.
    pub fn traceparent(&self) -> Option<&str> {
        self.state.options.traceparent.as_deref()
    }
}
