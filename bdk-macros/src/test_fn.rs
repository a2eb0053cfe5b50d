//! `#[bdk::test]`: a plain test around the author's async one, with a `TestBot` where it asks for one.

use crate::{
    args::{Table, krate_option},
    ctxt::Ctxt,
    krate::{Krate, first_span},
    run::Attribute,
    sig::{SigFn, free_function},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
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
        let (p, root) = (krate.private(Span::call_site()), krate.root(Span::call_site()));
        let parameter = f.sig.inputs.iter().find_map(|input| match input {
            FnArg::Typed(parameter) => Some(first_span(&parameter.ty)),
            FnArg::Receiver(_) => None,
        });
        // the argument stands at the parameter's type, where another one than `TestBot` is reported
        let bot = parameter.map(|span| Ident::new("__bot", span));
        let make = bot.as_ref().map(|bot| {
            quote! {
                #[allow(unused_qualifications)]
                let #bot = <#root::TestBot as ::core::default::Default>::default();
            }
        });
        let SigFn { sig, body, vis, .. } = f;
        quote! {
            #[::core::prelude::v1::test]
            #(#attrs)*
            #vis fn #ident() #output {
                #[allow(clippy::unused_async, clippy::unnecessary_wraps)]
                #sig #body
                #make
                #p::block_on(#ident(#bot))
            }
        }
    }
}
