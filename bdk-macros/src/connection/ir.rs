//! A connection, read and found right. How its server is reached is the function's to say, when the bot loads.

use crate::krate::Krate;
use proc_macro2::TokenStream;
use syn::LitStr;

/// What stands in the attribute's parentheses.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) krate: Krate,
    /// Only the bot's own code calls it.
    pub(crate) host: bool,
}

/// One `#[connection]`.
pub(crate) struct Connection {
    pub(crate) options: Options,
    pub(crate) name: LitStr,
    /// The doc comment, as an expression; empty where there is none.
    pub(crate) description: TokenStream,
}
