//! The path to a value in an input or a result, as messages write it: `crates[0].mass`.

use crate::tool::Step;

/// Appends a property. A name that is no plain word is written as `["a name"]`.
pub(crate) fn push_key(path: &mut String, key: &str) {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'));
    if plain && key.len() <= 100 {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str(&format!("[{:?}]", cut(key)));
    }
}

/// Appends an item's index, from 0.
pub(crate) fn push_index(path: &mut String, index: usize) {
    path.push_str(&format!("[{index}]"));
}

/// Appends steps.
pub(crate) fn push_steps(path: &mut String, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Key(key) => push_key(path, key),
            Step::Index(index) => push_index(path, *index),
        }
    }
}

/// What a caller sent, cut to 80 characters so that a message stays readable.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{push_key, push_steps};
    use crate::tool::Step;

    #[test]
    fn a_path_reads_like_code() {
        let mut path = String::new();
        push_key(&mut path, "crates");
        push_steps(&mut path, &[Step::Index(0), Step::Key("mass".into()), Step::Key("a b".into())]);
        assert_eq!(path, r#"crates[0].mass["a b"]"#);
    }
}
