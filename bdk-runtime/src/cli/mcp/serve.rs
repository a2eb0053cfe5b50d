//! `mcp serve`: the bot as an MCP server over stdin and stdout.

use crate::cli::{
    output::{self, Stop},
    signal::stop_asked,
    tools,
};
use crate::{
    bot::Bot,
    mcp::stdio::{self, Input, Out, Streams},
};
use std::{io::IsTerminal, process::ExitCode, time::Duration};

/// Serves until the client closes its end or a signal comes.
pub(in crate::cli) async fn serve(grace: Duration) -> Result<ExitCode, Stop> {
    let kept = |e: &dyn std::fmt::Display| Stop::failed(format!("stdin and stdout cannot be kept for messages: {e}"));
    let Streams { input, output } =
        Streams::taken().as_ref().map_err(|e| kept(e))?.try_clone().map_err(|e| kept(&e))?;
    let bot = Bot::load()?;
    tracing::info!(target: "bdk::mcp", "{} over stdin and stdout", tools::by_crate(&bot.registry()));
    if input.is_terminal() {
        output::note(
            "waiting for an MCP client on stdin: this command is for clients to start; `--help` tells how to add it to one",
        );
    }
    stdio::serve(bot, Input(input), Out::new(output), stop_asked, grace).await?;
    Ok(ExitCode::SUCCESS)
}
