//! What a reference among the parameters may be: the runtime lends it, so it is to a sized type of the bot's own.

use crate::{
    ctxt::Ctxt,
    krate::Krate,
    once::once,
    shown::shown,
    sig::{SigFn, mentions},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Path, Type, TypeReference};

/// A type without the invisible group of a `macro_rules!` variable and without parentheses.
pub(crate) fn ungroup(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        };
    }
}

/// `Input` of `bdk::Input<T>`.
pub(crate) fn last_segment(ty: &Type) -> Option<String> {
    match ungroup(ty) {
        Type::Path(path) => last_of(&path.path),
        _ => None,
    }
}

pub(crate) fn last_of(path: &Path) -> Option<String> {
    path.segments.last().map(|segment| segment.ident.to_string())
}

const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize",
];

/// The type lent, or an error where the syntax already shows that it cannot be.
pub(crate) fn lent<'a>(cx: &Ctxt, reference: &'a TypeReference) -> Option<&'a Type> {
    if let Some(token) = &reference.mutability {
        cx.error(token, "what the runtime lends is shared between calls, so it is never `&mut`: put a `Mutex` inside");
        return None;
    }
    let owned = match ungroup(&reference.elem) {
        Type::TraitObject(object) => {
            let text = shown(object);
            let text = if object.bounds.len() > 1 { format!("({text})") } else { text };
            cx.error(
                object,
                format_args!("the runtime lends by concrete type: take `&Arc<{text}>`, and provide an `Arc` of it"),
            );
            return None;
        }
        Type::Reference(inner) => {
            cx.error(reference, format_args!("one reference is enough: take `{}`", shown(inner)));
            return None;
        }
        ty if mentions(ty, "impl") => {
            cx.error(ty, "the runtime lends by concrete type: write one with a name instead of `impl …`");
            return None;
        }
        Type::Slice(slice) => Some(format!("Vec<{}>", shown(&slice.elem))),
        Type::Path(path) if path.path.is_ident("str") || path.path.is_ident("String") => Some("String".to_owned()),
        Type::Path(path) => match last_of(&path.path).as_deref() {
            Some("Input") => Some(shown(path)),
            _ => path.path.get_ident().map(ToString::to_string).filter(|name| PRIMITIVES.contains(&name.as_str())),
        },
        _ => None,
    };
    match owned {
        Some(owned) => {
            cx.error(
                reference,
                format_args!("a reference is lent by the runtime, and what the caller sends is owned: take `{owned}`"),
            );
            None
        }
        None => Some(&reference.elem),
    }
}

/// A parameter that the runtime lends.
pub(crate) struct Lent {
    pub(crate) ty: TokenStream,
    pub(crate) span: Span,
    pub(crate) cfgs: Vec<Attribute>,
}

impl Lent {
    /// The reference, as an argument: the one place where the type must be one that can be lent. Which type it is, the
    /// author's function says.
    pub(crate) fn argument(&self, cx: &Ident) -> TokenStream {
        let Self { span, cfgs, .. } = self;
        quote_spanned!(*span=> #(#cfgs)* #cx.lend())
    }
    /// Its `Need`, standing at the parameter's type.
    pub(crate) fn entry(&self, krate: &Krate, f: &SigFn) -> TokenStream {
        let Self { ty, span, cfgs } = self;
        let (p, at) = (krate.private(*span), krate.at(*span));
        let new = quote_spanned!(*span=> #p::Need::new::<#ty>);
        let need = once(f.sig.ident.span(), ty, &quote!(#p::Need), quote!(#new(#at)));
        quote!(#(#cfgs)* #need)
    }
}
