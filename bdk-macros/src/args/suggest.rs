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

/// How many letters were left out, added, replaced or swapped.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, hint, nearest};

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("rnage", "range"), 1);
        assert_eq!(distance("größe", "grösse"), 2);
    }

    #[test]
    fn the_nearest_name_is_close_or_none() {
        assert_eq!(nearest("efect", ["name", "effect"]), Some("effect"));
        assert_eq!(nearest("rnage", ["name", "range"]), Some("range"));
        assert_eq!(nearest("colour", ["name", "effect"]), None);
    }

    #[test]
    fn without_a_near_name_all_are_told() {
        assert_eq!(hint("nope", &["since", "until"], "parameters"), "; its parameters are `since`, `until`");
        assert_eq!(hint("nope", &[], "parameters"), "; it has no parameters");
    }
}
