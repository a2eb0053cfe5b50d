//! An author's function: attributes, visibility and signature are parsed, its body is not, so that a half-written one
//! keeps the editor working.

use crate::ctxt::Ctxt;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, GenericParam, ReturnType, Safety, Signature, Type, Visibility,
    parse::{Parse, ParseStream},
};

use crate::krate::first_span;

/// The function as it was written.
pub(crate) struct SigFn {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: TokenStream,
}

impl Parse for SigFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl SigFn {
    /// `fn f();`
    pub(crate) fn has_no_body(&self) -> bool {
        matches!(self.body.clone().into_iter().next(), Some(TokenTree::Punct(p)) if p.as_char() == ';')
    }
    /// The return type, with the function's own lifetimes left to inference.
    pub(crate) fn output(&self) -> TokenStream {
        match &self.sig.output {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) => self.erase_lifetimes(ty),
        }
    }
    /// Where an error about the return type belongs.
    pub(crate) fn output_span(&self) -> Span {
        match &self.sig.output {
            ReturnType::Default => self.sig.ident.span(),
            ReturnType::Type(_, ty) => first_span(ty),
        }
    }
    /// Whether the return type has no name.
    pub(crate) fn returns_impl(&self) -> bool {
        matches!(&self.sig.output, ReturnType::Type(_, ty) if mentions(ty, "impl"))
    }
    /// `T` of `fn f<'a>(x: &'a T)`, to be named outside of the function.
    pub(crate) fn erase_lifetimes(&self, ty: &Type) -> TokenStream {
        let own: Vec<String> = self.sig.generics.lifetimes().map(|l| l.lifetime.ident.to_string()).collect();
        if own.is_empty() { ty.to_token_stream() } else { erase(ty.to_token_stream(), &own) }
    }
}

fn erase(tokens: TokenStream, own: &[String]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut after_tick = false;
    for token in tokens {
        let next_after_tick = matches!(&token, TokenTree::Punct(p) if p.as_char() == '\'');
        out.extend([match token {
            TokenTree::Group(g) => {
                let mut erased = Group::new(g.delimiter(), erase(g.stream(), own));
                erased.set_span(g.span());
                TokenTree::Group(erased)
            }
            TokenTree::Ident(i) if after_tick && own.contains(&i.to_string()) => {
                TokenTree::Ident(proc_macro2::Ident::new("_", i.span()))
            }
            other => other,
        }]);
        after_tick = next_after_tick;
    }
    out
}

/// Whether this word stands anywhere in the tokens.
pub(crate) fn mentions(tokens: impl ToTokens, word: &str) -> bool {
    tokens.into_token_stream().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

impl ToTokens for SigFn {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, body } = self;
        if self.has_no_body() {
            // it becomes an item all the same: rustc would otherwise add an error of its own to ours
            let ident = sig.ident.to_string();
            tokens.extend(quote! {
                #(#attrs)* #[allow(dead_code, unused_variables, clippy::unimplemented)]
                #vis #sig { ::core::unimplemented!("`{}` has no body", #ident) }
            });
        } else {
            tokens.extend(quote!(#(#attrs)* #vis #sig #body));
        }
    }
}

/// The first `Self`, which tells a function of an `impl` from a free one.
fn self_type(tokens: TokenStream) -> Option<TokenTree> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => self_type(group.stream()),
        TokenTree::Ident(ident) if ident == "Self" => Some(ident.into()),
        _ => None,
    })
}

/// What is true of every function that an attribute registers; `what` is such as `a tool`.
pub(crate) fn free_function(cx: &Ctxt, f: &SigFn, what: &str) {
    let sig = &f.sig;
    if let Some(token) = &sig.constness {
        cx.error(token, format_args!("{what} cannot be `const`: remove it"));
    }
    if let Safety::Unsafe(token) = &sig.safety {
        cx.error(token, format_args!("{what} cannot be `unsafe`: keep the unsafe part inside of it"));
    }
    if let Some(abi) = &sig.abi {
        cx.error(abi, format_args!("{what} cannot be `extern`: remove it"));
    }
    if sig.generics.params.iter().any(|p| !matches!(p, GenericParam::Lifetime(_))) {
        cx.error(
            &sig.generics,
            format_args!("{what} cannot be generic: its types must be known when the bot is built"),
        );
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        cx.error(receiver, format_args!("{what} is a free function, so it cannot take `self`"));
    } else if let Some(token) = self_type(quote!(#sig)) {
        cx.error(token, format_args!("{what} is a free function, so it has no `Self`: move it out of the `impl`"));
    }
    if let Some(variadic) = &sig.variadic {
        cx.error(variadic, format_args!("{what} cannot take `...`: take a `Vec`"));
    }
}

/// The item without the helper attributes that rustc would not know, for items that do not parse: by tokens alone, and
/// only in the list of parameters.
pub(crate) fn strip_helpers(item: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let (mut in_fn, mut done) = (false, false);
    for token in item {
        match token {
            TokenTree::Group(g) if in_fn && !done && g.delimiter() == Delimiter::Parenthesis => {
                done = true;
                let mut stripped = Group::new(g.delimiter(), without_helpers(g.stream()));
                stripped.set_span(g.span());
                out.extend([TokenTree::Group(stripped)]);
            }
            token => {
                in_fn |= matches!(&token, TokenTree::Ident(i) if i == "fn");
                out.extend([token]);
            }
        }
    }
    out
}

fn without_helpers(parameters: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = parameters.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Punct(p) if p.as_char() == '#')
            && matches!(tokens.peek(), Some(TokenTree::Group(g)) if is_helper(g))
        {
            tokens.next();
        } else {
            out.extend([token]);
        }
    }
    out
}

fn is_helper(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(i)) if i == "arg" || i == "doc")
}
