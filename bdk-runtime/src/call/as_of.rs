//! Step 3 of a call: a session frozen in the past looks at nothing later.

use super::input::{Issue, received};
use crate::tool::{Step, Timestamp, parse_rfc3339, path_text};
use serde_json::Value;

/// Judges the arguments named by `time_args` on what the caller sent: each must be there, an absolute RFC 3339 instant
/// with a zone, and not later than the frozen one. A default does not count: the caller has to say how far it looks.
pub(crate) fn judge<S: AsRef<str>>(time_args: &[S], input: &Value, frozen: Timestamp) -> Vec<Issue> {
    time_args.iter().filter_map(|name| fault(name.as_ref(), input, frozen)).collect()
}

fn fault(name: &str, input: &Value, frozen: Timestamp) -> Option<Issue> {
    let value = input.get(name).filter(|v| !v.is_null());
    let instant = value.and_then(Value::as_str).and_then(instant);
    if instant.is_some_and(|instant| instant <= frozen) {
        return None;
    }
    let expected = format!("an absolute RFC 3339 instant with a zone, not later than {frozen}");
    let must = format!("must be given as {expected} (time is frozen there)");
    let (message, came) = match value {
        None => (format!("is missing: {must}; retry with absolute bounds"), None),
        Some(value) => {
            let came = received(value);
            (format!("{must}, got {came}; retry with absolute bounds"), Some(came))
        }
    };
    Some(Issue { path: path_text(&[Step::Key(name.to_owned())]), message, expected: Some(expected), received: came })
}

/// The one place that reads them.
fn instant(text: &str) -> Option<Timestamp> {
    parse_rfc3339(text).ok()
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::tool::Timestamp;
    use serde_json::{Value, json};

    fn frozen() -> Timestamp {
        "2026-01-01T00:00:00Z".parse().expect("an instant")
    }

    fn paths(input: &Value) -> Vec<String> {
        judge(&["since", "until"], input, frozen()).into_iter().map(|i| i.path).collect()
    }

    #[test]
    fn each_bound_must_be_there_absolute_and_not_later() {
        let good = "2025-12-01T00:00:00Z";
        for bad in [
            json!(null),
            json!("yesterday"),
            json!("2025-12-01"),
            json!("2025-12-01T00:00:00"),
            json!("2025-12-01 00:00:00Z"),
            json!("2025-12-01T24:00:00Z"),
            json!("2026-01-01T00:00:00.000000001Z"),
            json!("2026-01-01T00:00:01+00:00"),
            json!(1_764_547_200),
            json!([good]),
        ] {
            assert_eq!(paths(&json!({ "since": bad, "until": good })), ["since"], "{bad}");
            assert_eq!(paths(&json!({ "since": good, "until": bad })), ["until"], "{bad}");
        }
        assert_eq!(paths(&json!({})), ["since", "until"]);
    }

    #[test]
    fn an_equal_instant_passes_in_any_offset() {
        for good in
            ["2026-01-01T00:00:00Z", "2026-01-01t00:00:00z", "2025-12-31T19:00:00-05:00", "2026-01-01T00:00:00+00:00"]
        {
            assert_eq!(paths(&json!({ "since": good, "until": good })), [""; 0], "{good}");
        }
    }

    #[test]
    fn the_words_name_the_frozen_instant_and_what_to_do() {
        let issues = judge(&["since"], &json!({ "since": "yesterday" }), frozen());
        assert_eq!(
            issues[0].message,
            "must be given as an absolute RFC 3339 instant with a zone, not later than 2026-01-01T00:00:00Z (time \
             is frozen there), got string \"yesterday\"; retry with absolute bounds"
        );
        assert_eq!(
            judge(&["since"], &json!({}), frozen())[0].message,
            "is missing: must be given as an absolute RFC 3339 instant with a zone, not later than 2026-01-01T00:00:00Z \
             (time is frozen there); retry with absolute bounds"
        );
    }
}
