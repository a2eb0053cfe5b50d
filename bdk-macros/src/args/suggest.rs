//! Nearest names, for mistakes of the keyboard.

/// The name that was probably meant.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = |(distance, name): &(usize, &str)| *distance <= 1 + name.chars().count().max(given.chars().count()) / 4;
    known.into_iter().map(|name| (distance(given, name), name)).filter(close).min().map(|(_, name)| name)
}

/// The tail of a message about an unknown name: the nearest one, or all there are.
pub(crate) fn hint(given: &str, known: &[&str], what: &str) -> String {
    match (nearest(given, known.iter().copied()), known) {
        (Some(name), _) => format!("; did you mean `{name}`?"),
        (None, []) => format!("; it has no {what}"),
        (None, known) => {
            let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("; its {what} are {}", list.join(", "))
        }
    }
}

/// Levenshtein's, one row at a time.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, hint, nearest};

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("größe", "grösse"), 2);
    }

    #[test]
    fn the_nearest_name_is_close_or_none() {
        assert_eq!(nearest("efect", ["name", "effect"]), Some("effect"));
        assert_eq!(nearest("colour", ["name", "effect"]), None);
    }

    #[test]
    fn without_a_near_name_all_are_told() {
        assert_eq!(hint("nope", &["since", "until"], "parameters"), "; its parameters are `since`, `until`");
        assert_eq!(hint("nope", &[], "parameters"), "; it has no parameters");
    }
}
