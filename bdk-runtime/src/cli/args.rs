//! The command line as clap reads it: what there is to say, and its help.

mod session;

#[cfg(test)]
pub(super) use session::SessionMode;
pub(super) use session::{FactsArgs, SessionsArgs, SessionsCommand, TraceArgs, WhereArgs};

use super::validate::Provider;
use crate::{Timestamp, call::check_key, serve::ServeMode};
#[cfg(feature = "mcp")]
use crate::{id::is_session, state::StateAt};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::{path::PathBuf, time::Duration};

/// A bot's command line. Without a command it serves.
#[derive(Debug, Parser)]
#[command(disable_help_subcommand = true, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) serve: ServeArgs,
    /// How logs are written to stderr [default: text, or what BDK_LOG_FORMAT says]
    #[arg(long, value_name = "FORMAT", global = true)]
    pub(super) log_format: Option<LogFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line, for collectors
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve over HTTP until SIGINT or SIGTERM (the default)
    ///
    /// The first line on stdout is the address.
    Serve(ServeArgs),
    /// Call a tool and print the answer's JSON
    ///
    /// Without --url the call runs in this process, and whoever sits at the terminal reads how far it is, answers what the tool
    /// asks, and approves a tool that needs approval: stdin and stderr both have to be a terminal. Elsewhere, and with --url,
    /// nobody can be asked, and such a call is refused; no option says yes in a person's place. The exit code is 1 when the
    /// call was refused or its result is an error.
    Call(CallArgs),
    /// Tell everything that is wrong with this bot
    ///
    /// The exit code is 1 when there is an error. --for tells too what a model provider refuses of the tools as they are
    /// listed (an error) or ignores (a warning), by tool and place in its input schema.
    Validate(ValidateArgs),
    /// Say who this bot is and what it has
    Info(Json),
    /// List the tools
    Tools(ToolsArgs),
    /// Be an MCP server for a client on this machine, and look at the connections to other servers
    #[cfg(feature = "mcp")]
    Mcp {
        #[command(subcommand)]
        command: McpCommand,
    },
    /// List the sessions, open one, delete one
    Sessions(SessionsArgs),
    /// Tell what happened in a session, or try its calls again
    ///
    /// --replay runs the recorded calls again, in their order, against this program: in this process, in a state that is gone
    /// afterwards, with the session's frozen time, state and owner. It begins with no values, no files and an empty workspace.
    /// Reads run; writes are stubbed, whatever they were then. It tells which calls came to something else. The exit code is 1
    /// when one did.
    Trace(TraceArgs),
    /// Print a completion script
    Completions {
        /// For which shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(super) struct Json {
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// Also check the tools for this provider's models (may be given several times)
    #[arg(long = "for", value_name = "PROVIDER")]
    pub(super) providers: Vec<Provider>,
    /// Also open each connection, say how it went, and compare what it offers with mcp.lock where it is pinned
    #[cfg(feature = "connections")]
    #[arg(long)]
    pub(super) connect: bool,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "HOST")]
    pub(super) host: Option<String>,
    /// The port to listen on; 0 takes a free one [default: 3000]
    #[arg(long, value_name = "PORT")]
    pub(super) port: Option<u16>,
    /// Where the routes stand [default: prefixed]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<ModeArg>,
    /// Let in who bears the token in this environment variable
    #[arg(long, value_name = "NAME")]
    pub(super) bearer_token_env: Option<String>,
    /// Let in who bears this token (`ps` shows it: prefer --bearer-token-env)
    #[arg(long, value_name = "TOKEN", conflicts_with = "bearer_token_env")]
    pub(super) bearer_token: Option<String>,
    /// Let everybody in
    #[arg(long)]
    pub(super) allow_anonymous: bool,
    /// One more name that a request's Host may have
    #[arg(long, value_name = "HOST")]
    pub(super) allowed_host: Vec<String>,
    /// One more origin whose pages may call
    #[arg(long, value_name = "ORIGIN")]
    pub(super) allowed_origin: Vec<String>,
    /// The address under which others reach the bot
    #[arg(long, value_name = "URL")]
    pub(super) public_url: Option<String>,
    /// Believe the forwarding headers of the proxy in front
    #[arg(long)]
    pub(super) trust_proxy: bool,
    /// How many bytes a request's body may have, such as 512k or 4M [default: 1M]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(super) max_body: Option<usize>,
    /// How long running calls may go on after a shutdown began, such as 30s or 2m [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) drain: Option<Duration>,
    /// Where sessions, values and files are kept: a folder, `postgres://…`, or `memory:` for nowhere [default: .bdk]
    #[arg(long, value_name = "WHERE")]
    pub(super) state: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ModeArg {
    /// Under /<slug>/v1
    Prefixed,
    /// Under /v1
    Single,
}

