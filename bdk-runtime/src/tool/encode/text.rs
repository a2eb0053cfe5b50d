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

fn escaped(out: &mut String, value: &str) {
    let mut start = 0;
    for (at, byte) in value.bytes().enumerate() {
        if !ESCAPED[usize::from(byte)] {
            continue;
        }
        // only ASCII is escaped, so both ends are boundaries of characters
        out.push_str(&value[start..at]);
        start = at + 1;
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
                continue;
            }
        };
        out.push('\\');
        out.push(letter);
    }
    out.push_str(&value[start..]);
}

/// Which bytes JSON wants escaped.
static ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};
