//! `#[connection]`: another server's tools, in this bot.

mod check;
mod expand;
mod ir;
mod parse;

use crate::{ctxt::Ctxt, run::Attribute, sig::SigFn};
use proc_macro2::TokenStream;

pub(crate) struct ConnectionAttribute;

impl Attribute for ConnectionAttribute {
    const NAME: &'static str = "#[connection]";
    type Checked = ir::Connection;
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<ir::Connection> {
        let options = parse::parse(cx, args);
        Some(check::check(cx, options, f))
    }
    fn expand(connection: &ir::Connection, f: &SigFn) -> TokenStream {
        expand::expand(connection, f)
    }
}
