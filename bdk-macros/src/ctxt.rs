//! The error sink: mistakes are collected, so that one build shows them all.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::{
    cell::{Cell, RefCell},
    fmt::Display,
};

/// Collects mistakes. Whoever makes one must [`finish`](Self::finish) it: a forgotten one is a panic in debug.
#[derive(Default)]
pub(crate) struct Ctxt {
    errors: RefCell<Vec<syn::Error>>,
    finished: Cell<bool>,
}

impl Ctxt {
    /// Adds a mistake that stands at `tokens`.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }
    /// Adds a mistake found by syn.
    pub(crate) fn push(&self, error: syn::Error) {
        self.errors.borrow_mut().push(error);
    }
    /// All mistakes, each as a `compile_error!`, or nothing when there are none.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        self.finished.set(true);
        let errors = self.errors.take();
        (!errors.is_empty()).then(|| errors.iter().map(syn::Error::to_compile_error).collect())
    }
    /// The mistakes themselves, for the tests.
    #[cfg(test)]
    pub(crate) fn into_errors(self) -> Vec<syn::Error> {
        self.finished.set(true);
        self.errors.take()
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            debug_assert!(self.finished.get(), "mistakes were collected and never reported");
        }
    }
}
