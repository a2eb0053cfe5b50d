//! `info`: who this bot is and what it has.

use super::{
    connections,
    output::{self, HEAD, Stop},
    tools::by_crate,
};
use crate::{bot::Bot, serve::surface};
use std::{fmt::Write, process::ExitCode};

pub(super) fn run(json: bool) -> Result<ExitCode, Stop> {
    let bot = Bot::load()?;
    if json {
        let mut info = surface::info(&bot);
        info["connections"] = connections::listing(&bot.registry());
        output::print(format!("{info:#}\n"))?;
    } else {
        output::print_styled(&text(&bot))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(bot: &Bot) -> String {
    let identity = bot.identity();
    let registry = bot.registry();
    let mut out = String::new();
    let _ = writeln!(out, "{HEAD}{}{HEAD:#} {} (bdk {})", identity.name, identity.version, env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "agent {}: {}", bot.slug(), by_crate(&registry));
    for tool in registry.tools() {
        let _ = writeln!(out, "  {HEAD}{}{HEAD:#}  {}  {}", tool.name(), tool.effect(), tool.at());
    }
    out.push_str(&connections::text(&registry));
    out
}
