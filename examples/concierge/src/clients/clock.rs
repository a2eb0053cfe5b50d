// Written by `mcp lock` (sha256:a84df96937bff3a8f0935550461fd3707ad1383e333c6a16857c51df40214611): change the connection, and run it again.
//! The tools of the connection `clock`, as its server listed them.
//!
//! A call fails as `host.mcp.call_tool` does, and where the tool says that its answer is an error: with its words.
#![allow(dead_code, missing_docs, nonstandard_style, unreachable_pub)]
#![allow(clippy::all, clippy::pedantic, rustdoc::all)]

/// The connection's name.
pub const CONNECTION: &str = "clock";

/// Convert time between timezones
pub async fn convert_time(
    mcp: &::bdk::Mcp,
    args: ConvertTimeArgs,
) -> Result<ConvertTime, ::bdk::Error> {
    const TOOL: &str = "convert_time";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `convert_time` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ConvertTimeArgs {
    /// Source IANA timezone name (e.g., 'America/New_York', 'Europe/London'). Use 'Etc/UTC' as local timezone if no source timezone provided by the user.
    pub source_timezone: String,
    /// Time to convert in 24-hour format (HH:MM)
    pub time: String,
    /// Target IANA timezone name (e.g., 'Asia/Tokyo', 'America/San_Francisco'). Use 'Etc/UTC' as local timezone if no target timezone provided by the user.
    pub target_timezone: String,
}

impl ConvertTimeArgs {
    /// With what is required, and nothing else.
    pub fn new(
        source_timezone: impl Into<String>,
        time: impl Into<String>,
        target_timezone: impl Into<String>,
    ) -> Self {
        Self {
            source_timezone: source_timezone.into(),
            time: time.into(),
            target_timezone: target_timezone.into(),
        }
    }
}

/// What `convert_time` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ConvertTime {
    pub source: ::bdk::prelude::Value,
    pub target: ::bdk::prelude::Value,
    pub time_difference: String,
}

/// Get current time in a specific timezone
pub async fn get_current_time(
    mcp: &::bdk::Mcp,
    args: GetCurrentTimeArgs,
) -> Result<GetCurrentTime, ::bdk::Error> {
    const TOOL: &str = "get_current_time";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `get_current_time` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GetCurrentTimeArgs {
    /// IANA timezone name (e.g., 'America/New_York', 'Europe/London'). Use 'Etc/UTC' as local timezone if no timezone provided by the user.
    pub timezone: String,
}

impl GetCurrentTimeArgs {
    /// With what is required, and nothing else.
    pub fn new(timezone: impl Into<String>) -> Self {
        Self {
            timezone: timezone.into(),
        }
    }
}

/// What `get_current_time` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GetCurrentTime {
    pub timezone: String,
    pub datetime: String,
    pub day_of_week: String,
    pub is_dst: bool,
}
