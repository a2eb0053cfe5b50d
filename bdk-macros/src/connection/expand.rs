//! A connection's table.

use super::ir::{Connection, Options};
use crate::{krate::relocate, run::anonymous, sig::SigFn};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

pub(super) fn expand(connection: &Connection, f: &SigFn) -> TokenStream {
    let Connection { options: Options { krate, host }, name, description } = connection;
    let (ident, span) = (&f.sig.ident, f.output_span());
    let (p, at_output) = (krate.private(Span::call_site()), krate.private(span));
    let (at, anonymous) = (krate.at(ident.span()), anonymous(ident));
    let called = relocate(ident.to_token_stream(), span);
    // all of it stands at the return type, where one that is no connection is reported
    let make = quote_spanned! {span=>
        fn __make() -> #at_output::Connection { #at_output::IntoConnection::into_connection(#called()) }
    };
    quote! {
        #f
        #anonymous {
            #make
            static __DEF: #p::ConnectionDef = #p::ConnectionDef {
                name: #name,
                description: #description,
                host: #host,
                make: __make,
                at: #at,
            };
            #p::inventory::submit! { #p::ConnectionRef(&__DEF) }
        };
    }
}
