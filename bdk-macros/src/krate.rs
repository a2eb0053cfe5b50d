//! Where `bdk` lives: `::bdk`, or what `crate = …` says.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// The root of everything that generated code names.
#[derive(Default, Clone)]
pub(crate) struct Krate(Option<syn::Path>);

impl Krate {
    pub(crate) fn new(path: syn::Path) -> Self {
        Self(Some(path))
    }
    /// The crate itself, standing at `span`.
    ///
    /// An author's path keeps its own hygiene, or a `$crate` in it would be lost.
    pub(crate) fn root(&self, span: Span) -> TokenStream {
        match &self.0 {
            Some(path) => relocate(path.to_token_stream(), span),
            None => quote_spanned!(span=> ::bdk),
        }
    }
    /// Its `__private` module, standing at `span`: an error in code that uses it is then shown there, without a note
    /// about the macro.
    pub(crate) fn private(&self, span: Span) -> TokenStream {
        let root = self.root(span);
        quote_spanned!(span=> #root::__private)
    }
    /// Where the token of this span stands, as an `At`.
    pub(crate) fn at(&self, span: Span) -> TokenStream {
        let p = self.private(span);
        quote_spanned!(span=> #p::at!())
    }
}

/// The same tokens, shown at `span`, with names that still mean what they mean where they were written.
pub(crate) fn relocate(tokens: TokenStream, span: Span) -> TokenStream {
    let each = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let mut moved = Group::new(group.delimiter(), relocate(group.stream(), span));
            moved.set_span(span.resolved_at(group.span()));
            TokenTree::Group(moved)
        }
        mut other => {
            other.set_span(span.resolved_at(other.span()));
            other
        }
    };
    tokens.into_iter().map(each).collect()
}

/// The span of the first token.
pub(crate) fn first_span(tokens: impl ToTokens) -> Span {
    tokens.into_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}
