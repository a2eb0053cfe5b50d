//! `#[bdk::test]`: a plain test around the author's async one, with a `TestBot` where it asks for one.

use crate::{
    args::{Table, krate_option},
    ctxt::Ctxt,
    krate::{Krate, first_span},
    run::Attribute,
    sig::{SigFn, free_function},
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{FnArg, Type};

use crate::lent::ungroup;

pub(crate) struct TestAttribute;

const TEST: Table = Table {
    of: "#[bdk::test]",
    keys: &[("crate", "crate = ::bdk")],
    elsewhere: &[("dry_run", "say it in the test: `let bot = bot.dry_run();`")],
};

impl Attribute for TestAttribute {
    const NAME: &'static str = "#[bdk::test]";
    type Checked = Krate;
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<Krate> {
        let krate = krate_option(cx, &TEST, args);
        free_function(cx, f, "a test");
        if f.sig.asyncness.is_none() {
            cx.error(f.sig.fn_token, "`#[bdk::test]` runs an async function: write `async fn`, or `#[test]` alone");
        }
        if let Some(test) = f.attrs.iter().find(|attr| attr.path().is_ident("test")) {
            cx.error(test, "`#[bdk::test]` makes it a test already: remove `#[test]`");
        }
        if f.has_no_body() {
            cx.error(&f.sig.ident, "a test needs a body");
        }
        for (i, input) in f.sig.inputs.iter().enumerate() {
            let FnArg::Typed(parameter) = input else { continue };
            match ungroup(&parameter.ty) {
                _ if i > 0 => cx.error(input, "a test takes nothing, or one `bot: TestBot`"),
                Type::Reference(r) => cx.error(r, "a test owns its bot: write `bot: TestBot`"),
                _ => {}
            }
        }
        Some(krate)
    }
    fn expand(krate: &Krate, f: &SigFn) -> TokenStream {
        let (attrs, ident, output) = (&f.attrs, &f.sig.ident, &f.sig.output);
        let span = f.output_span();
        let p = krate.private(span);
        let SigFn { sig, body, vis, .. } = f;
        let bot = f.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(parameter) => {
                let span = first_span(&parameter.ty);
                let root = krate.root(span);
                Some(quote_spanned!(span=> <#root::TestBot as ::core::default::Default>::default()))
            }
            FnArg::Receiver(_) => None,
        });
        let call = quote!(#ident(#(#bot),*));
        let run = quote_spanned!(span=> #p::block_on(#call));
        quote! {
            #[::core::prelude::v1::test]
            #(#attrs)*
            #vis fn #ident() #output {
                #[allow(clippy::unused_async, clippy::unnecessary_wraps)]
                #sig #body
                #run
            }
        }
    }
}
