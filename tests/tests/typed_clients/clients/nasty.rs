// Written by `mcp lock` (sha256:b5ced4d011088404e4fbb6ec63901cd8a9af82e0ef243bba24ad7006a057077a): change the connection, and run it again.
//! The tools of the connection `nasty`, as its server listed them.
//!
//! A call fails as `host.mcp.call_tool` does, and where the tool says that its answer is an error: with its words.
#![allow(dead_code, missing_docs, nonstandard_style, unreachable_pub)]
#![allow(clippy::all, clippy::pedantic, rustdoc::all)]

/// The connection's name.
pub const CONNECTION: &str = "nasty";

/// Calls `String`.
pub async fn string(mcp: &::bdk::Mcp) -> Result<String2, ::bdk::Error> {
    const TOOL: &str = "String";
    mcp.typed(CONNECTION, TOOL, &()).await
}

/// What `String` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct String2 {
    pub s: Option<String>,
}

/// Calls `a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more`.
pub async fn a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more(
    mcp: &::bdk::Mcp,
    args: ANameOfAToolThatGoesOnAndOnUntilNoLineIsLongEnoughForItAndThenOnForALittleWhileMoreArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ANameOfAToolThatGoesOnAndOnUntilNoLineIsLongEnoughForItAndThenOnForALittleWhileMoreArgs {
    pub a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more:
        bool,
}

impl ANameOfAToolThatGoesOnAndOnUntilNoLineIsLongEnoughForItAndThenOnForALittleWhileMoreArgs {
    /// With what is required, and nothing else.
    pub fn new(
        a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more: bool,
    ) -> Self {
        Self {
            a_name_of_a_tool_that_goes_on_and_on_until_no_line_is_long_enough_for_it_and_then_on_for_a_little_while_more,
        }
    }
}

/// Calls `get-stock`.
pub async fn get_stock_2(
    mcp: &::bdk::Mcp,
) -> Result<::std::collections::BTreeMap<String, ::bdk::prelude::Value>, ::bdk::Error> {
    const TOOL: &str = "get-stock";
    mcp.typed(CONNECTION, TOOL, &()).await
}

/// Calls `getStock`.
pub async fn get_stock_3(
    mcp: &::bdk::Mcp,
    args: ::bdk::prelude::Value,
) -> Result<::bdk::prelude::Value, ::bdk::Error> {
    const TOOL: &str = "getStock";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// Calls `get_stock`.
pub async fn get_stock(
    mcp: &::bdk::Mcp,
    args: GetStockArgs,
) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "get_stock";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `get_stock` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct GetStockArgs {
    pub ab: Vec<::bdk::prelude::Value>,
}

impl GetStockArgs {
    /// With what is required, and nothing else.
    pub fn new(ab: Vec<::bdk::prelude::Value>) -> Self {
        Self { ab }
    }
}

/// Ends */ here?
///
/// \`\`\`rust
/// std::process::exit(1)
/// \`\`\`
/// let indented = 1;
/// "# \[`std`] \<script>\u{202e}
pub async fn r#type(mcp: &::bdk::Mcp, args: TypeArgs) -> Result<Type, ::bdk::Error> {
    const TOOL: &str = "type";
    mcp.typed(CONNECTION, TOOL, &args).await
}

/// What `type` takes.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct TypeArgs {
    /// A keyword.
    /// */ "#\
    pub r#type: String,
    /// Must be there, and may be null.
    #[serde(rename = "self")]
    pub self_: Option<String>,
    pub kind: TypeArgsKind,
    pub size: TypeArgsSize,
    #[serde(rename = "")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<f64>,
    #[serde(rename = "Type")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_2: Option<bool>,
    #[serde(rename = "gr\u{f6}\u{df}e")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gr_e: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<::std::collections::BTreeMap<String, String>>,
    #[serde(rename = "maxResults")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_results_2: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_results: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maybe: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one: Option<::bdk::prelude::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<TypeArgsRowsItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<::bdk::prelude::Value>,
}

impl TypeArgs {
    /// With what is required, and nothing else.
    pub fn new(
        r#type: impl Into<String>,
        self_: Option<String>,
        kind: TypeArgsKind,
        size: TypeArgsSize,
    ) -> Self {
        Self {
            r#type: r#type.into(),
            self_,
            kind,
            size,
            field: None,
            type_2: None,
            gr_e: None,
            labels: None,
            max_results_2: None,
            max_results: None,
            maybe: None,
            one: None,
            rows: None,
            tree: None,
        }
    }
}

/// `kind` of `TypeArgs`.
#[derive(Debug, Clone, Copy, Eq, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub enum TypeArgsKind {
    #[serde(rename = "self")]
    Self_,
    #[serde(rename = "a-b")]
    AB,
    #[serde(rename = "a_b")]
    AB2,
    #[serde(rename = "")]
    Value,
    #[serde(rename = "1st")]
    Value1st,
    #[serde(rename = "\"#\n")]
    Value2,
}

/// `size` of `TypeArgs`.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct TypeArgsSize {
    pub w: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub h: Option<f64>,
}

impl TypeArgsSize {
    /// With what is required, and nothing else.
    pub fn new(w: f64) -> Self {
        Self { w, h: None }
    }
}

/// `rows` of `TypeArgs`.
#[derive(Debug, Clone, Default, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct TypeArgsRowsItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
}

/// What `type` answers.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct Type {
    pub result: Vec<TypeResultItem>,
}

/// `result` of `Type`.
#[derive(Debug, Clone, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct TypeResultItem {
    pub id: i64,
    pub state: Option<TypeResultItemState>,
}

/// `state` of `TypeResultItem`.
#[derive(Debug, Clone, Copy, Eq, PartialEq, ::bdk::prelude::Deserialize)]
#[serde(crate = "::bdk::__private::serde")]
pub enum TypeResultItemState {
    #[serde(rename = "open")]
    Open,
    #[serde(rename = "closed")]
    Closed,
}

/// Calls `値段"#`.
pub async fn tool(mcp: &::bdk::Mcp, args: ToolArgs) -> Result<::bdk::ToolOutput, ::bdk::Error> {
    const TOOL: &str = "\u{5024}\u{6bb5}\"#";
    mcp.untyped(CONNECTION, TOOL, &args).await
}

/// What `値段"#` takes.
#[derive(Debug, Clone, Default, PartialEq, ::bdk::prelude::Serialize)]
#[serde(crate = "::bdk::__private::serde")]
pub struct ToolArgs {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<bool>,
}
