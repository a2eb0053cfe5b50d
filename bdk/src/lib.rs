//! The Bot Development Kit for Rust: an annotated function becomes a typed, validated tool, served to models over MCP, over HTTP and from
//! the shell.
//!
//! ```
//! use bdk::prelude::*;
//!
//! /// Add two numbers.
//! #[tool(effect = "read")]
//! async fn add(a: u32, b: u32) -> u32 {
//!     a + b
//! }
//!
//! # async fn main_of_a_bot() -> ExitCode {
//! bdk::serve().await
//! # }
//! # bdk::__private::block_on(async {
//! let outcome = TestBot::new().call_tool("add", json!({ "a": 1, "b": 2 })).await;
//! assert_eq!(outcome.result, 3);
//! # });
//! ```
//!
//! A tool that takes `ctx: &ToolContext` can say how far it is ([`ToolContext::progress`]), tell something
//! ([`ToolContext::log`]) and ask whoever called ([`ToolContext::ask`], [`Question`]); one with `needs_approval` runs only
//! after a person said yes. What it wants to find again in a later call it keeps in [`Host::kv`] and [`Host::files`]
//! (`ctx.host.kv`, `ctx.host.files`), what its caller shall fetch it publishes ([`ToolContext::artifacts`]).
//!
//! A [`Connection`] is another MCP server, whose tools the bot's model and its own code call beside the bot's: [`macro@connection`]
//! declares one.
//!
//! A bot is a crate that depends on this one. [`prelude`] holds what it needs; [`macro@tool`] documents every option of a tool.
//!
//! # Features
//!
//! | feature | brings | default |
//! | --- | --- | --- |
//! | `http` | the HTTP front: `Server`, `ServeHandle` | yes |
//! | `mcp` | the MCP server: `…/mcp` over HTTP, and with `commands` `mcp serve` over stdio | yes |
//! | `connections` | other MCP servers' tools: [`Connection`] | yes |
//! | `commands` | the bot's command line: `serve()` | yes |
//! | `sqlite` | a bot's state in a folder; without it and `postgres` it ends with the process | yes |
//! | `postgres` | a bot's state in PostgreSQL, for several replicas of it; needs Rust 1.94 | no |
//! | `cli` | the binary `bdk` | no |

pub use bdk_macros::{connection, main, prompt, provide, test, tool, tools};
pub use bdk_runtime::*;

#[doc(hidden)]
pub use bdk_runtime::__private;

/// What a bot needs and no more: `use bdk::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Connection, Effect, Input, IntoConnection, Result, SessionInfo, TestBot, Timestamp, ToolContext,
        ToolDefinition, ToolError, ToolOutput, connection, prompt, provide, tool, tools,
    };
    pub use bdk_runtime::__private::{
        schemars::JsonSchema,
        serde::{Deserialize, Serialize},
        serde_json::{Value, json},
        url::Url,
        uuid::Uuid,
    };
    pub use std::{path::PathBuf, process::ExitCode, time::Duration};
}

/// The pages whose examples have to compile.
#[cfg(doctest)]
#[doc = include_str!("../../docs/connections.md")]
mod pages {}
