//! Option tables: `key`, `key = EXPR` and `key(…)`, read so that one bad option does not hide the next.

mod case;
mod duration;
mod name;
mod suggest;

pub(crate) use case::Case;
pub(crate) use duration::millis;
pub(crate) use name::bad_name;
pub(crate) use suggest::{hint, nearest};

use crate::{ctxt::Ctxt, krate::Krate, shown::shown};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, ExprLit, Lit, LitStr, Token,
    ext::IdentExt,
    parenthesized,
    parse::{ParseStream, Parser},
    token,
};

/// The options of one attribute.
pub(crate) struct Table {
    /// How messages call it, such as `#[tool]`.
    pub(crate) of: &'static str,
    /// Every option and how it is written.
    pub(crate) keys: &'static [(&'static str, &'static str)],
    /// What other crates call it, and what to write here.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

/// One option as it was written.
pub(crate) struct Opt {
    pub(crate) key: Ident,
    pub(crate) value: Value,
    form: &'static str,
}

/// What stands behind the key.
pub(crate) enum Value {
    Flag,
    Expr(Expr),
    List(TokenStream),
}

impl Table {
    /// Reads the options; unknown and repeated ones are reported and left out.
    pub(crate) fn parse(&self, cx: &Ctxt, args: TokenStream) -> Vec<Opt> {
        let mut opts: Vec<Opt> = Vec::new();
        self.parse_into(cx, args, &mut opts);
        opts
    }
    /// The same, beside options that were read before.
    pub(crate) fn parse_into(&self, cx: &Ctxt, args: TokenStream, opts: &mut Vec<Opt>) {
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                self.option(cx, input, opts)?;
            }
            Ok(())
        };
        if let Err(error) = parser.parse2(args) {
            cx.push(error);
        }
    }
    fn option(&self, cx: &Ctxt, input: ParseStream<'_>, opts: &mut Vec<Opt>) -> syn::Result<()> {
        if !input.peek(Ident::peek_any) {
            let token: TokenTree = input.parse()?;
            let example = self.keys.first().map_or("", |(_, form)| form);
            cx.error(token, format_args!("`{}` takes options such as `{example}`", self.of));
            return skip_option(input);
        }
        let key = input.call(Ident::parse_any)?;
        let name = key.unraw().to_string();
        let known = self.keys.iter().find(|(known, _)| *known == name);
        let Some(value) = value(cx, input, &key, known.map(|(_, form)| *form))? else { return skip_option(input) };
        match known {
            None => cx.error(&key, self.unknown(&name)),
            Some(_) if opts.iter().any(|o| o.key == key) => cx.error(&key, format_args!("`{name}` is given twice")),
            Some((_, form)) => opts.push(Opt { key, value, form }),
        }
        if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
            let next: TokenTree = input.fork().parse()?;
            cx.error(&next, "expected a `,` before this");
            if !input.peek(Ident::peek_any) {
                return skip_option(input);
            }
        }
        Ok(())
    }
    fn unknown(&self, name: &str) -> String {
        let of = self.of;
        if let Some((_, instead)) = self.elsewhere.iter().find(|(theirs, _)| *theirs == name) {
            return format!("`{of}` has no option `{name}`: {instead}");
        }
        let names: Vec<&str> = self.keys.iter().map(|(known, _)| *known).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => format!("unknown `{of}` option `{name}`; did you mean `{near}`?"),
            None => format!("unknown `{of}` option `{name}`; there are `{}`", names.join("`, `")),
        }
    }
}

/// The value behind a key, or `None` when it does not parse, which was then reported.
fn value(cx: &Ctxt, input: ParseStream<'_>, key: &Ident, form: Option<&str>) -> syn::Result<Option<Value>> {
    if input.peek(token::Paren) {
        let list;
        parenthesized!(list in input);
        return Ok(Some(Value::List(list.parse()?)));
    }
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return Ok(Some(Value::Flag));
    }
    let write = form.map(|form| format!(", such as `{form}`")).unwrap_or_default();
    if input.is_empty() || input.peek(Token![,]) {
        cx.error(key, format_args!("`{}` needs a value{write}", key.unraw()));
        return Ok(None);
    }
    match input.parse::<Expr>() {
        Ok(expr) => Ok(Some(Value::Expr(bare(expr)))),
        // syn puts an early end on the whole attribute; the author's eyes are on this option
        Err(e) if e.to_string().starts_with("unexpected end of input") => {
            cx.error(key, format_args!("the value of `{}` is not finished{write}", key.unraw()));
            Ok(None)
        }
        Err(e) => {
            cx.push(e);
            Ok(None)
        }
    }
}

fn skip_option(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// The one option of the small attributes: `crate = ::path`.
pub(crate) fn krate_option(cx: &Ctxt, table: &Table, args: TokenStream) -> Krate {
    table.parse(cx, args).iter().find_map(|opt| opt.krate(cx)).unwrap_or_default()
}

/// An expression without the invisible group that a `macro_rules!` variable leaves around it.
pub(crate) fn bare(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) if group.attrs.is_empty() => bare(*group.expr),
        other => other,
    }
}

/// The string that an expression is, if it is a literal.
pub(crate) fn literal(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

impl Opt {
    /// The key without `r#`.
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }
    /// Says how the option is written.
    pub(crate) fn misused(&self, cx: &Ctxt) {
        let at = match &self.value {
            Value::Expr(expr) => expr.to_token_stream(),
            _ => self.key.to_token_stream(),
        };
        cx.error(at, format_args!("`{}` is written `{}`", self.name(), self.form));
    }
    /// `key`
    pub(crate) fn flag(&self, cx: &Ctxt) -> bool {
        let flag = matches!(self.value, Value::Flag);
        if !flag {
            cx.error(&self.key, format_args!("`{0}` is a flag: write `{0}` alone, or leave it out", self.name()));
        }
        flag
    }
    /// `key = EXPR`
    pub(crate) fn expr(&self, cx: &Ctxt) -> Option<&Expr> {
        match &self.value {
            Value::Expr(expr) => Some(expr),
            _ => {
                self.misused(cx);
                None
            }
        }
    }
    /// `key = "literal"`
    pub(crate) fn text(&self, cx: &Ctxt) -> Option<&LitStr> {
        let text = self.expr(cx)?;
        let found = literal(text);
        if found.is_none() {
            self.misused(cx);
        }
        found
    }
    /// `key(…)`
    pub(crate) fn list(&self, cx: &Ctxt) -> Option<&TokenStream> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => {
                self.misused(cx);
                None
            }
        }
    }
    /// `crate = ::path`
    pub(crate) fn krate(&self, cx: &Ctxt) -> Option<Krate> {
        let expr = self.expr(cx)?;
        let path = match expr {
            Expr::Path(path) if path.qself.is_none() => &path.path,
            other => {
                cx.error(other, "`crate` takes a path without quotes, such as `crate = ::bdk`");
                return None;
            }
        };
        let first = path.segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
        if path.leading_colon.is_none() && first != "crate" && first != "$crate" {
            let text = shown(path);
            cx.error(path, format_args!("`crate` takes an absolute path: write `::{text}` or `crate::{text}`"));
            return None;
        }
        Some(Krate::new(path.clone()))
    }
}
