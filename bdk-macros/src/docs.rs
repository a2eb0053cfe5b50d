//! Doc attributes to one `&'static str` expression. Nothing is dedented here: the runtime does that once, for all.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, spanned::Spanned};

/// What the doc attributes of an item say.
pub(crate) enum Docs {
    /// There are none, or only blank ones.
    Missing,
    /// Literals only, joined.
    Text(LitStr),
    /// `#[doc = include_str!("…")]` is among them: known only when rustc has expanded it.
    Expanded(TokenStream),
}

impl Docs {
    /// Reads `///`, `/** */` and `#[doc = …]`; `#[doc(hidden)]` and its like are none of ours.
    pub(crate) fn of(attrs: &[Attribute]) -> Self {
        let lines: Vec<&Expr> = attrs
            .iter()
            .filter(|a| a.path().is_ident("doc"))
            .filter_map(|a| match &a.meta {
                Meta::NameValue(pair) => Some(&pair.value),
                _ => None,
            })
            .collect();
        let Some(first) = lines.first() else { return Self::Missing };
        let span = first.span();
        let texts: Option<Vec<String>> = lines.iter().map(|line| literal(line).map(LitStr::value)).collect();
        match texts.map(|texts| texts.join("\n")) {
            Some(text) if text.trim().is_empty() => Self::Missing,
            Some(text) => Self::Text(LitStr::new(&text, span)),
            None => {
                let rest = &lines[1..];
                Self::Expanded(quote_spanned!(span=> ::core::concat!(#first #(, "\n", #rest)*)))
            }
        }
    }
}

fn literal(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}
