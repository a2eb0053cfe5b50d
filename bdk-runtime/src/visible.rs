//! Text as a person may judge it: nothing in it is hidden, and nothing moves what stands beside it.
//!
//! Whoever approves an input approves what they read. A character that is not printed would make two inputs look alike, and
//! one that reorders makes one input look like another.

/// The text with every character told by `tell` that is not printed or reorders its neighbours, but for line breaks.
pub(crate) fn told(text: &str, tell: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    for c in text.chars() {
        if c != '\n' && hides(c, before) {
            tell(c, &mut out);
        } else {
            out.push(c);
        }
        before = Some(c);
    }
    out
}

/// JSON that means the same, and shows all of it.
pub(crate) fn json(text: &str) -> String {
    // outside of its texts JSON has no such character, and inside of them an escape says the same
    told(text, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

/// What Unicode calls control, format and default-ignorable characters, with the line and paragraph separators and the
/// letters that look like nothing at all.
///
/// Zero-width joiners are told, too: scripts and emoji that use them stay legible. Blanks of other widths are not, since a
/// blank is seen; nor are the letters of scripts that run from right to left, since to tell them would be to hide them.
fn hides(c: char, before: Option<char>) -> bool {
    match c {
        // Asks for the coloured form of a symbol, and does no more. One behind anything else, or behind another selector, is
        // not seen at all, and so could carry a text of its own.
        '\u{fe0f}' => !before.is_some_and(is_symbol),
        c if c.is_control() => true,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' => true,
        '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Where the symbols stand that have a coloured form.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}') && !hides(c, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_hides_or_reorders_is_told_and_reads_back_as_it_was() {
        let hidden = "\u{7f}\u{9b}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\u{200d}\u{200e}\u{2028}\u{2029}\u{202e}\
                      \u{2060}\u{2064}\u{2066}\u{2069}\u{206f}\u{2800}\u{3164}\u{fe00}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\
                      \u{1d173}\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{e01ef}";
        for c in hidden.chars() {
            let raw = serde_json::to_string(&format!("a{c}b")).expect("a text");
            let shown = json(&raw);
            assert!(shown.is_ascii(), "{:x}: {shown}", u32::from(c));
            assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), format!("a{c}b"));
        }
        assert_eq!(json("\"\u{202e}\u{e0041}\""), r#""\u202e\udb40\udc41""#);
    }

    #[test]
    fn text_of_any_script_stays_as_it_is() {
        for text in
            ["naïve\u{a0}日本語\u{3000}שלום عربى हिन्दी e\u{301}", "❤\u{fe0f} ©\u{fe0f} 🏗\u{fe0f} 👍🏽 🇩🇪", "a\n  b"]
        {
            assert_eq!(json(text), text);
        }
    }

    #[test]
    fn the_emoji_selector_stays_once_behind_a_symbol() {
        assert_eq!(json("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}\\ufe0f");
        assert_eq!(json("a\u{fe0f}"), "a\\ufe0f");
        assert_eq!(json("\u{2800}\u{fe0f}"), "\\u2800\\ufe0f");
    }
}
