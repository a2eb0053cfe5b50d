//! The values that the bot knows as secret: they are remembered here, and blanked wherever the bot speaks.
//!
//! They live as long as the process, and for all of it: a result, an error, a log line and a record go through the same few
//! functions. Where nothing is known, each costs one load.

mod find;
mod json;

use crate::{Error, env_files};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::{Map, Value};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// What stands where a secret stood.
pub(crate) const REDACTED: &str = "[redacted]";
/// A shorter value is too likely a word of its own.
const SHORTEST: usize = 8;

/// Whether any secret is known.
static ANY: AtomicBool = AtomicBool::new(false);
static KNOWN: RwLock<Known> = RwLock::new(Known { values: BTreeSet::new(), finder: None });

struct Known {
    values: BTreeSet<Box<[u8]>>,
    finder: Option<Arc<AhoCorasick>>,
}

/// A secret by the name of its environment variable. From then on its value is blanked (`[redacted]`) in whatever this process
/// tells: results, errors, progress, messages and questions to callers, logs, records of calls. As it is, escaped as in JSON, and
/// escaped as in a URL.
///
/// The environment comes first, then the current folder's `.env.local`, then its `.env`; the files are read anew at each call, so
/// that a secret that was exchanged there is the new one. A line of theirs is one of these, or a comment that begins with `#`:
///
/// ```text
/// NAME=value                 # ends at a blank; `export` may stand in front of the name
/// NAME='any $value "as it is"'
/// NAME="a value with $OTHER or ${OTHER} in it, and \" \\ \$ \n escaped"
/// ```
///
/// Single quotes keep everything: they are for whatever somebody else made up, such as tokens and passwords. Outside of them `$`
/// with a name behind it stands for what the environment or a line above has under that name; one that is set nowhere is an
/// error, as is everything else that a line cannot mean. Quoted values may have several lines. A value of fewer than 8 characters is returned, but not blanked: it
/// would be found in other words. What an author prints, encodes (base64) or sends elsewhere is not looked at.
///
/// ```
/// use bdk::prelude::*;
///
/// /// Say hello to the forge.
/// #[tool(effect = "read")]
/// async fn greet() -> Result<String> {
///     let token = bdk::secret("FORGE_TOKEN")?;
///     Ok(format!("GET https://forge.example.com/user?token={token}"))
/// }
///
/// # // SAFETY: nothing else runs yet
/// # unsafe { std::env::set_var("FORGE_TOKEN", "fg/0123456789") };
/// # bdk::__private::block_on(async {
/// let outcome = TestBot::new().call_tool("greet", json!({})).await;
/// assert_eq!(outcome.result, "GET https://forge.example.com/user?token=[redacted]");
/// # });
/// assert!(bdk::secret("NO_SUCH_TOKEN").is_err());
/// ```
///
/// # Errors
/// When it is set nowhere, is empty or is no text; when an env file cannot be read.
pub fn secret(name: &str) -> Result<String, Error> {
    let value = env_files::value(name)?.ok_or_else(|| missing(name, "is not set"))?;
    if value.is_empty() {
        return Err(missing(name, "is empty"));
    }
    remember(&value);
    Ok(value)
}

fn missing(name: &str, what: &str) -> Error {
    // a value in a name's place must not be told either
    let name = if name.len() <= 128 && !name.contains(['=', '\0']) { name } else { "…" };
    Error::new(format!(
        "the secret `{name}` {what}: set it in the environment, or as a line `{name}=…` in `.env.local` or `.env` in the folder the bot runs in"
    ))
}

