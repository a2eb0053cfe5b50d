//! A provider's table.

use super::ir::Provider;
use crate::{
    once::{is_suggested, once},
    run::anonymous,
    sig::SigFn,
};
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
    let blocking = f.sig.asyncness.is_none();
    let make = quote_spanned!(span=> #at_fn::boxed_make(#future, #kind.provide()));
    let make_fn = Ident::new("__make", if is_suggested(&output) { span } else { Span::call_site() });
    let text = quote!(&'static ::core::primitive::str);
    let key = once(span, &output, &quote!(fn() -> ::core::any::TypeId), quote!(#kind.key()));
    let type_name = once(span, &output, &quote!(fn() -> #text), quote!(#kind.type_name()));
    let entries = needs.iter().map(|need| need.entry(krate, f));
    let (at, anonymous) = (krate.at(span), anonymous(ident));
    quote! {
        #[allow(clippy::unused_async, clippy::unnecessary_wraps, clippy::ptr_arg, clippy::borrowed_box)]
        #f
        #anonymous {
            use #p::Fallback as _;
            static __NEEDS: &[#p::Need] = &[#(#entries),*];
            fn #make_fn(#cx: &#p::CallCx) -> #p::BoxMake<'_> { #make }
            static __DEF: #p::ProviderDef = #p::ProviderDef {
                key: #key,
                type_name: #type_name,
                needs: __NEEDS,
                make: #make_fn,
                blocking: #blocking,
                at: #at,
            };
            #p::inventory::submit! { #p::ProviderRef(&__DEF) }
        };
    }
}
