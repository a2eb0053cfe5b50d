//! The rules of `#[connection]`.

use super::ir::{Connection, Options};
use crate::{
    args::bad_name,
    ctxt::Ctxt,
    docs::Docs,
    sig::{SigFn, free_function},
};
use quote::ToTokens;
use syn::{FnArg, LitStr, ReturnType, ext::IdentExt};

pub(super) fn check(cx: &Ctxt, options: Options, f: &SigFn) -> Connection {
    free_function(cx, f, "a connection");
    if f.has_no_body() {
        cx.error(
            &f.sig.ident,
            "a connection needs a body: how its server is reached, such as `Connection::http(\"https://…\")`",
        );
    }
    if let Some(token) = &f.sig.asyncness {
        cx.error(
            token,
            "a connection is declared when the bot loads, and opened later, so this function cannot be async: remove it",
        );
    }
    for input in f.sig.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_))) {
        cx.error(
            input,
            "a connection is declared when the bot loads, so this function takes nothing: a credential is named where it \
             goes, such as `.header(\"authorization\", \"Bearer ${TOKEN}\")`",
        );
    }
    if matches!(f.sig.output, ReturnType::Default) {
        cx.error(&f.sig.ident, "this function gives the connection: write `-> impl IntoConnection`");
    }
    let ident = f.sig.ident.unraw();
    let name = ident.to_string();
    if let Some(message) = bad_name("a connection", &name) {
        cx.error(&f.sig.ident, format_args!("{message}; a connection is named as its function"));
    }
    let description = match Docs::of(&f.attrs) {
        Docs::Text(text) => text.into_token_stream(),
        Docs::Expanded(expr) => expr,
        Docs::Missing => LitStr::new("", ident.span()).into_token_stream(),
    };
    Connection { options, name: LitStr::new(&name, ident.span()), description }
}