/// Remembers a value as secret.
pub(crate) fn remember(value: &str) {
    let is_known = || KNOWN.read().unwrap_or_else(PoisonError::into_inner).values.contains(value.as_bytes());
    if value.chars().count() < SHORTEST || is_known() {
        return;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.values.extend(forms(value));
    // made again when it is needed: a bot may read many secrets before it says anything
    known.finder = None;
    ANY.store(true, Ordering::Relaxed);
}

/// A value, and what others make of it where they do more than escape it.
fn forms(value: &str) -> impl Iterator<Item = Box<[u8]>> {
    // a token that was read from a file has a line's end which whoever sends it leaves out
    let forms = [value, value.trim()].into_iter().flat_map(|value| {
        let plain = [
            value.to_owned(),
            // a form that a browser sends has a plus for each space
            value.replace(' ', "+"),
            // a URL has no line breaks, and drops those that it is given
            value.replace(['\t', '\n', '\r'], ""),
        ];
        // a value that looks escaped itself is read so where the escapes around it are looked through
        plain.into_iter().map(String::into_bytes).chain(find::misread(value))
    });
    forms.filter(|form| form.len() >= SHORTEST).map(Vec::into_boxed_slice)
}

fn build(values: &BTreeSet<Box<[u8]>>) -> Result<AhoCorasick, aho_corasick::BuildError> {
    let bytes: usize = values.iter().map(|value| value.len()).sum();
    AhoCorasick::builder()
        // what tells of all that overlap
        .match_kind(MatchKind::Standard)
        // the fastest kind takes a kilobyte for each byte
        .kind(if bytes <= 4096 { None } else { Some(AhoCorasickKind::ContiguousNFA) })
        .build(values)
}

/// What finds the secrets, where any is known.
fn finder() -> Option<Arc<AhoCorasick>> {
    if !any() {
        return None;
    }
    let finder = KNOWN.read().unwrap_or_else(PoisonError::into_inner).finder.clone();
    finder.or_else(made)
}

#[cold]
fn made() -> Option<Arc<AhoCorasick>> {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    if known.finder.is_none() {
        // it fails beyond two gigabytes of secrets
        known.finder = build(&known.values).ok().map(Arc::new);
    }
    known.finder.clone()
}

/// Whether any secret is known: who has much to look through asks first.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// A text without the secrets in it.
pub(crate) fn blank(text: &str) -> Cow<'_, str> {
    match finder() {
        Some(finder) => replaced(text, &find::in_text(&finder, text)),
        None => Cow::Borrowed(text),
    }
}

/// A JSON text without the secrets in its texts, keys and numbers: JSON still, otherwise the same, byte for byte.
pub(crate) fn blank_json(text: &str) -> Cow<'_, str> {
    match finder() {
        Some(finder) if find::is_in(&finder, text) => json::blanked(&finder, text),
        _ => Cow::Borrowed(text),
    }
}

/// A tree without the secrets in its texts, keys and numbers.
pub(crate) fn blank_value(value: &mut Value) {
    if let Some(finder) = finder() {
        blank_tree(&finder, value);
    }
}

fn blank_tree(finder: &AhoCorasick, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(blanked) = replaced(text, &find::in_text(finder, text)) {
                *text = blanked;
            }
        }
        Value::Number(number) => {
            if finder.is_match(&number.to_string()) {
                *value = Value::String(REDACTED.to_owned());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| blank_tree(finder, item)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| blank_tree(finder, member));
            if members.keys().any(|key| !find::in_text(finder, key).is_empty()) {
                blank_keys(finder, members);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn blank_keys(finder: &AhoCorasick, members: &mut Map<String, Value>) {
    let is_plain = |key: &str| find::in_text(finder, key).is_empty();
    let mut taken: BTreeSet<String> = members.keys().filter(|key| is_plain(key)).cloned().collect();
    *members = std::mem::take(members)
        .into_iter()
        .map(|(key, member)| match replaced(&key, &find::in_text(finder, &key)) {
            Cow::Borrowed(_) => (key, member),
            Cow::Owned(blanked) => (json::own_name(blanked, &mut taken), member),
        })
        .collect();
}

/// The text with these ranges blanked.
fn replaced<'a>(text: &'a str, ranges: &[std::ops::Range<usize>]) -> Cow<'a, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        out.push_str(&text[from..range.start]);
        out.push_str(REDACTED);
        from = range.end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
