// Written by `mcp lock` (sha256:f8bd095926f43c0e01bcc22f9192b0a57f0b54584c927c1446ab379c12d5b834): change the connection, and run it again.
//! The tools of the connection `files`, as its server listed them.
//!
//! A call fails as `host.mcp.call_tool` does, and where the tool says that its answer is an error: with its words.
#![allow(dead_code, missing_docs, nonstandard_style, unreachable_pub)]
#![allow(clippy::all, clippy::pedantic, rustdoc::all)]

/// The connection's name.
pub const CONNECTION: &str = "files";

/// Get a recursive tree view of files and directories as a JSON structure. Each entry includes 'name', 'type' (file/directory), and 'children' for directories. Files have no children array, while directories always have a children array (which may be empty). The output is formatted with 2-space indentation for readability. Only works within allowed directories.
pub async fn directory_tree(
    mcp: &::bdk::Mcp,
    args: DirectoryTreeArgs,
) -> Result<DirectoryTree, ::bdk::Error> {
    const TOOL: &str = "directory_tree";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `directory_tree` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct DirectoryTreeArgs {
    pub path: String,
    #[serde(rename = "excludePatterns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_patterns: Option<Vec<String>>,
}

impl DirectoryTreeArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            exclude_patterns: None,
        }
    }
}

/// What `directory_tree` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct DirectoryTree {
    pub content: String,
}

/// Retrieve detailed metadata about a file or directory. Returns comprehensive information including size, creation time, last modified time, permissions, and type. This tool is perfect for understanding file characteristics without reading the actual content. Only works within allowed directories.
pub async fn get_file_info(
    mcp: &::bdk::Mcp,
    args: GetFileInfoArgs,
) -> Result<GetFileInfo, ::bdk::Error> {
    const TOOL: &str = "get_file_info";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `get_file_info` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GetFileInfoArgs {
    pub path: String,
}

impl GetFileInfoArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

/// What `get_file_info` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GetFileInfo {
    pub content: String,
}

/// Returns the list of directories that this server is allowed to access. Subdirectories within these allowed directories are also accessible. Use this to understand which directories and their nested paths are available before trying to access files.
pub async fn list_allowed_directories(
    mcp: &::bdk::Mcp,
) -> Result<ListAllowedDirectories, ::bdk::Error> {
    const TOOL: &str = "list_allowed_directories";
    mcp.typed(CONNECTION, TOOL, &()).await
}

/// What `list_allowed_directories` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ListAllowedDirectories {
    pub content: String,
}

/// Get a detailed listing of all files and directories in a specified path. Results clearly distinguish between files and directories with \[FILE] and \[DIR] prefixes. This tool is essential for understanding directory structure and finding specific files within a directory. Only works within allowed directories.
pub async fn list_directory(
    mcp: &::bdk::Mcp,
    args: ListDirectoryArgs,
) -> Result<ListDirectory, ::bdk::Error> {
    const TOOL: &str = "list_directory";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `list_directory` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ListDirectoryArgs {
    pub path: String,
}

impl ListDirectoryArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

/// What `list_directory` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ListDirectory {
    pub content: String,
}

/// Get a detailed listing of all files and directories in a specified path, including sizes. Results clearly distinguish between files and directories with \[FILE] and \[DIR] prefixes. This tool is useful for understanding directory structure and finding specific files within a directory. Only works within allowed directories.
pub async fn list_directory_with_sizes(
    mcp: &::bdk::Mcp,
    args: ListDirectoryWithSizesArgs,
) -> Result<ListDirectoryWithSizes, ::bdk::Error> {
    const TOOL: &str = "list_directory_with_sizes";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `list_directory_with_sizes` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ListDirectoryWithSizesArgs {
    pub path: String,
    /// Sort entries by name or size
    #[serde(rename = "sortBy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_by: Option<ListDirectoryWithSizesArgsSortBy>,
}

impl ListDirectoryWithSizesArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            sort_by: None,
        }
    }
}

