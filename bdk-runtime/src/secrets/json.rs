//! Secrets in a JSON text: token by token, so that whatever holds none stays as it was written, numbers that no float can hold and
//! keys that come twice among it.

use super::{REDACTED, find, replaced};
use aho_corasick::AhoCorasick;
use std::{borrow::Cow, collections::BTreeSet, ops::Range};

/// What of a JSON text may hold a secret.
struct Token {
    /// Of a string, with its quotes.
    range: Range<usize>,
    kind: Kind,
}

enum Kind {
    Text,
    /// The object whose key it is.
    Key(usize),
    Scalar,
}

/// The text with its secrets blanked.
pub(super) fn blanked<'a>(finder: &AhoCorasick, text: &'a str) -> Cow<'a, str> {
    let (tokens, objects) = tokens(text);
    let mut taken: Vec<BTreeSet<String>> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for token in &tokens {
        let token_text = &text[token.range.clone()];
        let blanked = match &token.kind {
            Kind::Scalar => finder.is_match(token_text).then(|| format!("\"{REDACTED}\"")),
            Kind::Text | Kind::Key(_) => {
                let inside = inside(token_text);
                match replaced(inside, &find::in_json_string(finder, inside)) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(blanked) => Some(match token.kind {
                        Kind::Key(object) => {
                            if taken.is_empty() {
                                taken = plain_keys(finder, text, &tokens, objects);
                            }
                            // all that a suffix adds needs no escaping
                            format!("\"{}\"", own_name(blanked, &mut taken[object]))
                        }
                        _ => format!("\"{blanked}\""),
                    }),
                }
            }
        };
        if let Some(blanked) = blanked {
            out.push_str(&text[copied..token.range.start]);
            out.push_str(&blanked);
            copied = token.range.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// A blanked key that no other member of its object has.
pub(super) fn own_name(name: String, taken: &mut BTreeSet<String>) -> String {
    let own = (1_u32..)
        .map(|n| if n == 1 { name.clone() } else { format!("{name}_{n}") })
        .find(|own| !taken.contains(own))
        .unwrap_or(name);
    taken.insert(own.clone());
    own
}

/// The keys of each object that keep their names.
fn plain_keys(finder: &AhoCorasick, text: &str, tokens: &[Token], objects: usize) -> Vec<BTreeSet<String>> {
    let mut plain = vec![BTreeSet::new(); objects];
    for token in tokens {
        if let Kind::Key(object) = token.kind {
            let key = &text[token.range.clone()];
            if find::in_json_string(finder, inside(key)).is_empty() {
                // as it reads: `\u0061` is `a`
                let name = serde_json::from_str::<String>(key).unwrap_or_else(|_| inside(key).to_owned());
                plain[object].insert(name);
            }
        }
    }
    plain
}

/// What stands between a string's quotes.
fn inside(string: &str) -> &str {
    let inside = string.strip_prefix('"').unwrap_or(string);
    inside.strip_suffix('"').unwrap_or(inside)
}

/// The tokens in their order, and how many objects there are.
fn tokens(text: &str) -> (Vec<Token>, usize) {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut objects = 0;
    let mut at = 0;
    // the objects that are open, and none for each array
    let mut open: Vec<Option<usize>> = Vec::new();
    while let Some(byte) = bytes.get(at) {
        let from = at;
        at += 1;
        match byte {
            b'{' => {
                open.push(Some(objects));
                objects += 1;
            }
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => {
                at = string_end(bytes, at);
                let is_key = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                let kind = match open.last() {
                    Some(Some(object)) if is_key => Kind::Key(*object),
                    _ => Kind::Text,
                };
                tokens.push(Token { range: from..at, kind });
            }
            _ => {
                let ends = |byte: &u8| {
                    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b' ' | b'\t' | b'\n' | b'\r')
                };
                at = bytes[at..].iter().position(ends).map_or(bytes.len(), |length| at + length);
                tokens.push(Token { range: from..at, kind: Kind::Scalar });
            }
        }
    }
    (tokens, objects)
}

/// Behind the quote that ends a string whose first character stands here.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
