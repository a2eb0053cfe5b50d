//! What `sessions` and `trace` take.

use crate::{Timestamp, session::Mode};
use clap::{Args, Subcommand, ValueEnum};

/// Whose sessions are meant.
#[derive(Debug, Args)]
pub(in crate::cli) struct WhereArgs {
    /// Where the bot keeps them: a folder, or `postgres://…` [default: .bdk]
    #[arg(long, value_name = "WHERE", conflicts_with = "url")]
    pub(in crate::cli) state: Option<String>,
    /// Those of the running bot at this address instead
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) url: Option<String>,
    /// Send the bearer token in this environment variable
    #[arg(long, value_name = "NAME", requires = "url")]
    pub(in crate::cli) bearer_token_env: Option<String>,
    /// Which agent, where there are several
    #[arg(long, value_name = "SLUG", requires = "url")]
    pub(in crate::cli) agent: Option<String>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct SessionsArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<SessionsCommand>,
    #[command(flatten)]
    pub(in crate::cli) at: WhereArgs,
    /// As JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SessionsCommand {
    /// Open a session and print its id and continuation token, as JSON
    ///
    /// Without --url it belongs to the process itself: commands in this folder see it, callers over HTTP do not.
    Open {
        #[command(flatten)]
        facts: Box<FactsArgs>,
        #[command(flatten)]
        at: WhereArgs,
    },
    /// Delete a session with its log and its workspace
    Delete {
        /// The session's id
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        at: WhereArgs,
    },
}

/// What a session is opened with.
#[derive(Debug, Args)]
pub(in crate::cli) struct FactsArgs {
    /// Its title
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) title: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) purpose: Option<String>,
    /// How it goes on [default: chat]
    #[arg(long, value_name = "MODE")]
    pub(in crate::cli) mode: Option<SessionMode>,
    /// Reads run, writes are stubbed, in all of its calls
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
    /// Freeze the time of all of its calls at this instant (RFC 3339)
    #[arg(long, value_name = "INSTANT")]
    pub(in crate::cli) as_of: Option<Timestamp>,
    /// What its tools find in it
    #[arg(long, value_name = "JSON")]
    pub(in crate::cli) state_json: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SessionMode {
    /// Waits after a turn
    Chat,
    /// Ends completed or failed
    Task,
}

impl From<SessionMode> for Mode {
    fn from(mode: SessionMode) -> Self {
        match mode {
            SessionMode::Chat => Self::Chat,
            SessionMode::Task => Self::Task,
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct TraceArgs {
    /// The session's id: `sessions` lists them
    #[arg(value_name = "ID")]
    pub(in crate::cli) id: String,
    /// Run its calls again, writes stubbed, and tell what came to something else
    #[arg(long)]
    pub(in crate::cli) replay: bool,
    /// As JSON: the events, one a line; with --replay what came of it
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// Show inputs, results and errors whole
    #[arg(long, conflicts_with_all = ["json", "replay"])]
    pub(in crate::cli) full: bool,
    #[command(flatten)]
    pub(in crate::cli) at: WhereArgs,
}
