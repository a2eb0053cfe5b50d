//! The command line of a bot: one binary serves and calls.
//!
//! A command does its work and gives an exit code: 0 fine, 1 the thing asked failed, 2 wrong usage. Stdout holds what was
//! asked and nothing else.

mod args;
mod ask;
mod call;
mod client;
#[cfg(all(feature = "mcp", feature = "connections"))]
mod clients;
mod connections;
mod diff;
mod info;
mod input;
mod logs;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod refused;
mod remote;
mod running;
mod sessions;
mod shown;
mod signal;
mod state;
pub(crate) mod stdout;
mod tools;
mod trace;
mod validate;
mod words;

pub use args::CallArgs;
pub use signal::stop_asked;
pub use words::command_first;

use crate::{
    Server,
    bot::{Bot, Identity},
};
use args::{Cli, Command, ServeArgs, ToolsCommand};
use clap::{CommandFactory, FromArgMatches};
use futures_util::future::BoxFuture;
use output::Stop;
use std::process::ExitCode;
use tracing::level_filters::LevelFilter;

/// The bot's command line: reads the arguments, does what they say, and gives the exit code. Without a command it serves.
///
/// ```no_run
/// # use std::process::ExitCode;
/// # async fn main_of_a_bot() -> ExitCode {
/// bdk::serve().await
/// # }
/// ```
pub async fn serve() -> ExitCode {
    Server::new().main().await
}

impl Server {
    /// The bot's command line, with this server for its `serve`: what the command line says wins over what the code said.
    ///
    /// ```no_run
    /// # use std::process::ExitCode;
    /// # async fn main_of_a_bot() -> ExitCode {
    /// bdk::Server::new().port(8080).max_body(64 * 1024).main().await
    /// # }
    /// ```
    pub async fn main(self) -> ExitCode {
        commanded(self).await
    }
}

/// [`Server::main`], erased: an `async fn` is compiled in the crate that awaits it, and this one would bring the whole server along into every
/// build of a bot.
#[inline(never)]
fn commanded(server: Server) -> BoxFuture<'static, ExitCode> {
    Box::pin(async move {
        let words: Vec<_> = std::env::args_os().take(1).chain(command_first(std::env::args_os().skip(1))).collect();
        let cli = match command().try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches)) {
            Ok(cli) => cli,
            // help and version too: clap knows where each belongs, and their codes
            Err(said) => {
                let _ = said.print();
                return ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(output::USAGE));
            }
        };
        run(server, cli).await.unwrap_or_else(|stop| stop.tell())
    })
}

/// `bdk call --url`: a call of a running bot, without a bot at hand.
///
/// Not public API: for the binary `bdk`.
pub async fn call_running(args: CallArgs) -> ExitCode {
    call::call(&args).await.unwrap_or_else(|stop| stop.tell())
}

/// The name of the program's file.
fn program() -> Option<String> {
    Some(std::env::current_exe().ok()?.file_stem()?.to_str()?.to_owned())
}

fn command() -> clap::Command {
    let identity = Identity::get();
    let command = Cli::command().name(identity.name).version(identity.version);
    // its lines are to be copied, and a wrapped one is another command
    #[cfg(feature = "mcp")]
    let command = command.mut_subcommand("mcp", |mcp| {
        mcp.mut_subcommand("serve", |serve| serve.after_help(mcp::config::how_to_add()).term_width(0))
    });
    command
}

async fn run(server: Server, cli: Cli) -> Result<ExitCode, Stop> {
    let usual =
        if matches!(cli.command, None | Some(Command::Serve(_))) { LevelFilter::INFO } else { LevelFilter::WARN };
    logs::start(usual, cli.log_format)?;
    crate::call::log_panics_of_tools();
    match cli.command {
        None => listen(server, cli.serve).await,
        Some(Command::Serve(args)) => listen(server, args).await,
        Some(Command::Call(args)) => call::call(&args).await,
        Some(Command::Validate(args)) => validate::run(args).await,
        Some(Command::Info(args)) => info::run(args.json),
        Some(Command::Tools(args)) => match args.command {
            Some(ToolsCommand::Diff { file }) => diff::run(&file),
            None => tools::run(args.json.json),
        },
        #[cfg(feature = "mcp")]
        Some(Command::Mcp { command }) => match command {
            args::McpCommand::Serve(args) => mcp::serve::serve(args).await,
            args::McpCommand::Config(args) => mcp::config::run(&args),
            #[cfg(feature = "connections")]
            args::McpCommand::List { json } => mcp::connections::list(json.json),
            #[cfg(feature = "connections")]
            args::McpCommand::Tools(args) => mcp::connections::tools(args).await,
            #[cfg(feature = "connections")]
            args::McpCommand::Call(args) => mcp::connections::call(args).await,
            #[cfg(feature = "connections")]
            args::McpCommand::Lock(args) => mcp::lock::run(args).await,
        },
        Some(Command::Sessions(args)) => sessions::run(args).await,
        Some(Command::Trace(args)) => trace::run(&args).await,
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(
                shell,
                &mut command(),
                program().as_deref().unwrap_or(Identity::get().name),
                &mut script,
            );
            output::print(script)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// `serve`: the address on stdout, then on until a signal.
async fn listen(server: Server, args: ServeArgs) -> Result<ExitCode, Stop> {
    let server = configured(server, args)?;
    let bot = Bot::load()?;
    let tools = tools::by_crate(&bot.registry());
    let handle = server.start_bot(bot).await?;
    let at = format!("{}{}", handle.url(), handle.prefix());
    let mcp = if cfg!(feature = "mcp") { format!("; MCP at {at}/mcp") } else { String::new() };
    tracing::info!(target: "bdk::serve", "{tools} at {at}{mcp}");
    let address = format!("{}\n", handle.url());
    // signals are listened for before anybody can know that the bot is there
    let ended = handle.wait();
    output::print(address)?;
    ended.await;
    Ok(ExitCode::SUCCESS)
}

/// The command line over what the code said.
fn configured(mut server: Server, args: ServeArgs) -> Result<Server, Stop> {
    if let Some(host) = args.host {
        server = server.host(host);
    }
    if let Some(port) = args.port {
        server = server.port(port);
    }
    if let Some(mode) = args.mode {
        server = server.mode(mode.into());
    }
    if let Some(name) = args.bearer_token_env {
        let unset = || Stop::usage(format!("--bearer-token-env: the environment has no `{name}`, or it is empty"));
        server = server.bearer_token(std::env::var(&name).ok().filter(|t| !t.is_empty()).ok_or_else(unset)?);
    }
    if let Some(token) = args.bearer_token {
        output::warning("--bearer-token: every user of this machine sees it with `ps`; use --bearer-token-env NAME");
        server = server.bearer_token(token);
    }
    if args.allow_anonymous {
        server = server.allow_anonymous();
    }
    server = args.allowed_host.into_iter().fold(server, Server::allowed_host);
    server = args.allowed_origin.into_iter().fold(server, Server::allowed_origin);
    if let Some(url) = args.public_url {
        server = server.public_url(url);
    }
    if args.trust_proxy {
        server = server.trust_proxy(true);
    }
    if let Some(bytes) = args.max_body {
        server = server.max_body(bytes);
    }
    if let Some(grace) = args.drain {
        server = server.drain(grace);
    }
    if let Some(text) = args.state {
        // read here as well: what is no place is wrong usage
        state::at(&text)?;
        server = server.state(text);
    }
    Ok(server)
}