impl From<ModeArg> for ServeMode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Prefixed => Self::Prefixed,
            ModeArg::Single => Self::Single,
        }
    }
}

/// What `call` takes; `bdk call --url …` takes the same.
#[derive(Debug, Args)]
pub struct CallArgs {
    /// The tool's name
    #[arg(value_name = "TOOL")]
    pub(super) tool: String,
    /// Its input: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}", allow_hyphen_values = true)]
    pub(super) input: String,
    /// Reads run, writes are stubbed
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Freeze the call's time at this instant (RFC 3339)
    #[arg(long, value_name = "INSTANT")]
    pub(super) as_of: Option<Timestamp>,
    /// Which agent, where there are several
    #[arg(long, value_name = "SLUG")]
    pub(super) agent: Option<String>,
    /// Call a running bot at this address instead
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// Send the bearer token in this environment variable
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(super) bearer_token_env: Option<String>,
    /// Call as part of this session, with its facts, its workspace and its log
    #[arg(long, value_name = "ID", conflicts_with_all = ["continuation", "dry_run", "as_of"])]
    pub(super) session: Option<String>,
    /// Call as part of the session with this continuation token
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["dry_run", "as_of"])]
    pub(super) continuation: Option<String>,
    /// Answer what a write with this key came to before, within a day, instead of running it again; a key is of one tool, input
    /// and session
    #[arg(long, value_name = "KEY", value_parser = key)]
    pub(super) idempotency_key: Option<String>,
    /// Where sessions, values and files are kept: a folder, `postgres://…`, or `memory:` [default: memory:, which leaves nothing
    /// behind; .bdk with --session, --continuation or --idempotency-key]
    #[arg(long, value_name = "WHERE", conflicts_with = "url")]
    pub(super) state: Option<String>,
}

fn key(text: &str) -> Result<String, &'static str> {
    check_key(text).map(|()| text.to_owned())
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct ToolsArgs {
    #[command(subcommand)]
    pub(super) command: Option<ToolsCommand>,
    #[command(flatten)]
    pub(super) json: Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum ToolsCommand {
    /// Tell what changed since a listing was saved with `tools --json`
    ///
    /// The exit code is 1 when a change breaks callers.
    Diff {
        /// The saved listing
        file: PathBuf,
    },
}

#[cfg(feature = "mcp")]
#[derive(Debug, Subcommand)]
pub(super) enum McpCommand {
    /// Serve over stdin and stdout, until the client closes its end
    Serve(McpServeArgs),
    /// Print the JSON by which a client knows this bot
    Config(McpConfigArgs),
    /// List the connections
    #[cfg(feature = "connections")]
    List {
        #[command(flatten)]
        json: Json,
    },
    /// List the tools that a connection's server offers now
    #[cfg(feature = "connections")]
    Tools(McpToolsArgs),
    /// Call a tool of a connection's server, by the server's own name, and print what it answers
    ///
    /// The exit code is 1 when the answer is an error.
    #[cfg(feature = "connections")]
    Call(McpCallArgs),
    /// Write down what the servers of the connections offer, in `mcp.lock`, and a typed client for each, in `src/clients`
    ///
    /// Both belong to the sources. A connection whose server cannot be asked is told, and keeps the entry that it has; the exit
    /// code is 1 then.
    #[cfg(feature = "connections")]
    Lock(McpLockArgs),
}

#[cfg(feature = "connections")]
#[derive(Debug, Args)]
pub(super) struct McpLockArgs {
    /// Ask these connections alone [default: all]
    #[arg(value_name = "NAME")]
    pub(super) names: Vec<String>,
    /// Write nothing, tell what is not up to date; the exit code is 1 then
    #[arg(long)]
    pub(super) check: bool,
    /// Leave out the clients
    #[arg(long)]
    pub(super) no_clients: bool,
}

#[cfg(feature = "connections")]
#[derive(Debug, Args)]
pub(super) struct McpToolsArgs {
    /// The connection
    pub(super) name: String,
    #[command(flatten)]
    pub(super) json: Json,
}

#[cfg(feature = "connections")]
#[derive(Debug, Args)]
pub(super) struct McpCallArgs {
    /// The connection
    pub(super) name: String,
    /// The tool
    pub(super) tool: String,
    /// The input: JSON, `@FILE`, or `-` for stdin
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(super) input: String,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub(super) struct McpConfigArgs {
    /// For which client
    #[arg(long, value_name = "CLIENT", default_value = "generic")]
    pub(super) client: super::mcp::config::Client,
    /// Under which name the client knows it [default: the bot's]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// The address of its MCP endpoint, for a bot that serves over HTTP; without it the client starts the bot itself
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// The client sends the bearer token in this environment variable
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(super) bearer_token_env: Option<String>,
    /// Make all of the client's calls part of this session
    #[arg(long, value_name = "ID", value_parser = session)]
    pub(super) session: Option<String>,
    /// Where the state with the session is, for a client that starts the bot itself [default: .bdk]
    #[arg(long, value_name = "WHERE", requires = "session", conflicts_with = "url")]
    pub(super) state: Option<StateAt>,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub(super) struct McpServeArgs {
    /// How long running calls may go on after the client closed its end or a signal came
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "2s")]
    pub(super) drain: Duration,
    /// Where the state is: a folder, postgres://…, or memory: [default: memory:, and .bdk with --session]
    #[arg(long, value_name = "WHERE")]
    pub(super) state: Option<StateAt>,
    /// Make all calls part of this session
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Serve the tools of this authored connection, and no others: as the bot starts it, in a session's folder, where no env
    /// file is read
    #[cfg(feature = "connections")]
    #[arg(long, value_name = "NAME")]
    pub(super) connection: Option<String>,
}

/// `512`, `512k`, `4M`, in units of 1024.
fn bytes(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: usize = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1024,
        "m" | "mb" | "mib" => 1024 * 1024,
        _ => return Err("write a number of bytes, with `k` or `M` behind it for units of 1024".to_owned()),
    };
    let number = digits.parse::<usize>().ok().and_then(|n| n.checked_mul(factor));
    number.filter(|n| *n > 0).ok_or_else(|| "write a number of bytes above 0, such as 512k or 4M".to_owned())
}

