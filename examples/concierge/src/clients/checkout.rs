// Written by `mcp lock` (sha256:459cb01e018b898c89152b73f0cdd8dfb175f49439c50e7b1ec62baae910a138): change the connection, and run it again.
//! The tools of the connection `checkout`, as its server listed them.
//!
//! A call fails as `host.mcp.call_tool` does, and where the tool says that its answer is an error: with its words.
#![allow(dead_code, missing_docs, nonstandard_style, unreachable_pub)]
#![allow(clippy::all, clippy::pedantic, rustdoc::all)]

/// The connection's name.
pub const CONNECTION: &str = "checkout";

/// List Git branches
pub async fn git_branch(
    mcp: &::bdk::Mcp,
    args: GitBranchArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "git_branch";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `git_branch` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GitBranchArgs {
    /// The path to the Git repository.
    pub repo_path: String,
    /// Whether to list local branches ('local'), remote branches ('remote') or all branches('all').
    pub branch_type: String,
    /// The commit sha that branch should contain. Do not pass anything to this param if no commit sha is specified
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// The commit sha that branch should NOT contain. Do not pass anything to this param if no commit sha is specified
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_contains: Option<String>,
}

impl GitBranchArgs {
    /// With what is required, and nothing else.
    pub fn new(repo_path: impl Into<String>, branch_type: impl Into<String>) -> Self {
        Self {
            repo_path: repo_path.into(),
            branch_type: branch_type.into(),
            contains: None,
            not_contains: None,
        }
    }
}

/// Records changes to the repository
pub async fn git_commit(
    mcp: &::bdk::Mcp,
    args: GitCommitArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "git_commit";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `git_commit` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GitCommitArgs {
    pub repo_path: String,
    pub message: String,
}

impl GitCommitArgs {
    /// With what is required, and nothing else.
    pub fn new(repo_path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            repo_path: repo_path.into(),
            message: message.into(),
        }
    }
}

/// Shows the commit logs
pub async fn git_log(
    mcp: &::bdk::Mcp,
    args: GitLogArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "git_log";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `git_log` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GitLogArgs {
    pub repo_path: String,
    /// End timestamp for filtering commits. Accepts: ISO 8601 format (e.g., '2024-01-15T14:30:25'), relative dates (e.g., '2 weeks ago', 'yesterday'), or absolute dates (e.g., '2024-01-15', 'Jan 15 2024')
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_count: Option<i64>,
    /// Start timestamp for filtering commits. Accepts: ISO 8601 format (e.g., '2024-01-15T14:30:25'), relative dates (e.g., '2 weeks ago', 'yesterday'), or absolute dates (e.g., '2024-01-15', 'Jan 15 2024')
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_timestamp: Option<String>,
}

impl GitLogArgs {
    /// With what is required, and nothing else.
    pub fn new(repo_path: impl Into<String>) -> Self {
        Self {
            repo_path: repo_path.into(),
            end_timestamp: None,
            max_count: None,
            start_timestamp: None,
        }
    }
}

/// Shows the contents of a commit, or of a file or directory given as \<revision>:\<path>
pub async fn git_show(
    mcp: &::bdk::Mcp,
    args: GitShowArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "git_show";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `git_show` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GitShowArgs {
    pub repo_path: String,
    pub revision: String,
}

impl GitShowArgs {
    /// With what is required, and nothing else.
    pub fn new(repo_path: impl Into<String>, revision: impl Into<String>) -> Self {
        Self {
            repo_path: repo_path.into(),
            revision: revision.into(),
        }
    }
}

/// Shows the working tree status
pub async fn git_status(
    mcp: &::bdk::Mcp,
    args: GitStatusArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "git_status";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `git_status` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GitStatusArgs {
    pub repo_path: String,
}

impl GitStatusArgs {
    /// With what is required, and nothing else.
    pub fn new(repo_path: impl Into<String>) -> Self {
        Self {
            repo_path: repo_path.into(),
        }
    }
}
