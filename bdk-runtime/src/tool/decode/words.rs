//! Rust's and serde's names for types, in words that a model knows.

use crate::cut;
use serde::de::Unexpected;
use serde_json::Value;

/// Characters of a string that are shown.
const SHOWN: usize = 40;

/// What came: `string "abc"`, `integer 5`, `number 2.5`, `null`, `boolean true`, `array`, `object`.
pub(super) fn received(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("boolean {value}"),
        Unexpected::Unsigned(value) => format!("integer {value}"),
        Unexpected::Signed(value) => format!("integer {value}"),
        // as JSON writes it: `1e300`, not three hundred digits
        Unexpected::Float(value) => format!("number {}", Value::from(value)),
        Unexpected::Char(value) => string(value.encode_utf8(&mut [0; 4])),
        Unexpected::Str(value) => string(value),
        Unexpected::Bytes(_) => "bytes".to_owned(),
        Unexpected::Unit => "null".to_owned(),
        Unexpected::Seq => "array".to_owned(),
        Unexpected::Map
        | Unexpected::Enum
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant => "object".to_owned(),
        Unexpected::UnitVariant => "the name of a variant alone".to_owned(),
        other => other.to_string(),
    }
}

/// `string "abc"`, cut.
pub(super) fn string(text: &str) -> String {
    format!("string {}", cut::quoted(text, SHOWN))
}

/// A length: `1 item`, `3 items`.
pub(super) fn items(count: usize) -> String {
    format!("{count} item{}", if count == 1 { "" } else { "s" })
}

/// What a type's visitor says it expects. The words of Rust's own types and of serde's derive are put into JSON's;
/// those of anybody else stay.
pub(super) fn expected(text: &str) -> String {
    let integer = |min: &dyn std::fmt::Display, max: &dyn std::fmt::Display| format!("an integer from {min} to {max}");
    let known = match text {
        "i8" => return integer(&i8::MIN, &i8::MAX),
        "i16" => return integer(&i16::MIN, &i16::MAX),
        "i32" => return integer(&i32::MIN, &i32::MAX),
        "i64" | "isize" => return integer(&i64::MIN, &i64::MAX),
        "u8" => return integer(&u8::MIN, &u8::MAX),
        "u16" => return integer(&u16::MIN, &u16::MAX),
        "u32" => return integer(&u32::MIN, &u32::MAX),
        "u64" | "usize" => return integer(&u64::MIN, &u64::MAX),
        "i128" => "an integer",
        "u128" => "an integer of at least 0",
        "f32" | "f64" => "a number",
        "unit" => "null",
        "a character" => "a string of one character",
        "a sequence" | "a set" => "an array",
        "a map" => "an object",
        _ => return derived(text).unwrap_or(text).to_owned(),
    };
    known.to_owned()
}

/// The JSON of what serde's derive calls `struct Crate`, unless it adds a count, which is worth keeping.
fn derived(text: &str) -> Option<&'static str> {
    if text.contains(" with ") {
        return None;
    }
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
    if starts(&["struct ", "adjacently tagged enum ", "internally tagged enum "]) {
        Some("an object")
    } else if starts(&["tuple struct ", "tuple variant "]) {
        Some("an array")
    } else if starts(&["unit struct "]) {
        Some("null")
    } else if starts(&["enum "]) {
        Some("a string, or an object with one property")
    } else {
        None
    }
}
