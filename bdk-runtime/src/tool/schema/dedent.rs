//! Doc comments as text.

/// A doc comment as the model reads it: without the indentation that all its lines share (a `///` comment has one space
/// in each) and without blank lines at its ends. Blank lines between, lists and indented code stay as they are.
///
/// ```
/// # use bdk::tool::schema::dedent;
/// assert_eq!(dedent(" Adds.\n\n     code\n - item"), "Adds.\n\n    code\n- item");
/// ```
pub fn dedent(doc: &str) -> String {
    let indent = |line: &str| line.chars().take_while(|c| matches!(c, ' ' | '\t')).count();
    // a `#[doc = "First line"]` or a block comment may begin right at its first line and indent the others
    let lines: Vec<&str> = doc.lines().map(str::trim_end).collect();
    let shared = lines.iter().filter(|l| !l.is_empty()).map(|l| indent(l)).min().unwrap_or(0);
    let kept: Vec<&str> = lines.iter().map(|l| if l.is_empty() { *l } else { &l[shared..] }).collect();
    let first = kept.iter().position(|l| !l.is_empty()).unwrap_or(0);
    let last = kept.iter().rposition(|l| !l.is_empty()).map_or(0, |i| i + 1);
    kept[first..last.max(first)].join("\n")
}

#[cfg(test)]
mod tests {
    use super::dedent;

    #[test]
    fn a_doc_comment_loses_its_leading_space_and_keeps_its_shape() {
        assert_eq!(dedent(" Add two numbers."), "Add two numbers.");
        assert_eq!(dedent(" First.\n\n - one\n   - nested\n\n     code\n"), "First.\n\n- one\n  - nested\n\n    code");
    }

    #[test]
    fn included_text_without_a_leading_space_stays() {
        assert_eq!(dedent("# Title\n\n    code\ntext\n"), "# Title\n\n    code\ntext");
    }

    #[test]
    fn nothing_stays_nothing() {
        assert_eq!(dedent(""), "");
        assert_eq!(dedent("\n  \n"), "");
    }

    #[test]
    fn tabs_and_wide_letters_are_cut_at_characters() {
        assert_eq!(dedent("\tä\n\t\tö"), "ä\n\tö");
    }
}
