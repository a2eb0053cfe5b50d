//! One parameter's entry: its type, its default and its rules.

use crate::{
    args::literal,
    krate::{Krate, first_span},
    once::once,
    sig::SigFn,
    tool::ir::{Default, Owned, Rule},
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, spanned::Spanned};

/// The entry in the table of `f`'s parameters; `raw` is that of the one parameter beside an `input_schema`.
pub(super) fn param(krate: &Krate, owned: &Owned, raw: bool, f: &SigFn) -> TokenStream {
    let Owned { property, ty, cfgs, .. } = owned;
    let span = first_span(ty);
    let p = krate.private(span);
    let doc = owned.doc.clone().unwrap_or_else(|| quote!(""));
    let whole = match (raw, owned.plain) {
        (true, _) => quote!(true),
        (false, true) => quote!(false),
        (false, false) => quote!(#p::Probe::<#ty>::WHOLE),
    };
    let new = quote_spanned!(span=> #p::Param::new::<#ty>);
    let mut entry = quote_spanned!(span=> #new(#property, #doc, #p::Probe::<#ty>::OPTIONAL, #whole));
    let here = krate.private(Span::call_site());
    if let Some(default) = &owned.default {
        let value = match default {
            Default::OfType(span) => quote_spanned!(*span=> ::core::default::Default::default()),
            // a text for any type that is made from one; a parameter's type is never `&str` itself
            Default::Given(expr) => match literal(expr) {
                Some(text) => {
                    let span = text.span();
                    let p = krate.private(span);
                    quote_spanned!(span=> #p::TextDefault::of_text(#text))
                }
                None => expr.to_token_stream(),
            },
        };
        entry.extend(
            quote!(.default(|| { let __default: #ty = #value; #here::slot(__default) }, #here::Probe::<#ty>::JSON)),
        );
    }
    if !owned.rules.is_empty() {
        let rules = owned.rules.iter().map(|r| rule(krate, r));
        // a constant, because `once` may move the entry into a function, which could not lend them for ever
        entry.extend(quote!(.rules({ const __RULES: &[#here::Rule] = &[#(#rules),*]; __RULES })));
    }
    if owned.coerce {
        entry.extend(quote!(.coerce()));
    }
    if let Some(path) = &owned.preprocess {
        let span = path.span();
        entry.extend(quote_spanned!(span=> .preprocess(#path)));
    }
    let entry = once(f.sig.ident.span(), ty, &quote!(#here::Param), entry);
    quote!(#(#cfgs)* #entry)
}

fn rule(krate: &Krate, rule: &Rule) -> TokenStream {
    let p = krate.private(Span::call_site());
    match rule {
        Rule::Bound(keyword, expr) => {
            let span = first_span(expr);
            let number = krate.private(span);
            let value = wide(expr);
            let number = quote_spanned!(span=> #number::Limit::limit(#value));
            quote!(#p::Rule::Bound(#keyword, || #number))
        }
        Rule::MinLen(expr) => {
            let length = length(expr);
            quote!(#p::Rule::MinLen(#length))
        }
        Rule::MaxLen(expr) => {
            let length = length(expr);
            quote!(#p::Rule::MaxLen(#length))
        }
        Rule::Pattern(expr) => {
            let text = text(expr);
            quote!(#p::Rule::Pattern(#text))
        }
        Rule::Format(expr) => {
            let text = text(expr);
            quote!(#p::Rule::Format(#text))
        }
        Rule::Inner(rules) => {
            let rules = rules.iter().map(|r| self::rule(krate, r));
            quote!(#p::Rule::Inner(&[#(#rules),*]))
        }
        Rule::Extend(key, json) => quote!(#p::Rule::Extend(#key, || #p::json!(#json))),
    }
}

/// A length: a constant may be a `usize`, and a sum of two is cast as a whole.
fn length(expr: &Expr) -> TokenStream {
    let span = expr.span();
    match expr {
        Expr::Lit(literal) => literal.to_token_stream(),
        expr => quote_spanned!(span=> (#expr) as ::core::primitive::u64),
    }
}

/// A text: what is no literal has a constant of its own, where another type is told without the table's words.
pub(super) fn text(expr: &Expr) -> TokenStream {
    match literal(expr) {
        Some(text) => text.to_token_stream(),
        None => quote!({ const __TEXT: &'static ::core::primitive::str = #expr; __TEXT }),
    }
}

/// An integer literal as `i128`, which holds every bound exactly.
fn wide(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => {
            LitInt::new(&format!("{}i128", int.base10_digits()), int.span()).to_token_stream()
        }
        Expr::Unary(ExprUnary { op, expr, .. }) => {
            let value = wide(expr);
            quote!(#op #value)
        }
        other => other.to_token_stream(),
    }
}
