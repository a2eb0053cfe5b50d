//! The members of a request's body: which there may be, and what is told of those that are wrong.

use super::refused::Refused;
use crate::{Timestamp, cut, tool::parse_rfc3339};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;
use std::{borrow::Cow, fmt};

/// What a kind of body is called where something is wrong with it.
pub(super) struct Kind {
    /// `a call's body`.
    pub(super) body: &'static str,
    /// `is no call`.
    pub(super) is: &'static str,
    /// What else is worth saying of its members.
    pub(super) hint: &'static str,
}

/// Reads a body's JSON; what is wrong with it is told with its place.
pub(super) fn json<'a, T>(
    bytes: &'a [u8],
    kind: &Kind,
    read: impl FnOnce(&'a str) -> serde_json::Result<T>,
) -> Result<T, Refused> {
    // one look at all of it is cheaper than one at each text; what is no UTF-8 is told with its place
    let read = match std::str::from_utf8(bytes) {
        Ok(text) => read(text),
        Err(not_utf8) => {
            let told = serde_json::from_slice::<Value>(bytes).err();
            Err(told.unwrap_or_else(|| serde::de::Error::custom(not_utf8)))
        }
    };
    read.map_err(|error| {
        let what = if error.is_data() { kind.is } else { "is no JSON" };
        Refused::invalid(format!("the body {what}: {error}"))
    })
}

/// Reads a body with these members. An empty one has none; `null` is as good as absent.
pub(super) fn read<const N: usize>(
    bytes: &[u8],
    kind: &Kind,
    names: &'static [&'static str; N],
    example: &'static str,
) -> Result<[Option<Value>; N], Refused> {
    if bytes.trim_ascii().is_empty() {
        return Ok([const { None }; N]);
    }
    let found = json(bytes, kind, |text| {
        let mut json = serde_json::Deserializer::from_str(text);
        let found = Members { names, example }.deserialize(&mut json)?;
        json.end().map(|()| found)
    })?;
    check(kind, names, &found.unknown, &found.twice)?;
    Ok(found.values)
}

/// Refuses members that there are none of, and those that came twice.
pub(super) fn check(kind: &Kind, names: &[&str], unknown: &[String], twice: &[String]) -> Result<(), Refused> {
    if !unknown.is_empty() {
        let (unknown, names) = (listed(unknown, "or"), listed(names, "and"));
        return Err(Refused::invalid(format!("{} has no {unknown}; it has {names}{}", kind.body, kind.hint)));
    }
    if !twice.is_empty() {
        return Err(Refused::invalid(format!("{} came twice", listed(twice, "and"))));
    }
    Ok(())
}

pub(super) fn text(name: &str, value: Option<Value>) -> Result<Option<String>, Refused> {
    match value {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(name, "a string", &other)),
    }
}

pub(super) fn flag(name: &str, value: Option<Value>) -> Result<bool, Refused> {
    match value {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(wrong(name, "`true` or `false`", &other)),
    }
}

pub(super) fn instant(name: &str, value: Option<Value>) -> Result<Option<Timestamp>, Refused> {
    let Some(text) = text(name, value)? else { return Ok(None) };
    let instant = parse_rfc3339(&text);
    instant.map(Some).map_err(|fault| Refused::invalid(format!("`{name}` {fault}, and was \"{}\"", cut(&text))))
}

pub(super) fn wrong(name: &str, expected: &str, received: &Value) -> Refused {
    Refused::invalid(format!("`{name}` must be {expected}, and was {}", cut(&received.to_string())))
}

/// As much of a text as an answer repeats.
pub(super) fn cut(text: &str) -> String {
    cut::repeated(text, 80)
}

/// "`a`, `b` and `c`".
pub(super) fn listed(names: &[impl AsRef<str>], last: &str) -> String {
    let mut out = String::new();
    for (i, name) in names.iter().enumerate() {
        match i {
            0 => {}
            _ if i + 1 == names.len() => out.extend([" ", last, " "]),
            _ => out.push_str(", "),
        }
        out.extend(["`", &cut(name.as_ref()), "`"]);
    }
    out
}

/// A member's name; it is copied only where something in it is escaped.
#[derive(Deserialize)]
pub(super) struct Name<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// What came.
struct Found<const N: usize> {
    values: [Option<Value>; N],
    unknown: Vec<String>,
    twice: Vec<String>,
}

struct Members<const N: usize> {
    names: &'static [&'static str; N],
    example: &'static str,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Members<N> {
    type Value = Found<N>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<N>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Members<N> {
    type Value = Found<N>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object such as {}", self.example)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Found<N>, A::Error> {
        let mut found = Found { values: [const { None }; N], unknown: Vec::new(), twice: Vec::new() };
        let mut seen = [false; N];
        while let Some(Name(name)) = members.next_key()? {
            let Some(place) = self.names.iter().position(|n| *n == name) else {
                members.next_value::<IgnoredAny>()?;
                found.unknown.push(name.into_owned());
                continue;
            };
            let value: Value = members.next_value()?;
            found.values[place] = (!value.is_null()).then_some(value);
            if std::mem::replace(&mut seen[place], true) {
                found.twice.push(name.into_owned());
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THING: Kind = Kind { body: "a thing's body", is: "is no thing", hint: "" };

    fn read(bytes: &[u8]) -> Result<[Option<Value>; 2], String> {
        super::read(bytes, &THING, &["a", "b"], "{\"a\": 1}").map_err(|refused| refused.message.into_owned())
    }

    #[test]
    fn members_are_taken_and_null_is_none() {
        assert_eq!(read(b" \n"), Ok([None, None]));
        assert_eq!(read(b"{}"), Ok([None, None]));
        assert_eq!(read(br#"{"b":[1],"\u0061":null}"#), Ok([None, Some(serde_json::json!([1]))]));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (body, words) in [
            (&br#"{"c":1,"a":1,"d":2}"#[..], "a thing's body has no `c` or `d`; it has `a` and `b`"),
            (br#"{"a":1,"a":1}"#, "`a` came twice"),
            (br#"{"a":null,"a":null}"#, "`a` came twice"),
            (b"[]", "the body is no thing: invalid type: sequence, expected an object such as {\"a\": 1}"),
            (b"{} {}", "the body is no JSON: trailing characters"),
            (b"{\"a\":\"\xff\"}", "the body is no JSON"),
            (b"{\"a\"", "the body is no JSON: EOF"),
        ] {
            let told = read(body).unwrap_err();
            assert!(told.starts_with(words), "{told}");
        }
    }
}
