//! One type of each kind that serde and schemars derive for.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Point {
    x: i32,
    #[serde(default)]
    y: u8,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read only")]
pub(super) struct Strict {
    first_name: String,
    #[serde(rename = "type")]
    kind: Option<Plain>,
    #[serde(default = "seven")]
    count: u64,
    point: Option<Point>,
    nested: Vec<Option<Point>>,
}

fn seven() -> u64 {
    7
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Plain {
    Unit,
    Other,
}

/// Documented.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Documented {
    /// The first.
    FirstOne,
    /// The second.
    SecondOne,
    Third,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) enum External {
    Unit,
    New(u8),
    Tuple(u8, String),
    Struct { a: u8, b: Option<bool> },
    Point(Point),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "read only")]
pub(super) enum Internal {
    Circle { r: f64 },
    Rect { w: u32, h: Option<u32> },
    At(Point),
    Empty,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields)]
#[expect(dead_code, reason = "read only")]
pub(super) enum InternalStrict {
    Circle { r: f64 },
    Rect { w: u32, h: Option<u32> },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
#[expect(dead_code, reason = "read only")]
pub(super) enum Adjacent {
    Number(u8),
    Point(Point),
    Struct { a: u8 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read only")]
pub(super) enum Untagged {
    Number(u8),
    Text(String),
    Point { x: i32, y: Option<u8> },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct Flat {
    name: String,
    #[serde(flatten)]
    point: Point,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct FlatMap {
    name: String,
    #[serde(flatten)]
    rest: HashMap<String, u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct FlatEnum {
    name: String,
    #[serde(flatten)]
    shape: Internal,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct FlatOption {
    name: String,
    #[serde(flatten)]
    point: Option<Point>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct FlatExternal {
    name: String,
    #[serde(flatten)]
    shape: External,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "SCREAMING-KEBAB-CASE")]
pub(super) struct AllDefault {
    one_number: i16,
    some_text: Box<str>,
    #[serde(skip)]
    hidden: u8,
    twice: Option<Option<u8>>,
}

/// `op` tells the branches apart, and each holds more of the same.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op")]
#[expect(dead_code, reason = "read only")]
pub(super) enum Expression {
    Number { value: f64 },
    Add { left: Box<Expression>, right: Box<Expression> },
    Sum { of: Vec<Expression>, note: Option<String> },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct Tree {
    name: String,
    #[serde(default)]
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct Newtype(u16);

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct TupleStruct(u8, String);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct UnitStruct;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Empty {}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct Std {
    range: std::ops::Range<u8>,
    result: Option<Result<u8, String>>,
    bound: Option<std::ops::Bound<u8>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read only")]
pub(super) struct Tight {
    #[schemars(range(min = -5, max = 70_000))]
    n: u16,
    any: Value,
    #[serde(default)]
    preset: Value,
}
