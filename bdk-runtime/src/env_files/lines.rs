//! The lines of an env file: `NAME=value`, as [`secret`](crate::secret) documents them. Nothing of a value is ever said, since
//! it may be a secret; so what a `$` in it begins is not named either.

use std::collections::HashMap;

/// The names and values of an env file, in their order.
pub(super) struct Lines<'a> {
    rest: &'a str,
    /// Of `rest`, from 1.
    line: usize,
    /// What the lines above have said.
    said: HashMap<&'a str, String>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, said: HashMap::new() }
    }

    fn take(&mut self) -> Option<char> {
        let taken = self.rest.chars().next()?;
        self.rest = &self.rest[taken.len_utf8()..];
        self.line += usize::from(taken == '\n');
        Some(taken)
    }

    /// As long as the characters are these.
    fn take_while(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self.rest.split_at(self.rest.find(|c| !is(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// A name of these characters that begins with no digit.
    fn name(&mut self, is: impl Fn(char) -> bool) -> Option<&'a str> {
        let begins = self.rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins.then(|| self.take_while(is))
    }

    fn assignment(&mut self) -> Result<(&'a str, String), String> {
        let no_assignment = || "the line is not `NAME=value`".to_owned();
        let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let mut name = self.name(of_name).ok_or_else(no_assignment)?;
        self.take_while(is_blank);
        if name == "export" && !self.rest.starts_with('=') {
            name = self.name(of_name).ok_or_else(no_assignment)?;
            self.take_while(is_blank);
        }
        self.rest = self.rest.strip_prefix('=').ok_or_else(no_assignment)?;
        // a `#` behind a blank begins a comment
        let blank = !self.take_while(is_blank).is_empty();
        let value = if blank && self.rest.starts_with('#') { Ok(String::new()) } else { self.value() };
        value.map(|value| (name, value)).map_err(|why| format!("the value of `{name}` {why}"))
    }

    fn value(&mut self) -> Result<String, &'static str> {
        let mut value = String::new();
        let mut quote = None;
        while let Some(next) = self.rest.chars().next() {
            match (quote, next) {
                (None, '\n') => break,
                (None, c) if is_blank(c) => {
                    self.take_while(is_blank);
                    if !self.rest.is_empty() && !self.rest.starts_with(['\n', '#']) {
                        return Err("goes on behind a blank: put all of it in quotes");
                    }
                    break;
                }
                _ => drop(self.take()),
            }
            match (quote, next) {
                (None, '\'' | '"') => quote = Some(next),
                (Some(open), c) if c == open => quote = None,
                (Some('\''), c) => value.push(c),
                (_, '\\') => value.push(self.escaped()?),
                (_, '$') => self.substitute(&mut value)?,
                (_, c) => value.push(c),
            }
        }
        if quote.is_some() { Err("begins with a quote that nothing ends") } else { Ok(value) }
    }

    fn escaped(&mut self) -> Result<char, &'static str> {
        match self.take() {
            Some('n') => Ok('\n'),
            Some(c @ ('\\' | '\'' | '"' | '$' | ' ')) => Ok(c),
            _ => Err("has a `\\` that escapes nothing: put all of it in single quotes, which keep it as it is"),
        }
    }

    /// What stands for `$NAME` or `${NAME}`; a `$` before anything else is one.
    fn substitute(&mut self, value: &mut String) -> Result<(), &'static str> {
        let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let braced = self.rest.strip_prefix('{');
        if let Some(rest) = braced {
            self.rest = rest;
        }
        let name = self.name(of_name);
        if braced.is_some() {
            self.rest = self.rest.strip_prefix('}').filter(|_| name.is_some()).ok_or(
                "has a `${` that no name and no `}` follow: put all of it in single quotes, which keep it as it is",
            )?;
        }
        let Some(name) = name else {
            value.push('$');
            return Ok(());
        };
        match std::env::var(name) {
            Ok(found) => value.push_str(&found),
            Err(_) => value.push_str(self.said.get(name).ok_or(
                "has a `$` with a name behind it that is not set: put all of it in single quotes, which keep it as it is",
            )?),
        }
        Ok(())
    }
}

