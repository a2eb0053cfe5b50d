//! A tool's table: one entry a parameter, a shim, one `static`. No derived type, and no code that a function of the
//! runtime could hold instead: every bot pays for what stands here, once a tool.

use super::ir::{Default, Effect, Input, OutputSchema, Owned, Predicate, Rule, Text, Tool};
use crate::{
    krate::{Krate, first_span, relocate},
    lent::Lent,
    run::quiet,
    sig::SigFn,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprLit, ExprUnary, Lit, LitInt, spanned::Spanned};

/// Names of the expansion's own: they must be one identifier each, or hygiene tells differently spanned ones apart.
struct Names {
    slots: Ident,
    cx: Ident,
}

/// The item, then its table.
pub(super) fn expand(tool: &Tool, f: &SigFn) -> TokenStream {
    let site = Span::mixed_site();
    let names = Names { slots: Ident::new("__slots", site), cx: Ident::new("__cx", site) };
    let p = tool.krate.private(Span::call_site());
    let quiet = quiet();
    let asserts = asserts(tool);
    let (name, name_const) = text(tool.name.as_ref(), "__NAME");
    let (description, description_const) = text(tool.description.as_ref(), "__DESCRIPTION");
    let at = tool.krate.at(f.sig.ident.span());
    let params: Vec<TokenStream> =
        tool.owned().map(|owned| param(&tool.krate, owned, tool.input_schema.is_some())).collect();
    let (params, params_static) = match params.is_empty() {
        true => (quote!(&[]), None),
        false => (quote!(__PARAMS), Some(quote!(static __PARAMS: &[#p::Param] = &[#(#params),*];))),
    };
    let body = body(tool, f, &names);
    let options = options(tool, f, &names);
    quote! {
        #[allow(clippy::too_many_arguments, clippy::needless_pass_by_value, clippy::unused_async, clippy::unnecessary_wraps)]
        #[allow(clippy::ptr_arg, clippy::borrowed_box, clippy::trivially_copy_pass_by_ref, clippy::fn_params_excessive_bools)]
        #f
        #quiet
        const _: () = {
            use #p::{Fallback as _, TagFallback as _};
            #name_const
            #description_const
            #asserts
            #params_static
            static __DEF: #p::ToolDef = #p::ToolDef::new(#name, #description, #params, #body, #at) #options;
            #p::inventory::submit! { #p::ToolRef(&__DEF) }
        };
    }
}

/// A text as an expression, and the constant that holds it where only rustc knows it: one place for a type error.
fn text(text: Option<&Text>, constant: &str) -> (TokenStream, Option<TokenStream>) {
    match text {
        None => (quote!(""), None),
        Some(Text::Literal(literal)) => (literal.to_token_stream(), None),
        Some(Text::Constant(expr)) => {
            let constant = Ident::new(constant, Span::call_site());
            (constant.to_token_stream(), Some(quote!(const #constant: &'static ::core::primitive::str = #expr;)))
        }
    }
}

/// What only rustc can find out, each a constant of its own that fails on the author's token: a panic inside of the
/// registered static crashes rustc 1.95.
fn asserts(tool: &Tool) -> TokenStream {
    let mut asserts = TokenStream::new();
    let mut assert = |span: Span, cfgs: &[syn::Attribute], fails: TokenStream, message: &str| {
        let panic = quote_spanned!(span=> ::core::panic!(#message));
        asserts.extend(quote_spanned!(span=> #(#cfgs)* const _: () = if #fails { #panic };));
    };
    if let Some(Text::Constant(expr)) = &tool.name {
        let span = first_span(expr);
        let p = tool.krate.private(span);
        assert(span, &[], quote!(!#p::legal_name(__NAME)), "a tool's name is 1 to 64 of `A-Z a-z 0-9 _ -`");
    }
    if let Some(Text::Constant(expr)) = &tool.description {
        let span = first_span(expr);
        let message = "the description is empty, and the model chooses tools by it: say what the tool does";
        assert(span, &[], quote!(__DESCRIPTION.is_empty()), message);
    }
    let owned: Vec<&Owned> = tool.owned().collect();
    if let [first, _, ..] = owned[..] {
        let span = first_span(&first.ty);
        let p = tool.krate.private(span);
        let wholes = owned.iter().map(|o| {
            let (cfgs, ty) = (&o.cfgs, &o.ty);
            quote!(#(#cfgs)* #p::Probe::<#ty>::WHOLE)
        });
        let message = "`Input` is the whole input, so no other owned parameter can stand beside it";
        assert(span, &[], quote!(#p::crowded(&[#(#wholes),*])), message);
    }
    for arg in &tool.time_args {
        let Some((ty, cfgs)) = &arg.parameter else { continue };
        let (p, ty) = (tool.krate.private(arg.span), relocate(ty.clone(), arg.span));
        asserts.extend(quote_spanned!(arg.span=> #(#cfgs)* const _: () = #p::time_bound::<#ty>();));
    }
    if let (Some(_), Some(raw)) = (&tool.input_schema, owned.first()) {
        let (span, ty) = (first_span(&raw.ty), &raw.ty);
        let p = tool.krate.private(span);
        asserts.extend(quote_spanned!(span=> const _: () = #p::raw_input::<#ty>();));
    }
    asserts
}

fn param(krate: &Krate, owned: &Owned, raw: bool) -> TokenStream {
    let Owned { property, ty, cfgs, .. } = owned;
    let span = first_span(ty);
    let p = krate.private(span);
    let doc = owned.doc.clone().unwrap_or_else(|| quote!(""));
    let whole = if raw { quote!(true) } else { quote!(#p::Probe::<#ty>::WHOLE) };
    let new = quote_spanned!(span=> #p::Param::new::<#ty>);
    let mut entry = quote_spanned!(span=> #new(#property, #doc, #p::Probe::<#ty>::OPTIONAL, #whole));
    let here = krate.private(Span::call_site());
    if let Some(default) = &owned.default {
        let value = match default {
            Default::OfType(span) => quote_spanned!(*span=> ::core::default::Default::default()),
            // a text for any type that is made from one; a parameter's type is never `&str` itself
            Default::Given(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => {
                let span = text.span();
                quote_spanned!(span=> ::core::convert::Into::into(#text))
            }
            Default::Given(expr) => expr.to_token_stream(),
        };
        entry.extend(
            quote!(.default(|| { let __default: #ty = #value; #here::slot(__default) }, #here::Probe::<#ty>::JSON)),
        );
    }
    if !owned.rules.is_empty() {
        let rules = owned.rules.iter().map(|r| rule(krate, r));
        entry.extend(quote!(.rules(&[#(#rules),*])));
    }
    if owned.coerce {
        entry.extend(quote!(.coerce()));
    }
    if let Some(path) = &owned.preprocess {
        let span = path.span();
        entry.extend(quote_spanned!(span=> .preprocess(#path)));
    }
    quote!(#(#cfgs)* #entry)
}

fn rule(krate: &Krate, rule: &Rule) -> TokenStream {
    let p = krate.private(Span::call_site());
    match rule {
        Rule::Bound(keyword, expr) => {
            let span = first_span(expr);
            let number = krate.private(span);
            let value = wide(expr);
            let number = quote_spanned!(span=> #number::Num::from(#value));
            quote!(#p::Rule::Bound(#keyword, || #number))
        }
        Rule::MinLen(expr) => quote!(#p::Rule::MinLen(#expr as ::core::primitive::u64)),
        Rule::MaxLen(expr) => quote!(#p::Rule::MaxLen(#expr as ::core::primitive::u64)),
        Rule::Pattern(expr) => quote!(#p::Rule::Pattern(#expr)),
        Rule::Format(expr) => quote!(#p::Rule::Format(#expr)),
        Rule::Inner(rules) => {
            let rules = rules.iter().map(|r| self::rule(krate, r));
            quote!(#p::Rule::Inner(&[#(#rules),*]))
        }
        Rule::Extend(key, json) => quote!(#p::Rule::Extend(#key, || #p::json!(#json))),
    }
}

/// An integer literal as `i128`, which holds every bound exactly.
fn wide(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.suffix().is_empty() => {
            LitInt::new(&format!("{}i128", int.base10_digits()), int.span()).to_token_stream()
        }
        Expr::Unary(ExprUnary { op, expr, .. }) => {
            let value = wide(expr);
            quote!(#op #value)
        }
        other => other.to_token_stream(),
    }
}

/// The shim: it takes the decoded input apart and calls the author's function.
fn body(tool: &Tool, f: &SigFn, names: &Names) -> TokenStream {
    let Names { slots, cx } = names;
    let p = tool.krate.private(Span::call_site());
    let span = f.sig.ident.span();
    let arguments = tool.inputs.iter().map(|input| match input {
        Input::Owned(owned) => {
            let cfgs = &owned.cfgs;
            quote!(#(#cfgs)* #slots.take())
        }
        Input::Lent(Lent { cfgs, .. }) => quote!(#(#cfgs)* #cx.lend()),
    });
    let ident = &f.sig.ident;
    let call = quote_spanned!(span=> #ident(#(#arguments),*));
    let kind = kind(&tool.krate, f);
    let at_fn = tool.krate.private(span);
    // the bare future goes to `boxed`, so that one that is not `Send` is reported on the function's name
    if f.sig.asyncness.is_some() {
        let run = if f.returns_impl() {
            quote_spanned!(span=> let __future = #call; let __conv = #at_fn::tag_of(&__future).kind().conv(); #at_fn::boxed_opaque(__future, __conv))
        } else if borrows(&f.output()) {
            quote_spanned!(span=> #at_fn::boxed_opaque(#call, #kind.conv()))
        } else {
            quote_spanned!(span=> #at_fn::boxed(#call, #kind.conv()))
        };
        return quote!(#p::Body::Async({ fn __call<'a>(#cx: &'a #p::CallCx, mut #slots: #p::Slots) -> #p::BoxFuture<'a> { #run } __call }));
    }
    let run = if f.returns_impl() {
        quote_spanned!(span=> let __value = #call; let __conv = #at_fn::tag_of_value(&__value).kind().conv(); __conv(__value))
    } else {
        quote!((#kind.conv())(#call))
    };
    quote!(#p::Body::Blocking({ fn __call(#cx: &#p::CallCx, mut #slots: #p::Slots) -> #p::ToolResult { #run } __call }))
}

/// Whether a type may hold a borrow of what was lent.
fn borrows(ty: &TokenStream) -> bool {
    ty.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Punct(punct) => matches!(punct.as_char(), '&' | '\''),
        proc_macro2::TokenTree::Group(group) => borrows(&group.stream()),
        _ => false,
    })
}

/// `Probe::<R>::KIND`: whether the return type is a `Result`, standing at that type.
fn kind(krate: &Krate, f: &SigFn) -> TokenStream {
    let (span, output) = (f.output_span(), f.output());
    let p = krate.private(span);
    quote_spanned!(span=> #p::Probe::<#output>::KIND)
}

/// The chain of `.option(…)`, for what was said and nothing else.
fn options(tool: &Tool, f: &SigFn, names: &Names) -> TokenStream {
    let slots = &names.slots;
    let p = tool.krate.private(Span::call_site());
    let mut chain = TokenStream::new();
    if let Some(title) = &tool.title {
        chain.extend(quote!(.title(#title)));
    }
    match &tool.effect {
        Effect::Undeclared => {}
        Effect::Read => chain.extend(quote!(.effect(#p::EffectDef::Read))),
        Effect::Write => chain.extend(quote!(.effect(#p::EffectDef::Write))),
        Effect::By(predicate) => {
            let (span, output, body) = over(tool, predicate, slots);
            let at = tool.krate.private(span);
            let output = output.unwrap_or_else(|| quote_spanned!(span=> -> #at::Effect));
            chain.extend(quote!(.effect(#p::EffectDef::By(|#slots: &#p::Slots| #output #body))));
        }
    }
    if let Some(predicate) = &tool.check {
        let (span, output, body) = over(tool, predicate, slots);
        let at = tool.krate.private(span);
        let run = quote_spanned!(span=> #at::checked(|| #output #body));
        chain.extend(quote!(.check(|#slots: &#p::Slots| -> #p::Result<(), #p::String> { #run })));
    }
    if let Some(predicate) = &tool.dry_run_result {
        let (span, output, body) = over(tool, predicate, slots);
        let kind = relocate(kind(&tool.krate, f), span);
        let run = quote_spanned!(span=> #kind.dry(|| #output #body));
        chain.extend(quote!(.dry_run_result(|#slots: &#p::Slots| -> #p::ToolResult { #run })));
    }
    let needs: Vec<TokenStream> = tool.lent().map(|lent| lent.entry(&tool.krate)).collect();
    if !needs.is_empty() {
        chain.extend(quote!(.needs({ static __NEEDS: &[#p::Need] = &[#(#needs),*]; __NEEDS })));
    }
    if let Some(schema) = &tool.input_schema {
        chain.extend(quote!(.input_schema(|| #schema)));
    }
    match &tool.output_schema {
        OutputSchema::None => {}
        OutputSchema::OfType => {
            let kind = kind(&tool.krate, f);
            chain.extend(quote!(.output_schema(#kind.schema())));
        }
        OutputSchema::Given(schema) => chain.extend(quote!(.output_schema_value(|| #schema))),
    }
    if tool.ignore_unknown {
        chain.extend(quote!(.ignore_unknown()));
    }
    if !tool.time_args.is_empty() {
        let names = tool.time_args.iter().map(|arg| {
            let (name, cfgs) = (&arg.property, arg.parameter.iter().flat_map(|(_, cfgs)| cfgs));
            quote!(#(#cfgs)* #name)
        });
        chain.extend(quote!(.time_args(&[#(#names),*])));
    }
    if let Some(ms) = tool.timeout_ms {
        chain.extend(quote!(.timeout_ms(#ms)));
    }
    if let Some(attempts) = tool.attempts {
        chain.extend(quote!(.attempts(#attempts)));
    }
    let flags = [("idempotent", tool.idempotent), ("destructive", tool.destructive), ("open_world", tool.open_world)];
    for (flag, _) in flags.into_iter().filter(|(_, set)| *set) {
        let flag = Ident::new(flag, Span::call_site());
        chain.extend(quote!(.#flag()));
    }
    chain
}

/// A predicate's span, its return type if it names one, and its body over the decoded input.
///
/// The closure is not called: its body stands under typed `let`s, so that names, types, `?` and `return` work as in a
/// closure, and the author's errors and completions are in the author's own tokens.
fn over(tool: &Tool, predicate: &Predicate, slots: &Ident) -> (Span, Option<TokenStream>, TokenStream) {
    match predicate {
        Predicate::Path(path) => {
            let span = path.span();
            let arguments = tool.owned().map(|owned| {
                let (cfgs, value) = (&owned.cfgs, get(&tool.krate, owned, slots, span, owned.newtype));
                quote_spanned!(span=> #(#cfgs)* #value)
            });
            let call = quote_spanned!(span=> #path(#(#arguments),*));
            (span, None, quote_spanned!(span=> { #call }))
        }
        Predicate::Closure(closure) => {
            let lets = closure.binds.iter().filter_map(|bind| {
                let name = syn::ext::IdentExt::unraw(&bind.name).to_string();
                let owned = tool.owned().find(|owned| owned.binding == name)?;
                // `|Input(q)|` takes the newtype apart itself
                let inside = owned.newtype && !matches!(bind.pat, syn::Pat::TupleStruct(_));
                let span = bind.ty.as_ref().map_or(bind.name.span(), first_span);
                let value = get(&tool.krate, owned, slots, span, inside);
                let (pat, cfgs, owned_ty) = (&bind.pat, &bind.cfgs, &owned.ty);
                let ty = match &bind.ty {
                    Some(ty) => ty.to_token_stream(),
                    None if inside => quote_spanned!(span=> &_),
                    None => quote_spanned!(span=> &#owned_ty),
                };
                let name_span = bind.name.span();
                Some(quote_spanned!(name_span=> #(#cfgs)* let #pat: #ty = #value;))
            });
            let body = match &closure.body {
                Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
                    let statements = &block.block.stmts;
                    quote!(#(#statements)*)
                }
                other => other.to_token_stream(),
            };
            let span = closure.body.span();
            let output = closure.output.as_ref().map(|ty| quote_spanned!(closure.span=> -> #ty));
            (closure.span, output, quote_spanned!(span=> { #(#lets)* #body }))
        }
    }
}

fn get(krate: &Krate, owned: &Owned, slots: &Ident, span: Span, inside: bool) -> TokenStream {
    let (p, ty, property) = (krate.private(span), &owned.ty, &owned.property);
    let whole = quote_spanned!(span=> #p::get::<#ty>(#slots, #property));
    if inside { quote_spanned!(span=> &#whole.0) } else { whole }
}
