//! The options of `#[connection]`.

use super::ir::Options;
use crate::{args::Table, ctxt::Ctxt};
use proc_macro2::TokenStream;

const CONNECTION: Table = Table {
    of: "#[connection]",
    keys: &[("host", "host"), ("crate", "crate = ::bdk")],
    elsewhere: &[
        ("name", "a connection is named as its function"),
        ("description", "write a doc comment, or `.description(\"…\")` on what the function returns"),
        ("url", "the function returns `Connection::http(\"https://…\")`"),
        ("http", "the function returns `Connection::http(\"https://…\")`"),
        ("stdio", "the function returns `Connection::stdio(\"program\")`"),
        ("command", "the function returns `Connection::stdio(\"program\")`"),
        ("authored", "the function returns `Connection::authored()`"),
        ("advertise", "write `.advertise_tools()` on what the function returns"),
        ("advertise_tools", "write `.advertise_tools()` on what the function returns"),
        ("optional", "write `.optional()` on what the function returns"),
        ("tools", "write `.tools([\"…\"])` on what the function returns"),
        ("disallowed_tools", "write `.disallowed_tools([\"…\"])` on what the function returns"),
        ("only_reads", "write `.only_reads()` on what the function returns"),
        ("effect", "write `.effect_of(\"tool\", Effect::Read)` on what the function returns"),
        ("timeout", "write `.timeout(Duration::from_secs(30))` on what the function returns"),
        ("pin", "write `.pin(…)` on what the function returns"),
    ],
};

pub(super) fn parse(cx: &Ctxt, args: TokenStream) -> Options {
    let mut options = Options::default();
    for opt in CONNECTION.parse(cx, args) {
        match opt.name().as_str() {
            "host" => options.host = opt.flag(cx),
            _ => options.krate = opt.krate(cx).unwrap_or_default(),
        }
    }
    options
}
