//! `#[tool]`: a function becomes a table.

mod arg;
mod check;
mod expand;
mod ir;
mod param;
mod parse;
mod predicate;
mod table;

use crate::{ctxt::Ctxt, run::Attribute, sig::SigFn};
use proc_macro2::TokenStream;

pub(crate) struct ToolAttribute;

impl Attribute for ToolAttribute {
    const NAME: &'static str = "#[tool]";
    type Checked = ir::Tool;
    fn check(cx: &Ctxt, args: TokenStream, f: &mut SigFn) -> Option<ir::Tool> {
        let options = parse::parse(cx, args);
        Some(check::check(cx, options, f))
    }
    fn expand(tool: &ir::Tool, f: &SigFn) -> TokenStream {
        expand::expand(tool, f)
    }
}
