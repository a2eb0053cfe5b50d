//! The nearest of some known names, for "did you mean".

/// The known name nearest to what was written, if one is near enough to be meant.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(written, known, 1).pop()
}

/// The same as the end of a sentence; empty where there is none.
#[cfg(feature = "connections")]
pub(crate) fn hint<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(written, known).map_or_else(String::new, |near| format!("; there is `{near}`"))
}

/// Up to `most` known names that may have been meant, nearest first.
pub(crate) fn near<'a>(written: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    // nobody meant a name of a hundred letters, and the distance costs the product of the lengths
    if written.len() > 100 {
        return Vec::new();
    }
    let plain = fold(written);
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .filter(|name| name.len() <= 100)
        .filter_map(|name| {
            // an extension's tool is also asked for without the extension's name
            let own = name.split_once("__").map(|(_, own)| own);
            let distances = [Some(name), own].into_iter().flatten().filter_map(|name| {
                let folded = fold(name);
                let (length, distance) = (folded.len().max(plain.len()), distance(&plain, &folded));
                (distance <= length.div_ceil(3).min(3) && distance < length).then_some(distance)
            });
            distances.min().map(|distance| (distance, name))
        })
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(most).map(|(_, name)| name).collect()
}

/// Case and the separators of `snake_case` and `kebab-case` are what is most often wrong.
fn fold(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Letters to insert, remove, replace or swap with a neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let (mut before, mut last) = (vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<_>>());
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{near, nearest};

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["since", "until", "inspect_pr", "tides__level"];
        for (written, meant) in [
            ("sinse", "since"),
            ("Until", "until"),
            ("utnil", "until"),
            ("inspectPr", "inspect_pr"),
            ("snce", "since"),
            ("level", "tides__level"),
        ] {
            assert_eq!(nearest(written, known), Some(meant), "{written}");
        }
    }

    #[test]
    fn what_is_not_near_gets_no_suggestion() {
        assert_eq!(nearest("tri", ["circle", "rect"]), None);
        assert_eq!(nearest("b", ["a"]), None);
        assert_eq!(nearest(&"x".repeat(5000), ["x"]), None);
    }

    #[test]
    fn several_near_names_come_nearest_first() {
        assert_eq!(near("ad", ["add", "ado", "odd", "and"], 3), ["add", "ado", "and"]);
    }
}