/// Sort entries by name or size
#[derive(Debug, Clone, Copy, Eq, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub enum ListDirectoryWithSizesArgsSortBy {
    #[serde(rename = "name")]
    Name,
    #[serde(rename = "size")]
    Size,
}

/// What `list_directory_with_sizes` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ListDirectoryWithSizes {
    pub content: String,
}

/// Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.
pub async fn read_file(mcp: &::bdk::Mcp, args: ReadFileArgs) -> Result<ReadFile, ::bdk::Error> {
    const TOOL: &str = "read_file";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `read_file` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadFileArgs {
    pub path: String,
    /// If provided, returns only the first N lines of the file
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<f64>,
    /// If provided, returns only the last N lines of the file
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<f64>,
}

impl ReadFileArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            head: None,
            tail: None,
        }
    }
}

/// What `read_file` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadFile {
    pub content: String,
}

/// Read a file and return it as a base64-encoded content block with its MIME type. Image and audio files are returned as image/audio content; any other file type is returned as an embedded resource. Only works within allowed directories.
pub async fn read_media_file(
    mcp: &::bdk::Mcp,
    args: ReadMediaFileArgs,
) -> Result<ReadMediaFile, ::bdk::Error> {
    const TOOL: &str = "read_media_file";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `read_media_file` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadMediaFileArgs {
    pub path: String,
}

impl ReadMediaFileArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

/// What `read_media_file` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadMediaFile {
    pub content: Vec<::bdk::prelude::Value>,
}

/// Read the contents of multiple files simultaneously. This is more efficient than reading files one by one when you need to analyze or compare multiple files. Each file's content is returned with its path as a reference. Failed reads for individual files won't stop the entire operation. Only works within allowed directories.
pub async fn read_multiple_files(
    mcp: &::bdk::Mcp,
    args: ReadMultipleFilesArgs,
) -> Result<ReadMultipleFiles, ::bdk::Error> {
    const TOOL: &str = "read_multiple_files";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `read_multiple_files` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadMultipleFilesArgs {
    /// Array of file paths to read. Each path must be a string pointing to a valid file within allowed directories.
    pub paths: Vec<String>,
}

impl ReadMultipleFilesArgs {
    /// With what is required, and nothing else.
    pub fn new(paths: Vec<String>) -> Self {
        Self { paths }
    }
}

/// What `read_multiple_files` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadMultipleFiles {
    pub content: String,
}

/// Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read. Use this tool when you need to examine the contents of a single file. Use the 'head' parameter to read only the first N lines of a file, or the 'tail' parameter to read only the last N lines of a file. Operates on the file as text regardless of extension. Only works within allowed directories.
pub async fn read_text_file(
    mcp: &::bdk::Mcp,
    args: ReadTextFileArgs,
) -> Result<ReadTextFile, ::bdk::Error> {
    const TOOL: &str = "read_text_file";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `read_text_file` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadTextFileArgs {
    pub path: String,
    /// If provided, returns only the first N lines of the file
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<f64>,
    /// If provided, returns only the last N lines of the file
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<f64>,
}

impl ReadTextFileArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            head: None,
            tail: None,
        }
    }
}

/// What `read_text_file` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ReadTextFile {
    pub content: String,
}

/// Recursively search for files and directories matching a pattern. The patterns should be glob-style patterns that match paths relative to the working directory. Use pattern like '*.ext' to match files in current directory, and '**/*.ext' to match files in all subdirectories. Returns full paths to all matching items. Great for finding files when you don't know their exact location. Only searches within allowed directories.
pub async fn search_files(
    mcp: &::bdk::Mcp,
    args: SearchFilesArgs,
) -> Result<SearchFiles, ::bdk::Error> {
    const TOOL: &str = "search_files";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `search_files` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct SearchFilesArgs {
    pub path: String,
    pub pattern: String,
    #[serde(rename = "excludePatterns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_patterns: Option<Vec<String>>,
}

impl SearchFilesArgs {
    /// With what is required, and nothing else.
    pub fn new(path: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            pattern: pattern.into(),
            exclude_patterns: None,
        }
    }
}

/// What `search_files` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct SearchFiles {
    pub content: String,
}
