//! One parameter: an owned one comes from the caller, a reference is lent. Its docs and `#[arg]` are taken off it,
//! because rustc knows neither on a parameter.

use super::{
    arg,
    ir::{Input, Owned},
};
use crate::{
    args::Case,
    ctxt::Ctxt,
    docs::Docs,
    krate::first_span,
    lent::{Lent, last_of, last_segment, lent, ungroup},
    shown::shown,
    sig::mentions,
    usual::is_usual,
};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, GenericArgument, Ident, Pat, PatType, PathArguments, Type, TypeReference, ext::IdentExt};

/// Reads one parameter. `erase` takes the function's own lifetimes out of a type.
pub(super) fn read(
    cx: &Ctxt,
    parameter: &mut PatType,
    rename_all: Option<Case>,
    erase: impl Fn(&Type) -> TokenStream,
) -> Input {
    let taken = take_attrs(cx, parameter);
    let cfgs: Vec<Attribute> = parameter.attrs.iter().filter(|a| a.path().is_ident("cfg")).cloned().collect();
    let ty = ungroup(&parameter.ty);
    // a type that does not fit is reported and read on as an owned one: its name is then known to the other rules
    if let Type::Reference(reference) = ty {
        if let Some(ty) = lent(cx, reference) {
            if let Some(attr) = taken.args.first() {
                cx.error(
                    attr,
                    "a reference is lent by the runtime and no part of the input, so `#[arg]` has nothing to say here",
                );
            }
            return Input::Lent(Lent { ty: erase(ty), span: first_span(ty), cfgs });
        }
    } else {
        owned_type(cx, ty);
    }
    let opts = arg::options(cx, &taken.args);
    let (ident, newtype) = binding(&parameter.pat);
    let whole = last_segment(ty).as_deref() == Some("Input") || is_input(&parameter.pat);
    let name = ident.map(|i| i.unraw().to_string());
    let doc = match Docs::of(&taken.docs) {
        Docs::Missing => None,
        Docs::Text(text) => Some(text.to_token_stream()),
        Docs::Expanded(expr) => Some(expr),
    };
    let property = name.as_deref().map(|name| rename_all.map_or_else(|| name.to_owned(), |case| case.apply(name)));
    let mut owned = Owned {
        property: property.unwrap_or_default(),
        property_span: first_span(&parameter.pat),
        binding: name.clone().unwrap_or_default(),
        ty: erase(&parameter.ty),
        doc,
        cfgs,
        option: opts.first().map(|opt| opt.key.clone()),
        newtype,
        plain: is_plain(ty),
        whole,
        default: None,
        rules: Vec::new(),
        coerce: false,
        preprocess: None,
    };
    let named = opts.iter().any(|o| o.key == "name");
    if whole {
        if let Some(opt) = opts.first() {
            cx.error(
                &opt.key,
                "`Input` is the whole input: write this on a field of its type, in serde's and schemars' words",
            );
        }
    } else {
        arg::apply(cx, opts, &mut owned);
    }
    match (&name, named || whole) {
        (None, false) => cx.error(&parameter.pat, "a destructured parameter needs a name: add `#[arg(name = \"…\")]`"),
        (None, true) => owned.binding.clone_from(&owned.property),
        (Some(_), _) => {}
    }
    Input::Owned(Box::new(owned))
}

struct Taken {
    docs: Vec<Attribute>,
    args: Vec<Attribute>,
}

fn take_attrs(cx: &Ctxt, parameter: &mut PatType) -> Taken {
    let mut taken = Taken { docs: Vec::new(), args: Vec::new() };
    let mut kept = Vec::new();
    for attr in std::mem::take(&mut parameter.attrs) {
        let path = attr.path();
        if path.is_ident("doc") {
            taken.docs.push(attr);
        } else if path.is_ident("arg") {
            taken.args.push(attr);
        } else if path.is_ident("serde") || path.is_ident("schemars") || path.is_ident("validate") {
            cx.error(&attr, format_args!("on a parameter this is written `#[arg({})]`", as_arg(&attr)));
        } else if path.is_ident("cfg_attr") && (mentions(&attr.meta, "arg") || mentions(&attr.meta, "doc")) {
            cx.error(&attr, "`#[tool]` cannot see through `cfg_attr`: write `#[arg(…)]` without it");
        } else {
            kept.push(attr);
        }
    }
    parameter.attrs = kept;
    taken
}

/// What `#[serde(rename = "x")]` is as `#[arg(…)]`, for the message.
fn as_arg(attr: &Attribute) -> String {
    let text = attr.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
    let key: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    match key.as_str() {
        "rename" => "name = \"…\"".to_owned(),
        "default" => "default = …".to_owned(),
        "regex" => "pattern = \"…\"".to_owned(),
        "range" | "length" | "inner" | "extend" => format!("{key}(…)"),
        "email" => "format = \"email\"".to_owned(),
        "url" => "format = \"uri\"".to_owned(),
        _ => "…".to_owned(),
    }
}

/// `x`, `mut x`, `r#x`, and the `q` of `Input(q)`; whether it is such a newtype.
fn binding(pat: &Pat) -> (Option<&Ident>, bool) {
    match pat {
        Pat::Ident(ident) => (Some(&ident.ident), false),
        Pat::Paren(paren) => binding(&paren.pat),
        Pat::TupleStruct(tuple) if tuple.elems.len() == 1 => match tuple.elems.first() {
            Some(Pat::Ident(ident)) => (Some(&ident.ident), true),
            _ => (None, false),
        },
        _ => (None, false),
    }
}

fn is_input(pat: &Pat) -> bool {
    match pat {
        Pat::Paren(paren) => is_input(&paren.pat),
        Pat::TupleStruct(tuple) => last_of(&tuple.path).as_deref() == Some("Input"),
        _ => false,
    }
}

/// The usual types. Any other may be another name of `Input`, which is found by type and costs a constant to compile.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Path(_) => last_segment(ty).is_some_and(|name| is_usual(&name)),
        other => matches!(other, Type::Tuple(_) | Type::Array(_)),
    }
}

/// What an owned parameter's type may not be, where the syntax shows it; the rest is `ToolArg`'s to say.
fn owned_type(cx: &Ctxt, ty: &Type) {
    if mentions(ty, "impl") {
        cx.error(ty, "a tool's parameter needs a type with a name, not `impl …`: its schema must be known");
    } else if last_segment(ty).as_deref() == Some("ToolContext") {
        cx.error(ty, format_args!("the context is lent: take `&{}`", shown(ty)));
    } else if let Some(inner) = reference_in(ty) {
        let message = match ungroup(&inner.elem) {
            Type::Path(path) if path.path.is_ident("str") => "what the caller sends is owned: take a `String` here",
            Type::Slice(_) => "what the caller sends is owned: take a `Vec` here",
            _ => {
                "what the caller sends is owned, and what the runtime lends is a plain `&T`: there is no `&` inside of a parameter's type"
            }
        };
        cx.error(inner, message);
    }
}

/// The first reference among a type's arguments, such as that of `Option<&str>`.
fn reference_in(ty: &Type) -> Option<&TypeReference> {
    match ungroup(ty) {
        Type::Reference(reference) => Some(reference),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(reference_in),
        Type::Array(array) => reference_in(&array.elem),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => reference_in(ty),
                _ => None,
            }),
            _ => None,
        }),
        _ => None,
    }
}
