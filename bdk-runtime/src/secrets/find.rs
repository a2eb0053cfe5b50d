//! Where secrets stand in a text, also those that are escaped there: as in JSON, as in a `{:?}` of Rust, as in a URL, and a few of
//! these in one another.
//!
//! The escapes are many: a URL's parts each escape other characters, in digits of either case. So no escaped forms are
//! looked for; the text is read as whoever unescapes it would, and what is found there is traced back to where it stood.

use aho_corasick::AhoCorasick;
use std::{borrow::Cow, ops::Range};

/// How many escapes may stand in one another: a log's JSON around a `{:?}` around a JSON text, say.
const DEPTH: u8 = 3;

/// The ranges to blank, in order and apart from each other.
pub(super) fn in_text(finder: &AhoCorasick, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    collect(finder, text.as_bytes(), DEPTH, &mut |range| found.push(range));
    settled(text, found)
}

/// The same of what stands between the quotes of a JSON string: an escape is found whole or not at all.
pub(super) fn in_json_string(finder: &AhoCorasick, inside: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    match unescaped(inside.as_bytes()) {
        Some(read) => collect(finder, &read.bytes, DEPTH, &mut |range| found.push(read.traced(&range))),
        None => collect(finder, inside.as_bytes(), DEPTH, &mut |range| found.push(range)),
    }
    settled(inside, found)
}

/// Whether there is any, in a text or anywhere in a JSON text.
pub(super) fn is_in(finder: &AhoCorasick, text: &str) -> bool {
    // in JSON, the outermost escapes are JSON's own
    stands_in(finder, text.as_bytes(), DEPTH + 1)
}

/// A value as it is read where what stands around it is unescaped and it is not escaped itself: a `%` or `\` in it is taken for
/// an escape. Some ways of escaping leave these as they are.
pub(super) fn misread(value: &str) -> Vec<Vec<u8>> {
    [unescaped(value.as_bytes()), percent_decoded(value.as_bytes())]
        .into_iter()
        .flatten()
        .map(|read| read.bytes)
        .collect()
}

fn stands_in(finder: &AhoCorasick, text: &[u8], depth: u8) -> bool {
    finder.is_match(text)
        || (depth > 0
            && [unescaped(text), percent_decoded(text)]
                .into_iter()
                .flatten()
                .any(|read| stands_in(finder, &read.bytes, depth - 1)))
}

fn collect(finder: &AhoCorasick, text: &[u8], depth: u8, found: &mut dyn FnMut(Range<usize>)) {
    // the search for all that overlap has no shortcuts
    if finder.is_match(text) {
        for one in finder.find_overlapping_iter(text) {
            found(one.range());
        }
    }
    if depth > 0 {
        for read in [unescaped(text), percent_decoded(text)].into_iter().flatten() {
            collect(finder, &read.bytes, depth - 1, &mut |range| found(read.traced(&range)));
        }
    }
}

/// Ranges that overlap become one.
fn settled(text: &str, mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in found {
        // they begin and end where characters do, since secrets do, but that is not worth a panic
        let start = (0..=range.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let end = (range.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        match out.last_mut() {
            Some(last) if start < last.end => last.end = last.end.max(end),
            _ => out.push(start..end),
        }
    }
    out
}

/// A text read through its escapes.
struct Read {
    bytes: Vec<u8>,
    escapes: Vec<Escape>,
}

/// One escape: what it says, and where it stood.
struct Escape {
    said: Range<usize>,
    stood: Range<usize>,
}

impl Read {
    /// Where this stood.
    fn traced(&self, said: &Range<usize>) -> Range<usize> {
        self.start(said.start)..self.end(said.end)
    }
    fn before(&self, at: usize) -> Option<&Escape> {
        self.escapes[..self.escapes.partition_point(|escape| escape.said.start <= at)].last()
    }
    fn start(&self, at: usize) -> usize {
        match self.before(at) {
            Some(escape) if at < escape.said.end => escape.stood.start,
            Some(escape) => at - escape.said.end + escape.stood.end,
            None => at,
        }
    }
    fn end(&self, at: usize) -> usize {
        let Some(last) = at.checked_sub(1) else { return 0 };
        match self.before(last) {
            Some(escape) if last < escape.said.end => escape.stood.end,
            _ => self.start(last) + 1,
        }
    }
}

/// Reads a text with `escape` at each `mark`: what the escape that begins there says, and how long it is. `None` where there is
/// none.
fn read(text: &[u8], mark: u8, escape: impl Fn(&[u8]) -> Option<(Cow<'static, [u8]>, usize)>) -> Option<Read> {
    if !text.contains(&mark) {
        return None;
    }
    let mut read: Option<Read> = None;
    // up to where the text is copied, and from where on the next mark is looked for
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = text[at..].iter().position(|byte| *byte == mark) {
        let from = at + next;
        let Some((said, length)) = escape(&text[from..]) else {
            at = from + 1;
            continue;
        };
        let read = read.get_or_insert_with(|| Read { bytes: Vec::with_capacity(text.len()), escapes: Vec::new() });
        read.bytes.extend_from_slice(&text[copied..from]);
        let begin = read.bytes.len();
        read.bytes.extend_from_slice(&said);
        read.escapes.push(Escape { said: begin..read.bytes.len(), stood: from..from + length });
        at = from + length;
        copied = at;
    }
    if let Some(read) = &mut read {
        read.bytes.extend_from_slice(&text[copied..]);
    }
    read
}

/// Read as JSON's strings and Rust's are.
fn unescaped(text: &[u8]) -> Option<Read> {
    read(text, b'\\', |text| {
        let one: &'static [u8] = match text.get(1)? {
            b'"' => b"\"",
            b'\\' => b"\\",
            b'/' => b"/",
            b'\'' => b"'",
            b'n' => b"\n",
            b'r' => b"\r",
            b't' => b"\t",
            b'b' => b"\x08",
            b'f' => b"\x0c",
            b'0' => b"\0",
            b'x' => return said(hex(text.get(2..4)?)?, 4),
            b'u' if text.get(2) == Some(&b'{') => {
                let digits = text[3..].iter().take(7).position(|byte| *byte == b'}').filter(|digits| *digits > 0)?;
                return said(hex(&text[3..3 + digits])?, digits + 4);
            }
            b'u' => {
                let first = hex(text.get(2..6)?)?;
                let second = || text.get(6..8).filter(|mark| *mark == b"\\u").and_then(|_| hex(text.get(8..12)?));
                return match (first, second()) {
                    (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) => {
                        said(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12)
                    }
                    // half a character
                    (0xd800..0xe000, _) => said(0xfffd, 6),
                    _ => said(first, 6),
                };
            }
            _ => return None,
        };
        Some((Cow::Borrowed(one), 2))
    })
}

/// Read as a URL's parts are.
fn percent_decoded(text: &[u8]) -> Option<Read> {
    read(text, b'%', |text| {
        let byte = u8::try_from(hex(text.get(1..3)?)?).ok()?;
        Some((Cow::Owned(vec![byte]), 3))
    })
}

fn said(code: u32, length: usize) -> Option<(Cow<'static, [u8]>, usize)> {
    let c = char::from_u32(code)?;
    Some((Cow::Owned(c.encode_utf8(&mut [0; 4]).as_bytes().to_vec()), length))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |code, digit| Some((code << 4) | char::from(*digit).to_digit(16)?))
}
