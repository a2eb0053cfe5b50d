//! What a tool and a connection may be called.

/// The longest name that every model API takes.
const MAX_NAME: usize = 64;

/// What is wrong with a name, if anything is; `what` is such as `a tool`. The runtime has the same rule for constants and
/// generated tools.
pub(crate) fn bad_name(what: &str, name: &str) -> Option<String> {
    if name.is_empty() {
        return Some(format!("{what}'s name is empty: write 1 to 64 of `A-Z a-z 0-9 _ -`"));
    }
    if let Some(c) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))) {
        return Some(format!("`{c}` cannot stand in {what}'s name: write 1 to 64 of `A-Z a-z 0-9 _ -`"));
    }
    let length = name.len();
    (length > MAX_NAME)
        .then(|| format!("this name has {length} characters, {what}'s has at most {MAX_NAME}: give it a shorter one"))
}
