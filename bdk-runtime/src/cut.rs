//! Texts that came from elsewhere, as far as bdk repeats them: without secrets, and at no length.

use crate::secrets;

/// At most so many bytes of a text, whole characters.
pub(crate) fn bytes(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// At most so many characters of a text, with `…` where there were more.
pub(crate) fn repeated(text: &str, most: usize) -> String {
    told(text, most, str::to_owned)
}

/// The same in quotes, with what is not printed escaped.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    told(text, most, |text| format!("{text:?}"))
}

fn told(text: &str, most: usize, tell: impl Fn(&str) -> String) -> String {
    // first, or half a secret would be left
    let text = secrets::blank(text);
    match text.char_indices().nth(most) {
        Some((end, _)) => tell(&text[..end]) + "…",
        None => tell(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_its_characters() {
        assert_eq!(["äöü", "äöü", "äöü", ""].map(|text| bytes(text, 3)), ["ä", "ä", "ä", ""]);
        assert_eq!((bytes("äöü", 6), bytes("äöü", 0)), ("äöü", ""));
        assert_eq!((repeated("äöü", 3), repeated("äöüß", 3)), ("äöü".to_owned(), "äöü…".to_owned()));
        assert_eq!(quoted("a\nb\"", 3), "\"a\\nb\"…");
    }
}
