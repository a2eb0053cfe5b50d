//! Near names (placeholder until the input branch lands).

pub(crate) fn near<'a>(name: &str, names: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    names.into_iter().filter(|n| n.starts_with(name.get(..2).unwrap_or(name))).take(most).collect()
}
