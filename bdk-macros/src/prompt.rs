//! `prompt!`: a text, dedented when the bot is built.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{
    Lit, LitStr,
    parse::{ParseStream, Parser},
};

/// A literal with its arguments, as `format!` takes them.
pub(crate) fn prompt(input: TokenStream) -> TokenStream {
    // alone, it is an expression of any type, so that the mistake brings no second error
    expand(input).unwrap_or_else(|error| error.to_compile_error())
}

fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    const USAGE: &str =
        "`prompt!` takes a string literal, and arguments as `format!` does: `prompt!(\"Hello {name}\")`";
    if input.is_empty() {
        return Err(syn::Error::new(proc_macro2::Span::call_site(), USAGE));
    }
    let parser = |input: ParseStream<'_>| {
        let text = literal(input, USAGE)?;
        Ok((text, input.parse::<TokenStream>()?))
    };
    let (text, arguments) = parser.parse2(input)?;
    if let Some(first) = arguments.clone().into_iter().next()
        && !matches!(&first, TokenTree::Punct(p) if p.as_char() == ',')
    {
        return Err(syn::Error::new_spanned(first, "expected a `,` between the text and its arguments"));
    }
    let span = text.span();
    let dedented = dedent(&text.value());
    // `prompt!("…",)` has no arguments either
    let alone = arguments.clone().into_iter().nth(1).is_none();
    match plain(&dedented).map_err(|message| syn::Error::new(span, message))? {
        Some(plain) if alone => Ok(LitStr::new(&plain, span).to_token_stream()),
        // the literal keeps the author's span, which is what lets it capture the author's variables
        _ => {
            let text = LitStr::new(&dedented, span);
            Ok(quote_spanned!(span=> ::std::format!(#text #arguments)))
        }
    }
}

/// A literal, also one that a `macro_rules!` variable put in an invisible group.
fn literal(input: ParseStream<'_>, usage: &str) -> syn::Result<LitStr> {
    let token: TokenTree = input.parse()?;
    let found = match &token {
        TokenTree::Literal(literal) => match Lit::new(literal.clone()) {
            Lit::Str(text) => Some(text),
            _ => None,
        },
        TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::None => {
            syn::parse2::<LitStr>(group.stream()).ok()
        }
        _ => None,
    };
    found.ok_or_else(|| syn::Error::new_spanned(token, usage))
}

/// Takes away the indentation that all lines share, the line break after the opening quote, and the last line when it
/// only holds the closing one. A text that begins on the quote's own line keeps that line as it is.
fn dedent(text: &str) -> String {
    let (first, rest) = match text.split_once('\n') {
        None => return text.to_owned(),
        Some((first, rest)) => (first, rest),
    };
    let mut lines: Vec<&str> = rest.split('\n').collect();
    if lines.last().is_some_and(|last| last.trim().is_empty()) {
        lines.pop();
    }
    let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let mut out: Vec<&str> = Vec::with_capacity(lines.len() + 1);
    if !first.trim().is_empty() {
        out.push(first);
    }
    out.extend(lines.iter().map(|line| if line.trim().is_empty() { "" } else { line.get(shared..).unwrap_or(line) }));
    out.join("\n")
}

/// The text itself when nothing is to be filled in, `{{` undone; `None` when something is.
fn plain(text: &str) -> Result<Option<String>, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                out.push(c);
            }
            '{' => {
                let inside: String = chars.clone().take_while(|c| *c != '}').collect();
                let name = inside.split(':').next().unwrap_or("").trim();
                if name.chars().all(|c| c.is_alphanumeric() || c == '_') && chars.any(|c| c == '}') {
                    return Ok(None);
                }
                let shown: String = inside.chars().take(16).collect();
                return Err(format!("`{{{}` is nothing to fill in: write `{{{{` for a brace", shown.trim_end()));
            }
            '}' => return Err("a `}` alone: write `}}` for a brace".to_owned()),
            c => out.push(c),
        }
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::{dedent, plain};

    #[test]
    fn shared_indentation_goes_and_relative_stays() {
        let text = "\n        One:\n\n          - two\n        three\n        ";
        assert_eq!(dedent(text), "One:\n\n  - two\nthree");
    }

    #[test]
    fn a_text_on_the_quote_s_line_stays_where_it_is() {
        assert_eq!(dedent("  one"), "  one");
        assert_eq!(dedent("One:\n    two\n      three"), "One:\ntwo\n  three");
    }

    #[test]
    fn inner_and_closing_blank_lines_stay() {
        assert_eq!(dedent("\n  a\n\n  b\n\n  "), "a\n\nb\n");
    }

    #[test]
    fn braces_are_told_from_placeholders() {
        assert_eq!(plain("a {{b}} c"), Ok(Some("a {b} c".to_owned())));
        assert_eq!(plain("a {b} c"), Ok(None));
        assert_eq!(plain("a {b:>5} {0} {}"), Ok(None));
        assert!(plain("{ \"json\": 1 }").is_err());
        assert!(plain("a } b").is_err());
        assert!(plain("a {name").is_err());
    }
}
