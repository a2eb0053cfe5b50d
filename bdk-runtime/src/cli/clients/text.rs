//! What a server says, in Rust: as a doc comment, as a string, as a name. It is data: nothing of it ends the comment or the string
//! that it stands in, is taken for code by a doc test, or is markup in the documentation.

use crate::visible;
use std::collections::BTreeSet;

/// A text as the lines of a doc comment, each with its slashes and a line break.
pub(super) fn docs(indent: &str, text: &str) -> String {
    let shown = visible::told(&text.replace("\r\n", "\n").replace('\t', " "), |c, out| out.extend(c.escape_unicode()));
    let mut lines: Vec<String> = shown.trim().lines().map(line).collect();
    lines.dedup_by(|b, a| a.is_empty() && b.is_empty());
    let line = |line: &String| format!("{indent}/// {line}").trim_end().to_owned() + "\n";
    lines.iter().filter(|_| !shown.trim().is_empty()).map(line).collect()
}

/// One line. Without blanks at its beginning or in a row no Markdown makes code of it, nor with a fence that is escaped; `<` and
/// `[` would begin markup and links.
fn line(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut out = String::new();
    let text: Vec<char> = words.join(" ").chars().collect();
    for (at, c) in text.iter().enumerate() {
        let run = |c: char| {
            let before = text[..at].iter().rev().take_while(|one| **one == c).count();
            before + text[at..].iter().take_while(|one| **one == c).count()
        };
        if matches!(c, '<' | '[') || (matches!(c, '`' | '~') && run(*c) >= 3) {
            out.push('\\');
        }
        out.push(*c);
    }
    out
}

/// A text as a string literal.
pub(super) fn literal(text: &str) -> String {
    format!("\"{}\"", text.escape_default())
}

/// The words of a name: `getHTTPStatus2`, `get-http_status2` and `Get HTTP status2` are `get`, `http`, `status2`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, c) in letters.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let begins = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let ends_capitals =
                    before.is_ascii_uppercase() && letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
                before.is_ascii_lowercase() || before.is_ascii_digit() || ends_capitals
            });
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// As functions, fields and modules are named, without regard to keywords.
pub(super) fn snake(name: &str, otherwise: &str) -> String {
    let name = words(name).join("_");
    match name.chars().next() {
        None => otherwise.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{otherwise}_{name}"),
        Some(_) => name,
    }
}

/// As types and variants are named.
pub(super) fn pascal(name: &str, otherwise: &str) -> String {
    let capital = |word: String| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    };
    // digits that meet would be another number: `V1_2`, not `V12`
    let name = words(name).into_iter().map(capital).fold(String::new(), |mut out, word| {
        let digits = out.ends_with(|c: char| c.is_ascii_digit()) && word.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(if digits { "_" } else { "" });
        out + &word
    });
    match name.chars().next() {
        None => otherwise.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{otherwise}{name}"),
        Some(_) => name,
    }
}

/// The words that are no name, in any edition.
const KEYWORDS: [&str; 53] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "Self", "_",
];

/// Names that stand side by side, each once.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Those that are taken already.
    pub(super) fn without(taken: &[&str]) -> Self {
        Self(taken.iter().map(|name| (*name).to_owned()).collect())
    }
    /// A name for each of these, in their order, as `make` makes it. Those that it leaves as they are come first: what another one is
    /// called must not change them.
    pub(super) fn all<'a>(
        mut self,
        of: impl IntoIterator<Item = &'a str>,
        make: impl Fn(&str) -> String,
        between: &str,
    ) -> Vec<String> {
        let of: Vec<(&str, String)> = of.into_iter().map(|name| (name, make(name))).collect();
        let mut named = vec![String::new(); of.len()];
        for same in [true, false] {
            for ((_, made), place) in of.iter().zip(&mut named).filter(|((name, made), _)| (name == made) == same) {
                *place = self.take(made, between);
            }
        }
        named
    }
    /// This name, with a number behind it where it is taken.
    pub(super) fn take(&mut self, name: &str, between: &str) -> String {
        let numbered = |n: usize| if n == 1 { name.to_owned() } else { format!("{name}{between}{n}") };
        // of n + 1 names one is free
        let free = (1..=self.0.len() + 1).map(numbered).find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}

/// A name as an identifier: raw where it is a keyword, with `_` behind those that cannot be.
pub(super) fn ident(name: &str) -> String {
    match name {
        "self" | "Self" | "super" | "crate" | "_" => format!("{name}_"),
        _ if KEYWORDS.contains(&name) => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_rusts_own() {
        for (name, snaked, pascaled) in [
            ("getHTTPStatus2", "get_http_status2", "GetHttpStatus2"),
            ("get-http_status", "get_http_status", "GetHttpStatus"),
            ("größe.max", "gr_e_max", "GrEMax"),
            ("2fa", "x_2fa", "X2fa"),
            ("v1.2", "v1_2", "V1_2"),
            ("--", "x", "X"),
            ("__proto__", "proto", "Proto"),
        ] {
            assert_eq!((snake(name, "x"), pascal(name, "X")), (snaked.to_owned(), pascaled.to_owned()), "{name}");
        }
        assert_eq!(["type", "self", "gen", "typed"].map(ident), ["r#type", "self_", "r#gen", "typed"]);
        let mut names = Names::without(&["Vec"]);
        assert_eq!(["Vec", "A", "A", "A2"].map(|name| names.take(name, "")), ["Vec2", "A", "A2", "A22"]);
        let all = Names::default().all(["Type", "kind", "type"], |name| snake(name, "x"), "_");
        assert_eq!(all, ["type_2", "kind", "type"]);
    }

    #[test]
    fn nothing_gets_out_of_a_comment_or_a_string() {
        assert_eq!(docs("", " a */ b\r\nc\rd "), "/// a */ b\n/// c\\u{d}d\n");
        assert_eq!(docs("    ", "x\n\n\n    let code = 1;"), "    /// x\n    ///\n    /// let code = 1;\n");
        assert_eq!(docs("", "- ```rust\n~~~~ `a` ``"), "/// - \\`\\`\\`rust\n/// \\~\\~\\~\\~ `a` ``\n");
        assert_eq!(docs("", "<b>[x](y) \u{202e}"), "/// \\<b>\\[x](y) \\u{202e}\n");
        assert_eq!(docs("", " \n "), "");
        assert_eq!(literal("a\"#\n\u{202e}ö\\"), r##""a\"#\n\u{202e}\u{f6}\\""##);
    }
}
