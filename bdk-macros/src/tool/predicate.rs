//! `effect`, `dry_run_result` and `check`: a closure over some of the tool's parameters, by name, or a path.

use super::ir::{Bind, Closure, Predicate};
use crate::{args::bare, ctxt::Ctxt, krate::first_span};
use syn::{Attribute, Expr, Ident, Pat, ReturnType};

/// Reads one; whether its names exist is asked when the parameters are known.
pub(super) fn parse(cx: &Ctxt, key: &str, expr: &Expr) -> Option<Predicate> {
    match bare(expr.clone()) {
        Expr::Closure(closure) => {
            if let Some(token) = &closure.asyncness {
                cx.error(token, format_args!("`{key}` runs before the tool does, so it cannot be async"));
            }
            if let Some(token) = &closure.constness {
                cx.error(token, format_args!("`{key}` takes a plain closure, without `const`"));
            }
            let span = first_span(&closure);
            let binds = closure.inputs.iter().filter_map(|pat| bind(cx, key, pat)).collect();
            let output = match closure.output {
                ReturnType::Type(_, ty) => Some(*ty),
                ReturnType::Default => None,
            };
            Some(Predicate::Closure(Box::new(Closure { span, binds, output, body: bare(*closure.body) })))
        }
        path @ Expr::Path(_) => Some(Predicate::Path(Box::new(path))),
        other => {
            let words = if key == "effect" { "`\"read\"`, `\"write\"`, " } else { "" };
            cx.error(
                &other,
                format_args!("`{key}` takes {words}a closure over the tool's parameters, such as `|version| …`, or a path to a function"),
            );
            None
        }
    }
}

fn bind(cx: &Ctxt, key: &str, pat: &Pat) -> Option<Bind> {
    let (mut pat, ty, mut cfgs) = match pat {
        Pat::Type(typed) => ((*typed.pat).clone(), Some((*typed.ty).clone()), cfgs(&typed.attrs)),
        pat => (pat.clone(), None, Vec::new()),
    };
    if let Pat::Ident(ident) = &mut pat {
        cfgs.extend(self::cfgs(&ident.attrs));
        ident.attrs.clear();
    }
    match named(&pat) {
        Some(name) => Some(Bind { name: name.clone(), pat, ty, cfgs }),
        None => {
            cx.error(
                &pat,
                format_args!("`{key}` finds the tool's parameters by name: write names here, such as `|version|`"),
            );
            None
        }
    }
}

fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs.iter().filter(|a| a.path().is_ident("cfg")).cloned().collect()
}

fn named(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(ident) => Some(&ident.ident),
        Pat::Reference(reference) => named(&reference.pat),
        Pat::Paren(paren) => named(&paren.pat),
        Pat::TupleStruct(tuple) if tuple.elems.len() == 1 => tuple.elems.first().and_then(named),
        _ => None,
    }
}
