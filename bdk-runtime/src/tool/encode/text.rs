//! A string as JSON has it: in quotes, with serde_json's escapes.

use std::fmt::{self, Display, Write};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends `"value"`.
pub(super) fn quoted(out: &mut String, value: &str) {
    out.push('"');
    escaped(out, value);
    out.push('"');
}

/// Appends what `value` displays, in quotes, without a string of its own.
pub(super) fn collected<T: Display + ?Sized>(out: &mut String, value: &T) -> fmt::Result {
    struct Escaping<'a>(&'a mut String);
    impl Write for Escaping<'_> {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            escaped(self.0, part);
            Ok(())
        }
    }
    out.push('"');
    write!(Escaping(out), "{value}")?;
    out.push('"');
    Ok(())
}

fn escaped(out: &mut String, mut value: &str) {
    while let Some(at) = first_special(value.as_bytes()) {
        // what is escaped is ASCII, so both sides of it are boundaries of characters
        let (plain, rest) = value.split_at(at);
        let (special, rest) = rest.split_at(1);
        out.push_str(plain);
        escape(out, special.as_bytes()[0]);
        value = rest;
    }
    out.push_str(value);
}

fn escape(out: &mut String, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => char::from(byte),
        0x08 => 'b',
        b'\t' => 't',
        b'\n' => 'n',
        0x0c => 'f',
        b'\r' => 'r',
        _ => {
            out.push_str("\\u00");
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 0xf)]));
            return;
        }
    };
    out.push('\\');
    out.push(letter);
}

/// Where the first byte stands that JSON wants escaped: a control character, a quote or a backslash.
fn first_special(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let special = special_in(u64::from_le_bytes(*word));
        if special != 0 {
            return Some(index * 8 + special.trailing_zeros() as usize / 8);
        }
    }
    let special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    rest.iter().position(special).map(|at| words.len() * 8 + at)
}

/// Eight bytes at once: the lowest bit set is the top bit of the first special byte; above it bits mean nothing.
fn special_in(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = EACH << 7;
    // a byte below `n` borrows from its top bit, which a byte that had it set cannot be told from: hence `!word`
    let below = |word: u64, n: u64| word.wrapping_sub(EACH * n) & !word & TOP;
    let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\')
}
