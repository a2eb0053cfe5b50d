//! `mcp list`, `mcp tools` and `mcp call`: the bot's connections, and their servers as they are now.

use crate::cli::{
    args::{McpCallArgs, McpToolsArgs},
    connections, input,
    output::{self, HEAD, Stop},
    shown,
    signal::unless_stopped,
};
use crate::{Effect, Host, ToolOutput, bot::Bot, host::McpTool, secrets};
use serde_json::{Value, json};
use std::{fmt::Write, process::ExitCode};

/// The connections that the binary declares. Nothing is opened.
pub(in crate::cli) fn list(as_json: bool) -> Result<ExitCode, Stop> {
    let registry = Bot::load_unpinned()?.registry();
    if as_json {
        output::print(format!("{:#}\n", connections::listing(&registry)))?;
    } else if registry.connections().is_empty() {
        output::note("this bot has no connections: `#[connection]` declares one");
    } else {
        output::print_styled(&connections::text(&registry))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a connection's server offers now.
pub(in crate::cli) async fn tools(args: McpToolsArgs) -> Result<ExitCode, Stop> {
    let bot = Bot::load()?;
    let host = Host::of(&bot);
    let listed = unless_stopped(host.mcp.list_tools(&args.name)).await;
    bot.close_state().await;
    let tools = listed.ok_or_else(|| Stop::failed("ended by a signal"))??;
    if args.json.json {
        let mut tools: Value = tools.iter().map(object).collect();
        secrets::blank_value(&mut tools);
        output::print(format!("{tools:#}\n"))?;
    } else if tools.is_empty() {
        output::note(format!("the server of `{}` has no tools", args.name));
    } else {
        output::print_styled(&secrets::blank(&tools.iter().map(text).collect::<String>()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn effect(tool: &McpTool) -> &'static str {
    tool.effect.map_or("undeclared", Effect::as_str)
}

fn object(tool: &McpTool) -> Value {
    let mut out = json!({ "name": tool.name });
    for (key, text) in [("title", &tool.title), ("description", &tool.description)] {
        if let Some(text) = text {
            out[key] = text.as_str().into();
        }
    }
    out["inputSchema"] = tool.input_schema.clone();
    if let Some(schema) = &tool.output_schema {
        out["outputSchema"] = schema.clone();
    }
    out["effect"] = effect(tool).into();
    out
}

fn text(tool: &McpTool) -> String {
    let mut out = format!("{HEAD}{}{HEAD:#} ({})\n", shown::line(&tool.name), effect(tool));
    let first = tool.description.as_ref().or(tool.title.as_ref()).and_then(|text| text.trim().lines().next());
    if let Some(first) = first {
        let _ = writeln!(out, "    {}", shown::line(first));
    }
    out
}

/// Calls a server's tool, by the server's own name, and prints what it answers.
pub(in crate::cli) async fn call(args: McpCallArgs) -> Result<ExitCode, Stop> {
    let input = input::read(&args.input)?;
    let input: Value =
        serde_json::from_str(input.get()).map_err(|e| Stop::usage(format!("--input is no JSON: {e}")))?;
    let bot = Bot::load()?;
    let host = Host::of(&bot);
    let answered = unless_stopped(host.mcp.call_tool(&args.name, &args.tool, input)).await;
    // its processes do not outlive the command
    bot.close_state().await;
    let answer: ToolOutput = match answered {
        Some(answered) => answered?,
        None => return Err(Stop::failed("the call was ended by a signal, and the server was told")),
    };
    let mut told = answer.to_value();
    secrets::blank_value(&mut told);
    output::print(format!("{told}\n"))?;
    Ok(if answer.is_error() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
