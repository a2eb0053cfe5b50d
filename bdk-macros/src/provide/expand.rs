//! A provider's table.

use super::ir::Provider;
use crate::{run::quiet, sig::SigFn};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

pub(super) fn expand(provider: &Provider, f: &SigFn) -> TokenStream {
    let Provider { krate, needs } = provider;
    let (ident, span, output_span) = (&f.sig.ident, f.sig.ident.span(), f.output_span());
    let (p, at_fn, at_output) = (krate.private(Span::call_site()), krate.private(span), krate.private(output_span));
    let cx = Ident::new("__cx", Span::mixed_site());
    let output = f.output();
    let kind = quote_spanned!(output_span=> #at_output::Probe::<#output>::KIND);
    let arguments = needs.iter().map(|need| need.argument(&cx));
    let call = quote_spanned!(span=> #ident(#(#arguments),*));
    // a plain one runs when it is polled, where a panic is caught, not when the future is made
    let future = match f.sig.asyncness {
        Some(_) => call,
        None => quote_spanned!(span=> async move { #call }),
    };
    let make = quote_spanned!(span=> #at_fn::boxed_make(#future, #kind.provide()));
    let entries = needs.iter().map(|need| need.entry(krate));
    let (at, quiet) = (krate.at(span), quiet());
    quote! {
        #[allow(clippy::unused_async, clippy::unnecessary_wraps, clippy::ptr_arg, clippy::borrowed_box)]
        #f
        #quiet
        const _: () = {
            use #p::Fallback as _;
            static __NEEDS: &[#p::Need] = &[#(#entries),*];
            fn __make<'a>(#cx: &'a #p::CallCx) -> #p::BoxMake<'a> { #make }
            static __DEF: #p::ProviderDef = #p::ProviderDef {
                key: #kind.key(),
                type_name: #kind.type_name(),
                needs: __NEEDS,
                make: __make,
                at: #at,
            };
            #p::inventory::submit! { #p::ProviderRef(&__DEF) }
        };
    }
}