/// A session's id.
#[cfg(feature = "mcp")]
fn session(text: &str) -> Result<String, &'static str> {
    if is_session(text) { Ok(text.to_owned()) } else { Err("a session's id is `ses_` and 20 letters and digits") }
}

/// `500ms`, `30s`, `2m`, `1h`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ms: u64 = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => 0,
    };
    let number = digits.parse::<u64>().ok().filter(|_| ms > 0).and_then(|n| n.checked_mul(ms));
    number.map(Duration::from_millis).ok_or_else(|| "write a number with its unit, such as 500ms, 30s or 2m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn without_a_command_the_options_are_those_of_serve() {
        let cli = Cli::try_parse_from(["bot", "--port", "0", "--drain", "2m", "--max-body", "4M"]).expect("serve");
        assert!(cli.command.is_none());
        assert_eq!(cli.serve.port, Some(0));
        assert_eq!(cli.serve.drain, Some(Duration::from_secs(120)));
        assert_eq!(cli.serve.max_body, Some(4 * 1024 * 1024));
    }

    #[test]
    fn sizes_and_durations_need_a_known_unit() {
        assert_eq!(bytes("512k"), Ok(512 * 1024));
        assert!(
            bytes("4X").is_err() && bytes("").is_err() && bytes("0").is_err() && bytes("99999999999999999999").is_err()
        );
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(duration("30").is_err() && duration("s").is_err() && duration("-1s").is_err());
    }

    #[test]
    fn a_session_brings_its_own_facts_and_a_running_bot_its_own_state() {
        let call = |rest: &[&str]| Cli::try_parse_from(["bot", "call", "t"].iter().chain(rest)).is_ok();
        assert!(call(&["--session", "ses_1"]));
        assert!(call(&["--continuation", "a:b", "--state", "kept", "--idempotency-key", "k"]));
        assert!(!call(&["--session", "ses_1", "--url", "http://localhost:1", "--state", "kept"]));
        assert!(!call(&["--idempotency-key", "no key"]) && !call(&["--idempotency-key", ""]));
        assert!(call(&["--session", "ses_1", "--url", "http://localhost:1"]));
        assert!(!call(&["--session", "ses_1", "--continuation", "a:b", "--url", "http://localhost:1"]));
        assert!(!call(&["--session", "ses_1", "--dry-run", "--url", "http://localhost:1"]));
    }
}
