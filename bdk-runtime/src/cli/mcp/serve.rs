//! `mcp serve`: the bot as an MCP server over stdin and stdout.

use crate::cli::{output::Stop, signal::stop_asked, tools};
use crate::{
    bot::Bot,
    mcp::stdio::{self, Out},
};
use std::{process::ExitCode, time::Duration};

/// Serves until the client closes its end or a signal comes.
pub(in crate::cli) async fn serve(grace: Duration) -> Result<ExitCode, Stop> {
    let out = Out::stdout().map_err(|e| Stop::failed(format!("stdout cannot be kept for messages: {e}")))?;
    let bot = Bot::load()?;
    tracing::info!(target: "bdk::mcp", "{} over stdin and stdout", tools::by_crate(&bot.registry()));
    stdio::serve(bot, std::io::stdin(), out, stop_asked(), grace).await?;
    Ok(ExitCode::SUCCESS)
}
