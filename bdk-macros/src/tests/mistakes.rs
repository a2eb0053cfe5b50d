//! The measure of a mistake: the source with `«…»` around what an error must stand at, and the messages in order.

use crate::{ctxt::Ctxt, run::Attribute, sig::SigFn};
use proc_macro2::{TokenStream, TokenTree};
use std::ops::Range;

/// Asserts that the item has exactly these mistakes at exactly these places, and that it is given back.
#[track_caller]
pub(super) fn mistakes<A: Attribute>(marked: &str, messages: &[&str]) {
    let (source, places) = unmark(marked);
    let (args, item) = split(&source);
    let mut f: SigFn = syn::parse2(item.clone()).unwrap_or_else(|e| panic!("{source}\nno function: {e}"));
    let cx = Ctxt::default();
    let _ = A::check(&cx, args.clone(), &mut f);
    let mut found: Vec<(Range<usize>, String)> =
        cx.into_errors().iter().map(|e| (e.span().byte_range(), e.to_string())).collect();
    found.sort_by_key(|(range, _)| range.start);
    let shown: Vec<(&str, &str)> = found.iter().map(|(range, text)| (&source[range.clone()], text.as_str())).collect();
    let expected: Vec<(&str, &str)> =
        places.iter().map(|range| &source[range.clone()]).zip(messages.iter().copied()).collect();
    assert_eq!(places.len(), messages.len(), "a message a place: {marked}");
    assert_eq!(shown, expected, "in {marked}");
    let ranges: Vec<Range<usize>> = found.into_iter().map(|(range, _)| range).collect();
    assert_eq!(ranges, places, "in {marked}");
    let emitted = crate::run::attribute::<A>(args, item).to_string();
    assert!(emitted.contains(&f.sig.ident.to_string()), "the function is given back: {emitted}");
    assert_eq!(emitted.matches("compile_error").count(), messages.len(), "one error each: {emitted}");
    assert!(!emitted.contains("inventory"), "nothing is registered beside errors: {emitted}");
}

fn unmark(marked: &str) -> (String, Vec<Range<usize>>) {
    let (mut source, mut places, mut open) = (String::new(), Vec::new(), Vec::new());
    for c in marked.chars() {
        match c {
            '«' => open.push(source.len()),
            '»' => places.push(open.pop().expect("an opening mark")..source.len()),
            c => source.push(c),
        }
    }
    places.sort_by_key(|range: &Range<usize>| range.start);
    (source, places)
}

/// The arguments of the first attribute that is no doc comment, and the item without it.
pub(super) fn split(source: &str) -> (TokenStream, TokenStream) {
    let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("{source}\nno tokens: {e}"));
    let (mut args, mut item) = (None, TokenStream::new());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(p), Some(TokenTree::Group(attribute))) if p.as_char() == '#' && args.is_none() => {
                let mut inside = attribute.stream().into_iter();
                if matches!(inside.next(), Some(TokenTree::Ident(name)) if name == "doc") {
                    item.extend([token]);
                    continue;
                }
                // `#[bdk::main]` has a path before its arguments
                args = Some(inside.find_map(|token| match token {
                    TokenTree::Group(group) => Some(group.stream()),
                    _ => None,
                }));
                tokens.next();
            }
            _ => item.extend([token]),
        }
    }
    (args.flatten().unwrap_or_default(), item)
}
