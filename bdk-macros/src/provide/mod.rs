//! `#[provide]`: what tools share, made once and lent.

mod check;
mod expand;
mod ir;

use crate::{ctxt::Ctxt, run::Attribute, sig::SigFn};
use proc_macro2::TokenStream;

pub(crate) struct ProvideAttribute;

impl Attribute for ProvideAttribute {
    const NAME: &'static str = "#[provide]";
    type Checked = ir::Provider;
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<ir::Provider> {
        Some(check::check(cx, args, f))
    }
    fn expand(provider: &ir::Provider, f: &SigFn) -> TokenStream {
        expand::expand(provider, f)
    }
}
