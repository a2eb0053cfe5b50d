//! Everything of bdk that runs in a bot. Authors depend on the crate `bdk`, which re-exports what they need.
//!
//! Floors, each knows only those below: [`tool`] (what a tool is), `connection` (what a connection is), `registry` (what the binary declares), `call` (**the
//! call path**), `program` (sessions in process), `mcp` (the MCP server, over whatever carries its messages, and over stdio), `serve` (HTTP, and MCP over it),
//! `cli` (the command line).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "http"), allow(dead_code, unused_imports, reason = "without a front nobody opens the state"))]

mod bot;
mod call;
#[cfg(feature = "commands")]
mod cli;
mod connection;
mod cut;
mod env_files;
mod error;
mod host;
mod id;
mod lock;
#[cfg(feature = "mcp")]
mod mcp;
mod near;
mod program;
mod registry;
mod secrets;
#[cfg(feature = "http")]
mod serve;
mod session;
mod start;
mod state;
mod store;
mod testing;
pub mod tool;
mod visible;

pub use bot::{BLOCKING_CALLS, Bot, Identity};
pub use call::{
    Amount, Answer, CallError, CallOptions, ErrorCode, Issue, LogLevel, Outcome, Question, Said, ToolContext, Total,
};
#[cfg(feature = "commands")]
pub use cli::serve;
pub use connection::{
    AnyConnection, AuthoredConnection, Connection, HttpConnection, IntoConnection, NotYet, Pin, StdioConnection,
};
#[doc(hidden)]
pub use connection::{ConnectionKind, TakesHeaders, TakesProcess, TakesSignIn};
pub use error::Error;
pub use host::{Artifact, Artifacts, Files, Host, Kv};
#[cfg(feature = "connections")]
pub use host::{Mcp, McpTool};
pub use program::{Events, Session};
pub use registry::{DEFAULT_ATTEMPTS, DEFAULT_TIMEOUT, Problem, Registry, Severity, Tool};
pub use secrets::secret;
#[cfg(feature = "http")]
pub use serve::{AuthFuture, AuthRequest, Authenticator, ServeHandle, ServeMode, Server, Verdict};
pub use session::{Event, Mode, Principal, SessionDetail, SessionInfo, SessionOptions};
#[cfg(not(feature = "commands"))]
pub use start::serve;
pub use store::Status;
pub use testing::{Asked, Heard, Reply, TestBot};
pub use tool::{Effect, Input, TimeBound, Timestamp, ToolDefinition, ToolError, ToolOutput};

/// `Result<T>` with bdk's [`ToolError`], for tools.
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// What generated code names. Not public API.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "commands")]
    pub use crate::cli::{CallArgs, call_running, command_first, stop_asked};
    pub use crate::connection::{Connection, ConnectionDef, ConnectionRef, IntoConnection};
    pub use crate::registry::{ExtensionDef, LinkDef, extension_name};
    pub use crate::start::{begin, block_on};
    pub use crate::tool::*;
    pub use core::{
        env,
        option::Option::{self, None, Some},
        result::Result,
    };
    pub use serde_json::{Value, json};
    pub use std::{string::String, vec::Vec};
    pub use {inventory, schemars, serde, serde_json, url, uuid};

    /// Where the tokens of this call stand.
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __at {
        () => {
            $crate::__private::At {
                file: ::core::file!(),
                line: ::core::line!(),
                module: ::core::module_path!(),
                krate: ::core::env!("CARGO_PKG_NAME"),
            }
        };
    }
    pub use crate::__at as at;
}
