//! What is another one in each call though nothing changed, made alike: the ids of artifacts, and where they are fetched.

use crate::id::is_artifact;
use serde_json::Value;

/// How long an artifact's id is.
const ID: usize = 24;

/// All texts of a result.
pub(super) fn value(mut of: Value) -> Value {
    make(&mut of);
    of
}

fn make(value: &mut Value) {
    match value {
        Value::String(told) if told.contains("art_") => *told = text(told),
        Value::Array(items) => items.iter_mut().for_each(make),
        Value::Object(members) => members.values_mut().for_each(make),
        _ => {}
    }
}

/// A text with `art_…` for each id; of a URL that it is fetched at only that.
pub(super) fn text(told: &str) -> String {
    let (mut out, mut from) = (String::with_capacity(told.len()), 0);
    while let Some(at) = told[from..].find("art_").map(|at| from + at) {
        out.push_str(&told[from..at]);
        if told.get(at..at + ID).is_some_and(is_artifact) {
            from = at + ID;
            if out.ends_with("/artifacts/") && told[from..].starts_with("/content") {
                out.truncate(out.trim_end_matches(is_of_url).len());
                out.push_str("…/artifacts/");
            }
            out.push_str("art_…");
        } else {
            from = at + "art_".len();
            out.push_str("art_");
        }
    }
    out.push_str(&told[from..]);
    out
}

/// What stands in the URL of an artifact in front of its id.
fn is_of_url(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/@%[]".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_artifacts_and_their_places_are_alike_and_everything_else_stays() {
        let told = |id: &str, base: &str| {
            value(json!({
                "id": id,
                "text": format!("See {base}/artifacts/{id}/content (art_4) or ({base}/artifacts/{id}/content)."),
                "sizes": [1, { "url": format!("{base}/artifacts/{id}/content"), "beside": format!("{id}/content") }],
            }))
        };
        let one = told("art_abcdefghij0123450123", "http://[::1]:3000/my-bot/v1");
        assert_eq!(one, told("art_zyxwvutsrq5432105432", "/my-bot/v1"));
        assert_eq!(one["text"], "See …/artifacts/art_…/content (art_4) or (…/artifacts/art_…/content).");
        assert_eq!((&one["id"], &one["sizes"][1]["beside"]), (&json!("art_…"), &json!("art_…/content")));
        for same in ["art_", "start_of_things", "art_ABCDEFGHIJ0123450123", "art_äbcdefghij0123450123"] {
            assert_eq!(text(same), same);
        }
    }
}
