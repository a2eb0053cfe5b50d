use bdk::prelude::*;

type Days = Option<u32>;

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Day(String);

/// A number.
#[tool(time_args = ["days"])] // MISTAKE
fn number(days: u32) {
    let _ = days;
}

/// A number by another name: rustc may point at the type instead.
#[tool(time_args = ["since", "days"])]
fn alias(
    since: Option<Timestamp>,
    days: Days, // MISTAKE
) {
    let _ = (since, days);
}

/// A list.
#[tool(time_args = ["days"])] // MISTAKE
fn list(days: Vec<String>) {
    let _ = days;
}

/// A type of the author's own that does not say so.
#[tool(time_args = ["day"])] // MISTAKE
fn own(day: Day) {
    let _ = day.0;
}

fn main() {}
