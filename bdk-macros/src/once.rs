//! An unknown type is one error, however often the generated code names it.
//!
//! rustc reports every mention and leaves out what it has said before, word for word. Its words may end in "you might
//! be missing a type parameter", with a place to write it: for a name inside of `<…>` or of one letter, and only in an
//! item that may have type parameters. A static may not, so a type of this kind is named in a function instead, which
//! stands where the author's stands: rustc then says of both the same.

use crate::usual::is_usual;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

/// `expr`, an expression of type `result` in a constant, with the mentions of `ty` in it where rustc reports them once;
/// `at` is the author's function.
pub(crate) fn once(at: Span, ty: &TokenStream, result: &TokenStream, expr: TokenStream) -> TokenStream {
    if !is_suggested(ty) {
        return expr;
    }
    let name = Ident::new("__once", at);
    quote_spanned!(at=> { const fn #name() -> #result { #expr } #name() })
}

/// Whether rustc may suggest to make a type parameter of a name in this type.
pub(crate) fn is_suggested(ty: &TokenStream) -> bool {
    let (mut depth, mut arrow) = (0_u32, false);
    ty.clone().into_iter().any(|token| {
        let after_dash = std::mem::take(&mut arrow);
        match token {
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    '<' => depth += 1,
                    '>' if !after_dash => depth = depth.saturating_sub(1),
                    '-' => arrow = true,
                    _ => {}
                }
                false
            }
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let letter = name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase());
                letter || (depth > 0 && !is_usual(&name))
            }
            TokenTree::Group(group) => is_suggested(&group.stream()),
            TokenTree::Literal(_) => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::is_suggested;

    #[test]
    fn names_in_arguments_and_of_one_letter_are_suggested_as_parameters() {
        let suggested = |ty: &str| is_suggested(&ty.parse().expect("tokens"));
        for ty in ["Vec<Order>", "Option<Vec<Order>>", "T", "(u8, Vec<Order>)", "Box<fn(u8) -> Order>"] {
            assert!(suggested(ty), "{ty}");
        }
        for ty in ["Order", "Option<Vec<u8>>", "orders::Order", "HashMap<String, Value>", "[u8; 4]", "fn(u8) -> Order"]
        {
            assert!(!suggested(ty), "{ty}");
        }
    }
}
