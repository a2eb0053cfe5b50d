//! Where two JSON values differ, as few lines as say it.

use serde::Serialize;
use serde_json::Value;

/// So many places are told.
pub(super) const MOST: usize = 20;
/// How deep it is looked into values; what differs below is told as a whole.
const DEEP: usize = 64;

/// A place where two values differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Difference {
    /// `result.checks[2].name`.
    pub(super) path: String,
    /// What was there; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Value>,
    /// What is there; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<Value>,
}

/// The places, and how many more there are.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) told: Vec<Difference>,
    pub(super) more: usize,
}

/// Where these differ. `path` is that of the values themselves.
pub(super) fn between(path: &str, before: &Value, after: &Value) -> Differences {
    let mut found = Differences::default();
    found.compare(path, before, after, 0);
    found
}

impl Differences {
    fn add(&mut self, path: &str, before: Option<&Value>, after: Option<&Value>) {
        if self.told.len() < MOST {
            self.told.push(Difference { path: path.to_owned(), before: before.cloned(), after: after.cloned() });
        } else {
            self.more += 1;
        }
    }

    fn compare(&mut self, path: &str, before: &Value, after: &Value, depth: usize) {
        if before == after {
            return;
        }
        match (before, after) {
            (Value::Object(old), Value::Object(new)) if depth < DEEP => {
                for (name, before) in old {
                    let path = member(path, name);
                    match new.get(name) {
                        Some(after) => self.compare(&path, before, after, depth + 1),
                        None => self.add(&path, Some(before), None),
                    }
                }
                for (name, after) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                    self.add(&member(path, name), None, Some(after));
                }
            }
            (Value::Array(old), Value::Array(new)) if depth < DEEP => self.items(path, old, new, depth),
            _ => self.add(path, Some(before), Some(after)),
        }
    }

    /// What came or went in the middle of a list does not make all that stands behind it different.
    fn items(&mut self, path: &str, old: &[Value], new: &[Value], depth: usize) {
        let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[same..], &new[same..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        for i in 0..old.len().max(new.len()) {
            let path = format!("{path}[{}]", same + i);
            match (old.get(i), new.get(i)) {
                (Some(before), Some(after)) => self.compare(&path, before, after, depth + 1),
                (before, after) => self.add(&path, before, after),
            }
        }
    }
}

/// `a.b`, or `a["odd name"]`.
fn member(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    if plain { format!("{path}.{name}") } else { format!("{path}[{}]", Value::from(name)) }
}

/// Two values as a line has room for them: of long texts the part where they begin to differ.
pub(super) fn shown(before: Option<&Value>, after: Option<&Value>, width: usize) -> [String; 2] {
    let half = (width / 2).max(16);
    if let (Some(Value::String(a)), Some(Value::String(b))) = (before, after)
        && a.chars().count().max(b.chars().count()) + 2 > half
    {
        let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        // a little of what is the same, so that the place is found
        let from = same.saturating_sub(half / 4);
        return [a, b].map(|text| {
            let part: String = text.chars().skip(from).collect();
            one(&Value::from(part), half, if from > 0 { "…" } else { "" })
        });
    }
    [before, after].map(|value| value.map_or_else(|| "nothing".to_owned(), |value| one(value, half, "")))
}

fn one(value: &Value, width: usize, begin: &str) -> String {
    let json = crate::visible::json(&value.to_string());
    format!("{begin}{}", crate::cli::shown::cut(&json, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(before: &Value, after: &Value) -> Vec<String> {
        let found = between("result", before, after);
        let line = |d: &Difference| {
            let [before, after] = shown(d.before.as_ref(), d.after.as_ref(), 80);
            format!("{}: {before} -> {after}", d.path)
        };
        found.told.iter().map(line).collect()
    }

    #[test]
    fn each_difference_is_told_at_its_own_place() {
        for (before, after, expected) in [
            (json!(1), json!(1), &[][..]),
            (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), &[]),
            (json!(1), json!("1"), &["result: 1 -> \"1\""]),
            (json!(null), json!({}), &["result: null -> {}"]),
            (json!({"a": {"b": [1, 2]}}), json!({"a": {"b": [1, 3]}}), &["result.a.b[1]: 2 -> 3"]),
            (json!({"a": 1}), json!({"b": 1}), &["result.a: 1 -> nothing", "result.b: nothing -> 1"]),
            (json!({"a": null}), json!({}), &["result.a: null -> nothing"]),
            (json!([1, 2, 3]), json!([0, 1, 2, 3]), &["result[0]: nothing -> 0"]),
            (json!([1, 2, 3]), json!([1, 3]), &["result[1]: 2 -> nothing"]),
            (json!([1, 1]), json!([1, 1, 1]), &["result[2]: nothing -> 1"]),
            (json!([[1], [2]]), json!([[1], [2, 3]]), &["result[1][1]: nothing -> 3"]),
            (json!({"odd name": 1, "": 2}), json!({"odd name": 2, "": 2}), &["result[\"odd name\"]: 1 -> 2"]),
            (json!(1.0), json!(1), &["result: 1.0 -> 1"]),
        ] {
            assert_eq!(told(&before, &after), expected, "{before} {after}");
        }
    }

    #[test]
    fn long_texts_are_shown_where_they_begin_to_differ_and_nothing_of_them_moves_the_cursor() {
        let long = |end: &str| json!(format!("{}{end}", "x".repeat(500)));
        assert_eq!(
            told(&long("one"), &long("two\u{1b}[2J")),
            ["result: …\"xxxxxxxxxxone\" -> …\"xxxxxxxxxxtwo\\u001b[2J\""]
        );
        let all = told(&json!(["a".repeat(500)]), &json!([vec![1; 500]])).remove(0);
        assert!(all.chars().count() < 120 && all.contains('…'), "{all}");
    }

    #[test]
    fn no_more_is_told_than_anybody_reads_and_the_rest_is_counted() {
        let found = between("result", &json!(vec![0; 1000]), &json!(vec![1; 1000]));
        assert_eq!((found.told.len(), found.more), (MOST, 1000 - MOST));
    }

    #[test]
    fn values_of_any_depth_are_compared() {
        let nested = |leaf: Value| (0..500).fold(leaf, |inner, _| json!([inner]));
        assert_eq!(between("result", &nested(json!(1)), &nested(json!(2))).told.len(), 1);
    }
}
