//! The options of `#[arg(…)]`.

use super::{
    ir::{Default, Owned, Rule},
    table::{ARG, INNER, LENGTH, RANGE},
};
use crate::{
    args::{Opt, Value},
    ctxt::Ctxt,
};
use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Expr, ExprLit, ExprUnary, Lit, LitStr, Meta, Token, UnOp,
    parse::{ParseStream, Parser},
};

/// All `#[arg(…)]` of one parameter, as one list.
pub(super) fn options(cx: &Ctxt, attrs: &[Attribute]) -> Vec<Opt> {
    let mut opts = Vec::new();
    for attr in attrs {
        match &attr.meta {
            Meta::List(list) => ARG.parse_into(cx, list.tokens.clone(), &mut opts),
            other => cx.error(other, "write `#[arg(…)]` with options in it, such as `#[arg(range(min = 1))]`"),
        }
    }
    opts
}

/// Applies them to the parameter.
pub(super) fn apply(cx: &Ctxt, opts: Vec<Opt>, to: &mut Owned) {
    for opt in opts {
        match opt.name().as_str() {
            "name" => {
                if let Some(name) = opt.text(cx) {
                    if name.value().is_empty() {
                        cx.error(name, "a property's name cannot be empty");
                    }
                    to.property = name.value();
                    to.property_span = name.span();
                }
            }
            "default" => {
                to.default = match &opt.value {
                    Value::Flag => Some(Default::OfType(opt.key.span())),
                    _ => opt.expr(cx).cloned().map(Box::new).map(Default::Given),
                };
            }
            "coerce" => to.coerce = opt.flag(cx),
            "preprocess" => match opt.expr(cx) {
                Some(path @ Expr::Path(_)) => to.preprocess = Some(path.clone()),
                Some(closure @ Expr::Closure(_)) => to.preprocess = Some(closure.clone()),
                Some(_) => opt.misused(cx),
                None => {}
            },
            _ => rule(cx, &opt, &mut to.rules),
        }
    }
}

fn rule(cx: &Ctxt, opt: &Opt, rules: &mut Vec<Rule>) {
    match opt.name().as_str() {
        "range" => range(cx, opt, rules),
        "length" => length(cx, opt, rules),
        "pattern" => rules.extend(text(cx, opt).map(Rule::Pattern)),
        "format" => rules.extend(text(cx, opt).map(Rule::Format)),
        "inner" => {
            if let Some(list) = opt.list(cx) {
                let mut inner = Vec::new();
                for opt in INNER.parse(cx, list.clone()) {
                    rule(cx, &opt, &mut inner);
                }
                rules.push(Rule::Inner(inner));
            }
        }
        "extend" => {
            if let Some(list) = opt.list(cx) {
                extend(cx, opt, list.clone(), rules);
            }
        }
        _ => {}
    }
}

/// A literal or a constant; a number is refused here, because rustc would word it worse.
fn text(cx: &Ctxt, opt: &Opt) -> Option<Expr> {
    let expr = opt.expr(cx)?;
    if matches!(expr, Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Str(_))) {
        opt.misused(cx);
        return None;
    }
    Some(expr.clone())
}

fn range(cx: &Ctxt, opt: &Opt, rules: &mut Vec<Rule>) {
    let Some(list) = opt.list(cx) else { return };
    // the least and the greatest value that is known here, and whether it is itself left out
    let (mut least, mut most) = (None, None);
    let bounds = RANGE.parse(cx, list.clone());
    if bounds.is_empty() && list.is_empty() {
        return opt.misused(cx);
    }
    for bound in bounds {
        let Some(expr) = bound.expr(cx) else { continue };
        if matches!(expr, Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Int(_) | Lit::Float(_))) {
            bound.misused(cx);
            continue;
        }
        let name = bound.name();
        let (keyword, end, open) = match name.as_str() {
            "min" => ("minimum", &mut least, false),
            "max" => ("maximum", &mut most, false),
            "exclusive_min" => ("exclusiveMinimum", &mut least, true),
            _ => ("exclusiveMaximum", &mut most, true),
        };
        *end = integer(expr).map(|value| (value, open));
        rules.push(Rule::Bound(keyword, expr.clone()));
    }
    if let (Some((min, open_min)), Some((max, open_max))) = (least, most)
        && (min > max || (min == max && (open_min || open_max)))
    {
        cx.error(list, "no number is in this range");
    }
}

fn length(cx: &Ctxt, opt: &Opt, rules: &mut Vec<Rule>) {
    let Some(list) = opt.list(cx) else { return };
    let (mut least, mut most) = (None, None);
    let bounds = LENGTH.parse(cx, list.clone());
    if bounds.is_empty() && list.is_empty() {
        return opt.misused(cx);
    }
    for bound in bounds {
        let Some(expr) = bound.expr(cx) else { continue };
        if integer(expr).is_some_and(|n| n < 0)
            || matches!(expr, Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Int(_)))
        {
            cx.error(expr, "a length is a whole number from 0");
            continue;
        }
        if bound.key != "max" {
            least = integer(expr);
            rules.push(Rule::MinLen(expr.clone()));
        }
        if bound.key != "min" {
            most = integer(expr);
            rules.push(Rule::MaxLen(expr.clone()));
        }
    }
    if let (Some(min), Some(max)) = (least, most)
        && min > max
    {
        cx.error(list, "nothing has such a length: `min` is more than `max`");
    }
}

/// The value of an integer literal, so that an empty range is told at once.
fn integer(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer(expr).map(|n| -n),
        _ => None,
    }
}

/// `"key" = json, …`, the JSON as `json!` takes it.
fn extend(cx: &Ctxt, opt: &Opt, list: TokenStream, rules: &mut Vec<Rule>) {
    if list.is_empty() {
        return opt.misused(cx);
    }
    let before = rules.len();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let key: LitStr = input.parse()?;
            input.parse::<Token![=]>()?;
            let mut json = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                json.extend([input.parse::<TokenTree>()?]);
            }
            input.parse::<Option<Token![,]>>()?;
            if json.is_empty() {
                cx.error(&key, "this key needs a value, such as `\"key\" = [1, 2]`");
            } else if rules[before..].iter().any(|r| matches!(r, Rule::Extend(k, _) if k.value() == key.value())) {
                cx.error(&key, format_args!("`{}` is given twice", key.value()));
            } else {
                rules.push(Rule::Extend(key, json));
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(list) {
        match error.to_string().starts_with("unexpected end of input") {
            true => opt.misused(cx),
            false => cx.push(syn::Error::new(
                error.span(),
                "`extend` takes strings with JSON, such as `extend(\"key\" = [1, 2])`",
            )),
        }
    }
}
