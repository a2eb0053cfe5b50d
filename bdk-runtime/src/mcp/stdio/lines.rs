//! Lines out of a stream of bytes, none of them longer than allowed.

use bytes::Bytes;
use std::io::{self, BufRead, BufReader, Read};

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its end; never empty.
    Text(Bytes),
    /// One that was too long, and is gone.
    TooLong,
    End,
}

pub(super) struct Lines<R> {
    input: BufReader<R>,
    limit: usize,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self { input: BufReader::with_capacity(64 * 1024, input), limit }
    }

    /// The next line that is not blank. What stands before the end of the stream without a line's end is a line, too.
    pub(super) fn next(&mut self) -> io::Result<Line> {
        loop {
            let mut line = Vec::new();
            let mut long = false;
            loop {
                let there = match self.input.fill_buf() {
                    Ok(there) => there,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                if there.is_empty() {
                    return Ok(match (long, line.trim_ascii().is_empty()) {
                        (true, _) => Line::TooLong,
                        (_, true) => Line::End,
                        _ => text(line),
                    });
                }
                let end = there.iter().position(|b| *b == b'\n');
                let piece = &there[..end.unwrap_or(there.len())];
                long |= line.len() + piece.len() > self.limit;
                if long {
                    line = Vec::new();
                } else {
                    line.extend_from_slice(piece);
                }
                let taken = piece.len() + usize::from(end.is_some());
                self.input.consume(taken);
                if end.is_some() {
                    break;
                }
            }
            if long {
                return Ok(Line::TooLong);
            }
            if !line.trim_ascii().is_empty() {
                return Ok(text(line));
            }
        }
    }
}

fn text(mut line: Vec<u8>) -> Line {
    line.truncate(line.trim_ascii_end().len());
    Line::Text(line.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &str, limit: usize) -> Vec<Line> {
        // a reader that gives two bytes at a time
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let n = self.0.len().min(2).min(buf.len());
                buf[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let mut lines = Lines::new(Slow(input.as_bytes()), limit);
        let mut out = Vec::new();
        loop {
            match lines.next().unwrap() {
                Line::End => return out,
                line => out.push(line),
            }
        }
    }

    #[test]
    fn lines_come_one_by_one_blank_ones_do_not_and_the_last_needs_no_end() {
        let text = |t: &'static str| Line::Text(Bytes::from_static(t.as_bytes()));
        assert_eq!(all("{}\r\n\n  \n[1]\nx", 100), [text("{}"), text("[1]"), text("x")]);
        assert_eq!(all("", 100), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_comes() {
        let text = Line::Text(Bytes::from_static(b"ok"));
        assert_eq!(all("0123456789\nok\n", 9), [Line::TooLong, text]);
        assert_eq!(all("0123456789", 9), [Line::TooLong]);
        assert_eq!(all("012345678\n", 9).len(), 1);
    }
}
