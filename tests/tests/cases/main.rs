//! cases.md 22–31, through every door at once: HTTP, the command line, in process and MCP, in a session and without one.
//!
//! The kitchen's tools are compiled into this test, so that one bot is called in process and over the network; its command
//! line is the built one. What one door or one step alone has to hold is tested where it stands:
//!
//! | case | here | elsewhere |
//! | --- | --- | --- |
//! | 22 dry run | `case_22_…`, repo-scout | `effects.rs`, `sessions.rs`; over MCP, with clients that throw, `mcp_bound.rs` |
//! | 23 predicates | `case_23_…` | `effects.rs` |
//! | 24 transient reads | `case_24_…` | `effects.rs`; what counts as transient, `transient.rs`; `bdk-runtime/src/call/transient.rs` |
//! | 25 transient writes | `case_25_…` | `effects.rs` |
//! | 26 waits | `case_26_…` | `effects.rs` |
//! | 27 asOf | `case_27_…`, repo-scout | `effects.rs`; the words over MCP, `mcp_bound.rs`; every form of an instant, `bdk-runtime/src/tool/timestamp` |
//! | 28 listings | `case_28_…` | `effects.rs`, `bdk-runtime/src/mcp/listing.rs` |
//! | 29 one call path | `case_29_…` | `doors.rs` (the command line against a running bot) |
//! | 30 workspaces | `case_30_…` | `guard.rs` (panic, a caller that goes away), `sessions.rs`, `mcp_bound.rs` |
//! | 31 refusals | | `bdk-runtime/tests/http` (`auth.rs`, `limits.rs`, `refused.rs`); over MCP, `mcp_faults.rs` |
#![allow(unused_attributes, reason = "the kitchen is a program of its own, too")]

mod calling;
mod doors;
mod dry_run;
mod frozen;
mod retries;
mod scout;
mod workspaces;

#[path = "../../src/bin/kitchen.rs"]
#[allow(dead_code, reason = "nobody runs its `main` here")]
mod kitchen;

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");
