//! A tool's table: one entry a parameter, a shim, one `static`. No derived type, and no code that a function of the
//! runtime could hold instead: every bot pays for what stands here, once a tool.

mod param;
mod predicate;

use super::ir::{Effect, Input, OutputSchema, Owned, Text, Tool};
use crate::{
    krate::{Krate, first_span},
    once::{is_suggested, once},
    run::anonymous,
    sig::SigFn,
};
use param::param;
use predicate::over;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

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
    let anonymous = anonymous(&f.sig.ident);
    let asserts = asserts(tool, f);
    let (name, name_const) = text(tool.name.as_ref(), "__NAME");
    let (description, description_const) = text(tool.description.as_ref(), "__DESCRIPTION");
    let at = tool.krate.at(f.sig.ident.span());
    let params: Vec<TokenStream> =
        tool.owned().map(|owned| param(&tool.krate, owned, tool.input_schema.is_some(), f)).collect();
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
        #anonymous {
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
fn asserts(tool: &Tool, f: &SigFn) -> TokenStream {
    let mut asserts = TokenStream::new();
    let mut assert = |span: Span, cfgs: &[syn::Attribute], fails: TokenStream, message: &str| {
        let panic = quote_spanned!(span=> ::core::panic!(#message));
        let check = quote_spanned!(span=> if #fails { #panic });
        asserts.extend(quote!(#(#cfgs)* const _: () = #check;));
    };
    let home = f.sig.ident.span();
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
    for parameter in owned.iter().filter(|parameter| owned.len() > 1 && !parameter.plain) {
        let (span, ty) = (first_span(&parameter.ty), &parameter.ty);
        let p = tool.krate.private(span);
        let message = "`Input` is the whole input, so no other owned parameter can stand beside it";
        let whole = once(home, ty, &quote!(::core::primitive::bool), quote!(#p::Probe::<#ty>::WHOLE));
        assert(span, &parameter.cfgs, whole, message);
    }
    for arg in &tool.time_args {
        let Some((ty, cfgs)) = &arg.parameter else { continue };
        // the type stands where it was written, the question at the name
        let span = first_span(ty);
        let p = tool.krate.private(span);
        let asked = quote_spanned!(span=> #p::Probe::<#ty>::ASK);
        let bound = quote_spanned!(arg.span=> #asked.time_bound());
        let bound = once(home, ty, &quote!(()), bound);
        asserts.extend(quote!(#(#cfgs)* const _: () = #bound;));
    }
    if let (Some(_), Some(raw)) = (&tool.input_schema, owned.first()) {
        let (span, ty) = (first_span(&raw.ty), &raw.ty);
        let p = tool.krate.private(span);
        let raw = once(home, ty, &quote!(()), quote_spanned!(span=> #p::raw_input::<#ty>()));
        asserts.extend(quote!(const _: () = #raw;));
    }
    asserts
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
        Input::Lent(lent) => lent.argument(cx),
    });
    let ident = &f.sig.ident;
    let call = quote_spanned!(span=> #ident(#(#arguments),*));
    let kind = kind(&tool.krate, f);
    let at_fn = tool.krate.private(span);
    let shim = Ident::new("__call", if is_suggested(&f.output()) { span } else { Span::call_site() });
    // the bare future goes to `boxed`, so that one that is not `Send` is reported on the function's name
    if f.sig.asyncness.is_some() {
        let run = if f.returns_impl() {
            quote_spanned!(span=> let __future = #call; let __conv = #at_fn::tag_of(&__future).kind().conv(); #at_fn::boxed_opaque(__future, __conv))
        } else if borrows(&f.output()) {
            quote_spanned!(span=> #at_fn::boxed_opaque(#call, #kind.conv()))
        } else {
            quote_spanned!(span=> #at_fn::boxed(#call, #kind.conv()))
        };
        return quote!(#p::Body::Async({ fn #shim<'a>(#cx: &'a #p::CallCx, #slots: &mut #p::Slots) -> #p::BoxFuture<'a> { #run } #shim }));
    }
    let run = if f.returns_impl() {
        quote_spanned!(span=> let __value = #call; let __conv = #at_fn::tag_of_value(&__value).kind().conv(); __conv(__value))
    } else {
        quote!((#kind.conv())(#call))
    };
    quote!(#p::Body::Blocking({ fn #shim(#cx: &#p::CallCx, #slots: &mut #p::Slots) -> #p::ToolResult { #run } #shim }))
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
    // a closure over the decoded input; a function in its stead where a type in it is to be told once
    let suggested = is_suggested(&f.output()) || tool.owned().any(|owned| is_suggested(&owned.ty));
    let callback = |output: TokenStream, body: TokenStream| {
        let name = Ident::new("__of", f.sig.ident.span());
        if suggested {
            quote!({ fn #name(#slots: &#p::Slots) #output #body #name })
        } else {
            quote!(|#slots: &#p::Slots| #output #body)
        }
    };
    let mut chain = TokenStream::new();
    if let Some(title) = &tool.title {
        let title = param::text(title);
        chain.extend(quote!(.title(#title)));
    }
    match &tool.effect {
        Effect::Undeclared => {}
        Effect::Read => chain.extend(quote!(.effect(#p::EffectDef::Read))),
        Effect::Write => chain.extend(quote!(.effect(#p::EffectDef::Write))),
        Effect::By(predicate) => {
            let (span, output, body) = over(tool, predicate, slots);
            let at = tool.krate.private(span);
            let effect = match output {
                // a function's type could not leave anything to inference
                Some(output) => quote!(|#slots: &#p::Slots| #output #body),
                None => callback(quote_spanned!(span=> -> #at::Effect), body),
            };
            chain.extend(quote!(.effect(#p::EffectDef::By(#effect))));
        }
    }
    if let Some(predicate) = &tool.check {
        let (span, output, body) = over(tool, predicate, slots);
        let at = tool.krate.private(span);
        let run = quote_spanned!(span=> #at::checked(|| #output #body));
        let check = callback(quote!(-> #p::Result<(), #p::String>), quote!({ #run }));
        chain.extend(quote!(.check(#check)));
    }
    if let Some(predicate) = &tool.dry_run_result {
        let (span, output, body) = over(tool, predicate, slots);
        let kind = kind(&tool.krate, f);
        let run = quote_spanned!(span=> #kind.dry(|| #output #body));
        let dry = callback(quote!(-> #p::ToolResult), quote!({ #run }));
        chain.extend(quote!(.dry_run_result(#dry)));
    }
    let needs: Vec<TokenStream> = tool.lent().map(|lent| lent.entry(&tool.krate, f)).collect();
    if !needs.is_empty() {
        chain.extend(quote!(.needs({ static __NEEDS: &[#p::Need] = &[#(#needs),*]; __NEEDS })));
    }
    if let Some(schema) = &tool.input_schema {
        chain.extend(quote!(.input_schema(|| #schema)));
    }
    match &tool.output_schema {
        OutputSchema::None => {}
        OutputSchema::OfType => {
            let (span, kind) = (f.output_span(), kind(&tool.krate, f));
            let result = quote!(fn(&mut #p::schemars::SchemaGenerator) -> #p::schemars::Schema);
            let schema = once(f.sig.ident.span(), &f.output(), &result, quote_spanned!(span=> #kind.schema()));
            chain.extend(quote_spanned!(span=> .output_schema(#schema)));
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
    let flags = [
        ("idempotent", tool.idempotent),
        ("destructive", tool.destructive),
        ("open_world", tool.open_world),
        ("needs_approval", tool.needs_approval),
    ];
    for (flag, _) in flags.into_iter().filter(|(_, set)| *set) {
        let flag = Ident::new(flag, Span::call_site());
        chain.extend(quote!(.#flag()));
    }
    chain
}
