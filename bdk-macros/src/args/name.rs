//! What a tool may be called.

/// The longest name that every model API takes.
const MAX_NAME: usize = 64;

/// What is wrong with a tool's name, if anything is. The runtime has the same rule for constants and generated tools.
pub(crate) fn bad_name(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("a tool's name is empty: write 1 to 64 of `A-Z a-z 0-9 _ -`".to_owned());
    }
    if let Some(c) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))) {
        return Some(format!("`{c}` cannot stand in a tool's name: write 1 to 64 of `A-Z a-z 0-9 _ -`"));
    }
    let length = name.len();
    (length > MAX_NAME).then(|| {
        format!("this name has {length} characters, a tool's has at most {MAX_NAME}: give it a shorter `name`")
    })
}
