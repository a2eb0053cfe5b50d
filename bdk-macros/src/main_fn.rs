//! `#[bdk::main]`: a plain `main` around the author's, which records the bot's identity and starts the runtime.

use crate::{
    args::{Table, krate_option},
    ctxt::Ctxt,
    krate::Krate,
    run::Attribute,
    sig::{SigFn, free_function},
};
use proc_macro2::{Span, TokenStream};
use quote::quote;

pub(crate) struct MainAttribute;

const MAIN: Table = Table {
    of: "#[bdk::main]",
    keys: &[("crate", "crate = ::bdk")],
    elsewhere: &[
        ("flavor", "the runtime has several threads; `#[tokio::main]` works too"),
        ("worker_threads", "the runtime has a thread a core; `#[tokio::main]` works too"),
    ],
};

impl Attribute for MainAttribute {
    const NAME: &'static str = "#[bdk::main]";
    type Checked = Krate;
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<Krate> {
        let krate = krate_option(cx, &MAIN, args);
        free_function(cx, f, "`main`");
        if f.sig.asyncness.is_none() {
            cx.error(f.sig.fn_token, "`#[bdk::main]` starts the runtime for an async function: write `async fn main`");
        }
        for input in f.sig.inputs.iter().filter(|input| matches!(input, syn::FnArg::Typed(_))) {
            cx.error(input, "`main` takes nothing: `bdk::serve()` reads the command line");
        }
        if f.has_no_body() {
            cx.error(&f.sig.ident, "`main` needs a body, such as `bdk::serve().await`");
        }
        Some(krate)
    }
    fn expand(krate: &Krate, f: &SigFn) -> TokenStream {
        let (attrs, vis, ident, output) = (&f.attrs, &f.vis, &f.sig.ident, &f.sig.output);
        let p = krate.private(Span::call_site());
        let SigFn { sig, body, .. } = f;
        quote! {
            #(#attrs)*
            #vis fn #ident() #output {
                #[allow(clippy::unused_async, clippy::unnecessary_wraps)]
                #sig #body
                #p::begin(#p::env!("CARGO_PKG_NAME"), #p::env!("CARGO_PKG_VERSION"));
                #p::block_on(#ident())
            }
        }
    }
    /// Beside errors the author's function stands in a plain one: an async `main` would be an error of rustc's more.
    fn item(f: &SigFn) -> TokenStream {
        let ident = &f.sig.ident;
        quote!(fn #ident() { #[allow(dead_code)] #f })
    }
}
