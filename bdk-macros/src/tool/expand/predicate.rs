//! Predicates over the decoded input.

use crate::{
    krate::{Krate, first_span},
    tool::ir::{Owned, Predicate, Tool},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Pat, ext::IdentExt, spanned::Spanned};

/// A predicate's span, its return type if it names one, and its body over the decoded input.
///
/// The closure is not called: its body stands under typed `let`s, so that names, types, `?` and `return` work as in a
/// closure, and the author's errors and completions are in the author's own tokens.
pub(super) fn over(tool: &Tool, predicate: &Predicate, slots: &Ident) -> (Span, Option<TokenStream>, TokenStream) {
    match predicate {
        Predicate::Path(path) => {
            let span = path.span();
            let arguments = tool.owned().map(|owned| {
                let (cfgs, value) = (&owned.cfgs, get(&tool.krate, owned, slots, span, owned.newtype));
                quote_spanned!(span=> #(#cfgs)* #value)
            });
            let call = quote_spanned!(span=> #path(#(#arguments),*));
            (span, None, quote_spanned!(span=> { #call }))
        }
        Predicate::Closure(closure) => {
            let lets = closure.binds.iter().filter_map(|bind| {
                let name = bind.name.unraw().to_string();
                let owned = tool.owned().find(|owned| owned.binding == name)?;
                // `|Input(q)|` takes the newtype apart itself
                let inside = owned.newtype && !matches!(bind.pat, Pat::TupleStruct(_));
                let span = bind.ty.as_ref().map_or(bind.name.span(), first_span);
                let (pat, cfgs, owned_ty) = (&bind.pat, &bind.cfgs, &owned.ty);
                let value = get(&tool.krate, owned, slots, span, inside);
                let (ty, value) = match &bind.ty {
                    Some(ty) => (ty.to_token_stream(), value),
                    None if inside => (quote_spanned!(span=> &_), value),
                    // the type is named as in the author's signature, outside of `<…>`: see `once`
                    None => {
                        let (p, property) = (tool.krate.private(span), &owned.property);
                        (quote_spanned!(span=> &#owned_ty), quote_spanned!(span=> #p::get(#slots, #property)))
                    }
                };
                let name_span = bind.name.span();
                Some(quote_spanned!(name_span=> #(#cfgs)* let #pat: #ty = #value;))
            });
            let body = match &closure.body {
                Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
                    let statements = &block.block.stmts;
                    quote!(#(#statements)*)
                }
                other => other.to_token_stream(),
            };
            let span = closure.body.span();
            let output = closure.output.as_ref().map(|ty| quote_spanned!(closure.span=> -> #ty));
            (closure.span, output, quote_spanned!(span=> { #(#lets)* #body }))
        }
    }
}

fn get(krate: &Krate, owned: &Owned, slots: &Ident, span: Span, inside: bool) -> TokenStream {
    let (p, ty, property) = (krate.private(span), &owned.ty, &owned.property);
    let whole = quote_spanned!(span=> #p::get::<#ty>(#slots, #property));
    if inside { quote_spanned!(span=> &#whole.0) } else { whole }
}
