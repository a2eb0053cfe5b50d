//! Text as a terminal may show it: nothing in it moves the cursor, colours anything or cannot be seen.

use super::stdout;
use crate::visible;
use std::{borrow::Cow, io::IsTerminal};

/// How wide a line is where no terminal says it.
const WIDTH: usize = 120;
/// No terminal is so narrow that less would be of use.
const NARROW: usize = 40;

/// The text as it can be read, on as many lines as it has.
pub(super) fn plain(text: &str) -> String {
    visible::told(text, |c, out| out.extend(c.escape_unicode()))
}

/// The text on one line.
pub(super) fn line(text: &str) -> String {
    plain(text).replace('\n', "\\n")
}

/// The beginning of a line, with `…` in the place of what does not fit.
pub(super) fn cut(line: &str, width: usize) -> Cow<'_, str> {
    if line.len() <= width || line.chars().count() <= width {
        return Cow::Borrowed(line);
    }
    let end = line.char_indices().nth(width.saturating_sub(1)).map_or(line.len(), |(end, _)| end);
    Cow::Owned(format!("{}…", &line[..end]))
}

/// How many characters a line on stdout has.
pub(super) fn width() -> usize {
    if !stdout::is_terminal() {
        return WIDTH;
    }
    // stdout itself may be in other hands; the terminal is the same on the others
    let size = terminal_size::terminal_size_of(std::io::stderr())
        .filter(|_| std::io::stderr().is_terminal())
        .or_else(terminal_size::terminal_size);
    size.map_or(WIDTH, |(width, _)| usize::from(width.0).max(NARROW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_says_cannot_move_the_cursor() {
        assert_eq!(plain("a\u{1b}[2Jb\nc\u{202e}d\u{e0041}"), "a\\u{1b}[2Jb\nc\\u{202e}d\\u{e0041}");
        assert_eq!(line("a\r\nb"), "a\\u{d}\\nb");
    }

    #[test]
    fn a_line_is_cut_by_its_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }
}
