//! `mcp serve`: the bot as an MCP server over stdin and stdout.

use crate::cli::{
    args::McpServeArgs,
    output::{self, Stop},
    signal::stop_asked,
    state, tools,
};
use crate::{
    bot::Bot,
    mcp::stdio::{self, Input, Out, Streams},
    session::Bind,
    state::{State, StateAt},
};
use std::{io::IsTerminal, process::ExitCode};

/// The bot with the tools of an authored connection alone.
#[cfg(feature = "connections")]
fn of_connection(bot: &Bot, name: &str) -> Result<Bot, Stop> {
    let registry = bot.registry();
    registry.of_connection(name).map(Bot::with).ok_or_else(|| {
        let authored: Vec<String> = registry
            .connections()
            .iter()
            .filter(|one| one.is_authored())
            .map(|one| format!("`{}`", one.name))
            .collect();
        let known =
            if authored.is_empty() { "it has none".to_owned() } else { format!("it has {}", authored.join(", ")) };
        Stop::usage(format!("--connection: `{name}` is no authored connection of this bot: {known}"))
    })
}

/// Whether it is the process of an authored connection.
#[cfg(feature = "connections")]
fn is_alone(bot: &Bot) -> bool {
    bot.registry().is_alone()
}
#[cfg(not(feature = "connections"))]
fn is_alone(_: &Bot) -> bool {
    false
}

/// Serves until the client closes its end or a signal comes.
pub(in crate::cli) async fn serve(args: McpServeArgs) -> Result<ExitCode, Stop> {
    let kept = |e: &dyn std::fmt::Display| Stop::failed(format!("stdin and stdout cannot be kept for messages: {e}"));
    let Streams { input, output } =
        Streams::taken().as_ref().map_err(|e| kept(e))?.try_clone().map_err(|e| kept(&e))?;
    if let Some(at) = &args.state {
        state::warn_of_password(at);
    }
    #[cfg(feature = "connections")]
    let bot = match &args.connection {
        // in a session's folder, where no `mcp.lock` is
        Some(name) => of_connection(&Bot::load_unpinned()?, name)?,
        None => Bot::load()?,
    };
    #[cfg(not(feature = "connections"))]
    let bot = Bot::load()?;
    let bound = args.session.map(Bind::Id);
    // several clients may start the same bot in one folder, and a folder of state has room for one
    let nowhere = || if bound.is_some() { StateAt::default() } else { StateAt::Memory };
    let is_elsewhere = is_alone(&bot) && args.state.is_none() && bound.is_none();
    let at = args.state.unwrap_or_else(nowhere);
    if bound.is_some() {
        State::check_there(&at)?;
    }
    if is_elsewhere {
        bot.keep_elsewhere()?;
    } else {
        bot.keep_state(&at).await?;
    }
    if let Some(bind) = &bound {
        bot.state().sessions.bind(bind, None).await.map_err(crate::Error::from)?;
    }
    tracing::info!(target: "bdk::mcp", "{} over stdin and stdout", tools::by_crate(&bot.registry()));
    if input.is_terminal() {
        output::note(
            "waiting for an MCP client on stdin: this command is for clients to start; `--help` tells how to add it to one",
        );
    }
    let served = stdio::serve(bot.clone(), bound, Input(input), Out::new(output), stop_asked, args.drain).await;
    bot.close_state().await;
    served?;
    Ok(ExitCode::SUCCESS)
}
