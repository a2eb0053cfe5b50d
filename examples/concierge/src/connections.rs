//! The other servers. Nothing is started before something of it is needed.

use bdk::prelude::*;

/// The folder that it looks after.
pub fn folder() -> String {
    std::env::var("CONCIERGE_FOLDER").unwrap_or_else(|_| ".".to_owned())
}

/// The time in any zone, and from one zone to another.
#[connection]
fn clock() -> impl IntoConnection {
    Connection::stdio("mcp-server-time").args(["--local-timezone", "Etc/UTC"]).advertise_tools()
}

/// What happened in the checkout, and commits to it. The server says of each tool whether it reads or writes; that a commit writes,
/// the bot does not leave to it.
#[connection]
fn checkout() -> impl IntoConnection {
    Connection::stdio("mcp-server-git")
        .args(["--repository", &folder()])
        .advertise_tools()
        .tools(["git_status", "git_log", "git_show", "git_branch", "git_commit"])
        .effect_of("git_commit", Effect::Write)
}

/// The folder's files, for the tools of this bot: no model lists or calls them.
#[connection(host)]
fn files() -> impl IntoConnection {
    Connection::stdio("mcp-server-filesystem").args([folder()]).only_reads()
}
