//! The rules of `#[provide]`.

use super::ir::Provider;
use crate::{
    args::{Table, krate_option},
    ctxt::Ctxt,
    krate::first_span,
    lent::{Lent, last_segment, lent, ungroup},
    shown::shown,
    sig::{SigFn, free_function},
};
use proc_macro2::TokenStream;
use syn::{Attribute, FnArg, PatType, ReturnType, Type};

const PROVIDE: Table = Table {
    of: "#[provide]",
    keys: &[("crate", "crate = ::bdk")],
    elsewhere: &[("name", "what is provided is found by its type")],
};

pub(super) fn check(cx: &Ctxt, args: TokenStream, f: &SigFn) -> Provider {
    let krate = krate_option(cx, &PROVIDE, args);
    free_function(cx, f, "a provider");
    if f.has_no_body() {
        cx.error(&f.sig.ident, "a provider needs a body: what it makes");
    }
    match &f.sig.output {
        ReturnType::Default => {
            cx.error(&f.sig.ident, "a provider gives what it makes: name its type, such as `-> Result<Database>`");
        }
        ReturnType::Type(_, ty) if f.returns_impl() => {
            cx.error(ty, "what is provided is found by its type, so it needs one with a name, not `impl …`");
        }
        ReturnType::Type(_, ty) if matches!(ungroup(ty), Type::Reference(_)) => {
            cx.error(ty, "a provider gives its value, and the runtime lends references to it: return it without `&`");
        }
        ReturnType::Type(..) => {}
    }
    let needs = f.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(parameter) => need(cx, f, parameter),
        FnArg::Receiver(_) => None,
    });
    Provider { krate, needs: needs.collect() }
}

fn need(cx: &Ctxt, f: &SigFn, parameter: &PatType) -> Option<Lent> {
    let Type::Reference(reference) = ungroup(&parameter.ty) else {
        let ty = shown(&parameter.ty);
        cx.error(&parameter.ty, format_args!("a provider takes only what the runtime lends, references: `&{ty}`"));
        return None;
    };
    if last_segment(&reference.elem).is_some_and(|name| name.ends_with("Context")) {
        cx.error(&parameter.ty, "what a provider makes outlives the call that asked for it, so it takes no context");
        return None;
    }
    let ty = lent(cx, reference)?;
    let cfgs: Vec<Attribute> = parameter.attrs.iter().filter(|a| a.path().is_ident("cfg")).cloned().collect();
    Some(Lent { ty: f.erase_lifetimes(ty), span: first_span(ty), cfgs })
}
