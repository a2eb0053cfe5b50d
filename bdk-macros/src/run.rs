//! The shell of every attribute: parse the item, collect mistakes, always give the item back.

use crate::{
    ctxt::Ctxt,
    sig::{SigFn, strip_helpers},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One attribute: `check` reads what it was given and never stops early, `expand` cannot fail.
pub(crate) trait Attribute {
    /// Such as `#[tool]`.
    const NAME: &'static str;
    /// What `check` made of the author's item.
    type Checked;
    /// Reads the attribute's arguments and the function. Whatever is wrong goes to `cx`; `None` only beside an error.
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<Self::Checked>;
    /// Everything that takes the item's place, the item first.
    fn expand(checked: &Self::Checked, f: &SigFn) -> TokenStream;
    /// The item beside errors.
    fn item(f: &SigFn) -> TokenStream {
        quote!(#f)
    }
}

/// Runs an attribute.
pub(crate) fn attribute<A: Attribute>(args: TokenStream, item: TokenStream) -> TokenStream {
    let kept = item.clone();
    catch_unwind(AssertUnwindSafe(|| attempt::<A>(args, item))).unwrap_or_else(|_| {
        let message = format!("{} panicked: this is a bug in bdk, please report it", A::NAME);
        let error = syn::Error::new(Span::call_site(), message).to_compile_error();
        let kept = strip_helpers(kept);
        quote!(#kept #error)
    })
}

fn attempt<A: Attribute>(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut f = match syn::parse2::<SigFn>(item.clone()) {
        Ok(f) => f,
        Err(error) => {
            let error = no_function(A::NAME, &item).unwrap_or(error).to_compile_error();
            let item = strip_helpers(item);
            return quote!(#item #error);
        }
    };
    let cx = Ctxt::default();
    let checked = A::check(&cx, args, &mut f);
    match (cx.finish(), checked) {
        (None, Some(checked)) => A::expand(&checked, &f),
        (errors, _) => {
            // nothing names it while it is not registered: that it is unused is no mistake of its author's
            let item = A::item(&f);
            quote!(#[allow(dead_code)] #item #errors)
        }
    }
}

/// `struct X;` under `#[tool]`: said in words instead of "expected `fn`".
fn no_function(name: &str, item: &TokenStream) -> Option<syn::Error> {
    const OTHERS: &[&str] = &["struct", "enum", "union", "trait", "impl", "mod", "static", "type", "use", "let"];
    let words = item.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    });
    let words: Vec<Ident> = words.collect();
    let word = words.iter().find(|w| *w == "fn" || OTHERS.iter().any(|other| w == other))?;
    (word != "fn").then(|| syn::Error::new(word.span(), format!("`{name}` goes on a function")))
}

/// The head of the constant that holds an expansion, with what it may trip over and an author could not change:
/// clippy's opinion of generated code, and a deprecated tool that its own table names.
///
/// Its `_` stands at the author's name: in an `impl`, where rustc does not tell the attribute that it is, rustc refuses
/// just that token.
pub(crate) fn anonymous(name: &Ident) -> TokenStream {
    let hole = quote_spanned!(name.span()=> _);
    quote! {
        #[doc(hidden)]
        #[allow(deprecated, unused_imports, unused_mut, unused_qualifications, unused_braces, unused_parens)]
        #[allow(single_use_lifetimes, trivial_numeric_casts)]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery)]
        const #hole: () =
    }
}