/// An error is the last item: which line is wrong, and how.
impl Iterator for Lines<'_> {
    type Item = Result<(String, String), (usize, String)>;
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.take_while(is_blank);
            match self.rest.chars().next()? {
                '\n' => drop(self.take()),
                '#' => drop(self.take_while(|c| c != '\n')),
                _ => break,
            }
        }
        let line = self.line;
        match self.assignment() {
            Ok((name, value)) => {
                self.said.insert(name, value.clone());
                Some(Ok((name.to_owned(), value)))
            }
            Err(why) => {
                self.rest = "";
                Some(Err((line, why)))
            }
        }
    }
}

/// What divides words; also the first half of a line's end on Windows.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && c != '\n'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String)>, (usize, String)> {
        Lines::of(text).collect()
    }

    #[test]
    fn a_line_gives_a_name_and_its_value() {
        for (line, name, value) in [
            ("A=b", "A", "b"),
            ("\u{feff}A=b", "A", "b"),
            ("  export A.b_1 = c \t # a comment\r", "A.b_1", "c"),
            ("export=x", "export", "x"),
            ("A=", "A", ""),
            ("A= # nothing", "A", ""),
            ("A=#fff", "A", "#fff"),
            ("A=b#c", "A", "b#c"),
            ("A=b=c", "A", "b=c"),
            ("A='b $c \\d \"e\" # f'", "A", "b $c \\d \"e\" # f"),
            ("A=\"b 'c' \\\"d\\\" \\$e \\n\"", "A", "b 'c' \"d\" $e \n"),
            ("A=b\\ c'd e'\"f g\"", "A", "b cd ef g"),
            ("A='b\nc'", "A", "b\nc"),
            // no name is behind these
            ("A=5$", "A", "5$"),
            ("A=pa$$5", "A", "pa$$5"),
        ] {
            assert_eq!(read(line), Ok(vec![(name.to_owned(), value.to_owned())]), "{line}");
        }
        assert_eq!(read("\n# A=b\n\r\n  \n"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_set_above_stands_for_its_name() {
        let last = |text: &str| read(text).map(|lines| lines.last().cloned().unwrap_or_default().1);
        assert_eq!(last("NO_SUCH_HOST=h\nB=\"http://${NO_SUCH_HOST}:1/$NO_SUCH_HOST\"").as_deref(), Ok("http://h:1/h"));
        assert_eq!(last("NO_SUCH_HOST=h\nB=$NO_SUCH_HOST-x").as_deref(), Ok("h-x"));
        // a value that was put in place of a name is not looked into
        assert_eq!(last("NO_SUCH_HOST='$x'\nB=$NO_SUCH_HOST").as_deref(), Ok("$x"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_without_its_value() {
        for (text, line, words) in [
            ("A=1\nTOKEN=abc$def12345", 2, "the value of `TOKEN` has a `$` with a name behind it that is not set"),
            ("TOKEN=\"abc$def12345\"", 1, "put all of it in single quotes"),
            ("TOKEN=abc${def12345}", 1, "that is not set"),
            ("TOKEN=abc${def12345", 1, "`${` that no name and no `}` follow"),
            ("TOKEN=abc${1}", 1, "`${` that no name and no `}` follow"),
            ("\n\nX=abc def12345", 3, "the value of `X` goes on behind a blank: put all of it in quotes"),
            ("A='1\n2'\nX='abc\ndef12345\nB=1", 3, "the value of `X` begins with a quote that nothing ends"),
            ("X=abc\\def12345", 1, "has a `\\` that escapes nothing"),
            ("GOOD=1\nthis def12345 is none", 2, "the line is not `NAME=value`"),
            ("1abc=def12345", 1, "the line is not `NAME=value`"),
        ] {
            let (at, told) = read(text).unwrap_err();
            assert!(at == line && told.contains(words), "{text}: {at} {told}");
            assert!(!told.contains("def12345") && !told.contains("abc"), "{told}");
        }
    }
}
