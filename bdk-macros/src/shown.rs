//! Types in messages, as an author would write them: tokens know nothing of spaces.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of a type.
pub(crate) fn shown(ty: impl ToTokens) -> String {
    let mut out = String::new();
    write(&mut out, ty.into_token_stream());
    out
}

fn write(out: &mut String, tokens: TokenStream) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                // `&mut [u8]`
                if open == "[" && out.ends_with(word) {
                    out.push(' ');
                }
                out.push_str(open);
                write(out, group.stream());
                out.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                c @ ('+' | '=') => {
                    out.push(' ');
                    out.push(c);
                    out.push(' ');
                }
                c @ (',' | ';') => {
                    out.push(c);
                    out.push(' ');
                }
                '-' => out.push_str(" -"),
                '>' if out.ends_with('-') => out.push_str("> "),
                c => out.push(c),
            },
            token => {
                let text = token.to_string();
                // `dyn Store`, `&'a str`, `for<'a> Fn`
                if out.ends_with(|c| word(c) || c == '>') && text.starts_with(word) {
                    out.push(' ');
                }
                out.push_str(&text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shown;
    use proc_macro2::TokenStream;

    #[test]
    fn a_type_is_shown_as_it_is_written() {
        for ty in [
            "&Url",
            "&'static str",
            "HashMap<String, Vec<u8>>",
            "dyn Store + Send",
            "[u8; 4]",
            "(u8, Vec<u8>)",
            "&dyn Fn(u8) -> bool",
            "bdk::Input<Query>",
            "dyn Iterator<Item = u8>",
            "&mut [u8]",
        ] {
            let tokens: TokenStream = ty.parse().expect("tokens");
            assert_eq!(shown(tokens), ty);
        }
    }
}
