//! What was expected and what came, in words.

use crate::{cut, tool::schema::resolve};
use serde_json::Value;

/// So many allowed values or known names are listed.
const LISTED: usize = 30;

/// What a caller sent, cut to 80 characters so that a message stays readable.
pub(super) fn cut(text: &str) -> String {
    cut::repeated(text, 80)
}

/// A value as the caller sent it, in a few words.
pub(crate) fn received(value: &Value) -> String {
    match value {
        Value::String(text) => format!("string {}", quoted(text)),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
        other => cut(&other.to_string()),
    }
}

/// A text in quotes, cut.
pub(super) fn quoted(text: &str) -> String {
    Value::from(cut(text)).to_string()
}

/// Allowed values or known names in a row, each in its marks.
pub(super) fn row<'a>(items: impl IntoIterator<Item = &'a str>, mark: char) -> String {
    let all: Vec<&str> = items.into_iter().collect();
    let mut out: Vec<String> = all
        .iter()
        .take(LISTED)
        .map(|item| if mark == '"' { quoted(item) } else { format!("{mark}{item}{mark}") })
        .collect();
    if all.len() > LISTED {
        out.push(format!("and {} more", all.len() - LISTED));
    }
    out.join(", ")
}

/// JSON values in a row.
pub(super) fn values(items: &[Value]) -> String {
    let mut out: Vec<String> = items.iter().take(LISTED).map(|v| cut(&v.to_string())).collect();
    if items.len() > LISTED {
        out.push(format!("and {} more", items.len() - LISTED));
    }
    out.join(", ")
}

/// A schema's type with its article; `None` where it does not say one.
pub(super) fn kind(schema: &Value) -> Option<String> {
    let one = |name: &str| match name {
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    };
    match schema.get("type")? {
        Value::String(name) => Some(one(name).into()),
        Value::Array(names) => Some(join(names.iter().filter_map(Value::as_str).map(one).map(str::to_owned).collect())),
        _ => None,
    }
}

/// What a schema wants, for where no branch of it speaks.
pub(super) fn wants(schema: &Value, root: &Value, depth: u8) -> String {
    let schema = resolve(schema, root);
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        return one_of(allowed);
    }
    if let Some(only) = schema.get("const") {
        return cut(&only.to_string());
    }
    if let Some(kind) = kind(schema) {
        return kind;
    }
    let branches: Vec<&Value> =
        ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten().collect();
    if branches.is_empty() || depth > 4 {
        return "another value".into();
    }
    join(branches.into_iter().map(|b| wants(b, root, depth + 1)).collect())
}

/// The allowed values of an enum.
pub(super) fn one_of(allowed: &[Value]) -> String {
    match allowed {
        [only] => cut(&only.to_string()),
        _ => format!("one of {}", values(allowed)),
    }
}

/// `a, b or c`, each once.
fn join(mut parts: Vec<String>) -> String {
    let mut seen = Vec::new();
    parts.retain(|p| {
        let new = !seen.contains(p);
        seen.push(p.clone());
        new
    });
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((only, _)) => only.clone(),
        None => "another value".into(),
    }
}

/// `an integer from 1 to 14`: a number's type with all its bounds, though only one was missed.
pub(super) fn range(schema: &Value) -> String {
    let kind = kind(schema).unwrap_or_else(|| "a number".into());
    let get = |key: &str| schema.get(key).filter(|v| v.is_number());
    let (low, above) = (get("minimum"), get("exclusiveMinimum"));
    let (high, below) = (get("maximum"), get("exclusiveMaximum"));
    let low = low.map(|n| format!("of at least {n}")).or_else(|| above.map(|n| format!("greater than {n}")));
    let high_words = high.map(|n| format!("at most {n}")).or_else(|| below.map(|n| format!("less than {n}")));
    match (get("minimum"), high, low, high_words) {
        (Some(low), Some(high), ..) => format!("{kind} from {low} to {high}"),
        (_, _, Some(low), Some(high)) => format!("{kind} {low} and {high}"),
        (_, _, Some(low), None) => format!("{kind} {low}"),
        (_, high, None, Some(words)) => format!("{kind} {}{words}", if high.is_some() { "of " } else { "" }),
        (.., None, None) => kind,
    }
}

/// `a string of 1 to 40 characters`.
pub(super) fn length(schema: &Value, what: &str, keys: [&str; 2], unit: &str) -> String {
    let get = |key: &str| schema.get(key).and_then(Value::as_u64);
    let units = |n: u64| format!("{n} {}", plural(unit, n));
    match (get(keys[0]), get(keys[1])) {
        (Some(low), Some(high)) if low == high => format!("{what} of exactly {}", units(low)),
        (Some(low), Some(high)) if low < high => format!("{what} of {low} to {}", units(high)),
        (Some(low), _) => format!("{what} of at least {}", units(low)),
        (None, Some(high)) => format!("{what} of at most {}", units(high)),
        (None, None) => what.into(),
    }
}

/// `1 item`, `2 items`.
pub(super) fn plural(unit: &str, n: u64) -> String {
    match (n, unit) {
        (1, "properties") => "property".into(),
        (1, unit) => unit.trim_end_matches('s').into(),
        (_, unit) => unit.into(),
    }
}
