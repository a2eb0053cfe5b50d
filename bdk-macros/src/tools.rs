//! `#[tools]`: tools made from data.

use crate::{
    args::{Table, krate_option},
    ctxt::Ctxt,
    krate::{Krate, relocate},
    run::{Attribute, anonymous},
    sig::{SigFn, free_function},
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ReturnType;

pub(crate) struct ToolsAttribute;

const TOOLS: Table = Table {
    of: "#[tools]",
    keys: &[("crate", "crate = ::bdk")],
    elsewhere: &[("effect", "each `ToolDefinition` has its own: `.effect(Effect::Read)`")],
};

impl Attribute for ToolsAttribute {
    const NAME: &'static str = "#[tools]";
    type Checked = Krate;
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<Krate> {
        let krate = krate_option(cx, &TOOLS, args);
        free_function(cx, f, "a function that makes tools");
        if f.has_no_body() {
            cx.error(&f.sig.ident, "a function that makes tools needs a body");
        }
        if let Some(token) = &f.sig.asyncness {
            cx.error(token, "tools are made when the bot loads, so this function cannot be async");
        }
        for input in f.sig.inputs.iter().filter(|input| matches!(input, syn::FnArg::Typed(_))) {
            cx.error(input, "tools are made when the bot loads, so this function takes nothing");
        }
        if matches!(f.sig.output, ReturnType::Default) {
            cx.error(&f.sig.ident, "this function gives the tools it makes: write `-> Vec<ToolDefinition>`");
        }
        Some(krate)
    }
    fn expand(krate: &Krate, f: &SigFn) -> TokenStream {
        let (ident, span) = (&f.sig.ident, f.output_span());
        let (p, at_output) = (krate.private(Span::call_site()), krate.private(span));
        let (at, anonymous) = (krate.at(ident.span()), anonymous(ident));
        let called = relocate(ident.to_token_stream(), span);
        // all of it stands at the return type, where another one than `Vec<ToolDefinition>` is reported
        let make = quote_spanned!(span=> fn __make() -> #at_output::Vec<#at_output::ToolDefinition> { #called() });
        quote! {
            #f
            #anonymous {
                #make
                #p::inventory::submit! { #p::ToolsDef { make: __make, at: #at } }
            };
        }
    }
}
