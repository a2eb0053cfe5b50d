//! Rust source to tokens, as far as finding attributes needs it: comments, strings and doc examples are no code, and every
//! token knows its line. Never fails: what it does not understand it passes over.

/// One token and the line it starts on, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// An identifier or keyword; `r#type` is `type`.
    Word(&'a str),
    /// A string literal's text between its quotes, escapes as written.
    Text(&'a str),
    /// Any other literal, or a lifetime.
    Other,
    /// One character of punctuation or a bracket.
    Mark(char),
}

/// The tokens of a source.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    Lexer { source, at: 0, line: 1 }.run()
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn run(mut self) -> Vec<Token<'a>> {
        let mut out = Vec::new();
        if self.rest().starts_with("#!") && !self.rest().starts_with("#![") {
            self.skip_line();
        }
        while let Some(c) = self.rest().chars().next() {
            let line = self.line;
            if let Some(kind) = self.token(c) {
                out.push(Token { kind, line });
            }
        }
        out
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }
    /// Moves on by `n` bytes, counting lines.
    fn take(&mut self, n: usize) -> &'a str {
        let taken = &self.source[self.at..self.at + n];
        self.line += u32::try_from(taken.matches('\n').count()).unwrap_or(0);
        self.at += n;
        taken
    }
    fn skip_line(&mut self) {
        let n = self.rest().find('\n').unwrap_or(self.rest().len());
        self.take(n);
    }

    fn token(&mut self, c: char) -> Option<Kind<'a>> {
        let rest = self.rest();
        if c.is_whitespace() {
            self.take(c.len_utf8());
            return None;
        }
        if rest.starts_with("//") {
            self.skip_line();
            return None;
        }
        if rest.starts_with("/*") {
            self.block_comment();
            return None;
        }
        if let Some((prefix, hashes)) = raw_string(rest) {
            return Some(self.raw(prefix, hashes));
        }
        for prefix in ["\"", "b\"", "c\""] {
            if rest.starts_with(prefix) {
                return Some(self.string(prefix.len()));
            }
        }
        if c == '\'' || rest.starts_with("b'") {
            self.quote(usize::from(c == 'b'));
            return Some(Kind::Other);
        }
        if rest.starts_with("r#") && rest[2..].starts_with(word_start) {
            self.take(2);
            return Some(Kind::Word(self.word()));
        }
        if word_start(c) {
            return Some(Kind::Word(self.word()));
        }
        if c.is_ascii_digit() {
            self.word();
            return Some(Kind::Other);
        }
        self.take(c.len_utf8());
        Some(Kind::Mark(c))
    }

    fn word(&mut self) -> &'a str {
        let n = self.rest().find(|c: char| !word_goes_on(c)).unwrap_or(self.rest().len());
        self.take(n)
    }

    fn block_comment(&mut self) {
        self.take(2);
        let mut depth = 1;
        while depth > 0 {
            let rest = self.rest();
            let (open, close) = (rest.find("/*"), rest.find("*/"));
            match (open, close) {
                (Some(o), Some(c)) if o < c => {
                    depth += 1;
                    self.take(o + 2);
                }
                (_, Some(c)) => {
                    depth -= 1;
                    self.take(c + 2);
                }
                (_, None) => {
                    self.take(rest.len());
                    return;
                }
            }
        }
    }

    fn string(&mut self, prefix: usize) -> Kind<'a> {
        self.take(prefix);
        let rest = self.rest();
        let mut escaped = false;
        for (i, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.take(i + 1);
                    return Kind::Text(&rest[..i]);
                }
                _ => {}
            }
        }
        self.take(rest.len());
        Kind::Text(rest)
    }

    fn raw(&mut self, prefix: usize, hashes: usize) -> Kind<'a> {
        self.take(prefix);
        let rest = self.rest();
        let end = format!("\"{}", "#".repeat(hashes));
        let n = rest.find(&end).unwrap_or(rest.len());
        self.take((n + end.len()).min(rest.len()));
        Kind::Text(&rest[..n])
    }

    /// A character, or a lifetime: `'a'`, `'\''`, `'a`.
    fn quote(&mut self, prefix: usize) {
        self.take(prefix + 1);
        let rest = self.rest();
        let mut chars = rest.char_indices();
        match chars.next() {
            Some((_, '\\')) => {
                // the escaped character itself may be a quote
                let from = chars.next().map_or(rest.len(), |(i, c)| i + c.len_utf8());
                let n = rest[from..].find('\'').map_or(rest.len(), |n| from + n + 1);
                self.take(n);
            }
            Some((_, c)) if rest[c.len_utf8()..].starts_with('\'') => {
                self.take(c.len_utf8() + 1);
            }
            _ => {
                self.word();
            }
        }
    }
}

/// `r"`, `r#"`, `br##"`, `cr"`: the prefix with its quote, and the number of hashes.
fn raw_string(rest: &str) -> Option<(usize, usize)> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix("cr")).or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.bytes().take_while(|b| *b == b'#').count();
    after[hashes..].starts_with('"').then(|| (rest.len() - after.len() + hashes + 1, hashes))
}

fn word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}
fn word_goes_on(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        tokens(source).into_iter().filter_map(|t| if let Kind::Word(w) = t.kind { Some(w) } else { None }).collect()
    }

    #[test]
    fn comments_strings_and_characters_hold_no_code() {
        let source = r####"
            // #[tool] one
            /* two /* nested */ still */
            /// doc
            let a = "three \" #[tool]"; let b = r#"four " five"#; let c = b"six"; let d = br"seven"; let e = c"eight";
            let q = '"'; let s = '\''; let u = '\u{1F600}'; let n = '"'; fn f<'a>(x: &'a str) {}
        "####;
        let expected =
            "let a let b let c let d let e let q let s let u let n fn f x str".split(' ').collect::<Vec<_>>();
        assert_eq!(words(source), expected);
    }

    #[test]
    fn every_token_knows_its_line() {
        let found = tokens("a\n\"x\ny\"\n/* \n */ r#fn");
        let lines: Vec<_> = found.iter().map(|t| (t.line, t.kind.clone())).collect();
        assert_eq!(lines, [(1, Kind::Word("a")), (2, Kind::Text("x\ny")), (5, Kind::Word("fn"))]);
    }

    #[test]
    fn what_never_ends_ends_with_the_file() {
        for source in ["/* open", "\"open", "r#\"open", "'", "'\\", "b'", "r#", "é'é"] {
            let _ = tokens(source);
        }
    }
}
